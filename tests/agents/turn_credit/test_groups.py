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


def in_words(played, reward, by):
    """Credits (x − mean, standard deviation of the sample) of games with the same key, by turn."""
    among = {}
    for place in zip(*np.nonzero(played.reached), strict=True):
        among.setdefault(by(place), []).append(place)
    found = {}
    for places in among.values():
        values = [float(reward(place)) for place in places]
        mean = sum(values) / len(values)
        squares = sum((value - mean) ** 2 for value in values)
        spread = (squares / (len(values) - 1)) ** 0.5 if len(values) > 1 else 0.0
        found |= {place: (x - mean, spread) for place, x in zip(places, values, strict=True)}
    return found


def test_gigpo_compares_those_that_came_to_the_same_position():
    played = blocks_of(at_random(task("kayles")), 3)

    def result(place):
        return played.results[place[:3]]

    steps = in_words(played, result, lambda place: (*place[:2], int(played.states[place])))
    first = {(*place[:2], game): float(played.results[(*place[:2], game)])
             for place in steps for game in range(8)}  # fmt: skip
    alone = 0
    for std, names in (
        (False, ("by state", "GiGPO without std")),
        (True, ("by state, std", "GiGPO")),
    ):
        state, whole = (ESTIMATORS[name].sampled(played) for name in names)
        assert not state[~played.reached].any()
        for place, (centred, spread) in steps.items():
            group = np.array([first[(*place[:2], game)] for game in range(8)])
            episode, own = group[place[2]] - group.mean(), centred
            if std:
                episode = episode / group.std(ddof=1) if group.std() else 0.0
                own = centred / spread if spread else 0.0
            alone += own == 0
            assert state[place] == pytest.approx(own, abs=1e-12)
            assert whole[place] == pytest.approx(episode + own, abs=1e-12)
    assert 0 < alone < 2 * len(steps)


def test_mt_grpo_gives_the_last_turn_the_outcome_alone():
    played = blocks_of(at_random(task("nim")), 5)
    outcome = ESTIMATORS["GRPO, std alone"].sampled(played)
    found = ESTIMATORS["MT-GRPO"].sampled(played)
    assert (found == outcome)[played.last].all()
    rewards = played.kept_win * (played.reached & ~played.last)
    # All games of a group count in mean and deviation, those that did not reach the turn as 0.
    spread = rewards.std(axis=2, keepdims=True)
    turns = np.divide(
        rewards - rewards.mean(axis=2, keepdims=True), spread, out=0 * rewards, where=spread > 0
    )
    before = played.reached & ~played.last
    assert found[before] == pytest.approx((outcome + turns)[before], abs=1e-12)


def test_the_baseline_of_a_role_knows_earlier_games_alone():
    played = blocks_of(at_random(task("misere")), 5)
    credit = ESTIMATORS["SPIRAL"].sampled(played)
    seats = played.task.contexts[played.contexts, 1]
    for place in np.ndindex(played.contexts.shape):
        same = [exact_mean(played, place, seat) for seat in (0, 1)]
        baseline = same[seats[place]]
        for game in range(8):
            own = credit[(*place, game)][played.reached[(*place, game)]]
            result = played.results[(*place, game)]
            assert own == pytest.approx(np.full(len(own), result - baseline), abs=1e-12)
            baseline = 0.95 * baseline + 0.05 * result


def exact_mean(played, place, seat):
    """Expected result in a seat, from J by context."""
    exact = at_random(played.task)
    there = played.task.contexts[:, 1] == seat
    weights = played.task.context_probabilities[there]
    return (weights * exact.won[there]).sum() / weights.sum()


def test_rollouts_and_critics_leave_what_is_drawn_next():
    of_task = task("nim")
    rngs = [np.random.default_rng(3) for _ in range(2)]
    policies = at_random(of_task).policy[np.newaxis]
    one, two = (sample(of_task, policies, 4, [rng]) for rng in rngs)
    extra = [ESTIMATORS[name].sampled(one) for name in ("VinePPO", "GAE 0, V of 16 games")]
    # Drawn anew each time.
    assert (ESTIMATORS["VinePPO"].sampled(one) != extra[0]).any()
    assert all(np.isfinite(each).all() and each.any() for each in extra)
    one, two = (sample(of_task, policies, 4, [rng]) for rng in rngs)
    assert (one.states == two.states).all()
    moves = ESTIMATORS["VinePPO"].moves(one)
    assert moves > 9 * one.moves
    assert ESTIMATORS["RLOO"].moves(one) == one.moves


def test_groups_that_share_a_critic_have_the_same_value_of_a_position():
    of_task = task("misere")
    policies = at_random(of_task).policy[np.newaxis]
    for sharing, several in ((6, False), (1, True)):
        played = sample(of_task, policies, 6, [np.random.default_rng(0)], sharing=sharing)
        fitted = played.fitted_values(16)
        values = {}
        for state, value in zip(played.states[played.reached], fitted[played.reached], strict=True):
            values.setdefault(int(state), set()).add(float(value))
        assert any(len(each) > 1 for each in values.values()) == several


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
