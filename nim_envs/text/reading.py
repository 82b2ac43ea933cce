"""Reading of replies as moves: by exact match, by a small grammar, and on request in prose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.rules.validation import checked_boolean, checked_choice
from nim_envs.text.answers import ANSWERS, MARKED
from nim_envs.text.language import GivenPosition, Language, Names, Shapes, as_language
from nim_envs.text.phrases import TOO_LONG, Phrase, phrase_of, tokens_of

LONGEST_REPLY = 1 << 16
"""Maximum length of a reply that is read, or of its last line, in characters."""

QUOTES = "`'\"*"
"""Quotation and emphasis marks that are removed around a move."""


@dataclass(frozen=True)
class Reading:
    """The move that a reply was read as.

    Attributes:
        action: the legal action that it names; ``None``: it names none.
        kind: ``"legal"``; ``"illegal"``: well-formed, but not allowed at this position;
            ``"format"``: the reply holds no move, or more than one, in the form asked for.
        why: how the reply was read, or why it names no legal action.
    """

    action: int | None
    kind: Literal["legal", "illegal", "format"]
    why: str


def read_move(
    game: Game | Language,
    position: GivenPosition,
    reply: str,
    *,
    answer: str = "line",
    last_line: bool = False,
) -> Reading:
    r"""Read a reply as a move.

    A reply that is the name of a legal move is that move. Otherwise the grammar reads it: it
    ignores letter case, spaces, colons, commas and full stops between the words, and quotation
    marks around them; numbers are digits from 0 to 9. Any other text, such as two moves, is not a
    move. The component can be left out where only one has moves of that form: ``"add 2"`` is read
    as ``"total 0: add 2"``.

    Args:
        game: the game, or its language.
        position: ``(components,)``.
        reply: any text.
        answer: form of the answer. ``"line"``: the reply is one move. ``"tag"``, ``"boxed"`` and
            ``"json"``: the move is in the last ``<move>...</move>``, ``\boxed{...}`` or
            ``{"move": "..."}`` of the reply, and any text may be before it.
        last_line: for lines, whether to read only the last line that is not empty, and to search it
            for the one move that it names, as in ``"So I choose heap 1: take 2"``.

    Returns:
        The action or ``None``, and why. Any text is read, in time bounded by its length.

    Raises:
        TypeError: ``reply`` is not a string, or ``game`` neither a game nor a language.
        InvalidGameError: an unknown ``answer``; or ``last_line`` is not a boolean, or true for an
            answer that is marked.
        InvalidPositionError: not a position of the game.
        SearchTooLargeError: the moves of the position are too many to be listed.

    Example:
        >>> from nim_envs import make_game
        >>> game = make_game("nim")
        >>> read_move(game, (3, 4, 5), "Heap 1, take 2.")
        Reading(action=6, kind='legal', why='grammar')
        >>> read_move(game, (3, 4, 5), "heap 1: take 5").why
        'not allowed here: heap 1 take 5'
        >>> read_move(game, (3, 4, 5), "I think...\nI choose heap 1: take 2!", last_line=True).why
        'prose'
    """
    language = as_language(game)
    if not isinstance(reply, str):
        raise TypeError(f"a reply is a string, not {reply!r} of type {type(reply).__name__}")
    check_form(answer, last_line)
    names = language.names(language.position(position))
    text = reply
    if answer != "line":
        marked = MARKED[answer](reply)
        if marked is None:
            return _format_fault(f"no answer of the form {answer!r}")
        text = marked
    text = text.strip(" \t\r\n")
    if last_line:
        text = text[text.rfind("\n") + 1 :].strip(" \t\r")
    if len(text) > LONGEST_REPLY:
        return _format_fault(f"{len(text)} characters; at most {LONGEST_REPLY} are read")
    if not text:
        return _format_fault("empty")
    action = names.exact.get(text)
    if action is not None:
        return Reading(action, "legal", "exact match")
    return _by_grammar(language, names, text.strip(QUOTES), prose=last_line)


def check_form(answer: str, last_line: bool) -> None:
    """Check a form of answers.

    Raises:
        InvalidGameError: an unknown ``answer``; or ``last_line`` is not a boolean, or true for an
            answer that is marked.
    """
    checked_choice("answer", answer, ANSWERS)
    if checked_boolean("last_line", last_line) and answer != "line":
        raise InvalidGameError(f"last_line is for answer='line'; {answer!r} marks its move")


def _by_grammar(language: Language, names: Names, text: str, *, prose: bool) -> Reading:
    if not prose:
        # Letters of other scripts may turn into ASCII ones where case is ignored.
        if not text.isascii():
            return _format_fault("characters that are not ASCII")
        if not text.replace("\t", " ").isprintable():
            return _format_fault("several lines, or control characters")
    tokens = tokens_of(text)
    whole = phrase_of(tokens)
    kinds = language.shapes, language.short_shapes
    if whole.shape and any(whole.shape in shapes.get(whole.shape[0], ()) for shapes in kinds):
        return _read(names, whole, "grammar")
    found = next(filter(None, (_phrases_in(shapes, tokens) for shapes in kinds)), [])
    if len(found) > 1:
        return _format_fault(f"{len(found)} moves in one reply")
    if prose and found:
        return _read(names, found[0], "prose")
    return _format_fault(f"not of the form {' or '.join(language.forms)}")


def _read(names: Names, phrase: Phrase, by: str) -> Reading:
    action = names.phrases.get(phrase)
    if action is not None:
        return Reading(action, "legal", by)
    numbers = iter(phrase.numbers)
    words = [
        str(next(numbers)).replace(str(TOO_LONG), "(a number too long)") if word == "#" else word
        for word in phrase.shape
    ]
    return Reading(None, "illegal", f"not allowed here: {' '.join(words)}")


def _phrases_in(shapes: Shapes, tokens: list[str]) -> list[Phrase]:
    """The phrases of one of these shapes among tokens, in order."""
    shape = phrase_of(tokens).shape
    found = []
    first = 0
    while first < len(tokens):
        step = 1
        for length in map(len, shapes.get(tokens[first], ())):
            last = first + length
            # "take 1,000" and "take 1/2" do not take 1.
            goes_on = shape[last : last + 1] == ("#",) or shape[last : last + 2] == ("/", "#")
            if shape[first:last] in shapes[tokens[first]] and not goes_on:
                found.append(phrase_of(tokens[first:last]))
                step = length
                break
        first += step
    return found


def _format_fault(why: str) -> Reading:
    return Reading(None, "format", why)
