"""Many games at a time, stepped by compiled code over tables.

A step, from the outside in: ``VectorGameEnv.step`` (``environment.py``) checks actions and makes
infos; ``Engine.play`` (``engine.py``) has the arrays (``games.py``) and the tables (``tables.py``);
``play`` (``kernels.py``) runs the phases: ``new_games.py``, ``action_choice.py`` for the opponent,
``moves.py``, ``outputs.py``.
"""

from nim_envs.optional import imports_for

with imports_for("the batched environment", "vector"):
    from nim_envs.envs.vector.environment import VectorGameEnv

__all__ = ["VectorGameEnv"]
