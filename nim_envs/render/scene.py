"""The contents of a picture of a game, apart from how it is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from nim_envs.game import PLAYERS, Game
from nim_envs.graph import Part
from nim_envs.typing import IntArray, Position

Coordinates: TypeAlias = Sequence[int] | IntArray
"""A position: the coordinates of all parts, one after the other."""


class PartView(NamedTuple):
    """One part in a scene, for the layout that draws it."""

    part: Part
    name: str  # its kind and index
    here: Position  # its coordinates
    before: Position  # those before the last move
    pointed: Position | None  # those after the move that is selected, if that is in it
    winning: tuple[int, ...]  # its winning options that are to be marked
    wins: tuple[Position, ...]  # its coordinates after those
    taken: int  # objects that the last move took, of a heap
    mover: int | None  # seat to move
    last_mover: int | None  # seat that made the last move


@dataclass(frozen=True, eq=False)
class Scene:
    """A moment of a game.

    ``mover`` is ``None`` when the game is over; ``previous`` is the position before the last
    move, or before all moves to highlight. The winning actions, at a drawn position those that
    keep the draw, are hidden by ``None``; the pointed one is selected but not made yet.
    """

    position: Coordinates
    mover: int | None
    winner: int | None = None
    previous: Coordinates | None = None
    last_mover: int | None = None
    last_move: str = ""
    winning: IntArray | None = None
    pointed: int | None = None
    names: tuple[str, str] = PLAYERS
    drawn: bool = False

    def views(self, game: Game) -> list[PartView]:
        """Return the views of the parts of a game."""
        chosen: list[tuple[list[int], list[int]]] = [([], []) for _ in game.parts]
        options = max(part.num_actions for part in game.parts)
        for actions, of in ((self.winning, 0), (self.pointed, 1)):
            for action in () if actions is None else np.atleast_1d(actions).tolist():
                chosen[action // options][of].append(action % options)
        now = split(game, self.position)
        before = now if self.previous is None else split(game, self.previous)
        views = []
        for index, part in enumerate(game.parts):
            here, (winning, pointed) = now[index], chosen[index]
            view = PartView(
                part=part,
                name=f"{part.words.kind} {index}",
                here=here,
                before=before[index],
                pointed=_after(part, here, pointed[0]) if pointed else None,
                winning=tuple(winning),
                wins=tuple(_after(part, here, option) for option in winning),
                taken=max(0, before[index][0] - here[0]),
                mover=self.mover,
                last_mover=self.last_mover,
            )
            views.append(view)
        return views

    @property
    def status(self) -> str:
        """Whose turn it is, or who has won, or that the game is drawn."""
        if self.mover is not None:
            return f"{self.names[self.mover]} to move"
        if self.drawn:
            return "the game is drawn"
        return "the game is over" if self.winner is None else f"{self.names[self.winner]} has won"

    @property
    def headline(self) -> str:
        """The last move and the status in one line."""
        return "; ".join(filter(None, (self.last_move, self.status)))


def _after(part: Part, here: Position, option: int) -> Position:
    """Return the coordinates after an option; of two parts, those of the first one."""
    return part.position(int(part.after[part.state(here), option]))


def split(game: Game, position: Coordinates) -> list[Position]:
    """Return the coordinates of each part at a position, an array or a sequence."""
    return game.split(np.asarray(position).tolist())
