"""Tianshou trains on these games through its own wrapper, and is scored exactly."""

import numpy as np
import pettingzoo
import pytest
import torch
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

from nim_envs.registry import GAMES
from tests.clients.tutorials import run_tutorial
from tests.games import KINDS


@pytest.fixture(scope="module")
def tutorial():
    torch.set_num_threads(1)
    return run_tutorial("tianshou")


def test_the_tutorial_trains_and_scores(tutorial):
    score = tutorial["score"]
    assert score.count == 18
    assert score.illegal_percent == 0
    assert score.percent > 80 > 1.5 * score.random_percent


def test_training_played_legal_moves_alone(tutorial):
    game, buffer = tutorial["env"].env.unwrapped.game, tutorial["buffer"]
    stored = buffer[:]
    every = game.board.positions(np.arange(game.board.num_positions))
    codes = tutorial["env"].env.unwrapped.encoding.encode(every)
    masks = game.board.mask((stored.obs.obs @ codes.T).argmax(axis=1))
    assert len(stored) >= 3200
    assert (masks == stored.obs.mask).all()
    assert masks[np.arange(len(masks)), stored.act].all()
    # One game's moves alternate, and the rewards of the two seats cancel out.
    following = ~stored.done[:-1]
    assert (stored.obs.agent_id[:-1][following] == stored.obs.agent_id[1:][following]).mean() < 0.02
    assert (stored.rew.sum(axis=1) == 0).all()
    assert (np.abs(stored.rew[:, 0]) == stored.done).all()


@pytest.mark.parametrize("name", KINDS)
def test_random_play_of_every_game_needs_no_adapter(name):
    def make():
        return PettingZooEnv(pettingzoo.make("aec", GAMES[name].aec_id, illegal_move="raise"))

    env, envs = make(), DummyVectorEnv([make for _ in range(3)])
    players = [
        MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
        for _ in env.agents
    ]
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm

    both = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
    collector = Collector(both, envs, VectorReplayBuffer(600, 3))
    stats = collector.collect(n_episode=9, reset_before_collect=True)
    assert stats.n_collected_episodes == 9
    assert (collector.buffer[:].rew.sum(axis=1) == 0).all()
