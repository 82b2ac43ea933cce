"""The rules and the positions of a game in words, for a human player."""

from itertools import groupby
from math import prod

import numpy as np

from nim_envs.game import Game
from nim_envs.games.words import titled
from nim_envs.graph import Part
from nim_envs.render.scene import Coordinates, split
from nim_envs.typing import Position


def rules_in_words(game: Game) -> str:
    """Return a description of a move and of who wins.

    Example:
        >>> from nim_envs import make_game
        >>> print(rules_in_words(make_game("kayles", heaps=(5,))))
        Kayles: in each turn choose a heap and take 1 or 2 objects, and split the rest into two
        heaps if you like. Whoever makes the last move wins.
        >>> print(rules_in_words(make_game("addition", k=2, n=7)))
        Addition: add 1 or 2, until the total is over 7. Whoever takes the total over 7
        loses, so whoever reaches exactly 7 wins.
    """
    name = titled(game.name)
    wins = f"{game.who_wins[:1].upper()}{game.who_wins[1:]}."
    moves = [(part.words.kind, part.words.move or "make one of its moves") for part in game.parts]
    groups = [
        (kind, move, [index for index, _ in group])
        for (kind, move), group in groupby(enumerate(moves), lambda entry: entry[1])
    ]
    if len(moves) == 1:
        return f"{name}: {moves[0][1]}. {wins}"
    if len(groups) == 1:
        kind, move, _ = groups[0]
        return f"{name}: in each turn choose a {kind} and {move}. {wins}"
    lines = [
        f"  {kind} {indices[0]}: {move}"
        if len(indices) == 1
        else f"  {kind}s {indices[0]} to {indices[-1]}: {move}"
        for kind, move, indices in groups
    ]
    return "\n".join([f"{name}: in each turn choose one of these.", *lines, wins])


def position_in_words(game: Game, position: Coordinates) -> str:
    """Return a position in words; where heaps split, only nonempty ones with their numbers.

    Example:
        >>> from nim_envs import make_game
        >>> position_in_words(make_game("nim"), (3, 4, 5))
        'heaps 3, 4, 5'
    """
    shown = [
        (index, part.words.kind, "at" if part.words.kind == "token" else "of", _state(part, here))
        for index, (part, here) in enumerate(zip(game.parts, split(game, position), strict=True))
        if part.second is None or any(here)
    ]
    kinds = {part.words.kind for part in game.parts}
    if len(kinds) == 1 and all(part.second is None for part in game.parts):
        (kind,) = kinds
        several = "s" if len(shown) > 1 else ""
        at = "at " if kind == "token" else ""
        return f"{kind}{several} {at}{', '.join(state for *_, state in shown)}"
    words = [f"{kind} {index} {word} {state}" for index, kind, word, state in shown]
    return ", ".join(words) or "nothing"


def _state(part: Part, here: Position) -> str:
    """Return the coordinates in words, as rows where they are those of a board."""
    if part.picture.style in ("heap", "slots", "pins", "track", "graph"):
        return str(here[0])
    if part.picture.board is None:
        return f"({', '.join(map(str, here))})"
    cells = prod(part.picture.board)
    rows = np.array(here[:cells]).reshape(part.picture.board).tolist()
    board = " / ".join("".join(map(str, row)) for row in rows)
    return " ".join([board, *map(str, here[cells:])])
