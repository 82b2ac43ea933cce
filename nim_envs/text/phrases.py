"""Tokens and phrases of the grammar of moves."""

import re
from collections.abc import Iterable
from typing import NamedTuple

NUMBER = re.compile(r"(?<![0-9A-Za-z_.])[0-9]+(?![0-9A-Za-z_]|\.[0-9])")
"""A number by itself: neither a part of a label such as ``w2`` nor a decimal fraction."""

LABEL = re.compile(r"[0-9A-Za-z_.]*[0-9][0-9A-Za-z_.]*(?<!\.)")
"""A number, or a label with digits or a decimal fraction."""

PLACEHOLDER = "<number>"

LONGEST_NUMBER = 19
"""Digits of the largest number that a game can have, 2^62; longer ones are not read."""

TOO_LONG = -1
"""Value of a number with more digits."""

ANY_TOKEN = r"[0-9]*(?:\.[0-9]+)+|[0-9]+|[^\W\d_]+|[^\s:,.]"
"""Decimal fractions, numbers, words and other characters, but for colons, commas, full stops."""


class Token(NamedTuple):
    """A word in lower case, a number, or another character, and its place in the text."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Whether it is a natural number in digits."""
        return self.text.isascii() and self.text.isdigit()


class Phrase(NamedTuple):
    """A text without letter case, spaces, colons, commas and full stops.

    Its shape has ``PLACEHOLDER`` for numbers; one of over ``LONGEST_NUMBER`` digits is
    ``TOO_LONG``.
    """

    shape: tuple[str, ...]
    numbers: tuple[int, ...]


def token_pattern(labels: Iterable[str] = ()) -> re.Pattern[str]:
    """Return the pattern of tokens, in which labels with digits are one token each."""
    whole = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    first = rf"(?<![0-9A-Za-z_.])(?:{whole})(?![0-9A-Za-z_]|\.[0-9])|" if whole else ""
    return re.compile(first + ANY_TOKEN, flags=re.IGNORECASE)


PLAIN_TOKEN = token_pattern()


def tokens_of(text: str, pattern: re.Pattern[str] = PLAIN_TOKEN) -> list[Token]:
    """Return the tokens of a text, ASCII letters in lower case."""
    return [
        # Letters of other scripts may turn into ASCII ones in lower case.
        Token(match[0].lower() if match[0].isascii() else match[0], *match.span())
        for match in pattern.finditer(text)
    ]


def words_of(text: str) -> list[str]:
    """Return the tokens of a text as strings.

    Example:
        >>> words_of("Heap 1: take 2.")
        ['heap', '1', 'take', '2']
    """
    return [token.text for token in tokens_of(text)]


def phrase_of(tokens: Iterable[Token]) -> Phrase:
    """Return the phrase of tokens.

    Example:
        >>> phrase_of(tokens_of("Heap 1: take 2."))
        Phrase(shape=('heap', '<number>', 'take', '<number>'), numbers=(1, 2))
    """
    shape, numbers = [], []
    for token in tokens:
        if token.is_number:
            numbers.append(int(token.text) if len(token.text) <= LONGEST_NUMBER else TOO_LONG)
            shape.append(PLACEHOLDER)
        else:
            shape.append(token.text)
    return Phrase(tuple(shape), tuple(numbers))


def labels_in(text: str) -> list[str]:
    """Return the labels with digits in a text: those that are not numbers by themselves.

    Example:
        >>> labels_in("w2: pay 1.50 for 3")
        ['w2', '1.50']
    """
    return [label for label in LABEL.findall(text) if not label.isdigit()]


def form_of(text: str) -> str:
    """Return a text with placeholders for its numbers.

    Example:
        >>> form_of("heap 1: take 2")
        'heap <number>: take <number>'
        >>> form_of("shop 1: pay 1.50")
        'shop <number>: pay 1.50'
    """
    return NUMBER.sub(PLACEHOLDER, text)
