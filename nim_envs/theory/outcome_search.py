"""Backward induction over wins, draws and losses, for games with an outcome of their own."""

from __future__ import annotations

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.acyclic import by_rank, ranks
from nim_envs.rules.component import Component
from nim_envs.rules.convention import LISTED_OUTCOME
from nim_envs.rules.rules import Rules
from nim_envs.theory.search import LARGEST_SEARCH
from nim_envs.theory.solution import Solution
from nim_envs.typing import BoolArray, IntArray, ValueArray


def search_values(component: Component) -> ValueArray:
    """Return the value of every position to the player to move, by backward induction.

    The value of a position is the largest among the negated values of those that its moves lead to.

    Args:
        component: the only one of a game, with ``end_values``.

    Returns:
        int8 ``(num_places,)``: 1 for a win, 0 for a draw, -1 for a loss; meaningless at numbers
        that are no states.

    Raises:
        InvalidGameError: the moves form a cycle.
    """
    assert component.end_values is not None
    values = component.end_values.copy()
    for places in by_rank(ranks(component.num_places, *component.move_edges)):
        states = component.states_at_places(places)
        index, _, after = component.legal_moves(states)
        # Each state has a move, as its rank is not 0.
        firsts = np.searchsorted(index, np.arange(len(states)))
        values[places] = np.maximum.reduceat(-values[component.place_of(after)], firsts)
    return values


class OutcomeSolution(Solution):
    """A game with an outcome of its own, solved by exhaustive search: one byte for every position.

    Args:
        rules: rules of the game, with ``end_values``.
        limit: most positions that may be searched.

    Raises:
        SearchTooLargeError: there are more positions than ``limit``.
        InvalidGameError: the moves form a cycle.
    """

    def __init__(self, rules: Rules, limit: int = LARGEST_SEARCH) -> None:
        super().__init__(rules, LISTED_OUTCOME, method="exhaustive search")
        rules.check_size(limit)
        (self._component,) = rules.components
        self.values = search_values(self._component)

    def _value(self, positions: IntArray) -> ValueArray:
        return np.asarray(self.values[self._component.place_of(positions[..., 0])])

    def _winning(self, positions: IntArray) -> BoolArray:
        return np.asarray(self._value(positions) == 1)

    def _winning_options(self, positions: IntArray) -> BoolArray:
        return self._options_of_value(positions, np.ones(positions.shape[:-1], dtype=np.int8))

    def _keeping_options(self, positions: IntArray) -> BoolArray:
        values = self._value(positions)
        lost = (values == -1)[..., np.newaxis, np.newaxis]
        return np.asarray(self._options_of_value(positions, values) & ~lost)

    def _keeping_actions(self, position: IntArray) -> IntArray:
        return np.flatnonzero(self._keeping_options(position))

    def _options_of_value(self, positions: IntArray, values: ValueArray) -> BoolArray:
        """Return the options after which the mover has a value.

        Args:
            positions: ``(..., 1)``.
            values: a value for each, ``(...)``.

        Returns:
            ``(..., 1, options)``.
        """
        states = positions.reshape(-1)
        shape = (*positions.shape, self._component.options)
        index, options, after = self._component.legal_moves(states)
        keeps_value: BoolArray = np.zeros((len(states), self._component.options), dtype=np.bool_)
        reached = -self.values[self._component.place_of(after)]
        keeps_value[index, options] = reached == values.reshape(-1)[index]
        return keeps_value.reshape(shape)

    def _values(self, positions: IntArray, misere: bool = False) -> IntArray:
        raise InvalidGameError(
            f"{self.rules.name} has an outcome of its own; Grundy values are those of games that "
            "the last move decides"
        )
