"""Sorting of positions that differ only in the order of their heaps, and of their actions."""

from __future__ import annotations

import numpy as np

from nim_envs import Rules
from nim_envs.errors import InvalidGameError
from nim_envs.typing import Array, IntArray


class PositionSorter:
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
        >>> sorter = PositionSorter(make_game("nim", heaps=(2, 5, 4)).rules)
        >>> sorter.sorted(np.array([2, 0, 1])).tolist()
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

    def permutation(self, positions: IntArray) -> IntArray:
        """Return the permutations that sort positions: ``position[permutation]`` is sorted.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components)``.
        """
        ranks = np.argsort(positions[..., self.order], axis=-1, kind="stable")
        permutation = np.empty_like(ranks)
        permutation[..., self.order] = self.order[ranks]
        return permutation

    def sorted(self, positions: IntArray) -> IntArray:
        """Return ``positions``, ``(..., components)``, sorted."""
        return np.take_along_axis(positions, self.permutation(positions), axis=-1)

    def permuted_values(self, values: Array, permutation: IntArray) -> Array:
        """Return values of actions, ``(..., actions)``, in their order at the sorted positions."""
        by_component = values.reshape(*values.shape[:-1], -1, self.num_options)
        permuted = np.take_along_axis(by_component, permutation[..., np.newaxis], axis=-2)
        return np.asarray(permuted.reshape(values.shape))

    def permuted_actions(self, actions: IntArray | int, permutation: IntArray) -> IntArray:
        """Return the actions at the sorted position that correspond to those at a position.

        Args:
            actions: actions, of any shape.
            permutation: result of :meth:`permutation` for the position, ``(components,)``.
        """
        component, option = np.divmod(actions, self.num_options)
        return np.asarray(np.argsort(permutation)[component] * self.num_options + option)

    def original_values(self, values: Array, permutation: IntArray) -> Array:
        """Return values of actions at sorted positions, in their order at the original ones."""
        return self.permuted_values(values, np.argsort(permutation, axis=-1))
