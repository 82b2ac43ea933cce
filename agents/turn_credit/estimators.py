"""The estimators: ways of crediting the turns of a group of games, sampled and in expectation.

Each is a choice of the credit A in ĝ = 1/K Σ_games Σ_turns A_t ∇ log π(a_t|s_t). R is the result,
1 or 0; k_t is ``kept_win``, 1 where the move kept a won position won, 0 elsewhere; Φ is the minimax
value of a position, 1 where the player to move can win. "By turn" means that a reward is centred by
its mean over those games of the group that reached the turn.

The sampled form takes :class:`~agents.turn_credit.groups.Groups` and returns a credit for every
turn; the expected form takes :class:`~agents.turn_credit.exact.Exact` and returns the mean credit
of every action, up to what does not depend on the action.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from agents.turn_credit.exact import Exact, MeanCredit, centred_factor, standardised
from agents.turn_credit.groups import UNSEEN, Groups
from nim_envs.rules.convention import require_last_move
from nim_envs.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Estimator:
    """A way of crediting turns.

    Args:
        name: for tables and pictures.
        family: the source of its credit, a key of :data:`FAMILIES`.
        credit: the formula of A_t.
        sampled: credits of every turn of sampled groups, ``(runs, groups, games, turns)``.
        expected: mean credits, ``(positions, actions)``; ``None`` where they are not known.
        unbiased: κ where its expectation is κ ∇J, by the number of games in a group; ``None`` where
            it is not a multiple of ∇J.
        rollouts: games that it plays on from every turn's position; their moves count too.
        critic: games that its value function is fitted to.
    """

    name: str
    family: str
    credit: str
    sampled: Callable[[Groups], FloatArray]
    expected: Callable[[Exact], MeanCredit] | None = None
    unbiased: Callable[[int], float] | None = None
    rollouts: int = 0
    critic: int = 0

    def gradient(self, exact: Exact) -> FloatArray:
        """Return its expectation E ĝ, ``(positions, actions)``.

        Raises:
            ValueError: it is not known.
        """
        if self.expected is None:
            raise ValueError(f"the expectation of {self.name!r} is not known; sample it")
        return exact.gradient(self.expected(exact))

    def moves(self, groups: Groups) -> IntArray:
        """Return the agent's moves, those of rollouts and critic included, ``(runs,)``."""
        moves = groups.moves
        if self.rollouts:
            moves = moves + groups.rollout_moves(self.rollouts)
        return moves + groups.critic_moves(self.critic) if self.critic else moves


FAMILIES = {
    "result": "one result for every turn",
    "verdict": "kept_win, or the minimax value",
    "by turn": "centred by turn among those who reached it",
    "cure": "centred by turn, without its bias",
    "value": "the exact value function",
    "by state": "centred among the games that came to the same position",
    "estimated value": "a value function of rollouts, or fitted to games",
    "own": "registered",
}
"""The families of estimators, each with the source of its credit."""


STEP_WEIGHT = 1.0
"""Weight ω of the step advantages in GiGPO."""

DECAY = 0.95
"""Decay of the running means in SPIRAL."""

ROLLOUTS = 9
"""Rollouts from each position in VinePPO."""


# Sampled credits.


def from_move_on(rewards: FloatArray) -> FloatArray:
    """Return the sums of rewards from each turn to the last."""
    return np.cumsum(rewards[..., ::-1], axis=-1)[..., ::-1]


def leave_one_out(results: FloatArray) -> FloatArray:
    """Return R − the mean of the other games' R; Kool et al., ICLR workshop 2019.

    Args:
        results: ``(..., games)``.
    """
    others = results.shape[-1] - 1
    return np.asarray(results - (results.sum(axis=-1, keepdims=True) - results) / others)


def standard_scores(results: FloatArray, std: bool = True) -> FloatArray:
    """Return (R − mean) / std over the group, 0 where all are equal; Shao et al., 2024 (GRPO).

    Args:
        results: ``(..., games)``.
        std: whether to divide; without it is the credit of Dr. GRPO (Liu et al., 2025).
    """
    reached = np.ones((*results.shape, 1), dtype=np.bool_)
    return by_turn(results[..., np.newaxis], reached, std)[..., 0]


