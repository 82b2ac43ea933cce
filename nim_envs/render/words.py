"""The rules and the positions of a game in words, for a human player."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.games.words import titled
from nim_envs.rules import Component


def rules_in_words(game: Game) -> str:
    """Return a description of a move and of who wins.

    Example:
        >>> from nim_envs import make_game
        >>> print(rules_in_words(make_game("kayles", heaps=(5,))))
        Kayles: in each turn choose a heap and take 1 or 2 objects, and split the rest into two
        heaps if you like. Whoever makes the last move wins.
        >>> print(rules_in_words(make_game("addition", k=2, n=7)))
        Addition: add 1 or 2, until the total is over 7. Whoever makes the last move loses.
    """
    rules = game.rules
    name, wins = titled(rules.name), f"{_sentence(game.convention.in_words)}."
    if len(rules.components) == 1:
        return f"{name}: {rules.components[0].words.move}. {wins}"
    parts = [
        (kind, words, [index for index, _ in group])
        for (kind, words), group in groupby(
            enumerate(rules.components), lambda entry: (entry[1].kind, entry[1].words.move)
        )
    ]
    if len(parts) == 1:
        kind, words, _ = parts[0]
        return f"{name}: in each turn choose a {kind} and {words}. {wins}"
    lines = [
        f"  {kind} {indices[0]}: {words}"
        if len(indices) == 1
        else f"  {kind}s {indices[0]} to {indices[-1]}: {words}"
        for kind, words, indices in parts
    ]
    return "\n".join([f"{name}: in each turn choose one of these.", *lines, wins])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def position_in_words(game: Game, position: Any) -> str:
    """Return a position in words; where heaps split, only nonempty ones with their numbers.

    Args:
        game: any game.
        position: one position, ``(components,)``.

    Example:
        >>> from nim_envs import make_game
        >>> position_in_words(make_game("nim"), (3, 4, 5))
        'heaps 3, 4, 5'
    """
    components = game.rules.components
    kinds = {component.kind for component in components}
    if len(kinds) == 1 and not any(component.splits for component in components):
        (kind,) = kinds
        states = ", ".join(map(_state, components, position))
        several = "s" if len(components) > 1 else ""
        return f"{kind}{several} {'at ' if kind == 'token' else ''}{states}"
    parts = [
        f"{component.kind} {index} {'at' if component.kind == 'token' else 'of'} "
        f"{_state(component, state)}"
        for index, (component, state) in enumerate(zip(components, position, strict=True))
        if state or not component.splits
    ]
    return ", ".join(parts) or "nothing"


def _state(component: Component, state: int) -> str:
    """Return a state in words: its coordinates, as rows where they are those of a board."""
    system = component.coordinate_system
    if system.is_default:
        return str(state)
    values = system.of(np.array(state))
    if system.board is None:
        return f"({', '.join(map(str, values.tolist()))})"
    return " / ".join("".join(map(str, row)) for row in values.reshape(system.board).tolist())
