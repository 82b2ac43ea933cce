"""A second reader of moves of Nim, Kayles and Grundy's game, which shares no code with the first.

Patterns of whole replies, written out; the package reads tokens by the forms of a game's moves.
"""

import re

S = r"(?:[\s:,.]+|(?<![a-z])|(?![a-z]))"
N = r"(?<![.])(\d+)(?!\.?\d)"
OBJECTS = rf"(?:{S}objects?)?"
AT = rf"(?:from|in|on|of|at|with){S}"
HEAP = rf"heap{S}{N}{OBJECTS}"
TAKE = rf"take{S}{N}{OBJECTS}"
TWO = (
    rf"(?:{S}{N}{OBJECTS}{S}(?:and|\+|&){S}{N}{OBJECTS}"
    rf"|{S}\({S}{N}{OBJECTS}{S}{N}{OBJECTS}{S}\))"
)
LEAVE = (
    r"(?:leave|leaves|leaving|(?:split|splits|splitting)"
    rf"(?:{S}it|{S}the{S}rest)?{S}into)"
)
PARTS = rf"{LEAVE}{TWO}"
AFTER = rf"(?:(?:{S}and)?{S}{PARTS}|{S}\({S}{PARTS}(?:{S}\))?)"


def orders(first: str, rest: str) -> list[str]:
    """Patterns of a move that begins with ``first``, with the heap in each usual place."""
    return [
        rf"(?:{AT})?{HEAP}{S}{first}{rest}",
        rf"choose{S}{HEAP}{S}(?:and{S})?{first}{rest}",
        rf"{first}{rest}{S}{AT}{HEAP}",
        rf"{first}{S}{AT}{HEAP}{rest}",
    ]


FENCE = re.compile(r"(```+|~~~+)[^\n`]*\n(.*?)\n?[ \t]*\1", flags=re.DOTALL)


def bare(reply: str) -> str:
    """The reply without fences, quotation marks and final stops; empty where it cannot be one."""
    text = reply.strip(" \t\r\n")
    if fence := FENCE.fullmatch(text):
        text = fence[2].strip()
    text = re.sub(r"^[`'\"*_]*[\s:,.]*", "", text)
    text = re.sub(r"[`'\"*_.!:,\s]+$", "", text)
    return text if text.isascii() and text.replace("\t", " ").isprintable() else ""


def nim_move(reply: str) -> tuple[int, int] | None:
    """Heap and number to take, if the whole reply is a move of Nim in form."""
    text = bare(reply)
    for number, pattern in enumerate(orders(TAKE, "")):
        if found := re.fullmatch(pattern, text, flags=re.IGNORECASE | re.ASCII):
            one, other = map(int, found.groups())
            return (other, one) if number > 1 else (one, other)
    return None


def kayles_move(reply: str) -> tuple[int, int, tuple[int, ...]] | None:
    """Heap, number to take and sorted parts, none or two, of a move of Kayles in form."""
    text = bare(reply)
    for rest in ("", AFTER):
        for number, pattern in enumerate(orders(TAKE, rest)):
            if found := re.fullmatch(pattern, text, flags=re.IGNORECASE | re.ASCII):
                numbers = [int(each) for each in found.groups() if each is not None]
                if number == 2:
                    numbers = [numbers[-1], *numbers[:-1]]
                elif number == 3:
                    numbers[:2] = numbers[1::-1]
                return numbers[0], numbers[1], tuple(sorted(numbers[2:]))
    return None


def grundy_move(reply: str) -> tuple[int, int, int] | None:
    """Heap and the two sorted parts of a move of Grundy's game in form."""
    text = bare(reply)
    inside = rf"(?:{PARTS}|(?:and{S}){PARTS}|\({S}{PARTS}(?:{S}\))?)"
    for number, pattern in enumerate(
        [
            rf"(?:{AT})?{HEAP}{S}{inside}",
            rf"choose{S}{HEAP}{S}{inside}",
            rf"{PARTS}{S}{AT}{HEAP}",
        ]
    ):
        if found := re.fullmatch(pattern, text, flags=re.IGNORECASE | re.ASCII):
            numbers = [int(each) for each in found.groups() if each is not None]
            heap = numbers.pop(-1 if number == 2 else 0)
            return heap, min(numbers), max(numbers)
    return None
