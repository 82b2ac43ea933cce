"""Many games at a time, stepped by compiled code over tables."""

from nim_envs.optional import imports_for

with imports_for("the batched environment", "vector"):
    from nim_envs.envs.vector.environment import VectorGameEnv

__all__ = ["VectorGameEnv"]
