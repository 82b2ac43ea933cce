"""A model of Stable-Baselines3 as a function that can be scored."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy

from nim_envs.players import PolicyFunction
from nim_envs.typing import Array, MaskArray


def sb3_policy(model: BaseAlgorithm, *, greedy: bool = True) -> PolicyFunction:
    """Return ``model`` as a policy for :func:`nim_envs.optimality`.

    The function follows the model's further training. A model of plain arrays gets the
    observations; one of dictionaries, as ``gymnasium.make`` returns them, the masks beside them.

    Args:
        model: a ``MaskablePPO`` model, which plays legal moves only; or one without masks, such as
            ``PPO`` or ``DQN``, whose illegal moves the score counts.
        greedy: whether it takes its best action, as by ``model.predict(..., deterministic=True)``,
            instead of drawing one.

    Returns:
        A function of observations ``(n, ...)`` and action masks ``(n, actions)`` that returns
        actions ``(n,)``, or without ``greedy`` probabilities ``(n, actions)``.

    Raises:
        TypeError: without ``greedy``, the model has no probabilities.

    Example:
        >>> from sb3_contrib import MaskablePPO
        >>> import nim_envs
        >>> from nim_envs.adapters.sb3 import GameVecEnv
        >>> env = GameVecEnv(nim_envs.make_game("nim"), 4, opponent=None)
        >>> model = MaskablePPO("MlpPolicy", env, device="cpu")
        >>> nim_envs.optimality(sb3_policy(model), env).count
        102
    """
    return ModelPolicy(model, greedy=greedy)


class ModelPolicy:
    """A model as a policy; see :func:`sb3_policy`.

    Attributes:
        num_actions: number of actions of the model.
    """

    def __init__(self, model: BaseAlgorithm, *, greedy: bool) -> None:
        network: Any = model.policy
        space: Any = model.action_space
        self.num_actions = int(space.n)
        self._model = model
        self._greedy = greedy
        self._maskable = isinstance(network, MaskableActorCriticPolicy)
        if not greedy and not isinstance(network, (ActorCriticPolicy, MaskableActorCriticPolicy)):
            raise TypeError(f"{type(model).__name__} has no probabilities: it can only be greedy")

    def __call__(self, observations: Array, masks: MaskArray) -> Any:
        """Return actions ``(n,)`` or probabilities ``(n, actions)``.

        Args:
            observations: ``(n, ...)``.
            masks: ``(n, actions)``.

        Raises:
            ValueError: the model was trained on another game or encoding.
        """
        if self._maskable and self.num_actions != masks.shape[1]:
            raise ValueError(
                f"the model has {self.num_actions} actions, this game {masks.shape[1]}"
            )
        inputs: Any = observations
        if isinstance(self._model.observation_space, spaces.Dict):
            inputs = {"observation": observations, "action_mask": masks}
        normalizer = self._model.get_vec_normalize_env()
        if normalizer is not None:
            inputs = normalizer.normalize_obs(inputs)
        legal = {"action_masks": masks.astype(np.bool_)} if self._maskable else {}
        if self._greedy:
            return self._model.predict(inputs, deterministic=True, **legal)[0]
        network: Any = self._model.policy
        network.set_training_mode(False)
        with torch.no_grad():
            tensors, _ = network.obs_to_tensor(inputs)
            return network.get_distribution(tensors, **legal).distribution.probs
