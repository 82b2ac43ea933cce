"""Arguments of games and learners as the words of a command line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click

from nim_envs.names import unknown

_INTEGER = re.compile(r"[+-]?[0-9]+")
# Python's own conversions take digits of any script, and underscores between them.
_PLAIN = re.compile(r"[ -^`-~]+")


def value_of(text: str) -> Any:
    """Return the number, list, truth value or word that ``text`` is.

    Lists are separated by commas, ``"3,4,5"``; nested ones, and pairs of a name and arguments,
    are written as JSON.

    Raises:
        click.UsageError: it begins as JSON but is not valid.

    Example:
        >>> value_of("3,4"), value_of("true"), value_of("[[1, 2], []]")
        ((3, 4), True, ((1, 2), ()))
    """
    if text.startswith(("[", "{")):
        try:
            return _frozen(json.loads(text))
        except json.JSONDecodeError as error:
            raise click.UsageError(
                f"{text!r} is not JSON, which a value that begins with a bracket must be; it goes "
                f"wrong after {text[: error.pos]!r}"
            ) from None
    if "," in text:
        return tuple(value_of(part) for part in text.split(",") if part)
    if text.lower() in ("true", "false", "none"):
        return {"true": True, "false": False, "none": None}[text.lower()]
    for number in (int, float) if _PLAIN.fullmatch(text) else ():
        with suppress(ValueError):
            return number(text)
    return text


def text_of(value: Any) -> str:
    """Return the word that :func:`value_of` reads as a value.

    Example:
        >>> text_of((3, 4)), text_of((3,)), text_of(True), text_of(((1, 2), ()))
        ('3,4', '3,', 'true', '[[1, 2], []]')
    """
    if isinstance(value, (bool, type(None))):
        return str(value).lower()
    if not isinstance(value, (tuple, list, dict)):
        return str(value)
    if (
        isinstance(value, dict)
        or not value
        or any(isinstance(x, (tuple, list, dict)) for x in value)
    ):
        return json.dumps(value)
    return ",".join(map(text_of, value)) + "," * (len(value) == 1)


def settings_of(arguments: Mapping[str, Any]) -> list[str]:
    """Return arguments as words of the command line; those that are ``None`` are left out.

    Example:
        >>> settings_of({"misere": None, "heaps": (3, 4)})
        ['--set', 'heaps=3,4']
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    return [word for name, value in given.items() for word in ("--set", f"{name}={text_of(value)}")]


def integers(text: str) -> tuple[int, ...]:
    """Return the integers that ``text`` lists, separated by commas.

    Raises:
        click.UsageError: it is something else.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(_INTEGER.fullmatch(part) for part in parts):
        raise click.UsageError(f"a position is integers separated by commas, not {text!r}")
    return tuple(map(int, parts))


def _frozen(value: Any) -> Any:
    """Return lists as tuples, at any depth."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(entry) for key, entry in value.items()}
    return value


def arguments_of(
    owner: str, settings: Sequence[str], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Return ``("heaps=3,4", ...)`` as keyword arguments.

    Args:
        owner: owner of the arguments, for messages.
        settings: words of the form ``NAME=VALUE``.
        defaults: default by name, which gives the names and kinds of the arguments: where it is a
            list, a single value becomes a list of one; where it is a word, the value stays text.

    Raises:
        click.UsageError: a setting of another form, a name that is not in ``defaults``, or a
            word where a number is expected.

    Example:
        >>> arguments_of("octal", ["heaps=3", "code=0.77"], {"heaps": (1, 2), "code": "0.6"})
        {'heaps': (3,), 'code': '0.77'}
    """
    arguments = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name or not text:
            raise click.UsageError(f"expected NAME=VALUE, not {setting!r}")
        if name not in defaults:
            raise click.UsageError(unknown(f"{owner} takes no argument", name, defaults))
        default = defaults[name]
        value = text if isinstance(default, str) else value_of(text)
        if isinstance(default, (int, float)) and isinstance(value, str):
            kind = "true or false" if isinstance(default, bool) else "a number"
            raise click.UsageError(f"{name} must be {kind}, not {text!r}")
        if isinstance(default, tuple) and not isinstance(value, tuple):
            value = (value,)
        arguments[name] = value
    return arguments
