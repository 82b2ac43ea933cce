"""A game as its constructor describes it: parts, start, and a theorem beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from nim_envs.errors import InvalidGameError
from nim_envs.graph import Graph, Part
from nim_envs.sums import Sum, board_of
from nim_envs.typing import BoolArray, Position


class Theorem(NamedTuple):
    """A theorem on who wins a game.

    Attributes:
        name: such as ``"Wythoff's theorem"``.
        wins: function of coordinates, int64 ``(n, fields)``, and the convention as an argument of
            that name, to whether the player to move wins, ``(n,)``.
        normal_only: whether it is about normal play alone, and takes no convention.
    """

    name: str
    wins: Callable[..., BoolArray]
    normal_only: bool = False


class Setup(NamedTuple):
    """A game without a choice of who wins.

    Attributes:
        name: short name of the game.
        parts: its parts, in the order of a position.
        start: the position from which play usually starts, the coordinates of all parts.
        misere: whether by default the player who makes the last move loses.
        theorem: theorem on who wins; ``None``: none is known here.
    """

    name: str
    parts: tuple[Part, ...]
    start: Position
    misere: bool = False
    theorem: Theorem | None = None

    @property
    def board(self) -> Graph | Sum:
        """The positions and moves, as one graph where they are few."""
        return board_of(self.parts)

    def describe(self, action: int, position: Position | None = None) -> str:
        """Return an action in words, at the position before it if that is given."""
        index, option = divmod(action, max(part.num_actions for part in self.parts))
        part = self.parts[index]
        if option >= part.num_actions:
            return f"{part.words.kind} {index}: option {option}, which it does not have"
        first = sum(len(each.fields) for each in self.parts[:index])
        here = None if position is None else position[first : first + len(part.fields)]
        return f"{part.words.kind} {index}: {part.describe(option, here)}"


def sum_of(games: Sequence[Setup]) -> Setup:
    """A disjunctive sum: a move is a move in one game, and play ends when all have ended.

    Args:
        games: the games, in the order of the parts.

    Raises:
        InvalidGameError: no games, or one of several that has an outcome of its own, as a sum is
            decided by the last move.

    References:
        *Winning Ways*, ch. 2; J. H. Conway, *On Numbers and Games*, ch. 7.
    """
    if not games or not all(isinstance(game, Setup) for game in games):
        raise InvalidGameError(f"a sum must have games, at least one, not {games!r}")
    if len(games) > 1 and any(p.outcome is not None for game in games for p in game.parts):
        raise InvalidGameError(
            "a game with an outcome of its own is no part of a sum, which the last move decides"
        )
    return Setup(
        name=" + ".join(game.name for game in games),
        parts=tuple(part for game in games for part in game.parts),
        start=tuple(number for game in games for number in game.start),
    )