def by_turn(rewards: FloatArray, reached: BoolArray, std: bool = False) -> FloatArray:
    """Return rewards centred by turn among the games that reached it.

    Args:
        rewards: ``(..., games, turns)``.
        reached: whether a game had the turn.
        std: whether to divide by the standard deviation among them; 0 where that is 0.
    """
    count = np.maximum(reached.sum(axis=-2, keepdims=True), 1)
    mean = (rewards * reached).sum(axis=-2, keepdims=True) / count
    centred: FloatArray = (rewards - mean) * reached
    if not std:
        return centred
    return _over_spread(centred, (centred**2).sum(axis=-2, keepdims=True) / count)


def _over_spread(centred: FloatArray, variance: FloatArray) -> FloatArray:
    """Return centred rewards divided by their standard deviation, 0 where that is 0."""
    spread = np.sqrt(variance)
    # Equal rewards leave rounding errors, no spread.
    there = spread > 1e-9
    return np.where(there, centred / np.where(there, spread, 1.0), 0.0)


def by_others(returns: FloatArray, reached: BoolArray) -> FloatArray:
    """Return returns minus the mean of the other games that reached the turn, 0 if there is none.

    Args:
        returns: from each turn on, ``(..., games, turns)``.
        reached: whether a game had the turn.
    """
    inside = returns * reached
    others = reached.sum(axis=-2, keepdims=True) - 1
    mean = (inside.sum(axis=-2, keepdims=True) - inside) / np.maximum(others, 1)
    return np.asarray((inside - mean) * reached)


def by_others_or_nothing(returns: FloatArray, reached: BoolArray) -> FloatArray:
    """Return :func:`by_others`, but no credit at all where no other reached the turn."""
    return np.asarray(by_others(returns, reached) * (reached.sum(axis=-2, keepdims=True) > 1))


def padded(rewards: FloatArray, reached: BoolArray) -> FloatArray:
    """Return sums of rewards from each turn on, padded with zeros and centred over the whole group.

    A game that is over has rewards of 0 in all later turns, and its mean is taken away there too.

    Args:
        rewards: ``(..., games, turns)``.
        reached: whether a game had the turn.
    """
    filled = rewards * reached
    return from_move_on(filled - filled.mean(axis=-2, keepdims=True)) * reached


def by_state(groups: Groups, std: bool = False) -> FloatArray:
    """Return R centred among the games of a group that came to the same position.

    The step advantages of GiGPO (Feng et al., 2025) with a discount of 1; 0 where no other game
    came there.

    Args:
        groups: sampled games.
        std: whether to divide by the standard deviation of the sample among them, as its authors'
            code does; 0 where that is 0.
    """
    runs, num_groups, _, _ = groups.states.shape
    group = np.arange(runs * num_groups).reshape(runs, num_groups, 1, 1)
    places = (group * len(groups.task.positions) + groups.states)[groups.reached]
    _, at = np.unique(places, return_inverse=True)
    rewards = groups.returns[groups.reached]
    games = np.bincount(at)[at]
    centred = rewards - np.bincount(at, rewards)[at] / games
    if std:
        squares = np.bincount(at, centred**2)[at]
        centred = _over_spread(centred, squares / np.maximum(games - 1, 1))
    credit = np.zeros(groups.states.shape)
    credit[groups.reached] = centred
    return credit


def by_role(groups: Groups, decay: float = DECAY) -> FloatArray:
    """Return R − a running mean of the earlier results in the same seat.

    The role-conditioned advantage of SPIRAL (Liu et al., 2025): b ← decay · b + (1 − decay) R after
    each game. At the first game of a group b is where it tends to, the expected result in the seat.

    Args:
        groups: sampled games.
        decay: decay of the running mean.
    """
    baseline = groups.role_results
    credit = np.empty_like(groups.results)
    for game in range(groups.results.shape[-1]):
        credit[..., game] = groups.results[..., game] - baseline
        baseline = decay * baseline + (1 - decay) * groups.results[..., game]
    return _each_turn(credit, groups)


def advantage_estimates(
    groups: Groups, lambda_: float, value: FloatArray | None = None
) -> FloatArray:
    """Return GAE(λ), A_t = Σ_l λ^l δ_{t+l} with δ_t = r_t + V(s_{t+1}) − V(s_t).

    Schulman et al., ICLR 2016; the discount is 1.

    Args:
        groups: sampled games.
        lambda_: 0 to 1.
        value: V of every turn's position, 0 in turns that were not reached; ``None``: exact.
    """
    if value is None:
        value = groups.value
    following = np.zeros_like(value)
    following[..., :-1] = value[..., 1:]
    errors = groups.rewards + following - value
    credit = np.zeros_like(errors)
    later = np.zeros(errors.shape[:-1])
    for turn in reversed(range(errors.shape[-1])):
        later = errors[..., turn] + lambda_ * later
        credit[..., turn] = later
    return credit * groups.reached


