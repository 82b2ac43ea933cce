"""DQN of Tianshou against a random opponent, as in its tic-tac-toe example."""

import logging

import numpy as np

from benchmarks.studies.libraries.recipes import board_game
from nim_envs.envs.turn_based import GameEnv
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction

with imports_for("this benchmark's learner of Tianshou", "tianshou"):
    import torch
    from tianshou.algorithm import (
        DQN,
        MARLRandomDiscreteMaskedOffPolicyAlgorithm,
        MultiAgentOffPolicyAlgorithm,
    )
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net

    from benchmarks.studies.network_policy import network_policy

GAMES = 10


def dqn(board: str, moves: int, seed: int, *, horizon: int) -> list[PolicyFunction]:
    """Train in the second seat with the settings of the example.

    The horizon of the example's returns is 3 steps; a player's own next turn is 2 later.
    """
    np.random.seed(seed)
    torch.manual_seed(seed)
    # It warns of every game that its statistics mix both players' returns.
    logging.getLogger("tianshou").setLevel(logging.ERROR)

    def make() -> PettingZooEnv:
        return PettingZooEnv(GameEnv(board_game(board), encoding="one_hot"))

    env = make()
    envs = DummyVectorEnv([make for _ in range(GAMES)])
    envs.seed(seed)
    observed = env.observation_space["observation"]
    network = Net(
        state_shape=observed.shape, action_shape=env.action_space.n, hidden_sizes=[128] * 4
    )
    learner = DQN(
        # With several agents, Tianshou explores with the ε of inference, in training too.
        policy=DiscreteQLearningPolicy(
            model=network, action_space=env.action_space, observation_space=observed,
            eps_training=0.1, eps_inference=0.1,
        ),
        optim=AdamOptimizerFactory(lr=1e-4),
        gamma=0.9,
        n_step_return_horizon=horizon,
        target_update_freq=320,
    )  # fmt: skip
    opponent = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[opponent, learner], env=env)
    buffer = VectorReplayBuffer(20_000, GAMES)
    both.run_training(
        OffPolicyTrainerParams(
            training_collector=Collector(both, envs, buffer, exploration_noise=True),
            max_epochs=1,
            epoch_num_steps=moves,
            collection_step_num_env_steps=10,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=64,
            test_step_num_episodes=0,
            verbose=False,
            show_progress=False,
        )
    )
    return [network_policy(lambda inputs: network(inputs)[0], greedy=True)]
