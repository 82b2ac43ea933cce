"""Checks of what the batched environment is given; each error says what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from nim_envs.envs.vector.kernels import first_outside
from nim_envs.errors import InvalidActionError, InvalidGameError
from nim_envs.rules.component import BoolArray, IntArray


def checked_autoreset_mode(mode: Any) -> AutoresetMode:
    """Return an ``AutoresetMode``, or the one that has the value ``mode``.

    Raises:
        InvalidGameError: there is none.
    """
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise InvalidGameError(
            f"autoreset_mode must be one of {[str(mode) for mode in AutoresetMode]} or their "
            f"values {[mode.value for mode in AutoresetMode]}, not {mode!r}"
        ) from None


def checked_seeds(seed: Any, size: int) -> list[int | None]:
    """Return the seeds of ``size`` games out of a sequence.

    Raises:
        ValueError: not a sequence of one integer of at least 0, or ``None``, for each game.
    """
    if (
        isinstance(seed, (str, bytes))
        or not isinstance(seed, Sequence)
        or len(seed) != size
        or not all(one is None or (type(one) is int and one >= 0) for one in seed)
    ):
        raise ValueError(
            f"seed must be None, an integer of at least 0, or a sequence of {size} of these, "
            f"one for each environment, not {seed!r}"
        )
    return list(seed)


def checked_reset_mask(mask: Any, size: int) -> BoolArray:
    """Return ``mask``, as a copy.

    Raises:
        ValueError: not a boolean array ``(size,)`` that is true somewhere.
    """
    if (
        not isinstance(mask, np.ndarray)
        or mask.shape != (size,)
        or mask.dtype != np.bool_
        or not mask.any()
    ):
        raise ValueError(
            f"reset_mask must be a boolean array of shape ({size},) that is true somewhere, "
            f"not {mask!r}"
        )
    return mask.copy()


def checked_actions(actions: Any, num_actions: int, size: int, *, whose: str) -> IntArray:
    """Return ``actions`` as int64 ``(size,)``, in an array that compiled code takes.

    Args:
        actions: to be checked.
        num_actions: of the action space of one game.
        size: number of games.
        whose: whose actions they are, to begin the message with.

    Raises:
        InvalidActionError: they are not integers of this shape and range.
    """
    given = np.asarray(actions)
    allowed = f"{whose} actions must be integers from 0 to {num_actions - 1}, ({size},)"
    if given.dtype.kind not in "iu" or given.shape != (size,):
        raise InvalidActionError(
            f"{allowed}, not an array of dtype {given.dtype} and shape {given.shape}"
        )
    array = np.ascontiguousarray(given, dtype=np.int64)
    if not array.flags.writeable:
        array = array.copy()
    outside = first_outside(array, num_actions)
    if outside >= 0:
        raise InvalidActionError(f"{allowed}; environment {outside} was given {given[outside]}")
    return array