def _each_turn(credit: FloatArray, groups: Groups) -> FloatArray:
    return credit[..., np.newaxis] * groups.reached


def _sampled_grpo(groups: Groups, std: bool, turns: bool) -> FloatArray:
    credit = _each_turn(standard_scores(groups.results, std), groups)
    return credit / np.maximum(groups.reached.sum(axis=-1, keepdims=True), 1) if turns else credit


def _sampled_gigpo(groups: Groups, std: bool) -> FloatArray:
    # Every group has as many games: the standard deviation of a sample is a constant multiple.
    games = groups.results.shape[-1]
    scale = np.sqrt(1 - 1 / games) if std else 1.0
    result = _each_turn(scale * standard_scores(groups.results, std), groups)
    return result + STEP_WEIGHT * by_state(groups, std)


def _sampled_mt_grpo(groups: Groups, std: bool) -> FloatArray:
    result = _each_turn(standard_scores(groups.results, std), groups)
    before_last = groups.reached & ~groups.last
    everyone = np.ones_like(groups.reached)
    return by_turn(groups.kept_win * before_last, everyone, std) * before_last + result


def _sampled_mt_grpo_variant(groups: Groups, std: bool) -> FloatArray:
    result = _each_turn(standard_scores(groups.results, std), groups)
    return by_turn(groups.kept_win, groups.reached, std) + result


def _sampled_fitted(groups: Groups, lambda_: float, games: int) -> FloatArray:
    return advantage_estimates(groups, lambda_, groups.fitted_values(games))


# Credits in expectation.


class _Line(NamedTuple):
    """Expected credit for a reward x of 0 or 1, after centring: offset + slope · x."""

    slope: FloatArray
    offset: FloatArray


def _centred_line(exact: Exact, mean: FloatArray, reached: FloatArray | float, std: bool) -> _Line:
    """Return the expectation of x, given x, after centring among the games that reach a turn."""
    if not std:
        factor = np.broadcast_to(centred_factor(reached, exact.group), mean.shape)
        return _Line(factor, -factor * mean)
    _check_two_results(exact)
    low, high = standardised(mean, reached, exact.group)
    return _Line(high - low, low)


def _result_line(exact: Exact, std: bool) -> _Line:
    return _centred_line(exact, exact.won, 1.0, std)


def _check_two_results(exact: Exact) -> None:
    """Check that what is divided by its standard deviation is either 0 or 1."""
    require_last_move(exact.task.game.convention, "the exact mean of a standardised credit")


def _return(exact: Exact) -> MeanCredit:
    return exact.move_credit(exact.action_value)


def _advantage(exact: Exact) -> MeanCredit:
    advantages = exact.action_value - exact.value[:, np.newaxis]
    return exact.move_credit(advantages * exact.task.legal)


def _grpo(exact: Exact, std: bool, turns: bool) -> MeanCredit:
    slope, offset = _result_line(exact, std)
    if turns:
        return exact.divided_credit((offset, offset + slope))
    return exact.move_credit(exact.action_value, slope)


def _kept_move(exact: Exact) -> MeanCredit:
    return exact.move_credit(exact.task.score_left)


def _thrown_summed(exact: Exact) -> MeanCredit:
    task = exact.task
    return exact.summed_credit((task.score_left - task.minimax[:, np.newaxis]) * task.legal)


def _by_turn_line(exact: Exact, quantity: FloatArray, std: bool) -> _Line:
    return _centred_line(exact, exact.mean_at_turn(quantity), exact.reached, std)


def _by_turn_move(exact: Exact, std: bool) -> MeanCredit:
    scores = exact.task.score_left
    return exact.move_credit(scores, _by_turn_line(exact, scores, std).slope)


def _by_turn_summed(exact: Exact, std: bool) -> MeanCredit:
    scores = exact.task.score_left
    return exact.summed_credit(scores, *_by_turn_line(exact, scores, std))


def _by_turn_result(exact: Exact, std: bool) -> MeanCredit:
    reward = exact.task.last_result
    return exact.summed_credit(reward, *_by_turn_line(exact, reward, std))


def _by_turn_return(exact: Exact, std: bool) -> MeanCredit:
    slope = _by_turn_line(exact, exact.value, std).slope
    return exact.move_credit(exact.action_value, slope)


