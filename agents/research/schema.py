"""Checks of values from files against type annotations."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from nim_envs.errors import StorageError

if sys.version_info >= (3, 12):
    from typing import TypeAliasType

NUMBERS: dict[Any, Any] = {float: Real, int: Integral, bool: (bool, np.bool_)}
"""Classes that match an annotation, where these are not the annotated class itself."""


def check_value(name: str, value: Any, hint: Any) -> None:
    """Check that a value and its elements match a type annotation.

    Args:
        name: name of the value, for the message.
        value: value to check.
        hint: type annotation: a class, ``Literal``, a union, ``Callable``, or a ``list``,
            ``tuple``, ``dict`` or ``TypedDict`` of these; or an alias of one of these.

    Raises:
        StorageError: it does not match.

    Example:
        >>> check_value("games", [3, "four"], list[int])
        Traceback (most recent call last):
            ...
        nim_envs.errors.StorageError: games[1] must be int, not 'four'
    """
    hint = _evaluated(hint)
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
    """Check that the keys of a dictionary are exactly the needed ones.

    Raises:
        StorageError: a key is missing, or another one is there.
    """
    if set(value) != set(needed):
        keys = ", ".join(sorted(map(repr, value))) or "nothing"
        raise StorageError(f"{name} must have {sorted(needed)}, not {keys}")


def check_arguments(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Check the names and types of arguments against a function's keyword-only parameters.

    Raises:
        StorageError: an argument is unknown, missing or of another type.
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


def _evaluated(hint: Any) -> Any:
    """Return the annotation that an alias stands for, as NumPy's NDArray is from Python 3.12 on."""
    if sys.version_info >= (3, 12):
        alias, parts = get_origin(hint) or hint, get_args(hint)
        if isinstance(alias, TypeAliasType):
            return _evaluated(alias.__value__[parts] if parts else alias.__value__)
    return hint


def _is_valid(value: Any, hint: Any) -> bool:
    try:
        check_value("", value, hint)
    except StorageError:
        return False
    return True


def _is_instance(value: Any, hint: Any) -> bool:
    """Whether a value is an instance of an annotation's class; its elements are not checked."""
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
    text = repr(value)
    text = text if len(text) <= 60 else f"{text[:57]}…"
    expected = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    return StorageError(f"{name} must be {expected}, not {text}")
