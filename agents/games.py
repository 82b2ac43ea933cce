"""The game of an environment, a game in words, and whether two games are the same."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from nim_envs import Game
from nim_envs.starts import FixedStart
from nim_envs.typing import IntArray, MaskArray, ValueArray

COMPARED_MOVES = 1 << 20
"""Most moves of a component that are compared, at states that are spread evenly."""


def game_of(env: Any) -> Game | None:
    """Return the game of an environment of ``nim_envs``, wrapped or not; else ``None``."""
    game = getattr(env.unwrapped, "game", None)
    return game if isinstance(game, Game) else None


def required_game(env: Any, learner: type) -> Game:
    """Return the game of an environment, for a learner that chooses its own games.

    Args:
        env: an environment of ``nim_envs``, wrapped or not.
        learner: class of the learner, for the message.

    Raises:
        TypeError: ``env`` is another environment.
    """
    game = game_of(env)
    if game is None:
        raise TypeError(
            f"{learner.__name__} chooses its own games by the rules: it needs an environment of "
            f"nim_envs, not {env!r}"
        )
    return game


def same_game(one: Game, other: Game) -> bool:
    """Return whether two games have the same rules and convention; their starts may differ."""
    return (one.rules, one.convention) == (other.rules, other.convention)


def move_values(game: Game, positions: IntArray, action_masks: MaskArray) -> ValueArray:
    """Return the value of each action to the mover under best play: 1, 0 or -1.

    Args:
        game: its solution is used.
        positions: ``(..., components)``.
        action_masks: legal actions there, ``(..., actions)``.

    Returns:
        int8 ``(..., actions)``; -1 where an action is illegal.
    """
    if not game.has_outcome:
        return np.where(game.old_solution.winning_mask(positions), np.int8(1), np.int8(-1))
    values = np.full(action_masks.shape, -1, dtype=np.int8)
    legal = np.nonzero(action_masks)
    before = np.broadcast_to(positions[..., np.newaxis, :], (*values.shape, 1))[legal]
    values[legal] = -game.old_solution.value(game.rules.step(before, legal[-1]))
    return values


def scored_in_words(game: Game) -> tuple[str, str]:
    """Return the name of a right move, and the name of the positions that scores count."""
    if game.has_outcome:
        return "move that keeps the value", "positions that are not lost"
    return "winning move", "N-positions"


def move_in_words(game: Game, action: int, position: IntArray) -> str:
    """Return a move in words; without its component where there is only one."""
    text = game.rules.describe_action(action, position)
    return text.partition(": ")[2] if len(game.rules.components) == 1 else text


def game_in_words(game: Game) -> dict[str, str]:
    """Return rules, convention and start of a game, registered or not, in words by name."""
    return {
        "game": game.summary,
        "start": _start_in_words(game),
        "digest of its moves": digest_of_moves(game),
    }


def shows_address(value: Any) -> bool:
    """Return whether an object is shown in Python's own way: its address differs between runs."""
    representation: Any = type(value).__repr__
    return representation is object.__repr__


def digest_of_moves(game: Game) -> str:
    """Return a digest of the moves and outcomes of a game; of large components, at some states."""
    digest = hashlib.sha256(repr(game.rules.shape).encode())
    for component in game.rules.components:
        count = min(component.states, max(2, COMPARED_MOVES // max(1, component.options)))
        spread = [place * (component.states - 1) // max(1, count - 1) for place in range(count)]
        states = np.array(spread, dtype=np.int64)
        for after in (component.successors(states), component.second_successors(states)):
            digest.update(np.asarray(after, dtype="<i8").tobytes())
        if component.end_values is not None:
            digest.update(component.end_values[component.place_of(states)].tobytes())
    return digest.hexdigest()[:16]


def _start_in_words(game: Game) -> str:
    """Return the name of a game's start, or its position."""
    start = game.starts
    if isinstance(start, FixedStart) and start.position is None:
        return str(game.rules.initial)
    return type(start).__qualname__ if shows_address(start) else start.summary
