"""Reading of replies as moves: by exact match, by a small grammar, and on request in prose."""

import re
from dataclasses import dataclass
from typing import Literal

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.text.answers import ANSWERS, FINDERS
from nim_envs.text.grammar import Grammar, Match
from nim_envs.text.language import GivenPosition, Language, Names, as_language
from nim_envs.text.phrases import PLACEHOLDER, TOO_LONG, Phrase, Token
from nim_envs.validation import checked_boolean, checked_choice

LONGEST_REPLY = 1 << 16
"""Maximum length of a reply that is read, or of its last line, in characters."""

QUOTES = "`'\"*_“”‘’«»"
"""Quotation and emphasis marks that are ignored around a move."""

FENCE = re.compile(r"(```+|~~~+)[^\n`]*\n(.*?)\n?[ \t]*\1", flags=re.DOTALL)
"""A block of code in Markdown."""

FENCE_LINE = re.compile(r"(?:```+|~~~+)[\w+-]*")
"""The line that begins or ends a block of code."""

OPENING = "([{\"'`*_“‘«"
CLOSING = re.compile(r"[\"'`*_)\]}”’»]*")
END = re.compile(r"[.!;]+[\"'`*_)\]}”’»]*(?:\s+|$)")
"""The end of a sentence, or of a part of one."""

REASON = re.compile(
    r",?\s+(?:[-–—]\s+)?(?:because|since|so|which|to|for)\s+([a-z]+)", re.IGNORECASE
)
"""Beginnings of text after a move that says why it was chosen."""

SENTENCES = re.compile(r"(?<![ei]\.[ge])[.!?;]\s+")
OPERATOR = re.compile(r"(?:[0-9½²³^=+/×~<&|\\-]|(?<=[0-9\s])\*|\band)\s*,?$")
"""Ends of text before a move of which it would be a part."""

BULLET = re.compile(r"^\s*(?:[-+*•>]|[0-9]+[.)])?$")

NUMERAL = re.compile(
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|both|all|"
    "another|more|each|twice"
)
"""Numbers in words, and words for a part or a multiple of something."""

DOUBT = re.compile(
    "no|not|nor|never|neither|none|nothing|cannot|cant|dont|wont|avoid|avoiding|unless|if|"
    "whether|could|might|worst|worse|bad|wrong|losing|lose|loses|lost|mistake|blunder|error|"
    "instead|rather|except|besides|either|or|opponent|you|your|he|she|they|wait|sorry|"
    "actually|correction|scratch|oops|hm|hmm|reconsider|undo|ignore|illegal|invalid|"
    "impossible|false|without|against|anything|everything|all|than|else|unlike|until|before|"
    "after|when|once|while|suppose|assume|assuming|imagine|hypothetically|example|like|form|"
    "nicht|nie|niemals|kein|nunca|jamais|pas"
)
"""Words by which a move may be named that was not chosen."""

OTHER_DOUBTS = re.compile(r"n['’]t\b|\be\.g\b|\bi\.e\b", flags=re.IGNORECASE)


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
    move. The component can be left out where only one has moves of that form, and named where there
    is but one: ``"total 0: add 2"`` is read as ``"add 2"``.

    Args:
        game: the game, or its language.
        position: ``(fields,)``.
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
        move_text = FINDERS[answer](reply)
        if move_text is None:
            return _format_fault(f"no answer of the form {answer!r}")
        text = move_text
    text = text.strip(" \t\r\n")
    if last_line:
        text = _last_line(text)
    elif fence := FENCE.fullmatch(text):
        text = fence[2].strip()
    if len(text) > LONGEST_REPLY:
        return _format_fault(f"{len(text)} characters; at most {LONGEST_REPLY} are read")
    if not text:
        return _format_fault("empty")
    action = names.exact.get(text)
    if action is not None:
        return Reading(action, "legal", "exact match")
    bare = text.lstrip(QUOTES).rstrip(f"{QUOTES}.!:, \t")
    phrase = _whole(language.grammar, bare)
    if phrase is not None:
        return _read(names, phrase, "grammar")
    if not last_line:
        num_moves = len(language.grammar.matches(language.grammar.tokens(text)))
        if num_moves > 1:
            return _format_fault(f"{num_moves} moves in one reply")
        return _format_fault(f"not of the form {' or '.join(language.forms)}")
    return _in_prose(language, names, text)


def check_form(answer: str, last_line: bool) -> None:
    """Check a form of answers.

    Raises:
        InvalidGameError: an unknown ``answer``; or ``last_line`` is not a boolean, or true for an
            answer that is marked.
    """
    checked_choice("answer", answer, ANSWERS)
    if checked_boolean("last_line", last_line) and answer != "line":
        raise InvalidGameError(f"last_line is for answer='line'; {answer!r} marks its move")


