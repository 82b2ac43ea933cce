"""How often a policy wins: against the best response, and against another policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nim_envs.game import Game
from nim_envs.rules.component import IntArray
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.scoring.policies import FloatArray, Policy, check_policy, chunks
from nim_envs.theory.search import level_order, moves

LARGEST_INDUCTION = 1 << 26
"""Backward induction over more positions than this is refused."""


@dataclass(frozen=True)
class WinChances:
    """The exact probability that a player wins from every position.

    Attributes:
        moving: when it is to move, float64 ``(num_positions,)`` by mixed-radix index.
        waiting: when its opponent is to move.
    """

    moving: FloatArray
    waiting: FloatArray


def best_response(policy: Policy, game: Game) -> WinChances:
    """Compute how often an opponent that knows ``policy`` and plays best against it wins.

    Backward induction over all positions: the opponent takes the best option, the policy
    moves by its probabilities. It uses the rules alone, no theorem. Illegal moves of the
    policy forfeit.

    Args:
        policy: a policy with ``action_probabilities``.
        game: the game; observations are its positions.

    Returns:
        The winning probabilities of the best response.

    Raises:
        TypeError: the policy has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    check_policy(policy)
    rules = game.rules
    rules.check_size(LARGEST_INDUCTION)
    moving, waiting = np.zeros((2, rules.num_positions))
    at_the_end = _value_without_a_move(game)
    for indices in _options_first(rules):
        here = rules.positions(indices)
        probabilities = policy.action_probabilities(here, rules.action_mask(here))
        best = np.full(len(indices), -1.0)
        against = np.zeros(len(indices))
        legal_share = np.zeros(len(indices))
        for action, legal, after in moves(rules, indices):
            best[legal] = np.maximum(best[legal], waiting[after])
            against[legal] += probabilities[legal, action] * moving[after]
            legal_share[legal] += probabilities[legal, action]
        terminal = best < 0
        moving[indices] = np.where(terminal, at_the_end, best)
        waiting[indices] = np.where(terminal, 1 - at_the_end, against + (1 - legal_share))
    return WinChances(moving, waiting)


def win_chances(policy: Policy, opponent: Policy, game: Game) -> WinChances:
    """Compute how often ``policy`` wins against ``opponent`` from every position, exactly.

    Backward induction over all positions by the rules alone. Illegal moves forfeit.

    Args:
        policy: a policy with ``action_probabilities``.
        opponent: another one, or the same.
        game: the game; observations are its positions.

    Returns:
        The probabilities that ``policy`` wins, when it is to move and when it is not.

    Raises:
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from nim_envs import make_game
        >>> class TakesOne:
        ...     def action_probabilities(self, observations, action_masks):
        ...         return np.eye(action_masks.shape[1])[np.zeros(len(action_masks), dtype=int)]
        >>> game = make_game("nim", heaps=(3,))
        >>> win_chances(TakesOne(), TakesOne(), game).moving.tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    rules = game.rules
    rules.check_size(LARGEST_INDUCTION)
    moving, waiting = np.zeros((2, rules.num_positions))
    at_the_end = _value_without_a_move(game)
    for indices in _options_first(rules):
        here = rules.positions(indices)
        masks = rules.action_mask(here)
        ours, theirs = (
            player.action_probabilities(here, masks) * masks for player in (policy, opponent)
        )
        won = np.zeros(len(indices))
        lost = 1.0 - theirs.sum(axis=1)
        for action, legal, after in moves(rules, indices):
            won[legal] += ours[legal, action] * waiting[after]
            lost[legal] += theirs[legal, action] * moving[after]
        terminal = ~masks.any(axis=1)
        moving[indices] = np.where(terminal, at_the_end, won)
        waiting[indices] = np.where(terminal, 1 - at_the_end, lost)
    return WinChances(moving, waiting)


def beatable_share(policy: Policy, game: Game) -> float:
    """Return the share of N-positions from which the policy, to move there, can be beaten.

    That is, where an opponent that knows the policy has any chance of winning. 0 for a policy
    that plays optimally.

    Args:
        policy: a policy with ``action_probabilities``.
        game: the game; observations are its positions.

    Raises:
        TypeError: the policy has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    lattice = game.rules.lattice()
    winnable = np.asarray(game.solution.is_winning(lattice)) & ~game.rules.is_terminal(lattice)
    waiting = best_response(policy, game).waiting[game.rules.indices(lattice)]
    return float((waiting[winnable] > 0).mean())


def _value_without_a_move(game: Game) -> float:
    """The winning probability of a player who is to move and has no legal move: 0 or 1."""
    return float(game.convention is Convention.MISERE)


def _options_first(rules: Rules) -> Iterator[IntArray]:
    """Yield the indices of all positions in chunks, every position after its options."""
    for level in level_order(rules):
        yield from chunks(level, rules.num_actions)
