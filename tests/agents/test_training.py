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
    Opponents,
    OptimalAgent,
    Policy,
    QLearning,
    RandomAgent,
)
from agents.loop import DRAW
from agents.training import train
from nim_envs.scoring import optimality
from tests.agents.learning import CASES, contents, small_env


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


def test_a_learner_can_train_against_an_agent_that_does_not_learn():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(2, 3), start="uniform")
    agent = QLearning.for_env(env)
    log = train(env, (agent, OptimalAgent(env.game)), 500, seed=0, progress=False)
    assert agent.table.any()
    assert 0 < (log.winners == 0).sum() < 500


class Named(RandomAgent):
    """Plays at random and writes down its name."""

    def __init__(self, name, record):
        self.name = name
        self.record = record

    def act(self, observation, action_mask, rng):
        self.record.append(self.name)
        return super().act(observation, action_mask, rng)


def test_opponents_come_in_rotation_or_at_random_and_seats_change():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(1, 1))  # two moves a game, no choice
    agent = QLearning.for_env(env)
    record = []
    opponents = [Named("a", record), Named("b", record)]
    train(env, Opponents(agent, opponents), 8, seed=0, progress=False)
    assert record == ["a", "b"] * 4
    generators = np.random.default_rng(0), np.random.default_rng(1)
    seats = [
        [pair.index(agent) for pair in (setting.pair(g, *generators) for g in range(5))]
        for setting in (
            Opponents(agent, opponents),
            Opponents(agent, opponents, seat=1),
            Opponents(agent, opponents, order="random"),
        )
    ]
    assert seats == [[0, 0, 1, 1, 0], [1] * 5, [0, 1, 0, 1, 0]]
    record.clear()
    train(env, Opponents(agent, opponents, order="random"), 400, seed=0, progress=False)
    assert 150 < record.count("a") < 250


def test_a_learner_meets_itself_among_its_opponents():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4), start="uniform")
    agent = QLearning.for_env(env)
    opponents = Opponents(agent, [agent, RandomAgent(), OptimalAgent(env.game)], order="random")
    train(env, opponents, 6_000, seed=1, progress=False)
    assert optimality(agent.greedy(), env.game).percent == 100


def trained_with_pool(games, compiled=True, **arguments):
    """Return the opponents of a run, its log and the positions at which its games began."""
    env = small_env()
    learner = QLearning.for_env(env, epsilon=0.3)
    opponents, starts = Opponents(learner, [learner], **arguments), []
    reset = env.reset
    env.reset = lambda **given: (reset(**given), starts.append(tuple(env.position.tolist())))
    log = train(env, opponents, games, seed=5, progress=False, compiled=compiled)
    return opponents, log, starts


def test_earlier_selves_leave_other_draws_as_they_are():
    _, alone, starts = trained_with_pool(90)
    _, pooled, pooled_starts = trained_with_pool(90, pool=3, every=30)
    assert pooled_starts == starts
    assert (pooled.winners[:30].tolist(), pooled.lengths[:30].tolist()) == (
        alone.winners[:30].tolist(), alone.lengths[:30].tolist(),
    )  # fmt: skip
    assert pooled.lengths.tolist() != alone.lengths.tolist()


def test_same_seed_same_games_with_earlier_selves_in_both_loops():
    runs = [trained_with_pool(200, compiled, pool=4, every=20) for compiled in (True, False)]
    (one, log, _), (other, log_again, _) = runs
    assert log.winners.tolist() == log_again.winners.tolist()
    assert contents([one.learner]) == contents([other.learner])


def test_the_latest_earlier_selves_are_kept_as_they_were():
    shorter, _, _ = trained_with_pool(60, pool=2, every=20)
    longer, _, _ = trained_with_pool(79, pool=2, every=20)
    tables = [[each.table.tolist() for each in run.earlier_selves] for run in (shorter, longer)]
    assert tables[0] == tables[1]
    assert tables[0][1] == shorter.learner.table.tolist() != longer.learner.table.tolist()
    assert tables[0][0] != tables[0][1]


def test_an_earlier_self_is_one_more_opponent_drawn_uniformly():
    opponents, _, _ = trained_with_pool(40, pool=4, every=10)
    generators = np.random.default_rng(0), np.random.default_rng(1)
    met = [opponents.pair(game, *generators) for game in range(8_000)]
    assert all(set(pair) == {opponents.learner} for pair in met[::2])
    counts = [sum(earlier in pair for pair in met) for earlier in opponents.earlier_selves]
    assert sum(counts) == 4_000
    assert all(900 < count < 1_100 for count in counts)  # 1,000 expected, deviation 27


def test_earlier_selves_know_only_what_was_observed_then():
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    agent = QLearning.for_env(env)
    opponents = Opponents(agent, [agent], pool=30, every=10)
    log = train(env, opponents, 300, seed=0, progress=False)
    assert log.games == 300


# One that learns from turns, one from whole games, one with random numbers of its own.
@pytest.mark.parametrize("name", ["q-learning", "watkins-q-lambda", "double-q-learning"])
def test_one_opponent_in_a_fixed_seat_is_a_pair(name):
    runs = []
    for opposed in (False, True):
        env = small_env()
        learner, opponent = CASES[name](env)[0], CASES[name](env)[0]
        pair = (learner, opponent)
        agents = Opponents(learner, [opponent], seat=0) if opposed else pair
        log = train(env, agents, 60, seed=2, progress=False, compiled=False)
        runs.append((log.winners.tolist(), log.lengths.tolist(), contents(pair)))
    assert runs[0] == runs[1]


def test_opponents_are_checked():
    env = pettingzoo.make("aec", "nim_envs/nim")
    agent = QLearning.for_env(env)
    for arguments, named in (
        ({"opponents": []}, r"\[\]"),
        ({"opponents": [agent], "order": "sorted"}, "sorted"),
        ({"opponents": [agent], "seat": 2}, "2"),
        ({"opponents": [agent], "pool": -1}, "pool .*-1"),
        ({"opponents": [agent], "pool": 1, "every": 0}, "every .*0"),
    ):
        with pytest.raises(ValueError, match=named):
            Opponents(agent, **arguments)


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
