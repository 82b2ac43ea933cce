"""One game between policies, with the probability of every move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.base import Policy
from agents.games import move_values
from agents.training import DRAW
from nim_envs import Game
from nim_envs.typing import FloatArray, IntArray, MaskArray, ValueArray


@dataclass(frozen=True)
class SampleMove:
    """One move of a game.

    Attributes:
        seat: the seat that moved: 0 or 1.
        position: the position before the move, int64 ``(components,)``.
        action_mask: the legal actions there, int8 ``(actions,)``.
        probabilities: the probabilities of the mover's policy, float64 ``(actions,)``.
        values: value of each action to the mover under best play: 1, 0 or -1, int8
            ``(actions,)``; -1 where illegal.
        action: the action that was played.
    """

    seat: int
    position: IntArray
    action_mask: MaskArray
    probabilities: FloatArray
    values: ValueArray
    action: int


@dataclass(frozen=True)
class SampleGame:
    """A finished game.

    Attributes:
        moves: the moves in order.
        final: the last position, int64 ``(components,)``.
        winner: the seat that won, 0 or 1; :data:`agents.training.DRAW` if neither did.
    """

    moves: tuple[SampleMove, ...]
    final: IntArray
    winner: int


def sample_game(policies: Policy | tuple[Policy, Policy], game: Game, *, seed: int) -> SampleGame:
    """Play a game from ``game.start``, each move drawn from the mover's policy.

    Args:
        policies: one policy for both seats, or one for each.
        game: rules and start; observations are its positions.
        seed: seeds the start and all moves; same seed, same game.

    Raises:
        ValueError: a policy gives an illegal action a probability above 0.

    Example:
        >>> from agents import OptimalAgent
        >>> from nim_envs import make_game
        >>> game = make_game("addition", k=3, n=10)
        >>> played = sample_game(OptimalAgent(game), game, seed=0)
        >>> [move.position.item() for move in played.moves][::2], played.winner
        ([0, 3, 7], 0)
    """
    rules = game.rules
    pair = policies if isinstance(policies, tuple) else (policies, policies)
    rng = np.random.default_rng(seed)
    position = game.start.sampler(game).draw(rng)
    moves: list[SampleMove] = []
    while not rules.is_terminal(position):
        seat = len(moves) % 2
        mask = rules.action_mask(position)
        observation = rules.coordinates(position)
        batch = observation[np.newaxis], mask[np.newaxis]
        probabilities = pair[seat].action_probabilities(*batch)[0]
        if probabilities[mask == 0].any():
            raise ValueError(
                f"{pair[seat]!r} gives illegal actions at {observation.tolist()} the probabilities "
                f"{probabilities[mask == 0].tolist()}"
            )
        action = int(rng.choice(len(probabilities), p=probabilities))
        values = move_values(game, position, mask)
        moves.append(SampleMove(seat, position, mask, probabilities, values, action))
        position = rules.step(position, np.asarray(action))
    last, value = (len(moves) - 1) % 2, game.end_value(position)
    return SampleGame(tuple(moves), position, {-1: last, 0: DRAW, 1: 1 - last}[value])
