"""Relearning of classes that were too coarse."""

from collections import Counter

from agents.research.quotients.counterexamples import CounterexampleSearch
from agents.research.quotients.generators import Generators
from agents.research.quotients.observation_table import ObservationTable
from agents.research.quotients.outcomes import GameBudget
from agents.research.quotients.quotient import Quotient
from nim_envs.cgt.misere_quotients.parts import Word


class Repair:
    """Learns the classes of sums again if the old classes are too coarse.

    It begins with equations from the old classes: some parts are equivalent to sums of other parts,
    the generators, and some numbers of copies to smaller numbers. A counterexample of the exam
    either gives the observation table a new experiment or refutes one of the equations. These are
    then replaced by equations of the classes found so far.
    """

    def __init__(self, quotient: Quotient, last: int, empty_lost: bool) -> None:
        self._last = last
        self._empty_lost = empty_lost
        self._refuted: set[tuple[Word, Word]] = set()
        self._experiments: list[Word] = []
        self._begin(quotient)

    def _begin(self, quotient: Quotient) -> None:
        """Begin a table with the equations of a quotient that are not refuted."""
        self._quotient = quotient
        self._equations = _equations(quotient, self._refuted)
        self._generators = Generators(quotient.parts, self._last, self._equations)
        # Outcomes found under other equations may be wrong.
        self._lost = {self._generators.of(()).tobytes(): self._empty_lost}

    def finish(
        self, budget: GameBudget, most_classes: int
    ) -> tuple[Quotient, CounterexampleSearch]:
        """Return classes, and an exam that they passed; after an interrupt, call it again."""
        while True:
            table = ObservationTable(
                self._generators, self._experiments, self._lost, budget, most_classes
            )
            quotient, exam, wrong = self._close(table, budget)
            if wrong is None:
                return quotient, exam
            # The sum refutes an equation that was used for it.
            used = [left for left in self._equations if not Counter(left) - Counter(wrong)]
            self._refuted.add((used[-1], self._equations[used[-1]]))
            self._experiments = table.experiments()
            self._begin(quotient)

    def _close(
        self, table: ObservationTable, budget: GameBudget
    ) -> tuple[Quotient, CounterexampleSearch, Word | None]:
        """Return the classes of a table, their exam, and a wrong sum that gives no experiment."""
        parts = self._quotient.parts
        while True:
            table.close()
            elements = [
                table.class_of(self._generators.of((part,))) for part in range(self._last + 1)
            ]
            quotient = Quotient(parts, table.products(), tuple(elements), table.lost())
            exam = CounterexampleSearch(quotient, budget)
            wrong = exam.counterexample(quotient, 0)
            words = [] if wrong is None else [wrong, *parts.options_of(wrong)]
            if not any(table.learn_from(table.generators.of(word)) for word in words):
                return quotient, exam, wrong


def _equations(quotient: Quotient, refuted: set[tuple[Word, Word]]) -> dict[Word, Word]:
    """Return equations of sums with sums of earlier parts, or with fewer copies of a part.

    Those of copies come first, then those of single parts, ascending; refuted ones are left out.
    """
    equations: dict[Word, Word] = {}
    generators: list[int] = []
    words = quotient.words_of(generators)
    for part, element in enumerate(quotient.elements):
        if element in words and ((part,), words[element]) not in refuted:
            equations[part,] = words[element]
        else:
            generators.append(part)
            words = quotient.words_of(generators)
    copies: dict[Word, Word] = {}
    for part in generators:
        start, period = quotient.powers(quotient.elements[part])
        left, right = (part,) * (start + period), (part,) * start
        if (left, right) not in refuted:
            copies[left] = right
    return copies | equations