def _last_line(text: str) -> str:
    """Return the last line that is not empty, of a block of code if the text ends with one."""
    lines = [line.strip(" \t\r") for line in text.split("\n") if line.strip(" \t\r")]
    if not lines or not FENCE_LINE.fullmatch(lines[-1]):
        return lines[-1] if lines else ""
    before = lines[:-1]
    # A block that is opened and not closed, or empty, has no last line.
    if sum(map(bool, map(FENCE_LINE.fullmatch, before))) % 2 == 0 or FENCE_LINE.fullmatch(
        before[-1]
    ):
        return ""
    return before[-1]


def _whole(grammar: Grammar, text: str) -> Phrase | None:
    """Return the phrase that a whole text is; ``None``: it is not one in printable ASCII."""
    plain = text.isascii() and text.replace("\t", " ").isprintable()
    return grammar.phrase(text) if plain else None


def _in_prose(language: Language, names: Names, text: str) -> Reading:
    """Read the one move that a line names among other words."""
    grammar = language.grammar
    tokens = grammar.tokens(text)
    matches = grammar.matches(tokens)
    if not matches:
        return _format_fault(f"not of the form {' or '.join(language.forms)}")
    if len(matches) > 1:
        return _format_fault(f"{len(matches)} moves in one reply")
    (match,) = matches
    before, after = tokens[: match.first], tokens[match.end :]
    doubt = (
        _doubt_before(grammar, match, text[: tokens[match.first].start], before)
        or _doubt_after(match, text[tokens[match.end - 1].end :])
        or _other_move(grammar, match, before, after)
    )
    return _format_fault(doubt) if doubt else _read(names, match.phrase, "prose")


def _doubt_before(grammar: Grammar, match: Match, text: str, tokens: list[Token]) -> str:
    """Return why the words before a move do not say that it is chosen; empty: they may."""
    near = text.rstrip(OPENING)
    if near and not near[-1].isspace() and near[-1] != ":":
        return f"{near[-1]!r} before the move"
    near = near.rstrip()
    if not BULLET.match(near) and OPERATOR.search(re.sub(r"\s[-–—]$", "", near)):
        return "a number or a sign before the move"
    if grammar.ends_with_component(tokens) or (match.is_short and tokens and tokens[-1].is_number):
        return "another component before the move"
    return _doubt(SENTENCES.split(text)[-1])


def _doubt_after(match: Match, text: str) -> str:
    """Return why the words after a move may change it; empty: they do not."""
    closing = CLOSING.match(text)
    rest = text[closing.end() :] if closing else text
    end, reason = END.match(rest), REASON.match(rest)
    following = rest[end.end() :] if end else rest
    first = re.match(r"[^\W_]*", following)
    if not rest.strip().strip(".! \t"):
        return ""
    if match.is_open and following:
        return "text after a move that may go on"
    if end is None and (reason is None or NUMERAL.fullmatch(reason[1].lower())):
        return f"{rest.split()[0]!r} after the move"
    if first and (NUMERAL.fullmatch(first[0].lower()) or first[0][:1].isdigit()):
        return "a number after the move"
    return "a question" if "?" in rest else _doubt(rest)


def _doubt(text: str) -> str:
    """Return the first word by which a move may be named that was not chosen."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    other = OTHER_DOUBTS.search(text)
    word = next((word for word in words if DOUBT.fullmatch(word)), other[0] if other else "")
    return f"the word {word!r} beside the move" if word else ""


def _other_move(grammar: Grammar, match: Match, before: list[Token], after: list[Token]) -> str:
    """Return how the words around a move name a part of another one; empty: they do not."""
    for tokens in (before, after):
        for place, token in enumerate(tokens):
            near = tokens[place + 1 : place + 4]
            if token.text in grammar.verbs and any(
                each.is_number or NUMERAL.fullmatch(each.text) for each in near
            ):
                return "a part of another move in one reply"
    if match.is_short and (grammar.names_component(before) or grammar.names_component(after)):
        return "the component is named apart from its move"
    return ""


def _read(names: Names, phrase: Phrase, by: str) -> Reading:
    action = names.phrases.get(phrase)
    if action is not None:
        return Reading(action, "legal", by)
    numbers = iter(phrase.numbers)
    words = [
        str(next(numbers)).replace(str(TOO_LONG), "(a number too long)")
        if word == PLACEHOLDER
        else word
        for word in phrase.shape
    ]
    return Reading(None, "illegal", f"not allowed here: {' '.join(words)}")


def _format_fault(why: str) -> Reading:
    return Reading(None, "format", why)
