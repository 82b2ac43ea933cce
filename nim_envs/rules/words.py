"""Names of games and numbers in words, for titles and the descriptions of moves."""

from __future__ import annotations

from collections.abc import Sequence

MOST_LISTED = 12
"""Most numbers listed in full; of more, the middle ones are left out."""


NAMES = {
    "dawsons": "Dawson's", "grundys": "Grundy's", "kayles": "Kayles", "laskers": "Lasker's",
    "moores": "Moore's", "nim": "Nim",
}  # fmt: skip
"""Words in names of games that have a spelling of their own."""


def titled(name: str) -> str:
    """Return the name of a game's rules as written in a title.

    Example:
        >>> titled("dawsons_kayles"), titled("graph"), titled("nim + laskers_nim")
        ("Dawson's Kayles", 'Graph', "Nim + Lasker's Nim")
    """
    words = " ".join(NAMES.get(word, word) for word in name.replace("_", " ").split(" "))
    return words[:1].upper() + words[1:]


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


def listed(parts: Sequence[str], word: str) -> str:
    """Return parts as a list in a sentence.

    Example:
        >>> listed(["a"], "or"), listed(["a", "b"], "or"), listed(["a", "b", "c"], "and")
        ('a', 'a or b', 'a, b and c')
    """
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
