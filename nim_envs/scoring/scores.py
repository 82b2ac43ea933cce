"""Optimality, and how well predicted outcomes agree with the solution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nim_envs.game import PLAYERS, Game
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.scoring.policies import Policy, check_policy, chunks

POSITION_SETS = ("all", "reachable", *PLAYERS)


@dataclass(frozen=True)
class Optimality:
    """How often a policy picks a winning move, over the N-positions of a set.

    Attributes:
        percent: mean probability of a move to a P-position, in percent; NaN if the set has no
            N-position.
        random_percent: the same for the random policy.
        illegal_percent: mean probability of an illegal move, in percent.
        positions: the set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        count: number of N-positions in the set.
        blunders: the N-positions where a most probable move does not win, int64
            ``(blunders, components)``.
    """

    percent: float
    random_percent: float
    illegal_percent: float
    positions: str
    count: int
    blunders: IntArray


def optimality(policy: Policy, game: Game, positions: str | npt.ArrayLike = "all") -> Optimality:
    """Score ``policy`` exactly: the mean probability of a winning move over the N-positions.

    P-positions do not count: every move loses there. Where a greedy policy has ties, which it
    plays with equal probability, the score is the share of them that win.

    Args:
        policy: a policy with ``action_probabilities``, such as ``learner.greedy()``.
        game: the game; observations are its positions (``encoding="integer"``).
        positions: ``"all"``; ``"reachable"``: those at which either player can be to move in a
            game from the game's starts; ``"player_0"`` or ``"player_1"``: those at which this
            player can be; or an integer array ``(n, components)``.

    Returns:
        The score of the policy, and that of the random policy.

    Raises:
        ValueError: an unknown set of positions.
        TypeError: the policy has no ``action_probabilities``.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from nim_envs import make_game
        >>> class AddsOne:
        ...     def action_probabilities(self, observations, action_masks):
        ...         return np.eye(action_masks.shape[1])[np.zeros(len(action_masks), dtype=int)]
        >>> game = make_game("addition", k=3, n=10)
        >>> score = optimality(AddsOne(), game)
        >>> score.percent, score.count, round(score.random_percent, 1)
        (37.5, 8, 33.3)
    """
    check_policy(policy)
    name, chosen = _position_set(game, positions)
    rules, solution = game.rules, game.solution
    won = random_won = illegal = 0.0
    count = 0
    blunders = [np.empty((0, len(rules.components)), dtype=np.int64)]
    for chunk in chunks(chosen, rules.num_actions):
        winning_here = np.asarray(solution.is_winning(chunk)) & ~rules.is_terminal(chunk)
        here = chunk[winning_here]
        if not len(here):
            continue
        masks = rules.action_mask(here)
        winning = solution.winning_mask(here)
        probabilities = policy.action_probabilities(here, masks)
        won += float((probabilities * winning).sum())
        # At an N-position some action is legal; the random policy plays each equally likely.
        at_random = masks / masks.sum(axis=1, keepdims=True, dtype=np.int64)
        random_won += float((at_random * winning).sum())
        illegal += float((probabilities * (masks == 0)).sum())
        likeliest = probabilities == probabilities.max(axis=1, keepdims=True)
        blunders.append(here[(likeliest & ~winning).any(axis=1)])
        count += len(here)

    def share(total: float) -> float:
        return 100.0 * total / count if count else math.nan

    return Optimality(
        share(won), share(random_won), share(illegal), name, count, np.concatenate(blunders)
    )


def optimality_by_size(policy: Policy, game: Game) -> dict[int, Optimality]:
    """Score ``policy`` for each size of position.

    Args:
        policy: a policy with ``action_probabilities``.
        game: the game; observations are its positions.

    Returns:
        By size (the sum of a position's states: objects left, or the total), ascending, the
        score over the N-positions of that size; sizes without one are left out.

    Raises:
        TypeError: the policy has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    lattice = game.rules.lattice()
    sizes = lattice.sum(axis=1)
    scores = {
        int(size): optimality(policy, game, lattice[sizes == size]) for size in np.unique(sizes)
    }
    return {size: score for size, score in scores.items() if score.count}


@dataclass(frozen=True)
class ValueAccuracy:
    """How well predicted outcomes tell N-positions from P-positions.

    Attributes:
        balanced: balanced accuracy, the mean of the two recalls; 0.5 for a constant prediction.
        n_recall: share of the N-positions that are predicted to be N-positions.
        p_recall: share of the P-positions that are predicted to be P-positions.
        plain: share of positions predicted correctly; about 0.9 where all are predicted to be
            N-positions.
    """

    balanced: float
    n_recall: float
    p_recall: float
    plain: float


def value_accuracy(winning: BoolArray, game: Game) -> ValueAccuracy:
    """Score predicted outcomes, over all positions that leave a legal move.

    Args:
        winning: whether each position is predicted to be an N-position, ``(num_positions,)`` by
            mixed-radix index; for action values, whether the best legal one is over 0.
        game: the game.

    Returns:
        The accuracy; NaN where the game has no position of a kind.

    Raises:
        ValueError: ``winning`` is of another shape.
        SearchTooLargeError: too many positions to enumerate.
    """
    if winning.shape != (game.rules.num_positions,):
        raise ValueError(
            f"winning must have shape ({game.rules.num_positions},), not {winning.shape}"
        )
    lattice = game.rules.lattice()
    playable = ~game.rules.is_terminal(lattice)
    truth = np.asarray(game.solution.is_winning(lattice))[playable]
    predicted = winning[game.rules.indices(lattice)][playable]
    n_recall = float(predicted[truth].mean()) if truth.any() else math.nan
    p_recall = float((~predicted[~truth]).mean()) if not truth.all() else math.nan
    return ValueAccuracy(
        (n_recall + p_recall) / 2, n_recall, p_recall, float((predicted == truth).mean())
    )


def _position_set(game: Game, positions: str | npt.ArrayLike) -> tuple[str, IntArray]:
    """Return the name of a set of positions, and its members ``(n, components)``."""
    rules = game.rules
    if not isinstance(positions, str):
        given = rules.checked_positions(positions)
        return "given", given.reshape(-1, len(rules.components))
    if positions == "all":
        return positions, rules.lattice()
    if positions not in POSITION_SETS:
        raise ValueError(f"positions must be one of {POSITION_SETS} or an array, not {positions!r}")
    by_seat = game.positions_by_seat()
    members = by_seat.any(axis=0) if positions == "reachable" else by_seat[PLAYERS.index(positions)]
    return positions, rules.positions(np.flatnonzero(members))
