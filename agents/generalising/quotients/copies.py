"""A new part beside the classes known so far: who wins with one, two, three copies of it."""

from __future__ import annotations

import numpy as np

from agents.base import HypothesisError
from agents.generalising.quotients.outcomes import Games, OutcomeFinder
from agents.generalising.quotients.quotient import Quotient
from nim_envs.rules.component import BoolArray, IntArray

MOST_COPIES = 40
"""Copies of a part that are played; with more the classes are taken to be too coarse."""


class Copies:
    """Who wins copies of the next part of a quotient beside each of its classes.

    It is taken for granted that positions of a class stay alike beside the new part, which an
    exam has to confirm: a position is the number of copies and the class of the rest, whose
    options are those of the shortest sum of the class. Asked for in the order of length, most
    positions take one game of one move.

    Args:
        quotient: the classes of sums of the parts before.
        lost: whether positions are lost, as far as known; more is added.
        games: the games that may be played.
    """

    def __init__(self, quotient: Quotient, lost: dict[int, bool], games: Games) -> None:
        self.quotient = quotient
        self._games = games
        self._after = quotient.after_move(len(quotient.elements))
        self._by_length = np.argsort(
            [sum(quotient.parts.lengths[part] for part in word) for word in quotient.words],
            kind="stable",
        ).tolist()
        lost.update(enumerate(quotient.lost.tolist()))
        self._play = OutcomeFinder(self._options, lost, games)
        self._rows = [quotient.lost]

    def _options(self, position: int) -> list[int]:
        """Return the options of a position: copies times the number of classes, and the class."""
        order = self.quotient.order
        copies, rest = divmod(position, order)
        left = (self.quotient.products[rest, self._after] + (copies - 1) * order).tolist()
        beside = [copies * order + option for option in self.quotient.options[rest]]
        return self._games.from_any(list(dict.fromkeys(left + beside)))

    def row(self, copies: int) -> BoolArray:
        """Return which classes are lost with ``copies`` copies added, ``(order,)``."""
        order = self.quotient.order
        while len(self._rows) <= copies:
            row = np.zeros(order, dtype=np.bool_)
            for rest in self._by_length:
                row[rest] = self._play.is_lost(len(self._rows) * order + rest)
            self._rows.append(row)
        return self._rows[copies]

    def known_class(self) -> Quotient | None:
        """Return the quotient with the new part in a class that one copy of it plays like."""
        quotient = self.quotient
        alike = (quotient.lost[quotient.products] == self.row(1)).all(axis=1)
        return quotient.with_next(int(alike.argmax())) if alike.any() else None

    def merged(self, most_classes: int) -> Quotient | None:
        """Return the classes of copies beside the old classes, merged where nothing tells apart.

        Args:
            most_classes: the most classes.

        Returns:
            ``None`` if many copies are not as good as fewer.

        Raises:
            HypothesisError: there are more classes.
        """
        for count in range(1, MOST_COPIES):
            for back in range(count):
                if (self.row(back) == self.row(count)).all():
                    return self._merge(back, count, most_classes)
        return None

    def _merge(self, back: int, count: int, most_classes: int) -> Quotient:
        """Merge positions of up to ``count - 1`` copies; ``count`` are as good as ``back``."""
        quotient, order = self.quotient, self.quotient.order
        folded = np.arange(2 * count)
        folded[count:] = back + (folded[count:] - back) % (count - back)
        copies, rest = np.divmod(np.arange(count * order), order)
        steps = [
            copies * order + quotient.products[rest, element]
            for element in sorted(set(quotient.elements))
        ]
        steps.append(folded[copies + 1] * order + rest)
        merged = indistinguishable(np.concatenate(self._rows[:count]), steps)
        _, first, number = np.unique(merged, return_index=True, return_inverse=True)
        if len(first) > most_classes:
            raise HypothesisError(f"there are more than {most_classes} classes")
        # Classes in the order of their first positions, so that class 0 is that of no part.
        place = np.argsort(np.argsort(first, kind="stable"), kind="stable")
        number, examples = place[number.reshape(-1)], np.sort(first)
        one, many = rest[examples], copies[examples]
        sums = folded[many[:, np.newaxis] + many] * order + quotient.products[np.ix_(one, one)]
        elements = (*number[list(quotient.elements)].tolist(), int(number[folded[1] * order]))
        lost = np.concatenate(self._rows[:count])[examples]
        return Quotient(quotient.parts, number[sums], elements, lost)


def indistinguishable(labels: BoolArray, steps: list[IntArray]) -> IntArray:
    """Return a number for each point, equal where the same steps always lead to the same labels.

    Args:
        labels: ``(n,)``.
        steps: each ``(n,)``: the point after a step from each of ``n`` points.

    References:
        E. F. Moore, "Gedanken-experiments on sequential machines" (1956).
    """
    number = labels.astype(np.int64)
    while True:
        finer = number
        for step in steps:
            pairs = finer * (int(number.max()) + 1) + number[step]
            finer = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        if finer.max() == number.max():
            return number
        number = finer
