"""The name that :mod:`nim_envs.envs.vector` had in the first version, for those who use it."""

from nim_envs.envs.vector import VectorGameEnv

__all__ = ["VectorGameEnv"]
