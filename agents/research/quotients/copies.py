"""Outcomes of copies of a new part, added to the classes known so far."""

import numpy as np

from agents.base import HypothesisError
from agents.research.quotients.outcomes import GameBudget, OutcomeFinder
from agents.research.quotients.quotient import Quotient
from nim_envs.cgt.partitions import by_shortest, coarsest_congruence
from nim_envs.typing import BoolArray

MOST_COPIES = 40
"""Most copies of a part in games; if more are needed, the classes are too coarse."""


class Copies:
    """Outcomes of copies of the next part of a quotient, added to each of its classes.

    Positions of a class are assumed to stay equivalent when the new part is added, which an exam
    has to confirm. So a position is a number of copies and the class of the rest, with the options
    of the shortest sum in that class. In ascending order of length, most outcomes take one game of
    one move.
    """

    def __init__(self, quotient: Quotient, lost: dict[int, bool], budget: GameBudget) -> None:
        self.quotient = quotient
        self._budget = budget
        self._after = quotient.after_move(len(quotient.elements))
        self._by_length = np.argsort(
            [sum(quotient.parts.lengths[part] for part in word) for word in quotient.words],
            kind="stable",
        ).tolist()
        lost.update(enumerate(quotient.lost.tolist()))
        self._play = OutcomeFinder(self._options, lost, budget)
        self._rows = [quotient.lost]

    def _options(self, position: int) -> list[int]:
        """Return the options of a position; its number is ``copies * order + class``."""
        order = self.quotient.order
        copies, rest = divmod(position, order)
        left = (self.quotient.products[rest, self._after] + (copies - 1) * order).tolist()
        beside = [copies * order + option for option in self.quotient.options[rest]]
        return self._budget.random_rotation(list(dict.fromkeys(left + beside)))

    def row(self, copies: int) -> BoolArray:
        """Return whether each class is lost with ``copies`` copies added, ``(order,)``."""
        order = self.quotient.order
        while len(self._rows) <= copies:
            row = np.zeros(order, dtype=np.bool_)
            for rest in self._by_length:
                row[rest] = self._play.is_lost(len(self._rows) * order + rest)
            self._rows.append(row)
        return self._rows[copies]

    def known_class(self) -> Quotient | None:
        """Return the quotient with the new part in an old class of the same outcomes, if any."""
        quotient = self.quotient
        alike = (quotient.lost[quotient.products] == self.row(1)).all(axis=1)
        return quotient.with_next(int(alike.argmax())) if alike.any() else None

    def merged(self, most_classes: int) -> Quotient | None:
        """Return the classes of copies added to old classes, indistinguishable ones merged.

        It is ``None`` if no number of copies is equivalent to a smaller one.
        """
        for count in range(1, MOST_COPIES):
            for back in range(count):
                if (self.row(back) == self.row(count)).all():
                    return self._merge(back, count, most_classes)
        return None

    def _merge(self, back: int, count: int, most_classes: int) -> Quotient:
        """Merge positions of up to ``count - 1`` copies; ``count`` copies equal ``back`` copies."""
        quotient, order = self.quotient, self.quotient.order
        folded = np.arange(2 * count)
        folded[count:] = back + (folded[count:] - back) % (count - back)
        copies, rest = np.divmod(np.arange(count * order), order)
        steps = [
            copies * order + quotient.products[rest, element]
            for element in sorted(set(quotient.elements))
        ]
        steps.append(folded[copies + 1] * order + rest)
        merged = coarsest_congruence(np.concatenate(self._rows[:count]), steps)
        # Classes in the order of their first positions, so that class 0 is the empty sum's.
        examples, classes = by_shortest(merged, np.arange(len(merged)))
        if len(examples) > most_classes:
            raise HypothesisError(f"there are more than {most_classes} classes")
        one, many = rest[examples], copies[examples]
        sums = folded[many[:, np.newaxis] + many] * order + quotient.products[np.ix_(one, one)]
        elements = (*classes[list(quotient.elements)].tolist(), int(classes[folded[1] * order]))
        lost = np.concatenate(self._rows[:count])[examples]
        return Quotient(quotient.parts, classes[sums], elements, lost)
