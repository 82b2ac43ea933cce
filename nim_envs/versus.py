"""The name that :mod:`nim_envs.envs.versus` had in the first version, for those who use it."""

from nim_envs.envs.versus import VersusEnv

__all__ = ["VersusEnv"]
