"""The contents of a picture of a game, apart from how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nim_envs.game import PLAYERS
from nim_envs.rules.component import Component
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray


class ComponentView(NamedTuple):
    """One component in a scene, for the layout that draws it."""

    component: Component
    name: str  # its kind and index
    state: int
    before: int  # its state before the last move
    pointed: int | None  # its state after the move that is selected, if that is in it
    winning: tuple[int, ...]  # its winning options that are to be marked
    wins: tuple[int, ...]  # the states after those
    taken: int  # objects that the last move took from it
    mover: int | None  # seat to move
    last_mover: int | None  # seat that made the last move


@dataclass(frozen=True, eq=False)
class Scene:
    """A moment of a game.

    Args:
        position: current position, ``(components,)``.
        mover: seat that is to move, or ``None`` when the game is over.
        winner: seat that has won, if one has.
        previous: the position before the last move, or before all moves to highlight.
        last_mover: seat that made the last move.
        last_move: a description of the last move and who made it.
        winning: the winning actions, or at a drawn position those that keep the draw; ``None``
            hides them.
        pointed: an action that is selected but not made yet, or ``None``.
        names: names of the players, by seat.
        drawn: whether the game is over and drawn.
    """

    position: IntArray
    mover: int | None
    winner: int | None = None
    previous: IntArray | None = None
    last_mover: int | None = None
    last_move: str = ""
    winning: IntArray | None = None
    pointed: int | None = None
    names: tuple[str, str] = PLAYERS
    drawn: bool = False

    def view(self, rules: Rules, index: int) -> ComponentView:
        """Return the view of a component of a game with these rules."""
        state = int(self.position[index])
        before = state if self.previous is None else int(self.previous[index])
        successors = rules.state_options[index][state].successors
        marked = [] if self.winning is None else self.winning.tolist()
        moves = [divmod(action, rules.num_options) for action in marked]
        winning = tuple(option for component, option in moves if component == index)
        pointed = None
        if self.pointed is not None and self.pointed // rules.num_options == index:
            pointed = int(successors[self.pointed % rules.num_options])
        return ComponentView(
            component=rules.components[index],
            name=f"{rules.components[index].kind} {index}",
            state=state,
            before=before,
            pointed=pointed,
            winning=winning,
            wins=tuple(int(successors[option]) for option in winning),
            taken=max(0, before - state),
            mover=self.mover,
            last_mover=self.last_mover,
        )

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
