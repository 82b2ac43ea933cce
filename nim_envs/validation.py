"""Checks of arguments and of sizes: each error names what was given and what is allowed.

Functions called ``checked_...`` return the value of the argument that they name, or raise
``InvalidGameError``.
"""

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any, cast

import numpy as np

from nim_envs.errors import InvalidActionError, InvalidGameError, SearchTooLargeError

LARGEST_STATE = 2**62
"""States, and so heap sizes, stay below this so that sums of them fit in 64 bits."""

LARGEST_BYTES = 2**30
"""Largest allowed size of a table or an environment, in bytes."""

LIMIT_VARIABLE = "NIM_ENVS_LARGEST_BYTES"
"""Environment variable that overrides the limit."""

LONGEST_NUMBER = 10**24
"""Numbers in messages are below it; of larger ones their power of ten is shown."""


def check_bytes(what: str, needed: int) -> None:
    """Raise ``SearchTooLargeError`` if ``what``, in the plural, needs too many bytes."""
    largest = largest_bytes()
    if needed > largest:
        raise SearchTooLargeError(
            f"{what} would take {needed} bytes ({needed / 2**30:.3g} GiB); the limit is {largest} "
            f"bytes ({largest / 2**30:.3g} GiB), or what {LIMIT_VARIABLE} says"
        )


def shortly(number: int) -> str:
    """Return a number, or its power of ten where nobody would read its digits."""
    return str(number) if number < LONGEST_NUMBER else f"over 10^{math.floor(math.log10(number))}"


def largest_bytes() -> int:
    """Return the limit in bytes: ``LARGEST_BYTES``, unless ``LIMIT_VARIABLE`` overrides it."""
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    if not text:
        return LARGEST_BYTES
    if not text.isdecimal():
        raise InvalidGameError(f"{LIMIT_VARIABLE} must be a number of bytes, not {text!r}")
    return int(text)


def checked_boolean(name: str, value: Any) -> bool:
    """Return a boolean."""
    if not isinstance(value, bool):
        raise InvalidGameError(f"{name} must be True or False, not {value!r}")
    return value


def checked_name(name: str, value: Any) -> str:
    """Return a string that has more than spaces."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidGameError(f"{name} must be a string that is not empty, not {value!r}")
    return value


def checked_choice(name: str, value: Any, choices: Sequence[str], *, or_none: bool = False) -> Any:
    """Return one of some strings, or ``None`` where that is allowed."""
    if or_none and value is None:
        return value
    # Only strings are compared: a comparison with an array has no truth value.
    if not (isinstance(value, str) and value in choices):
        allowed = f"{'None or ' if or_none else ''}one of {tuple(choices)}"
        raise InvalidGameError(f"{name} must be {allowed}, not {value!r}")
    return value


def checked_integer(
    name: str,
    value: Any,
    minimum: int,
    maximum: int = LARGEST_STATE,
    *,
    error: type[InvalidGameError | InvalidActionError] = InvalidGameError,
) -> int:
    """Return an integer from ``minimum`` to ``maximum``, no boolean; else raise ``error``."""
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


def checked_number(
    name: str,
    value: Any,
    low: float,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return a finite number from ``low`` to ``high``, without them where the interval is open."""
    above = operator.lt if open_low else operator.le
    below = operator.lt if open_high or high == math.inf else operator.le
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and above(low, value) and below(value, high):
        return cast(float, value)
    to = ", and finite" if high == math.inf else f" to {'below ' if open_high else ''}{high}"
    allowed = f"{'over' if open_low else 'from'} {low}{to}"
    raise InvalidGameError(f"{name} must be a number {allowed}, not {value!r}")


def is_listing(values: Any, *, of_any_order: bool = False) -> bool:
    """Return whether ``values`` is an ordered iterable, such as a tuple, a list or an array.

    Strings, bytes and mappings do not count; sets count only if ``of_any_order`` is true.
    """
    others: tuple[type, ...] = (str, bytes, bytearray, memoryview, Mapping)
    if not of_any_order:
        others = (*others, Set)
    return isinstance(values, Iterable) and not isinstance(values, others)


def integers_of(values: Any) -> tuple[int, ...] | None:
    """Return a listing of integers as a tuple; ``None`` for anything else."""
    if not is_listing(values):
        return None
    try:
        listed = tuple(values)
        numbers = tuple(map(operator.index, listed))
    except TypeError:
        return None
    return None if any(isinstance(value, (bool, np.bool_)) for value in listed) else numbers


def checked_integers(
    name: str, values: Any, minimum: int, maximum: int = LARGEST_STATE, *, or_none: bool = False
) -> tuple[int, ...]:
    """Return integers from ``minimum`` to ``maximum``, one at least unless ``or_none``."""
    if not is_listing(values):
        raise InvalidGameError(
            f"{name} must be a sequence of integers of at least {minimum}, not {values!r}"
        )
    numbers = tuple(
        checked_integer(f"{name}[{index}]", value, minimum, maximum)
        for index, value in enumerate(values)
    )
    if not numbers and not or_none:
        raise InvalidGameError(f"{name} must hold at least one integer, not {values!r}")
    return numbers


def checked_pairs(
    name: str, values: Any, minimum: int = 0, *, min_pairs: int = 1
) -> list[tuple[int, ...]]:
    """Return at least ``min_pairs`` pairs of integers of at least ``minimum``."""
    of_integers = f"of integers of at least {minimum}"
    listed = [*values] if is_listing(values) else None
    if listed is None or len(listed) < min_pairs:
        pairs = f"a sequence of at least {min_pairs} pair" if min_pairs else "a sequence of pairs"
        raise InvalidGameError(f"{name} must be {pairs} {of_integers}, not {values!r}")
    for index, pair in enumerate(listed):
        if not is_listing(pair) or len(pair := tuple(pair)) != 2:
            raise InvalidGameError(f"{name}[{index}] must be a pair {of_integers}, not {pair!r}")
        listed[index] = checked_integers(f"{name}[{index}]", pair, minimum)
    return listed
