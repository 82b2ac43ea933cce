"""Who wins positions, found out by games between players who remember."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np

from agents.base import AfterGame, HypothesisError

Position = TypeVar("Position", bound=Hashable)

DRAWN = 4096
"""Random numbers that are drawn at a time."""


class GamesOver(Exception):
    """No more games are to be played."""


class Games:
    """The games that may be played, and what was read of the rules for them.

    Args:
        most: the most games.
        most_read: the most positions whose options may be read for one part.
        rng: of the players' choices.
        after_game: called after every game; a true result ends all games.

    Attributes:
        read: positions whose options were read.
    """

    def __init__(
        self, most: int, most_read: int, rng: np.random.Generator, after_game: AfterGame
    ) -> None:
        self.left = most
        self.most_read = most_read
        self.read = 0
        self._read_before = 0
        self._rng = rng
        self._after_game = after_game
        self._numbers: list[float] = []

    def begin(self) -> None:
        """Begin a game.

        Raises:
            GamesOver: there are no more.
        """
        if self.left <= 0:
            raise GamesOver
        self.left -= 1

    def end(self, winner: int, length: int) -> None:
        """End a game that a seat has won after so many moves."""
        if self._after_game(winner, length):
            self.left = 0

    def next_part(self) -> None:
        """Allow as many positions again to be read."""
        self._read_before = self.read

    def looked_up(self, positions: int) -> None:
        """Count positions whose options were read.

        Raises:
            HypothesisError: these were too many for one part.
        """
        self.read += positions
        if self.read - self._read_before > self.most_read:
            raise HypothesisError(
                f"the options of more than {self.most_read} positions had to be read"
            )

    def choice(self, number: int) -> int:
        """Return a random number below ``number``."""
        if not self._numbers:
            self._numbers = self._rng.random(DRAWN).tolist()
        return int(self._numbers.pop() * number)


class SelfPlay(Generic[Position]):
    """Finds out who wins by games of two players with one memory.

    A move goes to an option of which the memory does not say who wins, a random one of these, and
    a game ends where the memory says who wins whatever is done. Then the positions of the game
    are gone through backwards: one with a lost option is won, one with won options only is lost.

    Args:
        options: the options of a position.
        lost: whether positions are lost, as far as known; more is added.
        games: the games that may be played.
    """

    def __init__(
        self,
        options: Callable[[Position], list[Position]],
        lost: dict[Position, bool],
        games: Games,
    ) -> None:
        self.lost = lost
        self._options = options
        self._games = games
        self._open: dict[Position, list[Position]] = {}

    def is_lost(self, position: Position) -> bool:
        """Return whether the player to move loses, after as many games as it takes to know.

        Raises:
            GamesOver: there are no more games.
        """
        while position not in self.lost:
            self._play(position)
        return self.lost[position]

    def _play(self, start: Position) -> None:
        """Play one game."""
        self._games.begin()
        path = [start]
        while undecided := self._undecided(path[-1]):
            path.append(undecided[self._games.choice(len(undecided))])
        to_move = (len(path) - 1) % 2
        winner = 1 - to_move if self.lost[path[-1]] else to_move
        for position in reversed(path[:-1]):
            if self._undecided(position):
                break
        self._games.end(winner, len(path))

    def _undecided(self, position: Position) -> list[Position]:
        """Return the options of which nothing is known; none where the position is decided."""
        if position in self.lost:
            return []
        options = self._open.get(position)
        if options is None:
            options = self._options(position)
            self._games.looked_up(1)
        undecided = []
        for option in options:
            lost = self.lost.get(option)
            if lost:
                self.lost[position] = False
                self._open.pop(position, None)
                return []
            if lost is None:
                undecided.append(option)
        if undecided:
            self._open[position] = undecided
        else:
            self.lost[position] = True
            self._open.pop(position, None)
        return undecided
