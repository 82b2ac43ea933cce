"""The exact score of a policy by values of positions, compiled, for boards of any size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.afterstate import AfterstateValues, GreedyValuePolicy, option_values
from agents.base import FloatArray
from agents.compiled_games import number_after, write_legal_actions
from agents.selection import largest_legal
from nim_envs import Game
from nim_envs.compilation import compiled

CHUNK = 1 << 20
"""Positions whose outcome is asked for at a time."""


@compiled
def _score(state: AfterstateValues, winning: npt.NDArray[np.bool_], totals: FloatArray) -> None:
    """Add up the greedy policy's chances of a winning move, and count N-positions.

    Args:
        state: of the learner.
        winning: whether each position is an N-position, ``(num_positions,)``; false where
            a point of the lattice is no position.
        totals: chances and count, ``(2,)``, changed in place.
    """
    rules = state.rules
    components, _, options = rules.table.shape
    position = np.zeros(components, dtype=np.int64)
    listed = np.zeros(components * options, dtype=np.int64)
    for index in range(len(winning)):
        left = index
        for component in range(components):
            position[component] = left // rules.strides[component]
            left -= position[component] * rules.strides[component]
        count = write_legal_actions(position, rules, listed)
        if not winning[index] or count == 0:
            continue
        legal_actions = listed[:count]
        option_values(state, position, legal_actions)
        best = largest_legal(state.worth, legal_actions)
        ties, right = 0, 0
        component, first = 0, 0
        for action in legal_actions:
            while action >= first + options:
                first += options
                component += 1
            if state.worth[action] == best:
                ties += 1
                after = number_after(rules, position, index, component, action - first)
                right += not winning[after]
        totals[0] += right / ties
        totals[1] += 1


def value_optimality(policy: GreedyValuePolicy, game: Game) -> float:
    """Return the optimality of a policy by values over all N-positions, in percent.

    The same figure as :func:`agents.evaluation.optimality` gives, a hundred times sooner, and in
    one byte a position.

    Args:
        policy: what an :class:`agents.AfterstateTD` has learned.
        game: its game.
    """
    rules, solution = game.rules, game.solution
    winning = np.zeros(rules.num_positions, dtype=np.bool_)
    for first in range(0, len(winning), CHUNK):
        indices = np.arange(first, min(first + CHUNK, len(winning)), dtype=np.int64)
        points = rules.positions(indices)
        real = rules.is_position(points)
        winning[indices[real]] = solution.is_winning(points[real])
    totals = np.zeros(2)
    _score(policy.state, winning, totals)
    return float(100 * totals[0] / totals[1])
