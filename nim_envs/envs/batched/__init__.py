"""Many games at a time, stepped by compiled code.

``environment.py`` checks arguments and makes infos, ``tables.py`` turns a game into arrays, and
``kernels.py`` plays on these.
"""

from nim_envs.optional import imports_for

with imports_for("the batched environment", "vector"):
    from nim_envs.envs.batched.environment import VectorGameEnv

__all__ = ["VectorGameEnv"]
