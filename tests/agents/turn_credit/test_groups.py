"""Sampled groups and the credits of their turns."""

from __future__ import annotations

import numpy as np
import pytest

from agents.turn_credit.estimators import (
    ESTIMATORS,
    by_others,
    by_others_or_nothing,
    by_turn,
    from_move_on,
    leave_one_out,
    padded,
    standard_scores,
)
from agents.turn_credit.groups import sample
from agents.turn_credit.task import Task
from nim_envs import make_game
from tests.agents.turn_credit.tasks import at_random, task

BLOCKS = 40


def blocks_of(exact, groups, seed=0):
    policies = np.broadcast_to(exact.policy, (BLOCKS, *exact.policy.shape))
    return sample(exact.task, policies, groups, np.random.default_rng(seed).spawn(BLOCKS))


def test_sampled_groups_follow_rules_and_chances():
    exact = at_random(task("nim"))
    played = blocks_of(exact, 50)
    of_task = exact.task
    states, actions = played.states[played.reached], played.actions[played.reached]
    assert of_task.legal[states, actions].all()
    # Turns of a game follow one another.
    assert (played.reached[..., :-1] >= played.reached[..., 1:]).all()
    for quantity, mean in (
        (played.results.mean(axis=(1, 2)), exact.objective),
        (played.moves / played.results[0].size, exact.mean_turns),
    ):
        assert abs(quantity.mean() - mean) < 4 * quantity.std(ddof=1) / BLOCKS**0.5
    starts, seats = of_task.contexts[played.contexts].transpose(2, 0, 1)
    first = played.reached[..., 0] & (seats == 0)[..., np.newaxis]
    assert (played.states[..., 0] == starts[..., np.newaxis])[first].all()
    # In the second seat the agent never finds the board as it was at the start.
    second = played.reached[..., 0] & (seats == 1)[..., np.newaxis]
    assert (played.states[..., 0] != starts[..., np.newaxis])[second].all()


@pytest.mark.parametrize("name", ["nim", "misere", "kayles"])
def test_blocks_scatter_around_the_expectation_as_the_covariance_says(name):
    exact = at_random(task(name), seed=1)
    groups = 50
    played = blocks_of(exact, groups)
    credit = np.stack([estimator.sampled(played) for estimator in ESTIMATORS.values()])
    expected = np.stack([estimator.gradient(exact) for estimator in ESTIMATORS.values()])
    errors = played.squared_errors(credit, expected)
    for number, estimator in enumerate(ESTIMATORS):
        means = played.gradients(credit[number])
        scatter = groups * ((means - expected[number]) ** 2).sum(axis=(1, 2))
        scatter /= errors[number].mean()
        standard_error = scatter.std(ddof=1) / BLOCKS**0.5
        assert abs(scatter.mean() - 1) < 4 * standard_error, estimator


def test_squared_errors_are_those_of_the_estimates():
    exact = at_random(task("misere"))
    played = blocks_of(exact, 1)
    credit = np.stack([ESTIMATORS[name].sampled(played) for name in ("RLOO", "kept_win")])
    truth = np.stack([exact.objective_gradient, 0 * exact.objective_gradient])
    dense = np.stack([played.gradients(each) for each in credit])
    squares = ((dense - truth[:, np.newaxis]) ** 2).sum(axis=(2, 3))
    assert played.squared_errors(credit, truth)[..., 0] == pytest.approx(squares, abs=1e-14)


def test_a_run_does_not_depend_on_the_others():
    exact = at_random(task("kayles"))
    both = np.stack([exact.policy, at_random(task("kayles"), seed=9).policy])
    together = sample(exact.task, both, 20, [np.random.default_rng(s) for s in (5, 6)])
    alone = sample(exact.task, both[1:], 20, [np.random.default_rng(6)])
    for name in ("contexts", "states", "actions", "reached", "results"):
        assert (getattr(together, name)[1] == getattr(alone, name)[0]).all(), name


def test_dr_grpo_is_seven_eighths_of_rloo_in_every_group():
    played = blocks_of(at_random(task("nim")), 5)
    rloo, dr_grpo = (ESTIMATORS[name].sampled(played) for name in ("RLOO", "Dr. GRPO"))
    assert dr_grpo == pytest.approx(7 / 8 * rloo, abs=1e-15)
    assert rloo.any()


def test_verdicts_telescope_against_an_optimal_opponent():
    of_task = Task(make_game("nim", heaps=(1, 2, 3), start="uniform"), epsilon=0.0)
    played = blocks_of(at_random(of_task), 5)
    summed = ESTIMATORS["kept_win − Φ summed"].sampled(played)
    assert (summed == ESTIMATORS["R − Φ"].sampled(played)).all()
    assert summed.any()


# Three games: of one, of two and of two turns.
REACHED = np.array([[True, False], [True, True], [True, True]])
REWARDS = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])


def test_credits_of_a_group_by_hand():
    assert leave_one_out(np.array([1.0, 1.0, 0.0])) == pytest.approx([0.5, 0.5, -1.0])
    assert standard_scores(np.array([1.0, 0.0, 0.0, 1.0])) == pytest.approx([1, -1, -1, 1])
    assert not standard_scores(np.full(8, 0.1)).any()
    third = 1 / 3
    assert by_turn(REWARDS, REACHED) == pytest.approx(
        np.array([[2 * third, 0], [-third, 0.5], [-third, -0.5]])
    )
    assert by_turn(REWARDS, REACHED, std=True)[:, 1] == pytest.approx([0, 1, -1])
    returns = from_move_on(REWARDS)
    assert returns.tolist() == [[1, 0], [1, 1], [0, 0]]
    assert by_others(returns, REACHED) == pytest.approx(np.array([[0.5, 0], [0.5, 1], [-1, -1]]))
    # Rewards of 0 where the first game is over: means 1/3 in both turns.
    assert padded(REWARDS, REACHED) == pytest.approx(
        np.array([[third, 0], [third, 2 * third], [-2 * third, -third]])
    )


def test_nobody_else_reached_the_turn():
    reached = np.array([[True, True], [True, False]])
    returns = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert by_others(returns, reached).tolist() == [[1, 1], [-1, 0]]
    assert by_others_or_nothing(returns, reached).tolist() == [[1, 0], [-1, 0]]


def test_advantage_estimates_end_at_the_result():
    played = blocks_of(at_random(task("nim")), 5)
    whole = ESTIMATORS["GAE 1"].sampled(played)
    assert whole == pytest.approx(played.returns - played.value, abs=1e-14)
    one_step = ESTIMATORS["GAE 0"].sampled(played)
    last = played.last
    assert one_step[last] == pytest.approx((played.returns - played.value)[last], abs=1e-14)
    between = ESTIMATORS["GAE 0.5"].sampled(played)
    following = np.where(played.reached[..., 1:], between[..., 1:], 0)
    assert between[..., :-1] == pytest.approx(one_step[..., :-1] + 0.5 * following, abs=1e-14)
