"""Expected scores of a policy by backward induction: against the best response, or another policy.

A win scores 1, a draw one half and a loss 0: without draws it is the probability of winning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.players import AnyPlayer
from nim_envs.rules.rules import Rules
from nim_envs.scoring.enumeration import all_positions, check_enumeration, chunks, with_progress
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.scoring.scored_game import scored_game
from nim_envs.scoring.scores import scored_positions
from nim_envs.theory.search import level_order
from nim_envs.typing import FloatArray, IntArray

LARGEST_INDUCTION = 1 << 26
"""Maximum number of positions for backward induction."""


@dataclass(frozen=True)
class ExpectedScores:
    """The exact expected score of a player from every position.

    Attributes:
        moving: expected score when the player is to move, from 0 for a loss over one half for a
            draw to 1 for a win, float64 ``(num_positions,)`` by mixed-radix index.
        waiting: the same when its opponent is to move.
    """

    moving: FloatArray
    waiting: FloatArray

    def __repr__(self) -> str:
        """Return the number of positions and the means of both arrays."""
        return (
            f"ExpectedScores({len(self.moving)} positions, mean {self.moving.mean():.3f} moving, "
            f"{self.waiting.mean():.3f} waiting)"
        )


def best_response(
    policy: AnyPlayer, env_or_game: Any, *, samples: int | None = None
) -> ExpectedScores:
    """Compute the expected scores of the best response: an opponent that knows ``policy``.

    Backward induction over all positions: the opponent makes the best move, the policy moves by its
    probabilities. Only the rules are used, no theorem. Illegal moves of the policy forfeit.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        samples: as :func:`nim_envs.optimality` takes it; the mean is then the policy.

    Returns:
        The expected scores of the best response.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
        SearchTooLargeError: too many positions to enumerate.
    """
    scored = ScoredPolicy(policy, env_or_game, samples=samples)
    game, rules = scored.game, scored.game.rules
    moving, waiting = _initial_scores(game)
    for indices in _successors_first(rules, "best response"):
        options = list(rules.moves(indices))
        best = np.zeros(len(indices))
        for _, where, after in options:
            best[where] = np.maximum(best[where], waiting[after])
        probabilities, forfeits = _legal_probabilities(scored, rules, indices)
        moving[indices] = best
        waiting[indices] = forfeits + _expected(moving, probabilities, forfeits, options)
    return ExpectedScores(moving, waiting)


def expected_scores(
    policy: AnyPlayer, opponent: AnyPlayer, env_or_game: Any, *, samples: int | None = None
) -> ExpectedScores:
    """Compute the exact expected scores of ``policy`` against ``opponent`` from every position.

    Backward induction over all positions by the rules alone. Illegal moves forfeit.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        opponent: another policy, or the same.
        env_or_game: as :func:`nim_envs.optimality` takes it; both policies get observations of the
            same form.
        samples: as :func:`nim_envs.optimality` takes it, for both.

    Returns:
        The expected scores of ``policy``.

    Raises:
        TypeError: a policy or ``env_or_game`` is of another kind.
        InvalidPolicyError: a policy returned neither actions nor probabilities.
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from nim_envs import make_game
        >>> def take_one(observations, action_masks):
        ...     return np.zeros(len(observations), dtype=int)
        >>> game = make_game("nim", heaps=(3,))
        >>> expected_scores(take_one, take_one, game).moving.tolist()
        [0.0, 1.0, 0.0, 1.0]
    """
    players = [ScoredPolicy(player, env_or_game, samples=samples) for player in (policy, opponent)]
    game = players[0].game
    rules = game.rules
    moving, waiting = _initial_scores(game)
    for indices in _successors_first(rules, "expected scores"):
        options = list(rules.moves(indices))
        ours, theirs = (_legal_probabilities(player, rules, indices) for player in players)
        _, forfeits = theirs
        moving[indices] = _expected(waiting, *ours, options)
        waiting[indices] = forfeits + _expected(moving, *theirs, options)
    return ExpectedScores(moving, waiting)


def beatable_share(policy: AnyPlayer, env_or_game: Any, *, samples: int | None = None) -> float:
    """Return the share of positions from which the policy, to move, can be beaten.

    Counted are positions with a legal move that are not lost: without draws the N-positions. The
    expected score of a best response is then over what optimal play would leave it, (1 − value)/2:
    0 at a win, one half at a draw. The share is 0 for optimal play, and NaN if there is no such
    position.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        samples: as :func:`best_response` takes it.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
        SearchTooLargeError: too many positions to enumerate.
    """
    game = scored_game(env_or_game).game
    waiting = best_response(policy, env_or_game, samples=samples).waiting
    beaten = count = 0
    for positions in all_positions(game.rules):
        here = scored_positions(game, positions)
        optimal = (1 - np.asarray(game.old_solution.value(here))) / 2
        beaten += int((waiting[game.rules.indices(here)] > optimal).sum())
        count += len(here)
    return beaten / count if count else math.nan


def _legal_probabilities(
    player: ScoredPolicy, rules: Rules, indices: IntArray
) -> tuple[FloatArray, FloatArray]:
    """A player's probabilities of legal actions at positions, and of a forfeit."""
    here = rules.positions(indices)
    masks = rules.action_mask(here)
    probabilities = player.repeatable_probabilities(here, masks)
    # A row of zeros: the policy names no legal move.
    forfeits = np.where(probabilities.any(axis=1), (probabilities * (masks == 0)).sum(axis=1), 1.0)
    return probabilities * masks, forfeits


def _expected(
    values: FloatArray,
    probabilities: FloatArray,
    forfeits: FloatArray,
    options: list[tuple[int, IntArray, IntArray]],
) -> FloatArray:
    """The expected value after a player's move, 0 where it forfeits.

    Args:
        values: values of all positions, by index.
        probabilities: probabilities of legal actions, ``(n, actions)``.
        forfeits: probability of an illegal action, ``(n,)``.
        options: output of :meth:`nim_envs.rules.Rules.moves`.
    """
    total, played = np.zeros((2, len(probabilities)))
    for action, where, after in options:
        total[where] += probabilities[where, action] * values[after]
        played[where] += probabilities[where, action]
    # Dividing cancels rounding errors where every option has value 1.
    mean = np.divide(total, played, out=np.zeros(len(probabilities)), where=played > 0)
    return np.asarray((1 - forfeits) * mean)


def _initial_scores(game: Game) -> FloatArray:
    """The initial expected scores, moving and waiting, float64 ``(2, num_positions)``.

    At positions without a legal move they are final.
    """
    game.rules.check_size(LARGEST_INDUCTION)
    check_enumeration(game.rules)
    rules, scores = game.rules, np.empty((2, game.rules.num_positions))
    # Where the last move decides, one position has the value of all.
    count = rules.num_positions if game.has_outcome else 1
    scores[0] = (1 + game.convention.end_values(rules, rules.positions(np.arange(count)))) / 2
    scores[1] = 1 - scores[0]
    return scores


def _successors_first(rules: Rules, what: str) -> Iterator[IntArray]:
    """Yield the indices of all positions with a legal move, each after its successors."""
    order = (part for level in level_order(rules) for part in chunks(level, rules.num_actions))
    for indices in with_progress(order, rules.num_positions, what):
        yield indices[~rules.is_terminal(rules.positions(indices))]
