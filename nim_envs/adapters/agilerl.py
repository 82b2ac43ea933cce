"""AgileRL: action masks in the infos."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import VectorEnv, VectorWrapper


class AgileRLVectorEnv(VectorWrapper):
    """Many games at once, with the masks in the infos and out of the observations.

    AgileRL's training loops read masks only from ``info["action_mask"]``, and would feed a mask
    in the observation to the network. The environment of one game needs no wrapper:
    ``gymnasium.make("nim_envs/Nim-v0", mask_in_observation=False)`` has the mask there already.

    Args:
        env: a batched environment of this package with ``autoreset_mode="SameStep"``, as AgileRL
            expects a move in every game at every step.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        both: tuple[Any, Any] = (env.single_observation_space, env.observation_space)
        self._single_observation_space, self._observation_space = (
            space["observation"] for space in both
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games."""
        observations, infos = self.env.reset(seed=seed, options=options)
        masked = {**infos, "action_mask": observations["action_mask"]}
        return observations["observation"], masked

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Make a move in every game."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        masked = {**infos, "action_mask": observations["action_mask"]}
        return observations["observation"], rewards, terminations, truncations, masked
