"""Truncated, drawn and stopped games: which learners learn from which of their turns."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from agents import (
    Transition,
)
from agents.loop import DRAW, Seat, play_and_learn
from agents.storage import load, save
from agents.training import TrainingStopped, train
from nim_envs import GameEnv, make_game
from tests.agents.learning import CASES, contents, small_env
from tests.pairwise import in_turn

NIM = make_game("nim", heaps=(2, 3))
LONG = make_game("nim", heaps=(2, 2, 2))
"""Three moves leave something here, whichever they are."""


def learns_late(name):
    """Whether a learner learns from a turn only once more of its game is known."""
    learner = CASES[name](small_env())[0]
    return learner.learn_episode is not None or learner.begin is not None


class Recorder:
    """Plays given actions, and records its transitions."""

    def __init__(self, *actions):
        self.actions = list(actions)
        self.transitions, self.begun, self.games = [], 0, []

    def begin_game(self):
        self.begun += 1

    def act(self, observation, action_mask, rng):
        return self.actions.pop(0)

    def update(self, transition):
        self.transitions.append(copy.deepcopy(transition))

    def learn_from_game(self, transitions):
        self.games.append(list(transitions))

    def greedy(self):
        return self


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


class Interrupting:
    """Takes one object, and presses Ctrl-C at its second move."""

    moves = 0

    def act(self, observation, action_mask, rng):
        self.moves += 1
        if self.moves == 2:
            raise KeyboardInterrupt
        return int(np.flatnonzero(action_mask)[0])


@pytest.mark.parametrize(
    ("name", "compiled"),
    in_turn([name for name in CASES if learns_late(name)], [False, True]),
)
def test_half_a_game_before_ctrl_c_is_discarded(name, compiled, tmp_path):
    env = GameEnv(LONG)
    interrupted, other = CASES[name](env)[0], CASES[name](env)[0]
    # One turn of the learner is complete by then, but it learns only later.
    with pytest.raises(TrainingStopped) as stopped:
        train(env, (interrupted, Interrupting()), 5, seed=0, progress=False)
    assert stopped.value.log.games == 0
    assert contents(interrupted) == contents(other)
    save(interrupted, tmp_path / "learner.zip")
    loaded = load(tmp_path / "learner.zip")
    for learner in (interrupted, loaded, other):
        train(env, learner, 20, seed=2, progress=False, compiled=compiled)
        assert contents(learner) == contents(interrupted)
