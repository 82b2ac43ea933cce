"""Promises of every registered learner, without a list of them."""

import copy
import math
import pickle
import re

import gymnasium
import numpy as np
import pettingzoo
import pytest

from agents import (
    GradientBandit,
    Learner,
    Policy,
    QLearning,
    RealTimeDynamicProgramming,
    WatkinsQLambda,
    WinLossRatio,
    train,
)
from agents.base import GameLearner
from agents.metrics import learning_curve
from agents.registry import LEARNERS
from nim_envs import make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import PLAYERS as SEATS
from nim_envs.scoring import optimality
from tests.agents.learning import (
    CASES,
    contents,
    players,
    small_env,
)

SETS = {1: ("all",), 2: SEATS}
"""Over which positions the learners of a case are scored: one for both seats, or one for each."""


@pytest.mark.parametrize("name", CASES)
def test_the_same_seed_teaches_the_same_and_copies_continue_alike(name):
    env = small_env()
    learner, again = (CASES[name](env)[0] for _ in range(2))
    for each in (learner, again):
        train(env, each, 40, seed=5, progress=False)
    learned = contents(learner)
    assert contents(again) == learned
    learner.greedy()
    assert contents(learner) == learned  # a policy teaches nothing
    copies = [copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    for each in (learner, *copies):
        train(env, each, 20, seed=6, progress=False)
        assert contents(each) == contents(learner) != learned


# All but the one with the published sign, which is wrong: see test_updates.py.
@pytest.mark.parametrize("name", [name for name in CASES if "opponent-max" not in name])
def test_it_solves_a_small_game(name):
    env = small_env()
    learners = CASES[name](env)
    assert all(isinstance(learner, GameLearner) for learner in learners)
    train(env, players(learners), 4_000, seed=0, progress=False)
    for learner, positions in zip(learners, SETS[len(learners)], strict=True):
        greedy = learner.greedy()
        assert isinstance(greedy, Policy)
        score = optimality(greedy, env.game, positions)
        assert score.percent == 100
        assert score.illegal_percent == 0


@pytest.mark.parametrize("name", CASES)
def test_it_plays_by_its_stated_probabilities(name):
    env = small_env()
    learner = CASES[name](env)[0]
    train(env, learner, 40, seed=3, progress=False)
    rng = np.random.default_rng(0)
    position = np.array([2, 3])
    mask = env.game.board.mask(env.game.board.state((2, 3)))
    learner.begin_game()
    learner.act(position, mask, rng)  # some explore with the first move of a game
    chances = learner.action_probabilities(position[None], mask[None])[0]
    assert chances.sum() == pytest.approx(1)
    assert not chances[mask == 0].any()
    acts = np.bincount(
        [learner.act(position, mask, rng) for _ in range(2_000)], minlength=len(mask)
    )
    assert (abs(acts / 2_000 - chances) <= 5 * (chances * (1 - chances) / 2_000) ** 0.5).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_it_can_be_made_for_any_environment_or_says_that_it_needs_the_rules(name):
    row, env = LEARNERS[name], small_env()
    for made_for in (
        env,
        pettingzoo.utils.wrappers.OrderEnforcingWrapper(env),
        gymnasium.make("nim_envs/Nim-v0", heaps=(2, 3), opponent="random"),
    ):
        learner = row.learner.for_env(made_for, **row.arguments)
        assert isinstance(learner, Learner)
        if learner.game is not None:  # in wrappers that pass on the same spaces
            assert learner.fits(env.game)
            assert not learner.fits(make_game("nim", heaps=(3, 2)))
    foreign = pettingzoo.make("aec", "classic/tictactoe-v3")
    if row.learner.uses_rules:
        with pytest.raises(TypeError, match=rf"{row.learner.__name__} looks ahead by the rules"):
            row.learner.for_env(foreign)
    else:
        made = row.learner.for_env(foreign)
        assert made.game is None
        assert made.rows.num_actions == 9


def test_learners_logs_and_curves_say_how_many_games_they_have_seen():
    env = small_env()
    learner = QLearning.for_env(env)
    assert "games" not in repr(learner)
    log = train(env, learner, 20, seed=0, progress=False)
    assert repr(learner) == ("QLearning(nim, heaps 2-3, normal play; 12 rows, 6 actions, 20 games)")
    assert repr(log).startswith("TrainingLog(20 games in ")
    curve = learning_curve(env, learner, env.game, 20, seed=0, every=10, progress=False)
    assert repr(curve).startswith("LearningCurve(2 points, ")


@pytest.mark.parametrize("name", LEARNERS)
def test_it_says_in_one_line_its_game_and_its_size_and_its_rule_by_a_formula(name):
    row = LEARNERS[name]
    learner = row.make(small_env())[0]
    for shown in map(repr, (learner, learner.greedy())):
        assert "object at" not in shown
        assert "\n" not in shown
    assert "nim, heaps 2-3, normal play; 12 rows, 6 actions" in repr(learner)
    assert re.match(r"\S.* \+= .*\.$", row.formula)
    assert row.update_rule.__module__ == row.learner.__module__
    assert "References:" in row.update_rule.__doc__


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (QLearning, {"learning_rate": 1.5}),
        (QLearning, {"epsilon": math.nan}),
        (QLearning, {"bootstrap": "minimax"}),
        (GradientBandit, {"temperature": 0.0}),
        (WinLossRatio, {"forgetting": 1.0}),
        (WatkinsQLambda, {"trace_decay": 1.1}),
    ],
)
def test_parameters_out_of_range_are_refused_by_name_and_value(make, parameter):
    ((name, value),) = parameter.items()
    with pytest.raises(ValueError, match=rf"{name} must be") as caught:
        make(small_env().game, **parameter)
    assert repr(value) in str(caught.value)


def test_a_table_that_is_too_large_is_refused_with_its_size_before_it_is_made():
    game = make_game("nim", heaps=(9,) * 9)
    for make in (QLearning, RealTimeDynamicProgramming):
        with pytest.raises(SearchTooLargeError, match="1000000000 rows of 81 actions"):
            make(game)
