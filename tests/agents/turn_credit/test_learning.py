"""Where expected directions lead, and learning from sampled groups."""

from __future__ import annotations

import numpy as np
import pytest

from agents.turn_credit.adam import Adam
from agents.turn_credit.ascent import half_trained, limit
from agents.turn_credit.estimators import ESTIMATORS
from agents.turn_credit.exact import Exact
from agents.turn_credit.learning import learn, percent_right
from agents.turn_credit.task import Task
from nim_envs import make_game, optimality
from tests.agents.turn_credit.tasks import at_random, task


def test_adam_by_hand():
    adam = Adam((2,), tiny=0.0)
    assert adam.direction(np.array([4.0, -0.5])) == pytest.approx([1, -1])
    # Means of 4 and 2 and of their squares, corrected for their start from zero.
    mean = (0.9 * 0.1 * 4 + 0.1 * 2) / (1 - 0.9**2)
    square = (0.999 * 0.001 * 16 + 0.001 * 4) / (1 - 0.999**2)
    assert adam.direction(np.array([2.0, 0.0]))[0] == pytest.approx(mean / square**0.5)


@pytest.mark.parametrize(
    ("estimator", "low", "high"),
    [("RLOO", 0.999, 1.0), ("kept_win", 0.9, 0.99), ("by turn: result summed", 0.3, 0.9)],
)
def test_an_unbiased_direction_leads_to_the_best_and_others_elsewhere(estimator, low, high):
    of_task = Task(make_game("nim", heaps=(10,), max_take=3))
    end = limit(of_task, ESTIMATORS[estimator], np.zeros(of_task.legal.shape), steps=300)
    assert low < Exact(of_task, end).objective / of_task.optimal_win_probability <= high


@pytest.mark.parametrize("name", ["nim", "misere"])
def test_half_trained_has_half_of_what_there_is_to_win(name):
    exact = at_random(task(name))
    half = Exact(exact.task, half_trained(exact.task, exact.logits)).objective
    assert half == pytest.approx(
        (exact.objective + exact.task.optimal_win_probability) / 2, abs=1e-9
    )


def test_percent_right_is_the_optimality_of_the_greedy_policy():
    of_task = task("nim")
    logits = np.round(np.random.default_rng(0).normal(size=(3, *of_task.legal.shape)))
    for each, percent in zip(logits, percent_right(of_task, logits), strict=True):

        def greedy(observations, masks, each=each):
            raised = np.where(masks == 1, each[of_task.game.rules.indices(observations)], -np.inf)
            best = raised == raised.max(axis=1, keepdims=True)
            return best / best.sum(axis=1, keepdims=True)

        assert percent == pytest.approx(optimality(greedy, of_task.game).percent)


def test_runs_learn_and_do_not_depend_on_one_another():
    of_task, estimator = task("misere"), ESTIMATORS["kept_win"]
    runs = [(0, 0.1), (1, 0.3), (2, 1e-9)]
    together = learn(of_task, estimator, runs, cap=4_000, enough=95)
    assert [run.moves is not None and run.percent >= 95 for run in together[:2]] == [True, True]
    for run, found in zip(runs, together, strict=True):
        assert learn(of_task, estimator, [run], cap=4_000, enough=95) == [found]


def test_a_run_ends_at_its_cap():
    nothing = learn(task("nim"), ESTIMATORS["REINFORCE"], [(0, 0.01)], cap=1, enough=101)
    assert nothing[0].moves is None
