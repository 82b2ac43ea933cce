"""Reasons: the claims that a reply states in fixed forms, each one true or false."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Literal

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.text.language import GivenPosition, Language, Position, as_language
from nim_envs.text.phrases import PLACEHOLDER, phrase_of, tokens_of
from nim_envs.text.reading import LONGEST_REPLY, QUOTES, check_reply, read_move

ClaimKind = Literal["nim_sum", "grundy_value", "value", "line", "format"]

VALUES = {1: "won", 0: "drawn", -1: "lost"}
"""Value of a position to the player to move, in words."""

NIM_SUM = f"The nim-sum of the heaps is {PLACEHOLDER}"
POSITION = "The position is {}"
LINE = "Line: "

TAG = re.compile(r"<(/?)claim>", flags=re.IGNORECASE)
LINE_START = re.compile(r"line\s*:", flags=re.IGNORECASE)


@dataclass(frozen=True)
class Claim:
    """A claim of a reply about the position of its prompt.

    Attributes:
        kind: ``"nim_sum"``: the nim-sum of the numbers of objects in the heaps;
            ``"grundy_value"``: the Grundy value of one component; ``"value"``: the position is won,
            drawn or lost for the player to move; ``"line"``: moves of both players in turn, true if
            all are legal and none gives away a win or a draw; ``"format"``: none of these, in the
            form asked for.
        text: the claim as stated.
        is_true: whether it is true; ``None``: it has no such form, or the Grundy value is too
            expensive to compute.
        why: the truth, such as ``"the nim-sum is 2"``.
    """

    kind: ClaimKind
    text: str
    is_true: bool | None
    why: str


def check_claims(game: Game | Language, position: GivenPosition, reply: str) -> tuple[Claim, ...]:
    """Check each claim of a reply: every ``<claim>...</claim>`` in it, in order.

    The forms of claims are those that :func:`prompt` asks for with ``reasons=True``. Letter case,
    spaces, quotation marks, a full stop at the end and ``=`` in place of ``is`` make no difference.
    The text outside the marks is free.

    Args:
        game: the game, or its language.
        position: position of the prompt, ``(components,)``.
        reply: any text.

    Raises:
        TypeError: ``reply`` is not a string, or ``game`` neither a game nor a language.
        InvalidPositionError: not a position of the game.
        SearchTooLargeError: the game cannot be solved, or its moves cannot be listed.

    Example:
        >>> from nim_envs import make_game
        >>> reply = (
        ...     "<claim>The nim-sum of the heaps is 3</claim> <claim>The position is won</claim> "
        ...     "<claim>Line: heap 0: take 2; heap 1: take 4; heap 2: take 4</claim>"
        ... )
        >>> for claim in check_claims(make_game("nim"), (3, 4, 5), reply):
        ...     print(claim.kind, claim.is_true, claim.why)
        nim_sum False the nim-sum is 2
        value True the position is won
        line True best play, moves: 3
    """
    language = as_language(game)
    check_reply(reply)
    here = language.position(position)
    return tuple(_checked(language, here, text) for text in _marked(reply))


def request_for_reasons(language: Language) -> str:
    """Return the sentence that asks for claims, with their forms in the words of a language."""
    objects = language.translated("objects")
    explained = {
        language.translated(NIM_SUM): f" (of their numbers of {objects})",
        LINE: " with moves of both players in turn from this position on, separated by "
        "semicolons, each of them a best one",
    }
    forms = [f'"{form}"{explained.get(form, "")}' for form in claim_forms(language)]
    return (
        "State each of your reasons as <claim>...</claim>, in place of the dots one of these: "
        f"{', '.join(forms)}."
    )


def claim_forms(language: Language) -> tuple[str, ...]:
    """Return the forms of claims: those on nim-sums and Grundy values only where these exist."""
    game = language.game
    forms = []
    if len(_heaps(language)) > 1:
        forms.append(language.translated(NIM_SUM))
    if not game.has_outcome:
        kinds = dict.fromkeys(component.kind for component in game.rules.components)
        forms += [
            f"The Grundy value of {language.translated(kind)} {PLACEHOLDER} is {PLACEHOLDER}"
            for kind in kinds
        ]
    forms += [POSITION.format(word) for value, word in VALUES.items() if value or game.has_outcome]
    return (*forms, LINE)


def _heaps(language: Language) -> list[int]:
    """Indices of the components that are heaps of objects."""
    return [
        index
        for index, component in enumerate(language.game.rules.components)
        if component.kind == "heap" and component.coordinate_system.is_default
    ]


def _marked(reply: str) -> Iterator[str]:
    """Yield the texts between marks; a mark that is opened twice counts from the last one."""
    start: int | None = None
    for tag in TAG.finditer(reply):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            yield reply[start : tag.start()].strip()
            start = None


def _shape(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the words of a claim with placeholders for its numbers, and these numbers."""
    shape, numbers = phrase_of(tokens_of(text.replace(PLACEHOLDER, "0")))
    words = tuple("is" if word == "=" else word for word in shape)
    return (words[1:] if words[:1] == ("the",) else words), numbers


