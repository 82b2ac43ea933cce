"""Values of options, such as ``--set heaps=3,4,5`` and ``--position 3,4,5``."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import click


def position(text: str) -> tuple[int, ...]:
    """Return the position that ``text`` is: integers separated by commas."""
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not integers separated by commas") from None


def value_of(text: str) -> Any:
    """Return the number, list, truth value or word that ``text`` is: JSON, without its brackets.

    Example:
        >>> value_of("0.5"), value_of("3,4"), value_of("true"), value_of("[[1, 2], []]")
        (0.5, (3, 4), True, ((1, 2), ()))
    """
    for written in (text, f"[{text}]"):
        with suppress(json.JSONDecodeError):
            return _as_tuples(json.loads(written))
    return None if text == "none" else text


def _as_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_tuples(entry) for key, entry in value.items()}
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def arguments_of(owner: str, settings: Iterable[str], defaults: Mapping[str, Any]) -> Any:
    """Return settings such as ``heaps=3,4`` as keyword arguments of ``owner``.

    A single value is a list of one where the default is a list; it stays text where that is a word.
    """
    arguments = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if not text or name not in defaults:
            raise click.UsageError(
                f"{owner} takes NAME=VALUE, where NAME is one of {', '.join(defaults)}, not "
                f"{setting!r}"
            )
        value = text if isinstance(defaults[name], str) else value_of(text)
        is_one = isinstance(defaults[name], tuple) and not isinstance(value, tuple)
        arguments[name] = (value,) if is_one else value
    return arguments
