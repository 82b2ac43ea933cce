"""Exact expectations: against differences of J by the rules alone, and against all groups."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from agents import EpsilonOptimalAgent
from agents.turn_credit.estimators import (
    ESTIMATORS,
    advantage_estimates,
    by_others,
    by_turn,
    from_move_on,
    padded,
)
from agents.turn_credit.exact import Exact, turns_left
from agents.turn_credit.groups import Groups
from agents.turn_credit.task import Task, softmax
from nim_envs import make_game
from nim_envs.scoring import best_response, expected_scores
from tests.agents.turn_credit.tasks import GAMES, at_random, task

UNBIASED = [name for name, estimator in ESTIMATORS.items() if estimator.unbiased]


def objective(of_task, logits):
    """J by the backward induction of :mod:`nim_envs.scoring`, over the starts of both seats."""
    game = of_task.game
    policy = softmax(logits, of_task.legal)
    places = {tuple(position): row for row, position in enumerate(of_task.positions.tolist())}

    def agent(observations, masks):
        return policy[[places[tuple(position)] for position in observations.tolist()]]

    won = expected_scores(agent, EpsilonOptimalAgent(game, of_task.epsilon), game)
    starts, chances = game.start.sampler(game).support()
    at = game.rules.indices(starts)
    return float(chances @ (won.moving[at] + won.waiting[at]) / 2)


def slopes(function, point, step=3e-4):
    """Central differences of fourth order along every coordinate."""
    found = np.zeros((*np.shape(function(point)), *point.shape))
    for place in np.ndindex(point.shape):
        along = np.zeros_like(point)
        along[place] = step
        near = function(point + along) - function(point - along)
        far = function(point + 2 * along) - function(point - 2 * along)
        found[(..., *place)] = (8 * near - far) / (12 * step)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_gradient_is_the_slope_of_the_chance_of_winning(name):
    of_task = task(name)
    exact = at_random(of_task)
    rng = np.random.default_rng(1)
    assert exact.objective == pytest.approx(objective(of_task, exact.logits), abs=1e-14)
    for _ in range(3):
        along = rng.normal(size=exact.logits.shape)
        line = np.zeros(1)
        found = slopes(lambda at, along=along: objective(of_task, exact.logits + at * along), line)
        slope = (exact.objective_gradient * along).sum()
        assert abs(found[0] - slope) < 1e-10
        assert abs(slope) > 1e-3


@pytest.mark.parametrize("name", GAMES)
def test_opponent_and_best_play_are_those_of_the_package(name):
    of_task = task(name)
    game = of_task.game
    opponent = EpsilonOptimalAgent(game, of_task.epsilon)
    here = ~of_task.terminal
    masks = of_task.legal[here].astype(np.int8)
    theirs = opponent.action_probabilities(of_task.positions[here], masks)
    assert of_task.opponent[here] == pytest.approx(theirs, abs=1e-15)
    best = best_response(opponent, game)
    starts, chances = game.start.sampler(game).support()
    at = game.rules.indices(starts)
    assert of_task.optimal_win_probability == pytest.approx(
        chances @ (best.moving[at] + best.waiting[at]) / 2
    )


def test_epsilon_out_of_range_is_named():
    with pytest.raises(ValueError, match=r"epsilon must be a number from 0 to 1, not 1\.5"):
        Task(make_game("nim", heaps=(1, 2)), 1.5)


@pytest.mark.parametrize("name", GAMES)
def test_unbiased_estimators_are_a_multiple_of_the_gradient(name):
    exact = at_random(task(name), seed=1)
    truth = exact.objective_gradient
    for estimator in UNBIASED:
        found = ESTIMATORS[estimator].gradient(exact)
        one, two = (vector / np.linalg.norm(vector) for vector in (found, truth))
        assert ((one - two) ** 2).sum() / 2 < 1e-10, estimator
        factor = ESTIMATORS[estimator].unbiased(exact.group)
        assert np.abs(found - factor * truth).max() < 1e-14, estimator


def test_the_others_are_biased():
    exact = at_random(Task(make_game("nim", heaps=(3, 4, 5))), seed=1)
    truth = exact.objective_gradient / np.linalg.norm(exact.objective_gradient)
    for name in ESTIMATORS.keys() - UNBIASED:
        found = ESTIMATORS[name].gradient(exact)
        assert ((found / np.linalg.norm(found) - truth) ** 2).sum() / 2 > 1e-7, name


@pytest.mark.parametrize("name", GAMES)
def test_bias_by_turn_is_that_of_the_formula(name):
    of_task = task(name)
    exact = at_random(of_task, seed=2)
    survival = np.stack([exact.survival_gradient(t) for t in range(1, of_task.turns + 1)])
    if name == "addition":
        found = slopes(lambda logits: Exact(of_task, logits).reached, exact.logits)
        assert np.abs(found - survival).max() < 1e-10
    for reward in (of_task.last_result, of_task.keeps_win.astype(float), of_task.legal * 1.0):
        means = exact.mean_at_turn(reward)
        by_turn_estimate = exact.gradient(exact.summed_credit(reward, 1.0, -means))
        gradient = exact.gradient(exact.summed_credit(reward))
        bias = np.einsum("tc,c,tcsa->sa", means, of_task.context_probabilities, survival)
        assert np.abs(by_turn_estimate - (gradient - bias)).max() < 1e-14
        assert np.abs(bias).max() > 1e-4
    # Whoever is paid for every turn learns nothing of it: the last of these rewards is 1.
    assert np.abs(by_turn_estimate).max() < 1e-14
    assert np.abs(gradient).max() > 1e-3


def trajectories(of_task, context, policy):
    """Every game from a context: the agent's (position, action) pairs, result, probability."""
    start, seat = of_task.contexts[context]
    rules = of_task.game.rules
    opponent = EpsilonOptimalAgent(of_task.game, of_task.epsilon)
    found = []

    def play(position, ours, pairs, probability):
        mask = rules.action_mask(position)
        if not mask.any():
            moved_last = not ours
            won = moved_last == (of_task.game.convention.value == "normal")
            found.append((pairs, float(won), probability))
            return
        row = next(i for i, p in enumerate(of_task.positions.tolist()) if p == position.tolist())
        chances = (
            policy[row] if ours
            else opponent.action_probabilities(position[np.newaxis], mask[np.newaxis])[0]
        )  # fmt: skip
        for action in np.flatnonzero(chances):
            after = rules.step(position, np.int64(action))
            now = [*pairs, (row, int(action))] if ours else pairs
            play(after, not ours, now, probability * chances[action])

    play(of_task.positions[start], seat == 0, [], 1.0)
    return found


