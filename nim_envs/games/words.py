"""Moves in words: functions of the label of an option and the position before it."""

from collections.abc import Sequence

from nim_envs.games.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE, HeapGame
from nim_envs.typing import Position

MOST_LISTED = 12
"""Most numbers listed in full; of more, the middle ones are left out."""

LONGEST = 64
"""Most digits of a code whose moves are described one by one."""

HEAP = "has {} object", "has {} objects"
"""Phrases for a heap of one object, and of any other number."""

SPELLINGS = {
    "dawsons": "Dawson's", "grundys": "Grundy's", "kayles": "Kayles", "laskers": "Lasker's",
    "moores": "Moore's", "nim": "Nim",
}  # fmt: skip
"""Words in names of games that have a spelling of their own."""


def titled(name: str) -> str:
    """Return the name of a game as written in a title.

    Example:
        >>> titled("dawsons_kayles"), titled("graph"), titled("nim + laskers_nim")
        ("Dawson's Kayles", 'Graph', "Nim + Lasker's Nim")
    """
    words = " ".join(SPELLINGS.get(word, word) for word in name.replace("_", " ").split(" "))
    return words[:1].upper() + words[1:]


def listed(parts: Sequence[str], word: str) -> str:
    """Return parts as a list in a sentence.

    Example:
        >>> listed(["a"], "or"), listed(["a", "b"], "or"), listed(["a", "b", "c"], "and")
        ('a', 'a or b', 'a, b and c')
    """
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def any_of(numbers: Sequence[int]) -> str:
    """Return ascending numbers as a choice.

    Example:
        >>> any_of([2]), any_of([1, 2]), any_of([1, 3, 4]), any_of(range(1, 8))
        ('2', '1 or 2', '1, 3 or 4', '1 to 7')
    """
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    first = [str(number) for number in numbers[: min(len(numbers) - 1, MOST_LISTED)]]
    if len(numbers) > MOST_LISTED + 1:
        first.append("…")
    return listed([*first, str(numbers[-1])], "or")


def objects(amounts: Sequence[int]) -> str:
    """Return numbers of objects as a choice, such as ``"1 or 2 objects"``."""
    return f"{any_of(amounts)} object{'s' if amounts[-1] > 1 else ''}"


def itself(label: int, position: Position) -> tuple[int, ...]:
    """Return the numbers that a person types where they are the label."""
    return (label,)


def take(amount: int, position: Position | None) -> str:
    """Return the move that takes an amount in words."""
    return f"take {amount}"


def add(amount: int, position: Position | None) -> str:
    """Return the move that adds an amount in words."""
    return f"add {amount}"


def split(move: tuple[int, int], position: Position | None) -> str:
    """Return a move in words: the objects taken, and the smaller of two heaps left or 0."""
    taken, part = move
    words = [f"take {taken}"] if taken else []
    if part:
        whole = -1 if position is None else position[0] - taken - part
        words.append(f"leave {part} and {whole if whole >= part else 'the rest'}")
    return ", ".join(words)


def ways_to_split(game: HeapGame, size: int) -> str:
    """Return the moves on heaps of up to ``size`` objects in words."""
    digits = [game.digit(taken) for taken in range(min(size, LONGEST) + 1)]
    if game.repeating and digits[-1] and len(set(digits[1:])) == 1:
        ways = [_way("any number of objects", digits[-1], game.unequal)]
    else:
        by_digit: dict[int, list[int]] = {}
        for taken, digit in enumerate(digits):
            if digit and taken:
                by_digit.setdefault(digit, []).append(taken)
        ways = [_way(objects(taken), digit, game.unequal) for digit, taken in by_digit.items()]
    if digits[0]:
        ways.insert(0, f"split it into two heaps{' of different sizes' if game.unequal else ''}")
    return "; or ".join(ways) or "there is no move"


def _way(taken: str, digit: int, unequal: bool) -> str:
    """Return the moves of one digit of a code in words; ``taken`` describes the objects taken."""
    sizes = " of different sizes" if unequal else ""
    leaves = {
        WHOLE: " where that leaves nothing",
        LEAVE_ONE: ", and leave something",
        WHOLE | LEAVE_ONE: "",
        LEAVE_TWO: f" and split the rest into two heaps{sizes}",
        WHOLE | LEAVE_TWO: f" and split the rest, if there is any, into two heaps{sizes}",
        LEAVE_ONE | LEAVE_TWO: f", leave something, and split it into two heaps{sizes} if you like",
        WHOLE | LEAVE_ONE | LEAVE_TWO: f", and split the rest into two heaps{sizes} if you like",
    }
    return f"take {taken}{leaves[digit]}"
