"""Compiled functions that choose an action from a row of a table.

Legal actions are int64 arrays in ascending order, which are shorter than masks. ``uniform`` is a
random number in [0, 1), drawn by the caller.
"""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.typing import FloatArray, IntArray, MaskArray


@compiled(inner=True)
def random_action(legal_actions: IntArray, uniform: float) -> int:
    """Return a legal action, all equally likely; -1 if none is legal."""
    legal = len(legal_actions)
    if legal == 0:
        return -1
    # ``uniform`` may have been rescaled, and rounded up to 1.
    action: int = legal_actions[min(int(uniform * legal), legal - 1)]
    return action


@compiled
def random_of_mask(action_mask: MaskArray, uniform: float) -> int:
    """Return :func:`random_action` of a mask, in one compiled call for the step-by-step loop."""
    return random_action(np.flatnonzero(action_mask), uniform)


@compiled(inner=True)
def greedy_action(values: FloatArray, legal_actions: IntArray, uniform: float) -> int:
    """Return a legal action of the largest value, ties equally likely; -1 if none is legal."""
    best = largest_legal(values, legal_actions)
    ties = 0
    for action in legal_actions:
        ties += values[action] == best
    remaining = min(int(uniform * ties), ties - 1)
    chosen = -1
    for action in legal_actions:
        # No branches on the values, as they are hard to predict.
        remaining -= values[action] == best
        if remaining < 0:
            chosen = action
            break
    return chosen


@compiled
def greedy_of_mask(values: FloatArray, action_mask: MaskArray, uniform: float) -> int:
    """Return :func:`greedy_action` of a mask, in one compiled call for the step-by-step loop."""
    return greedy_action(values, np.flatnonzero(action_mask), uniform)


@compiled(inner=True)
def epsilon_greedy_action(
    values: FloatArray, legal_actions: IntArray, epsilon: float, uniform: float
) -> int:
    """Return a random legal action with probability ``epsilon``, else a greedy one."""
    if uniform < epsilon:
        return random_action(legal_actions, uniform / epsilon)
    return greedy_action(values, legal_actions, (uniform - epsilon) / (1.0 - epsilon))


@compiled(inner=True)
def largest_legal(values: FloatArray, legal_actions: IntArray) -> float:
    """Return the largest value of a legal action; minus infinity if none is legal."""
    best = -np.inf
    for action in legal_actions:
        if values[action] > best:
            best = values[action]
    return best


@compiled(inner=True)
def softmax(
    preferences: FloatArray, legal_actions: IntArray, temperature: float, out: FloatArray
) -> None:
    """Write the softmax of legal preferences divided by ``temperature`` to ``out``; 0 elsewhere."""
    top = largest_legal(preferences, legal_actions)
    out[:] = 0.0
    total = 0.0
    for action in legal_actions:
        out[action] = np.exp((preferences[action] - top) / temperature)
        total += out[action]
    for action in legal_actions:
        out[action] /= total


@compiled(inner=True)
def sample(probabilities: FloatArray, uniform: float) -> int:
    """Return an action drawn with ``probabilities``, which sum to 1."""
    last = -1
    cumulative = 0.0
    for action in range(len(probabilities)):
        if probabilities[action] > 0.0:
            last = action
            cumulative += probabilities[action]
            if uniform < cumulative:
                return action
    return last  # the sum was rounded to below uniform
