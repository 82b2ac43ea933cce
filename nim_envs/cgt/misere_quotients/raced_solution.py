"""Misère play solved by a search and a misère quotient in turns, until one of them finishes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress

from nim_envs.cgt.misere_quotients.quotient_solution import QuotientSolution
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.heap_search import LARGEST_MEMO
from nim_envs.theory.memo_search import MemoSolution
from nim_envs.theory.solution import Solution
from nim_envs.typing import BoolArray, IntArray

HEAD_START = 50_000
"""Work of the search before the quotient begins: some hundredths of a second."""

EVEN, SHARE = 200_000, 0.7
"""Allowed work of the quotient: up to ``EVEN`` as much as that of the searches, beyond it ``SHARE``
of theirs, as in long games the search mostly finishes first."""

LAST, NEAR_END = 0.85, 1.25
"""Once the share ``LAST`` of the heaps has been added, the quotient may take ``NEAR_END`` times the
work of the searches: it is nearly there."""

WORK_OF_CALL, WORK_OF_POSITION = 50, 5
"""Work of a call with an array of known positions, and of each position in it."""

TURN = 10_000
"""Work in a turn: shorter turns would waste the processor's cache."""


def _budget(searched: int, share: float) -> float:
    """Return the budget of the quotient: the most work that may go into it.

    Args:
        searched: work of all searches so far.
        share: share of the heaps already in the quotient.
    """
    if share >= LAST:
        return NEAR_END * searched
    if searched <= EVEN:
        return searched
    return EVEN + SHARE * (searched - EVEN)


class RacedSolution(MemoSolution):
    """A game in misère play, searched on demand until its misère quotient is found.

    The faster of the two is unknown beforehand: the search of a position may visit few others, and
    a quotient may be small, large or infinite. So they take turns: the quotient has a budget, which
    grows with the work of all searches so far, and when it is spent, the search goes on until the
    budget covers another turn. Work is counted, not timed, so that results are the same on any
    machine. If the search finishes first, the quotient is continued once the searches have doubled
    their work. A quotient that is found answers everything.

    Args:
        rules: components of the game.
        limit: most positions in the table of the search.
    """

    def __init__(self, rules: Rules, limit: int = LARGEST_MEMO) -> None:
        super().__init__(rules, Convention.MISERE, limit)
        self._quotient: QuotientSolution | None = None
        self._searched = self._spent = 0  # work of the searches, and on the quotient
        self._next_try: float = HEAD_START

    def for_many_positions(self) -> Solution:
        """Return the quotient, however much work it takes; this solution if there is none."""
        if self._quotient is None and self._next_try < math.inf:
            self._next_try = math.inf
            with suppress(SearchTooLargeError):
                self._turn_to(QuotientSolution(self.rules))
        return self._quotient or self

    @property
    def is_complete(self) -> bool:
        """Whether the quotient was found, so that no position is searched on demand."""
        return self._quotient is not None

    def _turn_to(self, quotient: QuotientSolution) -> None:
        self._quotient, self.method = quotient, quotient.method
        self._search.forget()

    def _winning(self, positions: IntArray) -> BoolArray:
        if self._quotient is None:
            self._searched += WORK_OF_CALL + WORK_OF_POSITION * (
                positions.size // len(self.rules.shape)
            )
            answers = super()._winning(positions)
            # Its searches may have found the quotient, which then answers all positions.
            if self._quotient is None:
                return answers
        return self._quotient._winning(positions)

    def _winning_options(self, positions: IntArray) -> BoolArray:
        if self._quotient is None:
            return super()._winning_options(positions)
        return self._quotient._winning_options(positions)

    def _wins(self, parts: list[int]) -> bool:
        """Return whether the player to move wins; any answer once the quotient is found."""
        position = self._search.canonical(parts)
        steps = self._search.steps(position)
        while self._quotient is None:
            work = next(steps, None)
            if work is None:
                # If the search stopped at its limit during a turn, this raises the error again.
                return self._search.wins(position)
            self._searched += work
            if self._searched >= self._next_try:
                self._take_turns(steps)
        return False

    def _take_turns(self, steps: Iterator[int]) -> None:
        """Work on the quotient and on ``steps``, a search, until either is finished."""

        def may_go_on(work: int, share: float) -> bool:
            self._spent += work
            if self._spent <= _budget(self._searched, share):
                return True
            # The search's turn.
            for searched in steps:
                self._searched += searched
                if self._spent + TURN <= _budget(self._searched, share):
                    return True
            return False

        try:
            quotient = QuotientSolution.within(self.rules, may_go_on)
        except SearchTooLargeError:
            self._next_try = math.inf
            return
        if quotient is None:
            self._next_try = 2 * self._searched
        else:
            self._turn_to(quotient)
