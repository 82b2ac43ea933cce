"""The policy of a quotient: move to a position of a lost class."""

from collections.abc import Sequence

import numpy as np

from agents.research.look_ahead import LookAheadPolicy
from agents.research.quotients.heap_periods import classes_of_states, periods
from agents.research.quotients.quotient import Quotient
from nim_envs import Game
from nim_envs.cgt.misere_quotients.periods import QuotientPeriod
from nim_envs.errors import InvalidPositionError
from nim_envs.games.octal_codes import LEAVE_ONE, LEAVE_TWO, HeapGame
from nim_envs.graph import Part
from nim_envs.sums import Sum
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_integers

UNKNOWN = 0.5
"""Score of a position of unknown class, between 0 (won) and 1 (lost)."""


class QuotientPolicy(LookAheadPolicy):
    """Moves to a position of a lost class; where there is none, to one of an unknown class."""

    def __init__(self, game: Game, quotient: Quotient) -> None:
        super().__init__(game)
        self._total = Sum(game.parts)
        self._parts = quotient.parts
        self._kind_of = [self._kind(part) for part in game.parts]
        order = quotient.order
        # One more class, for states of unknown class.
        self._products = np.full((order + 1, order + 1), order)
        self._products[:order, :order] = quotient.products
        self._loss_scores = np.append(quotient.lost.astype(float), UNKNOWN)
        self._periods: dict[int, QuotientPeriod] = {
            period.kind: period.claim for period in periods(quotient)
        }
        self._known = [
            np.array(classes_of_states(quotient, kind)) for kind in range(len(self._parts.kinds))
        ]

    def _kind(self, part: Part) -> int:
        """Return the number of the kind of a part."""
        kinds = self._parts.kinds
        equal = [index for index, kind in enumerate(kinds) if kind.part == part]
        like = equal or [index for index, kind in enumerate(kinds) if kind.is_like(part)]
        if like:
            return max(like, key=lambda index: kinds[index].states)
        raise ValueError(
            f"what was learned is not of the parts of {self.game.summary}: it is of "
            f"{', '.join(map(self._parts.kind_name, range(len(self._parts.kinds))))}"
        )

    def _classes(self, kind: int, states: IntArray) -> IntArray:
        """Return the classes of states of a kind of parts."""
        known, states = self._known[kind], np.asarray(states)
        period = self._periods.get(kind)
        if period is not None:
            states = period.folded(states)
        within = states < len(known)
        return np.where(within, known[np.where(within, states, 0)], len(self._products) - 1)

    def loss_scores(self, positions: IntArray) -> FloatArray:
        """Return 1 where the player to move loses, 0 where it wins, else a score between."""
        states = self._total.find(positions)
        total = np.zeros(len(positions), dtype=np.int64)
        for part, kind in enumerate(self._kind_of):
            total = self._products[total, self._classes(kind, states[:, part])]
        return self._loss_scores[total]

    def move(self, position: Sequence[int]) -> tuple[int, ...]:
        """Return the position after its move, for any number of parts and heaps of any size.

        If a move leaves two heaps, the second replaces the first 0 of the position, or is appended.
        Classes of heaps larger than those learned follow the observed period, if there is one.
        """
        states = checked_integers("position", position, minimum=0)
        if self.game.board.state(states) is not None:
            return super().move(states)
        kinds = self._kinds(states)
        classes = [
            int(self._classes(kind, np.array(state)))
            for kind, state in zip(kinds, states, strict=True)
        ]
        best, after = -1.0, states
        for place, (kind, state) in enumerate(zip(kinds, states, strict=True)):
            rest = self._sum(classes[:place] + classes[place + 1 :])
            for option in self._options(kind, state):
                left = [int(self._classes(kind, np.array(each))) for each in option]
                judged = float(self._loss_scores[self._products[rest, self._sum(left)]])
                if judged > best:
                    best, after = judged, _after(states, place, option)
        if best < 0:
            raise ValueError(f"there is no move at {states}")
        return after

    def _kinds(self, states: tuple[int, ...]) -> list[int]:
        """Return the kind of each part of a position."""
        numbers = self._parts.numbers
        largest = max(range(len(numbers)), key=lambda kind: len(numbers[kind]))
        if all(numbers[largest][: len(each)] == each for each in numbers):
            kinds = [largest] * len(states)
        elif len(states) == len(self._kind_of):
            kinds = self._kind_of
        else:
            raise InvalidPositionError(
                f"a position of {self.game.name} has {len(self._kind_of)} parts "
                f"of different kinds, not {len(states)}"
            )
        for kind, state in zip(kinds, states, strict=True):
            if state >= self._parts.kinds[kind].states and kind not in self._periods:
                raise InvalidPositionError(
                    f"states of a {self._parts.kind_name(kind)} are known from 0 to "
                    f"{self._parts.kinds[kind].states - 1}, not {state}"
                )
        return kinds

    def _sum(self, classes: list[int]) -> int:
        total = 0
        for each in classes:
            total = int(self._products[total, each])
        return total

    def _options(self, kind: int, state: int) -> list[tuple[int, ...]]:
        """Return the options of a state; for large heaps, enough of them to reach every class."""
        game = self._parts.kinds[kind].heap_game
        period = self._periods.get(kind)
        if game is None or period is None or state < self._parts.kinds[kind].states:
            return self._parts.kinds[kind].options(state)
        return _few_options(game, state, period.start + period.length)


def _few_options(game: HeapGame, heap: int, most: int) -> list[tuple[int, ...]]:
    """Return options of a large heap; where it splits, the smaller part is at most ``most``."""
    options: list[tuple[int, ...]] = []
    for taken in range(len(game.digits)):
        left = heap - taken
        if game.digit(taken) & LEAVE_ONE:
            options.append((left,))
        if game.digit(taken) & LEAVE_TWO:
            options += [(left - part, part) for part in range(1, min(most, left // 2) + 1)]
    return options


def _after(states: tuple[int, ...], place: int, option: tuple[int, ...]) -> tuple[int, ...]:
    """Return the states after the one at ``place`` is replaced by an option of it."""
    after = list(states)
    after[place] = option[0] if option else 0
    for second in option[1:]:
        if 0 in after:
            after[after.index(0)] = second
        else:
            after.append(second)
    return tuple(after)
