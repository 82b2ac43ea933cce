"""Opponents of a learner: others, itself, and its earlier selves."""

import numpy as np
import pettingzoo
import pytest

from agents import Opponents, OptimalAgent, QLearning, RandomAgent, train
from nim_envs import make_game, optimality
from tests.agents.learning import contents, small_env


def test_opponents_come_in_rotation_or_at_random_and_seats_change():
    agent, opponents = QLearning.for_env(small_env()), [RandomAgent(), RandomAgent()]
    rngs = np.random.default_rng(0), np.random.default_rng(1)

    def met(games, **arguments):
        setting = Opponents(agent, opponents, **arguments)
        pairs = [setting.pair(game, *rngs) for game in range(games)]
        seats = [pair.index(agent) for pair in pairs]
        return seats, [
            opponents.index(pair[1 - seat]) for pair, seat in zip(pairs, seats, strict=True)
        ]

    assert met(5) == ([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    assert met(5, seat=1) == ([1] * 5, [0, 1, 0, 1, 0])
    seats, drawn = met(400, order="random")
    assert seats[:4] == [0, 1, 0, 1]
    assert 150 < sum(drawn) < 250


def test_a_learner_meets_itself_among_its_opponents():
    env = pettingzoo.make("aec", "nim_envs/nim", heaps=(3, 4), start="uniform")
    agent = QLearning.for_env(env)
    opponents = Opponents(agent, [agent, RandomAgent(), OptimalAgent(env.game)], order="random")
    train(env, opponents, 6_000, seed=1, progress=False)
    assert optimality(agent.greedy(), env.game).percent == 100


def trained_with_pool(games, **arguments):
    """The opponents of a run, and its log."""
    env = small_env()
    learner = QLearning.for_env(env, epsilon=0.3)
    opponents = Opponents(learner, [learner], **arguments)
    return opponents, train(env, opponents, games, seed=5, progress=False)


def test_earlier_selves_leave_other_draws_as_they_are_and_come_again_with_the_seed():
    (_, alone), (one, pooled) = trained_with_pool(90), trained_with_pool(90, pool=3, every=30)
    assert pooled.winners[:30].tolist() == alone.winners[:30].tolist()
    assert pooled.lengths[:30].tolist() == alone.lengths[:30].tolist()
    assert pooled.lengths.tolist() != alone.lengths.tolist()
    again, log = trained_with_pool(90, pool=3, every=30)
    assert log.lengths.tolist() == pooled.lengths.tolist()
    assert contents(again.learner) == contents(one.learner)


def test_the_latest_earlier_selves_are_kept_as_they_were():
    shorter, _ = trained_with_pool(60, pool=2, every=20)
    longer, _ = trained_with_pool(79, pool=2, every=20)
    tables = [[each.table.tolist() for each in run.earlier_selves] for run in (shorter, longer)]
    assert tables[0] == tables[1]
    assert tables[0][1] == shorter.learner.table.tolist() != longer.learner.table.tolist()
    assert tables[0][0] != tables[0][1]


def test_an_earlier_self_is_one_more_opponent_drawn_uniformly():
    opponents, _ = trained_with_pool(40, pool=4, every=10)
    generators = np.random.default_rng(0), np.random.default_rng(1)
    met = [opponents.pair(game, *generators) for game in range(8_000)]
    assert all(set(pair) == {opponents.learner} for pair in met[::2])
    counts = [sum(earlier in pair for pair in met) for earlier in opponents.earlier_selves]
    assert sum(counts) == 4_000
    assert all(900 < count < 1_100 for count in counts)  # 1,000 expected, deviation 27


def test_earlier_selves_know_only_what_was_observed_then():
    env = pettingzoo.make("aec", "classic/tictactoe-v3")
    agent = QLearning.for_env(env)
    log = train(env, Opponents(agent, [agent], pool=30, every=10), 300, seed=0, progress=False)
    assert log.games == 300


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"opponents": []}, r"\[\]"),
        ({"order": "sorted"}, "sorted"),
        ({"seat": 2}, "2"),
        ({"pool": -1}, "pool .*-1"),
        ({"pool": 1, "every": 0}, "every .*0"),
    ],
)
def test_opponents_are_checked(arguments, named):
    learner = QLearning(make_game("nim", heaps=(2,)))
    with pytest.raises(ValueError, match=named):
        Opponents(learner, **{"opponents": [learner], **arguments})
    for wrong in ((RandomAgent(), [learner]), (learner, RandomAgent()), (learner, [1])):
        with pytest.raises(TypeError, match=r"expected a(n agent| learner)"):
            Opponents(*wrong)
