"""The exam of a quotient: a search for sums whose class has the wrong outcome by the rules."""

import numpy as np

from agents.base import HypothesisError
from agents.research.quotients.outcomes import GameBudget
from agents.research.quotients.quotient import Quotient
from nim_envs.cgt.misere_quotients.bit_sets import bits, row_of, rows_of
from nim_envs.cgt.misere_quotients.parts import Word

MOST_SUMS = 200_000
"""Most sums that an exam keeps at a time."""


class CounterexampleSearch:
    """Searches sums of an increasing number of parts for one whose class has the wrong outcome.

    A position is a sum and a *rest*, of which only the class matters; a move is one in the sum or
    one in the rest. The search keeps for each sum the rests with which the position is won, but by
    no move in the sum: then a move in the rest has to win. The empty rest has no move, so if it is
    among them, the class of the sum is wrong. A sum is skipped if another of its class has all its
    rests. As there are finitely many sets of rests, the search ends.
    """

    def __init__(self, quotient: Quotient, budget: GameBudget) -> None:
        self._products = quotient.products
        self._lost = quotient.lost
        self._budget = budget
        # By class, sets of rests as bits, each with a sum that has them.
        self._sums: list[dict[int, Word]] = [{} for _ in range(quotient.order)]
        self._sums[0][bits((~quotient.lost)[np.newaxis])[0]] = ()
        # By class, sets of rests of single parts, each with such a part.
        self._parts: list[dict[int, int]] = [{} for _ in range(quotient.order)]
        self._number = 1

    def counterexample(self, quotient: Quotient, first: int) -> Word | None:
        """Return a sum of parts whose class is wrong, if any, examining those from ``first`` on."""
        added: list[tuple[int, int, int]] = []
        for part in range(first, len(quotient.elements)):
            element, after = quotient.elements[part], quotient.after_move(part)
            wins = self._lost[self._products[:, after]].any(axis=1)
            whole = self._lost[self._products[:, element]]
            wrong = wins & whole
            if wrong.any():
                rest = quotient.words[int(wrong.argmax())]
                return tuple(sorted((*rest, part)))
            rests = bits((~wins & ~whole)[np.newaxis])[0]
            known = self._parts[element]
            if any(rests | other == other for other in known):
                continue
            known[rests] = part
            added.append((element, rests, part))
        return self._explore(added) if added else None

    def _explore(self, parts: list[tuple[int, int, int]]) -> Word | None:
        """Add parts to sums until none is new; return a sum whose class is wrong, or ``None``."""
        order = len(self._products)
        frontier = [
            (element, rests, word)
            for element, known in enumerate(self._sums)
            for rests, word in known.items()
        ]
        everything = [
            (element, rests, part)
            for element, known in enumerate(self._parts)
            for rests, part in known.items()
        ]
        while frontier:
            elements = np.array([element for element, _, _ in frontier])
            rows = rows_of([rests for _, rests, _ in frontier], order)
            after: list[tuple[int, int, Word]] = []
            for element, unanswered, part in parts:
                self._budget.count_read(len(frontier))
                table = row_of(unanswered, order)[self._products]
                left = rows[:, self._products[:, element]] & table[elements]
                if left[:, 0].any():
                    word = frontier[int(left[:, 0].argmax())][2]
                    return tuple(sorted((*word, part)))
                some = np.flatnonzero(left.any(axis=1))
                sums = self._products[elements[some], element].tolist()
                rests_left = bits(left[some])
                for place, total, rests in zip(some.tolist(), sums, rests_left, strict=True):
                    if self._is_new(total, rests):
                        word = tuple(sorted((*frontier[place][2], part)))
                        self._sums[total][rests] = word
                        after.append((total, rests, word))
            frontier = [entry for entry in after if entry[1] in self._sums[entry[0]]]
            parts = everything
        return None

    def _is_new(self, element: int, rests: int) -> bool:
        """Return whether no stored sum of a class has all these rests; drop those with fewer."""
        known = self._sums[element]
        if any(rests | other == other for other in known):
            return False
        for fewer in [other for other in known if other | rests == rests]:
            del known[fewer]
            self._number -= 1
        self._number += 1
        if self._number > MOST_SUMS:
            raise HypothesisError(f"an exam of the classes needs more than {MOST_SUMS} sums")
        return True