def _by_state(exact: Exact, std: bool) -> MeanCredit:
    there = exact.reached_positions
    if not std:
        return exact.state_credit(exact.action_value, centred_factor(there, exact.group))
    _check_two_results(exact)
    low, high = standardised(exact.value, there, exact.group, free=1)
    return exact.state_credit(exact.action_value, high - low)


def _gigpo(exact: Exact, std: bool) -> MeanCredit:
    scale = np.sqrt(1 - 1 / exact.group) if std else 1.0
    result = exact.move_credit(exact.action_value, scale * _result_line(exact, std).slope)
    return result + STEP_WEIGHT * _by_state(exact, std)


def _fitted(exact: Exact, lambda_: float, games: int) -> MeanCredit:
    # GAE is linear in V, and a mean of results has V as its expectation where there are any.
    unseen = (1 - exact.mean_visits) ** games
    return exact.advantage_credit(lambda_, exact.value + unseen * (UNSEEN - exact.value))


def _mt_grpo(exact: Exact, std: bool) -> MeanCredit:
    result = exact.move_credit(exact.action_value, _result_line(exact, std).slope)
    rewarded = exact.task.score_left * exact.goes_on
    mean = exact.mean_at_turn(rewarded) * exact.reached
    slope, offset = _centred_line(exact, mean, 1.0, std)
    own = exact.move_credit(rewarded, slope) + exact.move_credit(exact.goes_on, offset)
    return own + result


def _mt_grpo_variant(exact: Exact, std: bool) -> MeanCredit:
    result = exact.move_credit(exact.action_value, _result_line(exact, std).slope)
    return _by_turn_move(exact, std) + result


def _others_or_nothing(exact: Exact) -> MeanCredit:
    some = 1 - (1 - exact.reached) ** (exact.group - 1)
    return exact.move_credit(exact.action_value, some)


def _kappa_one(group: int) -> float:
    return 1.0


def _kappa_with_own_game(group: int) -> float:
    """Return κ where the baseline is a mean over the whole group, the game itself included."""
    return 1 - 1 / group


def _with_std_and_without(
    family: str,
    sampled: Callable[..., FloatArray],
    expected: Callable[..., MeanCredit],
    *named: tuple[bool, str, str],
) -> list[Estimator]:
    """Return estimators that differ in whether rewards are divided by their standard deviation.

    Args:
        family: as in :class:`Estimator`.
        sampled: as there, with an argument ``std``.
        expected: likewise.
        named: ``std``, name and credit of each.
    """
    return [
        Estimator(name, family, credit, partial(sampled, std=std), partial(expected, std=std))
        for std, name, credit in named
    ]