def _checked(language: Language, here: Position, text: str) -> Claim:
    if len(text) > LONGEST_REPLY:
        return Claim("format", text, None, f"{len(text)} characters; at most {LONGEST_REPLY}")
    bare = text.lstrip(QUOTES).rstrip(f"{QUOTES}.! \t")
    start = LINE_START.match(bare)
    if start:
        return _line(language, here, text, bare[start.end() :])
    words, numbers = _shape(bare)
    if words not in [_shape(form)[0] for form in claim_forms(language)]:
        return Claim("format", text, None, "not of a form asked for")
    if len(numbers) == 2:
        return _grundy_value(language, here, text, words, *numbers)
    if numbers:
        nim_sum = reduce(xor, (here[index] for index in _heaps(language)))
        return Claim("nim_sum", text, numbers[0] == nim_sum, f"the nim-sum is {nim_sum}")
    truth = VALUES[language.outcomes(here).value]
    return Claim("value", text, words[-1] == truth, f"the position is {truth}")


def _grundy_value(
    language: Language, here: Position, text: str, words: tuple[str, ...], label: int, value: int
) -> Claim:
    """Check a Grundy value, which is that of normal play whatever the convention."""
    kind = " ".join(words[words.index("of") + 1 : words.index(PLACEHOLDER)])
    name = f"{kind} {label}"
    named = (i for i in range(len(here)) if language.component_name(i).lower() == name)
    index = next(named, None)
    if index is None:
        return Claim("grundy_value", text, False, f"there is no {name}")
    try:
        values = language.game.solution.component_values[index]
        truth = int(values.normal(np.array(here[index])))
    except SearchTooLargeError as error:
        return Claim("grundy_value", text, None, f"unknown: {error}")
    return Claim("grundy_value", text, value == truth, f"the Grundy value is {truth}")


def _line(language: Language, here: Position, text: str, moves: str) -> Claim:
    """Check that moves are legal, one after the other, and that none loses value."""
    line = [move.strip() for move in moves.split(";")]
    for number, move in enumerate(line, start=1):
        outcomes = language.outcomes(here)
        reading = read_move(language, here, move)
        if reading.kind == "format":
            return Claim("format", text, None, f"move {number}: {reading.why}")
        if not outcomes.after:
            return Claim("line", text, False, f"the game is over before move {number}")
        if reading.action is None:
            return Claim("line", text, False, f"move {number}: {reading.why}")
        if outcomes.value >= 0 and reading.action not in outcomes.keeping:
            lost = "win" if outcomes.value else "draw"
            return Claim("line", text, False, f"move {number} throws the {lost} away")
        here = outcomes.after[reading.action]
    return Claim("line", text, True, f"best play, moves: {len(line)}")
