"""PPO of AgileRL in one seat, against a random opponent."""

from __future__ import annotations

import contextlib
from typing import Any

import gymnasium
import numpy as np

from benchmarks.studies.libraries.recipes import BOARDS
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.registered_games import gymnasium_id

with imports_for("this benchmark's learner of AgileRL", "agilerl"):
    import torch
    from agilerl.algorithms import PPO
    from agilerl.components.rollout_buffer import RolloutBuffer
    from agilerl.training.train_on_policy import train_on_policy

    from benchmarks.studies.libraries.network_policy import network_policy
    from nim_envs.adapters.agilerl import AgileRLVectorEnv

GAMES = 16


def move_ends_in_place(buffer: RolloutBuffer) -> None:
    """Have a buffer compute advantages with the ends of games at their last steps.

    AgileRL 2.7.1 stores with each step whether it ended a game, and reads this as whether the step
    before did: ``1 - dones[t + 1]`` is the weight of the value after step ``t``.
    """
    compute = buffer.compute_returns_and_advantages

    def compute_in_place(last_value: Any, last_done: Any) -> None:
        """Compute returns and advantages."""
        dones = buffer.buffer["dones"]
        dones[1:] = dones[:-1].clone()
        compute(last_value, last_done)

    buffer.compute_returns_and_advantages = compute_in_place


def ppo(board: str, moves: int, seed: int, *, ends_in_place: bool = False) -> list[PolicyFunction]:
    """Train with the defaults of AgileRL's PPO, the seat drawn for each game.

    Args:
        board: a key of :data:`benchmarks.studies.libraries.recipes.BOARDS`.
        moves: number of moves of training.
        seed: integer seed.
        ends_in_place: whether advantages are computed with :func:`move_ends_in_place`.
    """
    name, arguments = BOARDS[board]
    torch.manual_seed(seed)
    np.random.seed(seed)
    env = AgileRLVectorEnv(
        gymnasium.make_vec(
            gymnasium_id(name),
            num_envs=GAMES,
            vectorization_mode="vector_entry_point",
            autoreset_mode="SameStep",
            start="uniform",
            opponent="random",
            seat="random",
            encoding="one_hot",
            **arguments,
        )
    )
    env.reset(seed=seed)
    learner = PPO(
        env.single_observation_space, env.single_action_space, num_envs=GAMES,
        use_rollout_buffer=True,
    )  # fmt: skip
    if ends_in_place:
        move_ends_in_place(learner.rollout_buffer)
    with contextlib.redirect_stdout(None):
        population, _ = train_on_policy(
            env, name, "PPO", [learner], max_steps=moves, evo_steps=moves, verbose=False
        )
    actor = population[0].actor.eval()
    return [network_policy(lambda inputs: actor.head_net.wrapped(actor.extract_features(inputs)))]
