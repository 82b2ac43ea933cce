"""What can be scored exactly: a policy whose action probabilities are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from nim_envs.rules.component import IntArray

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
MaskArray = npt.NDArray[np.int8]

CHUNK_ENTRIES = 1 << 22
"""A policy is asked about this many (position, action) pairs at a time."""


@runtime_checkable
class Policy(Protocol):
    """Whatever knows the probabilities of its actions."""

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action.

        Args:
            observations: ``(n, ...)``.
            action_masks: int8 ``(n, actions)``, 1 where legal.

        Returns:
            ``(n, actions)``, rows that sum to 1.
        """
        ...


def check_policy(policy: Any) -> None:
    """Raise unless ``policy`` has action probabilities.

    Raises:
        TypeError: it has no ``action_probabilities``.
    """
    if not isinstance(policy, Policy):
        raise TypeError(
            f"an exact score needs a policy with action_probabilities, which {policy!r} lacks"
        )


def chunks(positions: IntArray, num_actions: int) -> Iterator[IntArray]:
    """Yield ``positions``, or their indices, ``(n, ...)``, so many at a time that memory suffices.

    Args:
        positions: what to divide along the first axis.
        num_actions: the actions of each position.
    """
    size = max(1, CHUNK_ENTRIES // num_actions)
    for first in range(0, len(positions), size):
        yield positions[first : first + size]
