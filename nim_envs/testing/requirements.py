"""Failures of checks: messages with the call, the result and the expected result."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import ConformanceError, SearchTooLargeError

LONGEST_SHOWN = 200
"""Most characters of a value in a message."""

SCALARS = (bool, int, float, str, type(None))
"""Types of values that are compared without becoming arrays, which takes longer."""

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
}
"""Ways of copying, by name."""


def require(condition: Any, message: str) -> None:
    """Raise ``ConformanceError`` unless ``condition`` holds; ``assert`` may be switched off."""
    if not condition:
        raise ConformanceError(message)


def require_equal(what: str, actual: Any, expected: Any) -> None:
    """Raise ``ConformanceError`` unless two values, arrays or dictionaries of them are equal."""
    if not same(actual, expected):
        raise ConformanceError(
            f"{what} is {text_of(actual)}, where {text_of(expected)} is expected"
        )


def require_values(
    what: str, arguments: Any, actual: Any, expected: Any, source: str, *, of: str = ""
) -> None:
    """Raise ``ConformanceError`` unless a function has the expected values.

    Args:
        what: name of the function.
        arguments: array of its arguments, one row each.
        actual: its values, one row each.
        expected: the right values.
        source: theorem or rule that they follow from.
        of: owner of the function, such as ``" of component 0"``.
    """
    require_equal(f"the shape of {what}{of}", np.shape(actual), expected.shape)
    wrong = np.not_equal(actual, expected).reshape(len(arguments), -1).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ConformanceError(
            f"{what}({arguments[row].tolist()}){of} is {text_of(actual[row])}, "
            f"and by {source} it is {text_of(expected[row])}"
        )


def require_dtype(what: str, actual: Any, dtype: npt.DTypeLike) -> None:
    """Raise ``ConformanceError`` unless an array, or a number, has this type."""
    if np.asarray(actual).dtype != dtype:  # the name is slow, so only for the message
        raise ConformanceError(
            f"{what} has dtype {np.asarray(actual).dtype}, not {np.dtype(dtype)}"
        )


def require_error(
    what: str,
    function: Callable[..., Any],
    *arguments: Any,
    kind: type[Exception] = Exception,
) -> None:
    """Raise ``ConformanceError`` unless a call raises an error of a kind."""
    with during(what):
        try:
            function(*arguments)
        except kind:
            return
    raise ConformanceError(f"{what} did not raise")


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal, arrays in shape and in every entry."""
    if isinstance(one, SCALARS) and isinstance(other, SCALARS):
        return bool(one == other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and bool((one == other).all())
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.array_equal(one, other))


def text_of(value: Any) -> str:
    """Return a value as a message shows it: in one line, and not too long."""
    text = str(value.tolist()) if isinstance(value, (np.ndarray, np.generic)) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


@contextmanager
def during(what: str) -> Iterator[None]:
    """Turn an error raised by the checked object into a ``ConformanceError``.

    A ``SearchTooLargeError`` passes through: the check itself cannot be made.
    """
    try:
        yield
    except (ConformanceError, SearchTooLargeError):
        raise
    except Exception as error:
        raise ConformanceError(f"{what} raised {type(error).__name__}: {error}") from error


def check_copies(value: Any, what: str) -> None:
    """Check that copies of an immutable value are equal to it and have its hash."""
    for name, duplicate in COPIES.items():
        with during(f"copying {what} by {name}"):
            again = duplicate(value)
            hashes = hash(again), hash(value)
        require(again == value, f"a copy of {what} by {name} does not equal it")
        require(hashes[0] == hashes[1], f"a copy of {what} by {name} has another hash")
