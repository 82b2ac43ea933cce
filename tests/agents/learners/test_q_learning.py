"""Q-learning on hand-computed numbers: its bootstraps, rewards and replay."""

from __future__ import annotations

import numpy as np
import pytest

from agents import QLearning, Replay, train
from nim_envs import GameEnv, make_game
from nim_envs.scoring import optimality
from tests.agents.learning import BoxRows, feed, turn


def learner_of(rows, **arguments):
    learner = QLearning(BoxRows(), **arguments)
    for position, row in rows.items():
        learner.table[position] = row
    return learner


@pytest.mark.parametrize(
    ("bootstrap", "target"),
    [
        ("negamax", -0.9 * 0.7),  # the opponent's best, with a minus sign
        ("own_turn", 0.9 * 0.3),  # the mover's own best, two plies on
        ("opponent_max", 0.9 * 0.7),  # the published sign
    ],
)
@pytest.mark.parametrize("cut", ["", "after the reply"])
def test_each_bootstrap_has_its_target_also_in_truncated_games(bootstrap, target, cut):
    rows = {2: [0.1, 0.7], 4: [0.3, -0.2], 1: [0.2, 0.0]}
    learner = learner_of(rows, bootstrap=bootstrap, learning_rate=0.5, discount=0.9)
    feed(learner, [turn(1, 0, reply=2, following=4, cut=cut)])
    assert learner.table[1].tolist() == pytest.approx([0.2 + 0.5 * (target - 0.2), 0.0])


@pytest.mark.parametrize("replay", [None, Replay(capacity=3, batch=4, interval=1)])
@pytest.mark.parametrize(
    ("bootstrap", "target"), [("negamax", -0.7), ("own_turn", None), ("opponent_max", 0.7)]
)
def test_own_turn_learns_nothing_from_a_turn_without_a_reply(bootstrap, target, replay):
    learner = learner_of({2: [0.1, 0.7], 4: [0.3, 0.2]}, bootstrap=bootstrap, replay=replay)
    before = learner.table.copy()
    feed(learner, [turn(1, 0, reply=2, following=4, cut="after the move")])
    if target is not None:
        before[1, 0] = target
    assert learner.table.tolist() == before.tolist()


@pytest.mark.parametrize(
    ("bootstrap", "target"),
    [("negamax", -0.7), ("own_turn", -1.0), ("opponent_max", 0.7 - 1.0)],
)
def test_a_move_whose_reply_ended_the_game(bootstrap, target):
    learner = learner_of({2: [0.1, 0.7], 4: [9.0, 9.0]}, bootstrap=bootstrap)
    feed(learner, [turn(1, 0, reply=2, following=4, reply_reward=-1.0, end=True)])
    assert learner.table[1, 0] == pytest.approx(target)


def test_replay_learns_from_stored_turns_at_its_intervals():
    learner = learner_of({}, learning_rate=0.5, replay=Replay(capacity=1, batch=3, interval=2))
    feed(learner, [turn(1, 0, reward=1.0)])
    assert learner.table[1, 0] == 0.5
    feed(learner, [turn(1, 0, reward=1.0)])
    assert learner.table[1, 0] == 0.75
    # Two games have ended: three more steps, each half of the way to 1.
    feed(learner, [turn(1, 0, reward=1.0)])
    assert learner.table[1, 0] == pytest.approx(1 - 0.125 * 0.5**3)
    # Three have ended: that is not yet two more.
    feed(learner, [turn(1, 0, reward=1.0)])
    assert learner.table[1, 0] == pytest.approx(1 - 0.125 * 0.5**4)
    with pytest.raises(ValueError, match="batch"):
        Replay(batch=0)


def test_replay_draws_anew_each_time():
    learner = learner_of({}, replay=Replay(capacity=3, batch=1, interval=1))
    replayed = set()
    for game in range(60):
        learner.table[:] = 7.0
        feed(learner, [turn(game % 3, 0, end=True)])
        if game >= 3:  # the buffer is full, with each position in a place of its own
            replayed |= set(np.flatnonzero(learner.table[:, 0] != 7.0)) - {game % 3}
    assert replayed == {0, 1, 2}


def test_replay_bootstraps_from_legal_actions_alone():
    learner = learner_of({2: [0.1, 0.7]}, replay=Replay(capacity=1, batch=1, interval=1))
    only_first = np.array([1, 0], dtype=np.int8)
    feed(learner, [turn(1, 0, reply=2, reply_legal=only_first, cut="after the reply")])
    learner.table[1, 0] = 5.0
    # One game has ended: the turn is learned from again, whatever the new one is.
    feed(learner, [turn(1, 0, reply=2, reply_legal=only_first, cut="after the reply")])
    assert learner.table[1, 0] == -0.1


def test_the_published_sign_keeps_the_table_from_learning():
    env = GameEnv(make_game("nim", heaps=(3, 4, 5), start="uniform"))
    scores = {}
    for bootstrap in ("negamax", "opponent_max"):
        learner = QLearning.for_env(env, bootstrap=bootstrap, learning_rate=0.3, discount=0.95)
        train(env, learner, 12_000, seed=0, progress=False)
        scores[bootstrap] = optimality(learner.greedy(), env.game).percent
    assert scores["negamax"] == 100
    assert scores["opponent_max"] < 60
