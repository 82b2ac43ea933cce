"""TorchRL: boolean action masks with at least one true entry."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv, VectorObservationWrapper
from gymnasium.vector.utils import batch_space


def _boolean_mask(space: Any) -> spaces.Dict[Any]:
    """The space of observations whose mask is boolean."""
    boolean: Any = np.bool_
    mask = spaces.Box(low=0, high=1, shape=space["action_mask"].shape, dtype=boolean)
    return spaces.Dict({"observation": space["observation"], "action_mask": mask})


def _with_something_legal(observation: dict[str, Any]) -> dict[str, Any]:
    """Return the observation with a boolean mask, all true where no action is legal."""
    mask = observation["action_mask"] != 0
    over = ~mask.any(axis=-1, keepdims=True)
    return {"observation": observation["observation"], "action_mask": mask | over}


class TorchRLEnv(gymnasium.ObservationWrapper[Any, Any, Any]):
    """One game for ``torchrl.envs.GymWrapper``.

    TorchRL's ``MaskedCategorical`` takes boolean masks only. Its ``ActionMask`` draws an action
    from every mask, even from the last of a game, on which nobody acts: with nothing legal there,
    ``check_env_specs`` and rollouts fail. So a mask of all zeros becomes all true.

    Args:
        env: an environment with action masks in its observations.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.observation_space = _boolean_mask(env.observation_space)

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        """Return the observation in TorchRL's form."""
        return _with_something_legal(observation)


class TorchRLVectorEnv(VectorObservationWrapper):
    """Many games at once for ``torchrl.envs.GymWrapper``, masked as in :class:`TorchRLEnv`.

    Args:
        env: a batched environment of this package with ``autoreset_mode="Disabled"``, as TorchRL
            resets games itself.

    Raises:
        ValueError: another ``autoreset_mode``.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        mode = env.metadata["autoreset_mode"]
        if mode is not AutoresetMode.DISABLED:
            raise ValueError(
                f"autoreset_mode must be 'Disabled', as TorchRL resets games, not {mode.value!r}"
            )
        super().__init__(env)
        # TorchRL reads it from the wrapper itself, which by default has none.
        self.autoreset_mode = mode
        self._single_observation_space = _boolean_mask(env.single_observation_space)
        self._observation_space = batch_space(self._single_observation_space, env.num_envs)

    def observations(self, observations: dict[str, Any]) -> dict[str, Any]:
        """Return the observations in TorchRL's form."""
        return _with_something_legal(observations)
