"""Choices of an action from a row of a table.

``legal`` are the legal actions, ascending. ``uniform`` is a random number in [0, 1), drawn by the
caller, which decides the choice.
"""

import math

import numpy as np

from agents.compiling import inlined
from nim_envs.typing import Array, FloatArray


@inlined
def random_action(legal: Array, uniform: float) -> int:
    """Return a legal action, all equally likely; -1 if none is legal."""
    count = len(legal)
    if count == 0:
        return -1
    # ``uniform`` may have been rescaled, and rounded up to 1.
    return 0 + legal[min(int(uniform * count), count - 1)]  # type: ignore[no-any-return]


@inlined
def largest_legal(values: FloatArray, legal: Array) -> float:
    """Return the largest value of a legal action; minus infinity if none is legal."""
    best = -np.inf
    for action in legal:
        if values[action] > best:
            best = values[action]
    return best


@inlined
def greedy_action(values: FloatArray, legal: Array, uniform: float) -> int:
    """Return a legal action of the largest value, ties equally likely; -1 if none is legal."""
    best = largest_legal(values, legal)
    ties = 0
    for action in legal:
        ties += values[action] == best
    remaining = min(int(uniform * ties), ties - 1)
    chosen = -1
    for action in legal:
        # No branches on the values, as they are hard to predict.
        remaining -= values[action] == best
        if remaining < 0:
            chosen = 0 + action
            break
    return chosen


@inlined
def epsilon_greedy_action(values: FloatArray, legal: Array, epsilon: float, uniform: float) -> int:
    """Return a random legal action with probability ``epsilon``, else a greedy one."""
    if uniform < epsilon:
        return random_action(legal, uniform / epsilon)
    return greedy_action(values, legal, (uniform - epsilon) / (1.0 - epsilon))


@inlined
def softmax(preferences: FloatArray, legal: Array, temperature: float, out: FloatArray) -> None:
    """Write the softmax of legal preferences divided by ``temperature`` to ``out``; 0 elsewhere."""
    top = largest_legal(preferences, legal)
    out[:] = 0.0
    total = 0.0
    for action in legal:
        # The exponential of NumPy may differ in the last bit from that of compiled code.
        out[action] = math.exp((preferences[action] - top) / temperature)
        total += out[action]
    for action in legal:
        out[action] /= total


@inlined
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
