"""Stable-Baselines3: batched games as a ``VecEnv``, and scores of models during training."""

from nim_envs.optional import imports_for

with imports_for("the adapter for Stable-Baselines3", "sb3"):
    from nim_envs.adapters.sb3.callbacks import EntropyDecay, OptimalityCallback
    from nim_envs.adapters.sb3.policy import sb3_policy
    from nim_envs.adapters.sb3.vec_env import NEGAMAX, GameVecEnv

__all__ = ["NEGAMAX", "EntropyDecay", "GameVecEnv", "OptimalityCallback", "sb3_policy"]
