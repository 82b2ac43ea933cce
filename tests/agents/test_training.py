"""The training loop passes the right transitions to learners, of truncated games too."""

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
    Transition,
)
from agents.loop import DRAW, Seat, play_and_learn
from agents.training import train
from nim_envs import GameEnv, make_game
from tests.agents.learning import CASES

NIM = make_game("nim", heaps=(2, 3))
LONG = make_game("nim", heaps=(2, 2, 2))
"""Three moves leave something here, whichever they are."""


class Recorder(RandomAgent):
    """Plays given actions, or at random, and records its transitions."""

    def __init__(self, *actions):
        self.actions = list(actions)
        self.transitions, self.begun, self.games = [], 0, []

    def begin_game(self):
        self.begun += 1

    def act(self, observation, action_mask, rng):
        return self.actions.pop(0) if self.actions else super().act(observation, action_mask, rng)

    def update(self, transition):
        self.transitions.append(copy.deepcopy(transition))

    def learn_from_game(self, transitions):
        self.games.append(list(transitions))

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


def play(env, *recorders):
    env.reset(seed=0)
    seats = tuple(Seat(recorder) for recorder in recorders)
    return play_and_learn(env, seats, np.random.default_rng(0))


def as_lists(transition):
    return Transition(*(np.asarray(entry).tolist() for entry in transition))


def test_learners_are_told_of_truncation():
    first, second = Recorder(1), Recorder(4)
    env = GameEnv(NIM, max_cycles=1)
    assert play(env, first, second) == (DRAW, 2)
    (answered,), (unanswered,) = first.transitions, second.transitions
    # A cycle is a move of each: player_0 took heap 0, player_1 two of heap 1. Then player_0 might
    # have taken the last object.
    assert as_lists(answered) == Transition(
        seat=0, observation=[2, 3], legal_actions=[0, 1, 3, 4, 5], action=1, reward=0.0,
        reply_observation=[0, 3], reply_legal_actions=[3, 4, 5], reply_reward=0.0,
        next_observation=[0, 1], next_legal_actions=[3],
        terminated=False, truncated=True,
    )  # fmt: skip
    assert as_lists(unanswered) == Transition(
        seat=1, observation=[0, 3], legal_actions=[3, 4, 5], action=4, reward=0.0,
        reply_observation=[0, 1], reply_legal_actions=[3], reply_reward=0.0,
        next_observation=[0, 1], next_legal_actions=[],
        terminated=False, truncated=True,
    )  # fmt: skip
    assert first.begun == second.begun == 1
    assert first.games == second.games == []


def test_a_move_that_ends_the_game_at_the_limit_is_a_termination():
    first, second = Recorder(1), Recorder(5)
    assert play(GameEnv(NIM, max_cycles=1), first, second) == (1, 2)
    for recorder, reward, reply_reward in ((first, 0.0, -1.0), (second, 1.0, 0.0)):
        (transition,) = recorder.transitions
        assert (transition.terminated, transition.truncated) == (True, False)
        assert not len(transition.next_legal_actions)
        assert (transition.reward, transition.reply_reward) == (reward, reply_reward)
        assert [as_lists(turn) for turn in recorder.games[0]] == [as_lists(transition)]


@pytest.mark.parametrize(
    ("name", "where"),
    [
        # From the position after the move, where the opponent replied or the game was truncated.
        ("q-learning", {0, 1}),
        ("q-learning-opponent-max", {0, 1}),
        ("double-q-learning", {0, 1}),
        ("actor-critic", {0, 1}),
        ("natural-policy-gradient", {0, 1}),
        ("real-time-dynamic-programming", {0, 1}),
        # From the mover's next turn; the second mover has none.
        ("q-learning-own-turn", {0}),
        ("expected-sarsa", {0}),
        # The position after the first move, from the position after the reply.
        ("sampled-afterstate-td", {1}),
        # There is no next action, or no result.
        ("sarsa", set()),
        ("win-loss-ratio", set()),
        ("monte-carlo-es", set()),
        ("gradient-bandit", set()),
        ("watkins-q-lambda", set()),
    ],
)
def test_in_games_of_two_moves_each_learner_updates_the_turns_it_can_bootstrap_from(name, where):
    """The learned values are tested on hand-computed numbers in the learners' own tests."""
    env = GameEnv(LONG, max_cycles=1)
    agent = CASES[name](env)[0]
    rng = np.random.default_rng(0)
    arrays = list(agent.saved()["learned"].values())
    for array in arrays:
        array[...] = rng.random(array.shape)  # so that there is something to bootstrap from
    before = [array.copy() for array in arrays]
    log = train(env, agent, 20, seed=0, progress=False)
    assert (log.winners == DRAW).all()
    changed = set()
    for array, old in zip(arrays, before, strict=True):
        different = array.reshape(len(array), -1) != old.reshape(len(old), -1)
        changed |= set(np.flatnonzero(different.any(axis=1)).tolist())
    # As many heaps have been taken from as moves were made, but for two moves in one heap.
    positions = LONG.board.positions(np.array(sorted(changed), dtype=np.int64))
    assert {int(moves) for moves in (positions < 2).sum(axis=-1)} == where
