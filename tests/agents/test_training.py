"""The training loop passes the right transitions to learners, and they learn."""

from __future__ import annotations

import copy
import itertools
import sys

import numpy as np
import pettingzoo
import pytest

from agents import (
    Agent,
    GradientBandit,
    Learner,
    OptimalAgent,
    Policy,
    QLearning,
    RandomAgent,
)
from agents.loop import DRAW
from agents.training import train


class Recorder(RandomAgent):
    """Plays at random, and records its transitions."""

    def __init__(self):
        self.transitions = []

    def update(self, transition):
        self.transitions.append(copy.deepcopy(transition))

    def greedy(self):
        return self


def test_the_protocols_are_met():
    env = pettingzoo.make("aec", "nim_envs/nim")
    for learner in (QLearning.for_env(env), GradientBandit.for_env(env)):
        assert isinstance(learner, Learner)
        assert isinstance(learner.greedy(), Policy)
    for agent in (RandomAgent(), OptimalAgent(env.game)):
        assert isinstance(agent, Policy)
        assert not isinstance(agent, Learner)
        assert isinstance(agent, Agent)


@pytest.mark.parametrize("shared", [True, False])
def test_every_turn_arrives_once_whole_and_in_order(shared):
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4), illegal_move="raise")
    recorders = (Recorder(),) * 2 if shared else (Recorder(), Recorder())
    log = train(env, recorders, 60, seed=3, progress=False)
    handed = recorders[0].transitions + ([] if shared else recorders[1].transitions)
    assert len(handed) == log.lengths.sum()
    played = {0: [[]], 1: [[]]}
    for turn in handed:
        played[turn.seat][-1].append(turn)
        if turn.terminated:
            played[turn.seat].append([])
    game = env.game
    for seat in (0, 1):
        games = played[seat][:-1]
        # From the full heaps each seat moves in every game but those that end at once.
        results = [game[-1].reward + game[-1].reply_reward for game in games]
        moved_in = log.lengths > seat
        assert [result > 0 for result in results] == (log.winners[moved_in] == seat).tolist()
        for turns in games:
            for earlier, later in itertools.pairwise(turns):
                assert (earlier.next_observation == later.observation).all()
                assert earlier.next_legal_actions.tolist() == later.legal_actions.tolist()
            for turn in turns:
                after = game.play(turn.observation, turn.action)
                assert after == tuple(turn.reply_observation.tolist())
                ended_it = not len(turn.reply_legal_actions)
                assert ended_it == game.is_over(after)
                assert turn.reward == (1.0 if ended_it else 0.0)
                assert turn.reply_reward == (-1.0 if turn.terminated and not ended_it else 0.0)
                assert turn.terminated == (not len(turn.next_legal_actions))


def test_other_peoples_environments_train_too():
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    agent = QLearning.for_env(env)
    log = train(env, agent, 500, seed=0, progress=False)
    assert set(np.unique(log.winners)) == {0, 1, DRAW}
    assert agent.table.any()


def test_bad_arguments_are_refused():
    env = pettingzoo.make("aec", "nim_envs/nim")
    with pytest.raises(ValueError, match="-1"):
        train(env, RandomAgent(), -1, seed=0)
    for bad in ("random", (RandomAgent(),), [RandomAgent()] * 3, (RandomAgent(), 5), None):
        with pytest.raises(TypeError, match="pair"):
            train(env, bad, 1, seed=0)
    assert train(env, RandomAgent(), 0, seed=0, progress=False).games == 0


def test_progress_is_shown_in_a_terminal_unless_told_otherwise(capsys, monkeypatch):
    env = pettingzoo.make("aec", "nim_envs/nim")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    train(env, RandomAgent(), 5, seed=0)
    assert "5/5" in capsys.readouterr().err
    train(env, RandomAgent(), 5, seed=0, progress=False)
    assert capsys.readouterr().err == ""
