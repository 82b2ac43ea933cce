"""Forms of answers: a line, or a mark around the move after free reasoning."""

import json
import re
from collections.abc import Callable

ANSWERS = ("line", "tag", "boxed", "json")
"""Forms of answers: one line; ``<move>...</move>``; ``\\boxed{...}``; ``{"move": "..."}``."""

REQUESTS = {
    "line": "Answer with one move and nothing else, in this form: {}",
    "tag": "You may think first. End your answer with your move as <move>...</move>, in place of "
    "the dots one move in this form: {}",
    "boxed": "You may think first. End your answer with your move as \\boxed{{...}}, in place of "
    "the dots one move in this form: {}",
    "json": 'You may think first. End your answer with your move as {{"move": "..."}}, in place of '
    "the dots one move in this form: {}",
}
"""Last sentence of a prompt by form of answer."""

OPEN_TAG = re.compile("<move>", flags=re.IGNORECASE)
CLOSED_TAG = re.compile("</move>", flags=re.IGNORECASE)
BOX = re.compile(r"\\f?boxed\s*\{")
TEX_TEXT = re.compile(r"\\(?:text|math|emph)[a-z]*\s*\{([^{}]*)\}")
TEX_SPACE = re.compile(r"\\[ ,;:!]|~")
KEY = re.compile(r'[{,]\s*"move"\s*:\s*')
AFTER_VALUE = re.compile(r"\s*[,}]")


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _tagged(reply: str) -> str | None:
    opened = _last(OPEN_TAG, reply)
    closed = None if opened is None else CLOSED_TAG.search(reply, opened.end())
    return None if opened is None or closed is None else reply[opened.end() : closed.start()]


def _boxed(reply: str) -> str | None:
    box = _last(BOX, reply)
    if box is None:
        return None
    depth = 1
    for place in range(box.end(), len(reply)):
        depth += (reply[place] == "{") - (reply[place] == "}")
        if not depth:
            text = TEX_SPACE.sub(" ", reply[box.end() : place])
            return TEX_TEXT.sub(r"\1", text)
    return None


def _in_json(reply: str) -> str | None:
    key = _last(KEY, reply)
    if key is None or not reply.startswith('"', key.end()):
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(reply, key.end())
    except ValueError:
        return None
    return str(value) if AFTER_VALUE.match(reply, end) else None


FINDERS: dict[str, Callable[[str], str | None]] = {
    "tag": _tagged,
    "boxed": _boxed,
    "json": _in_json,
}
"""Functions that find the last marked answer, by form; ``None``: there is none, or it is open."""