# fmt: off
_ALL = (
    Estimator(
        "REINFORCE", "result", "R",
        lambda g: g.returns, _return, _kappa_one,
    ),
    Estimator(
        "RLOO", "result", "R − mean of the others' R",
        lambda g: _each_turn(leave_one_out(g.results), g), _return, _kappa_one,
    ),
    Estimator(
        "Dr. GRPO", "result", "R − mean",
        lambda g: _sampled_grpo(g, False, False),
        partial(_grpo, std=False, turns=False), _kappa_with_own_game,
    ),
    Estimator(
        "GRPO", "result", "(R − mean) / std / turns",
        lambda g: _sampled_grpo(g, True, True), partial(_grpo, std=True, turns=True),
    ),
    Estimator(
        "GRPO, std alone", "result", "(R − mean) / std",
        lambda g: _sampled_grpo(g, True, False), partial(_grpo, std=True, turns=False),
    ),
    Estimator(
        "GRPO, turns alone", "result", "(R − mean) / turns",
        lambda g: _sampled_grpo(g, False, True), partial(_grpo, std=False, turns=True),
    ),
    Estimator(
        "kept_win", "verdict", "k",
        lambda g: g.kept_win, _kept_move,
    ),
    Estimator(
        "kept_win − Φ", "verdict", "k − Φ(s)",
        lambda g: g.kept_win - g.minimax, _kept_move,
    ),
    Estimator(
        "kept_win summed", "verdict", "Σ k from the move on",
        lambda g: from_move_on(g.kept_win), lambda e: e.summed_credit(e.task.score_left),
    ),
    Estimator(
        "kept_win − Φ summed", "verdict", "Σ (k − Φ) from the move on",
        lambda g: from_move_on(g.kept_win - g.minimax), _thrown_summed,
    ),
    Estimator(
        "R − Φ", "verdict", "R − Φ(s)",
        lambda g: g.returns - g.minimax, _return, _kappa_one,
    ),
    *_with_std_and_without(
        "by turn", lambda g, std: by_turn(g.kept_win, g.reached, std), _by_turn_move,
        (False, "by turn: kept_win", "k centred by turn"),
        (True, "by turn: kept_win, std", "k centred by turn / std"),
    ),
    *_with_std_and_without(
        "by turn", lambda g, std: from_move_on(by_turn(g.kept_win, g.reached, std)),
        _by_turn_summed,
        (False, "by turn: kept_win summed", "Σ of k centred by turn, from the move on"),
        (True, "by turn: kept_win summed, std", "Σ of k centred by turn / std, from the move on"),
    ),
    *_with_std_and_without(
        "by turn", lambda g, std: from_move_on(by_turn(g.rewards, g.reached, std)),
        _by_turn_result,
        (False, "by turn: result summed",
         "Σ of r centred by turn, from the move on; r is R in the last turn, else 0"),
        (True, "by turn: result summed, std", "Σ of r centred by turn / std, from the move on"),
    ),
    *_with_std_and_without(
        "by turn", lambda g, std: by_turn(g.returns, g.reached, std), _by_turn_return,
        (False, "by turn: return", "R centred by turn"),
        (True, "by turn: return, std", "R centred by turn / std"),
    ),
    *_with_std_and_without(
        "by turn", _sampled_mt_grpo_variant, _mt_grpo_variant,
        (True, "MT-GRPO variant", "k centred by turn / std + (R − mean) / std"),
        (False, "MT-GRPO variant without std", "k centred by turn + R − mean"),
    ),
    Estimator(
        "by the others: return", "cure", "R − mean of the others that reached the turn, if any",
        lambda g: by_others(g.returns, g.reached), _return, _kappa_one,
    ),
    Estimator(
        "by the others or nothing", "by turn", "the same, but 0 where no other reached the turn",
        lambda g: by_others_or_nothing(g.returns, g.reached), _others_or_nothing,
    ),
    Estimator(
        "padded: result summed", "cure",
        "Σ of r padded with zeros and centred over all, from the move on",
        lambda g: padded(g.rewards, g.reached),
        lambda e: e.summed_credit(e.task.last_result, 1 - 1 / e.group), _kappa_with_own_game,
    ),
    Estimator(
        "Q − V", "value", "Q(s, a) − V(s)",
        lambda g: g.action_value - g.value, _advantage, _kappa_one,
    ),
    *(
        Estimator(
            f"GAE {lambda_:g}", "value", f"GAE(λ = {lambda_:g}) with the exact V",
            partial(advantage_estimates, lambda_=lambda_), _advantage, _kappa_one,
        )
        for lambda_ in (0.0, 0.5, 0.95, 1.0)
    ),
    *_with_std_and_without(
        "by turn", _sampled_mt_grpo, _mt_grpo,
        (True, "MT-GRPO",
         "(k − mean) / std over all games, 0 in the last turn, + (R − mean) / std"),
        (False, "MT-GRPO without std", "k − mean over all games, 0 in the last turn, + R − mean"),
    ),
    Estimator(
        "SPIRAL", "result", f"R − running mean of the seat's results, decay {DECAY}",
        by_role, _return, _kappa_one,
    ),
    *_with_std_and_without(
        "by state", by_state, _by_state,
        (False, "by state", "R − mean of the group's games that came to the position"),
        (True, "by state, std", "the same / std"),
    ),
    *_with_std_and_without(
        "by state", _sampled_gigpo, _gigpo,
        (True, "GiGPO", "(R − mean) / std + the same among those that came to the position"),
        (False, "GiGPO without std", "R − mean + R − mean of those that came to the position"),
    ),
    Estimator(
        "VinePPO", "estimated value",
        f"r + V(s') − V(s), V the mean of {ROLLOUTS} rollouts from each position",
        lambda g: advantage_estimates(g, 0.0, g.rollout_values(ROLLOUTS)),
        _advantage, _kappa_one, rollouts=ROLLOUTS,
    ),
    *(
        Estimator(
            f"GAE {lambda_:g}, V of {games} games", "estimated value",
            f"GAE(λ = {lambda_:g}) with V fitted to {games} games",
            partial(_sampled_fitted, lambda_=lambda_, games=games),
            partial(_fitted, lambda_=lambda_, games=games), critic=games,
        )
        for games in (16, 256)
        for lambda_ in (0.0, 0.95)
    ),
)
# fmt: on

ESTIMATORS = {estimator.name: estimator for estimator in _ALL}
"""By name."""
