"""RLlib: turn-based games in self-play, for its module with action masking."""

from typing import Any

import pettingzoo
from gymnasium import spaces

from nim_envs.optional import imports_for

with imports_for("the adapter for RLlib", "rllib"):
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv


class MaskedPettingZooEnv(PettingZooEnv):
    """A registered game as a ``MultiAgentEnv`` with the key ``"observations"``, in the plural.

    RLlib's ``ActionMaskingTorchRLModule`` reads the mask from ``"action_mask"`` and the rest from
    ``"observations"``, and refuses what PettingZoo and its environments call ``"observation"``.

    Args:
        config: the environment's ``"id"`` and arguments of ``pettingzoo.make``, as passed by
            ``PPOConfig().environment(MaskedPettingZooEnv, env_config=...)``.

    Raises:
        KeyError: there is no ``"id"``.
        NameNotFound: no game is registered under it.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        arguments = dict(config)
        super().__init__(pettingzoo.make("aec", arguments.pop("id"), **arguments))
        # Scores read these attributes.
        self.game, self.encoding = self.env.unwrapped.game, self.env.unwrapped.encoding
        both = {agent: self.env.observation_space(agent) for agent in self.env.possible_agents}
        observed_spaces: Any = {agent: spaces.Dict(each) for agent, each in _renamed(both).items()}
        self.observation_spaces = observed_spaces
        self.observation_space = spaces.Dict(observed_spaces)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game; only the agent to move observes."""
        observations, infos = super().reset(seed=seed, options=options)
        return _renamed(observations), infos

    def step(self, action: dict[str, Any]) -> tuple[Any, ...]:
        """Make the move of the agent to move; at the end of the game both agents observe."""
        observations, *rest = super().step(action)
        return (_renamed(observations), *rest)


def _renamed(observations: dict[str, Any]) -> dict[str, Any]:
    return {
        agent: {"observations": observed["observation"], "action_mask": observed["action_mask"]}
        for agent, observed in observations.items()
    }
