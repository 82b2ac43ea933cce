"""Exact score of a policy that is greedy by values of positions; compiled, for large boards."""

from __future__ import annotations

import numpy as np

from agents.tabular.compiled_games.numba_intrinsics import without_reference_counts
from agents.tabular.index import sorted_index
from agents.tabular.position_values import GreedyValuePolicy
from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.rules.compiled_moves import CompiledRules, index_after, write_position_after
from nim_envs.typing import Array, FloatArray, IntArray, ValueArray

CHUNK = 1 << 20
"""Positions whose outcomes are computed at a time."""


@compiled
def _score(
    values: Array,
    rules: CompiledRules,
    order: IntArray | None,
    solved: ValueArray,
    totals: FloatArray,
) -> None:
    """Sum the greedy policy's probabilities of a right move, and count the scored positions.

    Args:
        values: values of positions for the player to move, ``(num_positions,)``.
        rules: rules of the game as arrays.
        order: order in which components are sorted; ``None``: they are not.
        solved: true value of each position to the player to move, ``(num_positions,)``; -1 where
            a point of the lattice is not a position.
        totals: sum of probabilities, and count, ``(2,)``; updated in place.
    """
    rules = without_reference_counts(rules)
    components = len(rules.strides)
    position: IntArray = np.zeros(components, dtype=np.int64)
    following: IntArray = np.zeros(components, dtype=np.int64)
    for index in range(len(solved)):
        if solved[index] < 0:
            continue
        left = index
        for component in range(components):
            position[component] = left // rules.strides[component]
            left -= position[component] * rules.strides[component]
        least, ties, right = np.inf, 0, 0
        for component in range(components):
            before = position[component]
            for number in range(rules.legal_counts[component, before]):
                option = rules.legal_options[component, before, number]
                if order is None:
                    second_table = rules.second_table
                    after = index_after(rules, second_table, position, index, component, option)[0]
                    value = values[after]
                else:
                    after = write_position_after(
                        rules, position, index, component, option, following
                    )
                    value = values[sorted_index(following, rules.strides, order)]
                # The lower the value for the opponent, the better.
                if value > least:
                    continue
                if value < least:
                    least, ties, right = value, 0, 0
                ties += 1
                right += solved[after] == -solved[index]
        if ties:
            totals[0] += right / ties
            totals[1] += 1


def value_optimality(policy: GreedyValuePolicy, game: Game) -> float:
    """Return the optimality of a greedy policy over all positions that are not lost, in percent.

    The percentage equals that of :func:`agents.evaluation.optimality`, and is computed a hundred
    times faster and with one byte per position.

    Args:
        policy: greedy policy by a table of position values.
        game: the game that the values are of.
    """
    rules, solution = game.rules, game.solution
    solved = np.full(rules.num_positions, -1, dtype=np.int8)
    for first in range(0, len(solved), CHUNK):
        indices = np.arange(first, min(first + CHUNK, len(solved)), dtype=np.int64)
        points = rules.positions(indices)
        real = rules.is_position(points)
        solved[indices[real]] = solution.value(points[real])
    totals = np.zeros(2)
    known = policy.positions
    _score(known.values, known.rules, known.order, solved, totals)
    return float(100 * totals[0] / totals[1])
