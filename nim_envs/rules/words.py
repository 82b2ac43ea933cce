"""Names of games, positions and numbers in words, for titles, summaries and moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from nim_envs.rules.component import Component

MOST_LISTED = 12
"""Most numbers listed in full; of more, the middle ones are left out."""

MOST_STATES = 12
"""Most states of an initial position that a summary shows."""

MOST_COORDINATES = 25
"""Most coordinates of a state that a summary shows."""

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


def position_summary(
    components: Sequence[Component], slot_groups: Sequence[range], position: Sequence[int]
) -> list[str]:
    """Return the states of a position by kind, such as ``["heaps 3-4-5", "queen (2, 1)"]``.

    Args:
        components: components of the game.
        slot_groups: groups of slots, of which empty ones are left out.
        position: state of each component.
    """
    slots = {index for group in slot_groups for index in group}
    filled = [
        (component.kind, _state_summary(component, state))
        for index, (component, state) in enumerate(zip(components, position, strict=True))
        if state or index not in slots
    ]
    parts = []
    for kind, group in groupby(filled, key=itemgetter(0)):
        states = [state for _, state in group]
        text = "-".join(states[:MOST_STATES] + ["…"] * (len(states) > MOST_STATES))
        parts.append(f"{kind}{'s' if len(states) > 1 else ''} {text}")
    return parts


def _state_summary(component: Component, state: int) -> str:
    """Return a summary of a state: its first coordinates or, without coordinates, its number."""
    if not component.has_coordinates:
        return str(state)
    values = component.coordinate_system.of(np.array(state)).tolist()
    more = ["…"] * (len(values) > MOST_COORDINATES)
    return f"({', '.join([*map(str, values[:MOST_COORDINATES]), *more])})"
