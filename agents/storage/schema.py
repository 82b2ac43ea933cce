"""Checks of values out of files against the type annotations of what takes them."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from agents.storage.errors import StorageError

NUMBERS: dict[Any, Any] = {float: Real, int: Integral, bool: (bool, np.bool_)}
"""The values that an annotation allows, where that is not an instance of the class alone."""


def check_value(name: str, value: Any, hint: Any) -> None:
    """Check that a value is of an annotated type, with all that is in it.

    Args:
        name: of the value, for the message.
        value: the value.
        hint: a class, ``Literal``, a union, ``Callable``, or a ``list``, ``tuple``, ``dict`` or
            ``TypedDict`` of these.

    Raises:
        StorageError: it is not.

    Example:
        >>> check_value("games", [3, "four"], list[int])
        Traceback (most recent call last):
            ...
        nim_envs.errors.StorageError: games[1] must be int, not 'four'
    """
    origin, parts = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        if not isinstance(value, dict):
            raise _wrong(name, value, dict)
        check_names(name, value, get_type_hints(hint))
        for key, part in get_type_hints(hint).items():
            check_value(f"{name}[{key!r}]", value[key], part)
    elif origin in (Union, types.UnionType):
        if not any(_is_valid(value, part) for part in parts):
            raise _wrong(name, value, hint)
    elif not _is_instance(value, hint):
        raise _wrong(name, value, hint)
    elif origin is dict:
        for key, entry in value.items():
            check_value(f"a key of {name}", key, parts[0])
            check_value(f"{name}[{key!r}]", entry, parts[1])
    elif origin in (list, tuple):
        if origin is list or parts[1:] == (...,):
            parts = parts[:1] * len(value)
        if len(value) != len(parts):
            raise _wrong(name, value, hint)
        for place, (entry, part) in enumerate(zip(value, parts, strict=True)):
            check_value(f"{name}[{place}]", entry, part)


def check_names(name: str, value: dict[Any, Any], needed: Iterable[str]) -> None:
    """Check that a dictionary has the keys that are needed, and no others.

    Raises:
        StorageError: it has not.
    """
    if set(value) != set(needed):
        keys = ", ".join(sorted(map(repr, value))) or "nothing"
        raise StorageError(f"{name} must have {sorted(needed)}, not {keys}")


def check_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Check arguments by the keyword-only parameters of a function: their names and types.

    Raises:
        StorageError: it does not take them.
    """
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    allowed = [parameter.name for parameter in parameters]
    for name, value in arguments.items():
        if name not in allowed:
            raise StorageError(f"{function.__name__} has no argument {name!r}, but {allowed}")
        check_value(name, value, parameter_type(function, name))
    for parameter in parameters:
        if parameter.default is parameter.empty and parameter.name not in arguments:
            raise StorageError(f"{function.__name__} needs an argument {parameter.name!r}")


@functools.cache
def parameter_type(function: Callable[..., Any], name: str) -> Any:
    """Return the annotated type of a parameter of a function, or of a class's constructor."""
    if isinstance(function, type):
        function = vars(function).get("__init__") or function.mro()[1]
        return parameter_type(function, name)
    return get_type_hints(function)[name]


def _is_valid(value: Any, hint: Any) -> bool:
    try:
        check_value("", value, hint)
    except StorageError:
        return False
    return True


def _is_instance(value: Any, hint: Any) -> bool:
    """Whether a value is of the class of an annotation, regardless of what is in it."""
    origin = get_origin(hint) or hint
    if hint is Any:
        return True
    if origin is Literal:
        return isinstance(value, (str, int)) and value in get_args(hint)
    if origin is Callable:
        return callable(value)
    if hint in (int, float) and isinstance(value, (bool, np.bool_)):
        return False
    return isinstance(value, NUMBERS.get(hint, origin))


def _wrong(name: str, value: Any, hint: Any) -> StorageError:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    expected = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    return StorageError(f"{name} must be {expected}, not {shown}")
