"""The contents of a picture of a game, apart from how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from nim_envs.game import PLAYERS
from nim_envs.typing import IntArray


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
        winning: the winning actions, or ``None`` to hide them.
        pointed: an action that is selected but not made yet, or ``None``.
        names: names of the players, by seat.
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

    def state(self, component: int) -> int:
        """Return the state of a component."""
        return int(self.position[component])

    def state_before(self, component: int) -> int:
        """Return the state of a component before the last move."""
        return self.state(component) if self.previous is None else int(self.previous[component])

    def winning_options(self, component: int, num_options: int) -> list[int]:
        """Return the winning options of a component; none if they are hidden."""
        if self.winning is None:
            return []
        first = component * num_options
        own = (self.winning >= first) & (self.winning < first + num_options)
        return [int(action) - first for action in self.winning[own]]

    @property
    def status(self) -> str:
        """Whose turn it is, or who has won."""
        if self.mover is not None:
            return f"{self.names[self.mover]} to move"
        return "the game is over" if self.winner is None else f"{self.names[self.winner]} has won"

    @property
    def headline(self) -> str:
        """The last move and the status in one line."""
        return "; ".join(filter(None, (self.last_move, self.status)))
