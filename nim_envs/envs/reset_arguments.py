"""Checks of the arguments of ``reset``, the same in every environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nim_envs.errors import InvalidResetError
from nim_envs.names import nearest, unknown


def is_seed(seed: Any) -> bool:
    """Return whether ``seed`` is ``None`` or a Python integer of at least 0, as Gymnasium asks."""
    return seed is None or (type(seed) is int and seed >= 0)


def checked_seed(seed: Any) -> int | None:
    """Return ``seed`` if it is valid.

    Raises:
        InvalidResetError: not ``None`` and not a Python integer of at least 0.
    """
    if not is_seed(seed):
        raise InvalidResetError(
            f"seed must be None or a Python integer of at least 0, not {seed!r} of type "
            f"{type(seed).__name__}"
        )
    checked: int | None = seed
    return checked


def checked_options(
    options: Any, keys: tuple[str, ...] = ("start",), *, others_ignored: bool = False
) -> Mapping[str, Any]:
    """Return ``options``, empty for ``None``.

    Args:
        options: argument of ``reset``.
        keys: allowed keys.
        others_ignored: whether other keys are ignored, as PettingZoo's tests need; a misspelt
            key is still an error.

    Raises:
        InvalidResetError: not a dictionary, or it has a key that is not allowed.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InvalidResetError(
            f"options must be None or a dictionary, not {options!r} of type "
            f"{type(options).__name__}"
        )
    for key in options:
        if key not in keys and not (others_ignored and nearest(key, keys) is None):
            raise InvalidResetError(unknown("reset takes no option", key, keys))
    return options
