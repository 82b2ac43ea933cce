"""Tokens and phrases of the grammar of moves."""

from __future__ import annotations

import re
from typing import NamedTuple

NUMBER = re.compile("[0-9]+")
PLACEHOLDER = "<number>"

LONGEST_NUMBER = 19
"""Digits of the largest number that a game can have, 2^62; longer ones are not read."""

TOO_LONG = -1
"""Value of a number with more digits."""

TOKEN = re.compile(r"[a-z]+|[0-9]+(?:\.[0-9]+)+|[0-9]+|[^\s:,.]")
"""Words, numbers and other characters; a decimal fraction is one token, but not a number."""


class Phrase(NamedTuple):
    """A text without letter case, spaces, colons, commas and full stops.

    Attributes:
        shape: its words, with ``#`` for numbers.
        numbers: in order, ``TOO_LONG`` for one of over ``LONGEST_NUMBER`` digits.
    """

    shape: tuple[str, ...]
    numbers: tuple[int, ...]


def tokens_of(text: str) -> list[str]:
    """Return the words, numbers and other characters of a text, in lower case."""
    return TOKEN.findall(text.lower())


def phrase_of(tokens: list[str]) -> Phrase:
    """Return the phrase of a list of tokens.

    Example:
        >>> phrase_of(tokens_of("Heap 1: take 2."))
        Phrase(shape=('heap', '#', 'take', '#'), numbers=(1, 2))
    """
    return Phrase(
        tuple("#" if NUMBER.fullmatch(token) else token for token in tokens),
        tuple(
            int(token) if len(token) <= LONGEST_NUMBER else TOO_LONG
            for token in tokens
            if NUMBER.fullmatch(token)
        ),
    )


def form_of(text: str) -> str:
    """Return a text with placeholders for its numbers.

    Example:
        >>> form_of("heap 1: take 2")
        'heap <number>: take <number>'
    """
    return NUMBER.sub(PLACEHOLDER, text)


def shape_of(form: str) -> tuple[str, ...]:
    """Return the shape of the phrases of a form."""
    return phrase_of(tokens_of(form.replace(PLACEHOLDER, "0"))).shape