def every_group(exact):
    """All groups of games as :class:`Groups`, and the probability of each."""
    of_task, size = exact.task, exact.group
    games, contexts, weights = [], [], []
    for context, chance in enumerate(of_task.context_probabilities):
        for group in product(trajectories(of_task, context, exact.policy), repeat=size):
            games.append(group)
            contexts.append(context)
            weights.append(chance * np.prod([probability for _, _, probability in group]))
    shape = (1, len(games), size, of_task.turns)
    states, actions = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    reached, results = np.zeros(shape, dtype=bool), np.zeros(shape[:3])
    for number, group in enumerate(games):
        for game, (pairs, won, _) in enumerate(group):
            results[0, number, game] = won
            for turn, (state, action) in enumerate(pairs):
                at = (0, number, game, turn)
                states[at], actions[at], reached[at] = state, action, True
    groups = Groups(
        of_task, exact.policy[np.newaxis], np.array([contexts]), states, actions, reached, results
    )
    return groups, np.array(weights)


def mean_estimate(groups, weights, credit):
    weighed = credit * (weights * len(weights))[:, np.newaxis, np.newaxis]
    return groups.gradients(weighed)[0]


ENUMERATED = {
    "take-2": ("nim", {"heaps": (6,), "max_take": 2}, 2),
    "misere": ("misere_nim", {"heaps": (1, 2)}, 3),
    "kayles": ("kayles", {"heaps": (4,), "start": "uniform"}, 2),
}


@pytest.mark.parametrize("name", ENUMERATED)
def test_expectations_are_means_over_all_groups(name):
    game, arguments, size = ENUMERATED[name]
    exact = at_random(Task(make_game(game, **arguments)), seed=3, group=size)
    groups, weights = every_group(exact)
    assert weights.sum() == pytest.approx(1)
    assert weights @ groups.reached.sum(axis=(2, 3))[0] == pytest.approx(size * exact.mean_turns)
    for estimator in ESTIMATORS.values():
        # Rollouts and a critic's games are not in the groups: these are sampled in test_groups.
        if estimator.rollouts or estimator.critic:
            continue
        found = mean_estimate(groups, weights, estimator.sampled(groups))
        assert found == pytest.approx(estimator.gradient(exact), abs=1e-12), estimator.name


@pytest.mark.parametrize("lambda_", [0.0, 0.6, 1.0])
def test_a_wrong_critic_has_the_expectation_of_all_groups(lambda_):
    game, arguments, size = ENUMERATED["kayles"]
    exact = at_random(Task(make_game(game, **arguments)), seed=5, group=size)
    groups, weights = every_group(exact)
    wrong = np.random.default_rng(0).normal(size=len(exact.policy))
    credit = advantage_estimates(groups, lambda_, wrong[groups.states] * groups.reached)
    expected = exact.gradient(exact.advantage_credit(lambda_, wrong))
    assert mean_estimate(groups, weights, credit) == pytest.approx(expected, abs=1e-12)
    bias = np.abs(expected - exact.objective_gradient).max()
    assert bias < 1e-12 if lambda_ == 1 else bias > 1e-4


@pytest.mark.parametrize("name", GAMES)
def test_turns_left_are_the_turns_of_a_game(name):
    exact = at_random(task(name), seed=2)
    starts = exact.task.context_probabilities @ exact.task.first_position
    assert starts @ turns_left(exact.task, exact.policy) == pytest.approx(exact.mean_turns)


def test_cures_hold_for_rewards_of_every_turn():
    game, arguments, size = ENUMERATED["take-2"]
    exact = at_random(Task(make_game(game, **arguments)), seed=4, group=size)
    groups, weights = every_group(exact)
    gradient = exact.gradient(exact.summed_credit(exact.task.keeps_win.astype(float)))
    others = by_others(from_move_on(groups.kept_win), groups.reached)
    assert mean_estimate(groups, weights, others) == pytest.approx(gradient, abs=1e-12)
    filled = padded(groups.kept_win, groups.reached)
    share = 1 - 1 / size
    assert mean_estimate(groups, weights, filled) == pytest.approx(share * gradient, abs=1e-12)
    centred = from_move_on(by_turn(groups.kept_win, groups.reached))
    assert np.abs(mean_estimate(groups, weights, centred) - share * gradient).max() > 1e-3
