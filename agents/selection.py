"""Choosing an action from a row of a table: small compiled functions on arrays.

Randomness comes in as one number ``uniform`` in [0, 1), drawn by the caller.
"""

from __future__ import annotations

import numpy as np

from agents.base import FloatArray, MaskArray
from nim_envs.compilation import compiled


@compiled
def random_action(action_mask: MaskArray, uniform: float) -> int:
    """Return a legal action, all equally likely; -1 if none is legal."""
    legal = 0
    for action in range(len(action_mask)):
        legal += action_mask[action]
    # A conditional uniform may round up to 1.
    wanted = min(int(uniform * legal), legal - 1)
    for action in range(len(action_mask)):
        if action_mask[action]:
            if wanted == 0:
                return action
            wanted -= 1
    return -1


@compiled
def greedy_action(values: FloatArray, action_mask: MaskArray, uniform: float) -> int:
    """Return a legal action of the largest value, ties equally likely; -1 if none is legal."""
    best = -np.inf
    ties = 0
    for action in range(len(action_mask)):
        if action_mask[action]:
            if values[action] > best:
                best = values[action]
                ties = 1
            elif values[action] == best:
                ties += 1
    wanted = min(int(uniform * ties), ties - 1)
    for action in range(len(action_mask)):
        if action_mask[action] and values[action] == best:
            if wanted == 0:
                return action
            wanted -= 1
    return -1


@compiled
def epsilon_greedy_action(
    values: FloatArray, action_mask: MaskArray, epsilon: float, uniform: float
) -> int:
    """Return a random legal action with probability ``epsilon``, else a greedy one."""
    if uniform < epsilon:
        return random_action(action_mask, uniform / epsilon)
    return greedy_action(values, action_mask, (uniform - epsilon) / (1.0 - epsilon))


@compiled
def largest_legal(values: FloatArray, action_mask: MaskArray) -> float:
    """Return the largest value of a legal action; minus infinity if none is legal."""
    best = -np.inf
    for action in range(len(action_mask)):
        if action_mask[action] and values[action] > best:
            best = values[action]
    return best


@compiled
def softmax(
    preferences: FloatArray, action_mask: MaskArray, temperature: float, out: FloatArray
) -> None:
    """Write the softmax of the legal preferences over ``temperature`` to ``out``; 0 elsewhere."""
    top = largest_legal(preferences, action_mask)
    total = 0.0
    for action in range(len(action_mask)):
        if action_mask[action]:
            out[action] = np.exp((preferences[action] - top) / temperature)
            total += out[action]
        else:
            out[action] = 0.0
    for action in range(len(action_mask)):
        out[action] /= total


@compiled
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
    return last  # rounding left a sliver above the sum
