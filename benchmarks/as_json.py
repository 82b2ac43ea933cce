"""Results of benchmarks as JSON, and back: the same classes, types and numbers.

JSON has no tuples, no arrays, no records and no keys but strings, so each of these is an object
with one key that says which. Only classes of this project are made when results are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from nim_envs.references import MAIN_MODULES, resolved

PACKAGES = ("agents", "benchmarks", "nim_envs")
"""Packages whose dataclasses and named tuples are read."""


def encoded(value: Any) -> Any:
    """Return a result in terms of JSON.

    Args:
        value: made of ``None``, numbers, strings, lists, tuples, mappings, arrays, dataclasses and
            named tuples.

    Raises:
        TypeError: it has something else in it.

    Example:
        >>> encoded((1, [2.5, None]))
        {'tuple': [1, [2.5, None]]}
    """
    if isinstance(value, np.generic):  # first, as some are Python's numbers too
        return {"number": [value.dtype.str, value.item()]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return {"array": [value.dtype.str, list(value.shape), value.ravel().tolist()]}
    if isinstance(value, list):
        return [encoded(each) for each in value]
    if isinstance(value, Mapping):
        return {"mapping": [[encoded(key), encoded(each)] for key, each in value.items()]}
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: encoded(getattr(value, field.name)) for field in fields(value)}
        return {_name(value): named}
    if hasattr(value, "_asdict"):
        return {_name(value): {name: encoded(each) for name, each in value._asdict().items()}}
    if isinstance(value, tuple):
        return {"tuple": [encoded(each) for each in value]}
    raise TypeError(f"no result of a benchmark: {value!r}")


def decoded(value: Any) -> Any:
    """Return the result of which ``value`` is the encoding.

    Raises:
        ValueError: it is none.

    Example:
        >>> decoded({"tuple": [1, [2.5, None]]})
        (1, [2.5, None])
    """
    if isinstance(value, list):
        return [decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(map(decoded, content))
    if kind == "mapping":
        return {decoded(key): decoded(each) for key, each in content}
    if kind == "array":
        dtype, shape, numbers = content
        return np.array(numbers, dtype).reshape(shape)
    if kind == "number":
        dtype, number = content
        return np.dtype(dtype).type(number)
    if kind.partition(":")[0].partition(".")[0] not in (*PACKAGES, *MAIN_MODULES):
        raise ValueError(f"no result of a benchmark: {kind}")
    record = resolved(kind)
    return record(**{name: decoded(each) for name, each in content.items()})


def _name(value: Any) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"
