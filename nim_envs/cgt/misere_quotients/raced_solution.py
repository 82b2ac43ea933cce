"""Misère play by a search and by a misère quotient at the same time: the sooner one answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

from nim_envs.cgt.misere_quotients.quotient_solution import QuotientSolution
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.heap_search import LARGEST_MEMO
from nim_envs.theory.memo_search import MemoSolution
from nim_envs.theory.solution import Solution

HEAD_START = 30_000
"""Work of the search before a quotient is looked for: some hundredths of a second."""

EVEN, FIRST_SHARE, SHARE, LAST = 100_000, 1.1, 0.6, 0.8
"""Work of the searches; its share that may go into the quotient up to it, and of what follows, as
of what takes long it is mostly the search that answers; and the share of the heaps after which the
quotient, about to be found, catches up."""


WORK_OF_QUESTION, WORK_OF_POSITION = 50, 5
"""Work of a question about an array of positions, and of each of them, if all are known already."""

TURN = 10_000
"""Work before the two take turns: each finds less of its own in the processor's cache."""


class _AnsweredError(Exception):
    """The search has answered the question while the quotient was looked for."""


class _FoundError(Exception):
    """The quotient was found before the search had answered the question."""


def _allowed(searched: int, share: float) -> float:
    """Return the work that may go into the quotient.

    Args:
        searched: work of the searches so far.
        share: of the heaps that the quotient is of.
    """
    if share >= LAST or searched <= EVEN:
        return FIRST_SHARE * searched
    return FIRST_SHARE * EVEN + SHARE * (searched - EVEN)


class RacedSolution(MemoSolution):
    """A game in misère play, searched on demand until its misère quotient is found.

    No one knows beforehand which of the two takes less time: a search of one position may visit a
    small part of all; a quotient may be small, large or infinite. So the two take turns, and the
    work on the quotient stays in proportion to that of all searches so far. Work is counted, not
    timed: the same questions are answered in the same way on any machine. Where the search has
    answered first, the quotient is tried again once the searches have doubled their work; once it
    is found, it answers everything.

    Args:
        rules: the rules.
        limit: most positions in the table of the search.
    """

    def __init__(self, rules: Rules, limit: int = LARGEST_MEMO) -> None:
        super().__init__(rules, Convention.MISERE, limit)
        self._quotient: QuotientSolution | None = None
        self._searched = self._spent = 0  # work of the searches, and on the quotient
        self._next_try: float = HEAD_START

    def for_many_positions(self) -> Solution:
        """Return the quotient, where there is one, whatever it takes to find it."""
        if self._quotient is None and self._next_try < math.inf:
            self._next_try = math.inf
            with suppress(SearchTooLargeError):
                self._turn_to(QuotientSolution(self.rules))
        return self._quotient or self

    @property
    def is_whole(self) -> bool:
        """Whether any position can be looked up: once the quotient was found."""
        return self._quotient is not None

    def _turn_to(self, quotient: QuotientSolution) -> None:
        self._quotient, self.method = quotient, quotient.method
        self._search.forget()

    def _winning(self, positions: IntArray) -> BoolArray:
        if self._quotient is None:
            self._searched += WORK_OF_QUESTION + WORK_OF_POSITION * (
                positions.size // len(self.rules.shape)
            )
            try:
                return super()._winning(positions)
            except _FoundError:
                pass
        assert self._quotient is not None
        return self._quotient._winning(positions)

    def _winning_options(self, positions: IntArray) -> BoolArray:
        if self._quotient is None:
            return super()._winning_options(positions)
        return self._quotient._winning_options(positions)

    def _wins(self, parts: list[int]) -> bool:
        position = self._search.canonical(parts)
        steps = self._search.steps(position)
        for work in steps:
            self._searched += work
            if self._searched >= self._next_try:
                self._race(steps)
        return bool(self._search.known(position))

    def _race(self, steps: Iterator[int]) -> None:
        """Look for the quotient until ``steps`` have made the search that is under way."""

        def spend(work: int, share: float) -> None:
            self._spent += work
            if self._spent <= _allowed(self._searched, share):
                return
            while self._spent + TURN > _allowed(self._searched, share):
                done = next(steps, None)
                if done is None:
                    raise _AnsweredError
                self._searched += done

        try:
            self._turn_to(QuotientSolution(self.rules, spend))
        except _AnsweredError:
            self._next_try = 2 * self._searched
        except SearchTooLargeError:
            self._next_try = math.inf
        else:
            raise _FoundError
