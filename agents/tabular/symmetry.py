"""Heap symmetry: sorting of positions that differ in the order of their heaps only."""

from __future__ import annotations

import numpy as np

from nim_envs import Rules
from nim_envs.errors import InvalidGameError
from nim_envs.typing import Array, IntArray


class Symmetry:
    """Sorts positions whose components have the same options, and translates their actions.

    The states of a position are sorted, smallest first, and assigned to the components in order
    of their number of states. So a sorted position is a position of the same game.

    Args:
        rules: rules of a game whose components have the same options in the same states, such as
            Nim.

    Raises:
        InvalidGameError: the components have different options.

    Example:
        >>> from nim_envs import make_game
        >>> symmetry = Symmetry(make_game("nim", heaps=(2, 5, 4)).rules)
        >>> symmetry.sorted(np.array([2, 0, 1])).tolist()
        [0, 2, 1]
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.num_options = rules.num_options
        # Components from the one with the fewest states to the one with the most.
        self.order: IntArray = np.argsort(rules.shape, kind="stable")
        last = rules.table[self.order[-1]]
        for index, component in enumerate(rules.components):
            rows = rules.table[index, : component.states]
            if not np.array_equal(rows, last[: component.states]):
                raise InvalidGameError(
                    "heap symmetry needs components with the same options in the same states, "
                    f"and components {index} and {self.order[-1]} of {rules.name} differ"
                )
        slots = rules.slot_groups[:1]
        if slots and len(slots[0]) < len(rules.components):
            raise InvalidGameError(
                f"heap symmetry needs components that share all slots, and in {rules.name} "
                f"components {slots[0].start} to {slots[0].stop - 1} have theirs to themselves"
            )

    def places(self, positions: IntArray) -> IntArray:
        """Return, for each component, the component whose state it gets by sorting.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components)``.
        """
        ranks = np.argsort(positions[..., self.order], axis=-1, kind="stable")
        places = np.empty_like(ranks)
        places[..., self.order] = self.order[ranks]
        return places

    def sorted(self, positions: IntArray) -> IntArray:
        """Return ``positions``, ``(..., components)``, sorted."""
        return np.take_along_axis(positions, self.places(positions), axis=-1)

    def moved(self, values: Array, places: IntArray) -> Array:
        """Return action values, ``(..., actions)``, reordered for the sorted positions."""
        by_component = values.reshape(*values.shape[:-1], -1, self.num_options)
        moved: Array = np.take_along_axis(by_component, places[..., np.newaxis], axis=-2)
        return moved.reshape(values.shape)

    def moved_actions(self, actions: IntArray | int, places: IntArray) -> IntArray:
        """Return actions at a position as those at the sorted position.

        Args:
            actions: actions, of any shape.
            places: result of :meth:`places` for the position, ``(components,)``.
        """
        component, option = np.divmod(actions, self.num_options)
        moved: IntArray = np.argsort(places)[component] * self.num_options + option
        return moved

    def moved_back(self, values: Array, places: IntArray) -> Array:
        """Return action values at the sorted positions, reordered for the original ones."""
        return self.moved(values, np.argsort(places, axis=-1))
