"""Checks of the arguments that rules constructors take."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from nim_envs.errors import InvalidActionError, InvalidGameError, SearchTooLargeError

LARGEST_STATE = 2**62
"""States, and so heap sizes, stay below this so that sums of them fit in 64 bits."""

LARGEST_BYTES = 2**30
"""Largest size of a table or an environment, bytes; a larger one is refused."""

LIMIT_VARIABLE = "NIM_ENVS_LARGEST_BYTES"
"""The variable of the process's environment that says another limit."""


def check_bytes(what: str, needed: int) -> None:
    """Raise ``SearchTooLargeError`` if ``what`` takes over ``LARGEST_BYTES``.

    Args:
        what: a description of it, in the plural.
        needed: bytes that it takes.
    """
    largest = largest_bytes()
    if needed > largest:
        raise SearchTooLargeError(
            f"{what} would take {needed} bytes ({needed / 2**30:.3g} GiB); the limit is {largest} "
            f"bytes ({largest / 2**30:.3g} GiB), or what {LIMIT_VARIABLE} says"
        )


def largest_bytes() -> int:
    """Return the limit in bytes: ``LARGEST_BYTES``, unless the user's environment says otherwise.

    Raises:
        InvalidGameError: the variable is not a whole number.
    """
    told = os.environ.get(LIMIT_VARIABLE, "").strip()
    if not told:
        return LARGEST_BYTES
    if not told.isdecimal():
        raise InvalidGameError(f"{LIMIT_VARIABLE} must be a number of bytes, not {told!r}")
    return int(told)


def checked_boolean(name: str, value: Any) -> bool:
    """Return ``value``.

    Raises:
        InvalidGameError: it is not a boolean.
    """
    if not isinstance(value, bool):
        raise InvalidGameError(f"{name} must be True or False, not {value!r}")
    return value


def checked_integer(
    name: str,
    value: Any,
    minimum: int,
    maximum: int = LARGEST_STATE,
    *,
    error: type[InvalidGameError | InvalidActionError] = InvalidGameError,
) -> int:
    """Return ``value`` as an ``int`` within ``minimum..maximum``.

    Raises:
        InvalidGameError: ``value`` is not an integer (booleans are not), or out of range; or
            ``error``, where that is given.
    """
    allowed = f"an integer from {minimum} to {maximum}"
    if isinstance(value, (bool, np.bool_)):
        raise error(f"{name} must be {allowed}, not the boolean {value!r}")
    try:
        number = operator.index(value)
    except TypeError:
        raise error(
            f"{name} must be {allowed}, not {value!r} of type {type(value).__name__}"
        ) from None
    if not minimum <= number <= maximum:
        raise error(f"{name} must be {allowed}, not {number}")
    return number


def checked_integers(name: str, values: Any, minimum: int) -> tuple[int, ...]:
    """Return ``values`` as a non-empty tuple of integers of at least ``minimum``.

    Raises:
        InvalidGameError: ``values`` is not a sequence, is empty, or holds anything else.
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidGameError(
            f"{name} must be a sequence of integers of at least {minimum}, not {values!r}"
        )
    numbers = tuple(
        checked_integer(f"{name}[{index}]", value, minimum) for index, value in enumerate(values)
    )
    if not numbers:
        raise InvalidGameError(f"{name} must hold at least one integer, not {values!r}")
    return numbers
