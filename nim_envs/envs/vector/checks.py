"""Checks of the arguments of the batched environment; each error says what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from nim_envs.compilation import compiled
from nim_envs.envs.reset_arguments import is_seed
from nim_envs.errors import InvalidActionError, InvalidGameError, InvalidResetError
from nim_envs.typing import BoolArray, IntArray


def checked_autoreset_mode(mode: Any) -> AutoresetMode:
    """Return ``mode``, or the ``AutoresetMode`` with this value.

    Raises:
        InvalidGameError: no such mode.
    """
    try:
        # An array would be compared with the values entry by entry.
        return AutoresetMode(mode if isinstance(mode, (str, AutoresetMode)) else None)
    except ValueError:
        raise InvalidGameError(
            f"autoreset_mode must be one of {[str(mode) for mode in AutoresetMode]} or their "
            f"values {[mode.value for mode in AutoresetMode]}, not {mode!r}"
        ) from None


def checked_seeds(seed: Any, size: int) -> int | list[int | None] | None:
    """Return ``seed``; a sequence as a list.

    Raises:
        InvalidResetError: not ``None``, a Python integer of at least 0, or a sequence of these,
            one for each of ``size`` games.
    """
    if is_seed(seed):
        alone: int | None = seed
        return alone
    if (
        isinstance(seed, (str, bytes))
        or not isinstance(seed, Sequence)
        or len(seed) != size
        or not all(map(is_seed, seed))
    ):
        raise InvalidResetError(
            f"seed must be None, a Python integer of at least 0, or a sequence of {size} of "
            f"these, one for each environment, not {seed!r} of type {type(seed).__name__}"
        )
    return list(seed)


def checked_reset_mask(mask: Any, size: int) -> BoolArray:
    """Return ``mask``, as a copy.

    Raises:
        InvalidResetError: not a boolean array ``(size,)`` that is true somewhere.
    """
    if (
        not isinstance(mask, np.ndarray)
        or mask.shape != (size,)
        or mask.dtype != np.bool_
        or not mask.any()
    ):
        raise InvalidResetError(
            f"reset_mask must be a boolean array of shape ({size},) that is true somewhere, "
            f"not {mask!r}"
        )
    return mask.copy()


def checked_actions(
    actions: Any, num_actions: int, size: int, *, whose: str, least: int = 0
) -> IntArray:
    """Return ``actions`` as int64 ``(size,)``, in an array that compiled code takes.

    Args:
        actions: value given by the caller.
        num_actions: size of the action space of one game.
        size: number of games.
        whose: owner of the actions, the beginning of the message.
        least: smallest allowed action.

    Raises:
        InvalidActionError: they are not integers of this shape and range.
    """
    given = np.asarray(actions)
    # The message is made only for an error: making it takes a fiftieth of a step of a small batch.
    allowed = (whose, least, num_actions, size)
    if given.dtype.kind not in "iu" or given.shape != (size,):
        raise InvalidActionError(
            f"{_allowed(*allowed)}, not an array of dtype {given.dtype} and shape {given.shape}"
        )
    if given is not actions:
        # NumPy turns booleans among integers into 0 or 1.
        booleans = [one for one in actions if isinstance(one, (bool, np.bool_))]
        if booleans:
            raise InvalidActionError(f"{_allowed(*allowed)}, not the boolean {booleans[0]!r}")
    array = np.ascontiguousarray(given, dtype=np.int64)
    if not array.flags.writeable:
        array = array.copy()
    outside = first_outside(array, least, num_actions)
    if outside >= 0:
        raise InvalidActionError(
            f"{_allowed(*allowed)}; environment {outside} was given {given[outside]}"
        )
    return array


def _allowed(whose: str, least: int, num_actions: int, size: int) -> str:
    """Return the beginning of the message on actions that are not allowed."""
    return f"{whose} actions must be integers from {least} to {num_actions - 1}, ({size},)"


@compiled
def first_outside(actions: IntArray, least: int, end: int) -> int:
    """Return the first index of ``actions`` that is not within ``least..end - 1``, or -1."""
    any_outside = False
    for i in range(len(actions)):
        any_outside |= (actions[i] < least) | (actions[i] >= end)
    if any_outside:
        for i in range(len(actions)):
            if not least <= actions[i] < end:
                return i
    return -1
