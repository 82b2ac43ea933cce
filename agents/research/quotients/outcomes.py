"""Outcomes of positions, found by self-play with a table of known outcomes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from agents.base import AfterGame, HypothesisError

Position = TypeVar("Position", bound=Hashable)

DRAWN = 4096
"""Random numbers drawn in one batch."""


class NoMoreGamesError(Exception):
    """The budget of games is used up."""


@dataclass(eq=False)
class GameBudget:
    """A budget of games, and of positions whose options are read from the rules."""

    left: int  # number of games that may still be played
    most_read: int  # most positions whose options are read for one part
    rng: np.random.Generator  # of the players' choices
    after_game: AfterGame  # called after every game; a true result ends all games
    read: int = 0  # number of positions whose options were read

    def __post_init__(self) -> None:
        self._read_before = 0
        self._numbers: list[float] = []

    def begin(self) -> None:
        """Begin a game, if one is left."""
        if self.left <= 0:
            raise NoMoreGamesError
        self.left -= 1

    def end(self, winner: int, length: int) -> None:
        """End a game: report its winner and its number of moves."""
        if self.after_game(winner, length):
            self.left = 0

    def next_part(self) -> None:
        """Begin to count the positions read for the next part."""
        self._read_before = self.read

    def count_read(self, positions: int) -> None:
        """Count positions whose options were read."""
        self.read += positions
        if self.read - self._read_before > self.most_read:
            raise HypothesisError(
                f"the options of more than {self.most_read} positions had to be read"
            )

    def random_rotation(self, options: list[Position]) -> list[Position]:
        """Return the options in their order, beginning at a random one."""
        if not self._numbers:
            self._numbers = self.rng.random(DRAWN).tolist()
        first = int(self._numbers.pop() * len(options))
        return options[first:] + options[:first]


class OutcomeFinder(Generic[Position]):
    """Finds who wins a position, by games whose players share a table of known outcomes.

    At each position, successive games try the options of unknown outcome in turn. A game ends at a
    position whose outcome follows from the table. Then its positions are updated backwards: one
    with a lost option is won, one with only won options is lost.
    """

    def __init__(
        self,
        options: Callable[[Position], list[Position]],
        lost: dict[Position, bool],
        budget: GameBudget,
    ) -> None:
        self.lost = lost
        self._options = options
        self._budget = budget
        self._untried: dict[Position, list[Position]] = {}  # the next option last

    def is_lost(self, position: Position) -> bool:
        """Return whether the player to move loses, playing games until that is known."""
        while position not in self.lost:
            self._play(position)
        return self.lost[position]

    def _play(self, start: Position) -> None:
        """Play one game, and store the outcomes that follow from its end."""
        self._budget.begin()
        path = [start]
        while (after := self._next(path[-1])) is not None:
            path.append(after)
        to_move = (len(path) - 1) % 2
        winner = 1 - to_move if self.lost[path[-1]] else to_move
        for position in reversed(path[:-1]):
            if self._next(position) is not None:  # no outcome follows here
                break
        self._budget.end(winner, len(path))

    def _next(self, position: Position) -> Position | None:
        """Return the option to try; ``None`` where the outcome is known, or follows now."""
        lost = self.lost
        if position in lost:
            return None
        untried = self._untried.get(position)
        if untried is None:
            options = self._options(position)
            self._budget.count_read(1)
            outcomes = [lost.get(option) for option in options]
            if True in outcomes:
                lost[position] = False
                return None
            untried = [option for option, known in zip(options, outcomes, strict=True)
                       if known is None][::-1]  # fmt: skip
            self._untried[position] = untried
        while untried:
            known = lost.get(untried[-1])
            if known is None:
                return untried[-1]
            if known:
                break
            untried.pop()
        lost[position] = not untried
        del self._untried[position]
        return None
