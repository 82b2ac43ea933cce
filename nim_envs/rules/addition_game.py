"""The addition game: one running total that must not pass a limit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.rules.component import NO_MOVE, NO_OPTION, Component
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.rules.words import any_of
from nim_envs.typing import IntArray
from nim_envs.validation import checked_integer


@dataclass(frozen=True)
class AdditionTotal(Component):
    """A running total; option ``j`` adds ``j + 1``, up to ``k``, while the total is at most ``n``.

    Args:
        k: largest number that one move may add.
        n: the limit; totals from ``n + 1`` to ``n + k`` end the game.
    """

    k: int
    n: int

    kind = "total"

    @property
    def states(self) -> int:
        """Number of states: totals 0 to ``n + k``."""
        return self.n + self.k + 1

    @property
    def options(self) -> int:
        """Number of option slots: ``k``."""
        return self.k

    @cached_property
    def words(self) -> AdditionWords:
        """Numbers to add."""
        return AdditionWords(self.k, self.n)

    def successors(self, states: IntArray) -> IntArray:
        """Return the total after adding 1 to ``k``, or ``NO_MOVE`` once the limit is passed."""
        totals = states[..., np.newaxis] + np.arange(1, self.k + 1)
        return np.where(states[..., np.newaxis] <= self.n, totals, NO_MOVE)

    def legal_count(self, states: IntArray) -> IntArray:
        """Return ``k``, or 0 where the total has passed the limit."""
        return np.where(np.asarray(states) <= self.n, self.k, 0)

    def option_to(self, before: IntArray, after: IntArray) -> IntArray:
        """Return the option that adds the difference of the totals, or ``NO_OPTION``."""
        added = np.asarray(after) - before
        legal = (np.asarray(before) <= self.n) & (added >= 1) & (added <= self.k)
        return np.where(legal, added - 1, NO_OPTION)


@dataclass(frozen=True)
class AdditionWords(MoveWords):
    """Moves in words, by the number added.

    Args:
        k: largest number that one move may add.
        n: the limit.
    """

    k: int
    n: int

    @property
    def move(self) -> str:
        """A move in words: the numbers that may be added, and the limit."""
        return f"add {any_of(range(1, self.k + 1))}, until the total is over {self.n}"

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        return f"add {option + 1}"

    def numbers(self, option: int, state: int) -> tuple[int, ...]:
        """Return the number added."""
        return (option + 1,)


def addition(k: int, n: int) -> Rules:
    """Rules of the addition game: from a total of 0, add 1 to ``k`` until it exceeds ``n``.

    Every move may add any of the ``k`` numbers, so totals up to ``n + k`` occur. In the game of the
    reference, the player who makes the total exceed ``n`` loses: this is misère play of these
    rules, as that player has made the last move.

    Args:
        k: largest number that one move may add; at least 1.
        n: the limit; at least 0.

    Raises:
        InvalidGameError: ``k`` below 1, ``n`` below 0, or either not an integer.

    References:
        D. Blackwell & M. A. Girshick, *Theory of Games and Statistical Decisions* (1954).

    Example:
        >>> addition(k=2, n=1).components[0].table.tolist()
        [[1, 2], [2, 3], [-1, -1], [-1, -1]]
    """
    total = AdditionTotal(
        k=checked_integer("k", k, minimum=1), n=checked_integer("n", n, minimum=0)
    )
    return Rules(name="addition", components=(total,), initial=(0,))
