"""Self-play as one stream of steps, as libraries for one player see it."""

from typing import Any

import gymnasium

from nim_envs import GameEnv
from nim_envs.typing import Array


class BothSeats(gymnasium.Env[Array, int]):
    """Both seats of a turn-based game as if they were one player, as in PettingZoo's tutorial.

    A step returns the reward of the player who moved, and the observation of the player to move
    next, who is the opponent.

    Args:
        aec: the turn-based environment; scores would take one under the name ``env`` for wrapped.
    """

    def __init__(self, aec: GameEnv) -> None:
        self.aec, self.game, self.encoding = aec, aec.game, aec.encoding
        player = aec.possible_agents[0]
        observed: Any = aec.observation_space(player)
        self.observation_space = observed["observation"]
        self.action_space = aec.action_space(player)

    def reset(
        self, *, seed: int | None = None, options: Any = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin a new game."""
        super().reset(seed=seed)
        self.aec.reset(seed=seed, options=options)
        return self._observed("observation"), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Move for the player to move."""
        aec, mover = self.aec, self.aec.agent_selection
        aec.step(int(action))
        ends = aec.terminations[mover], aec.truncations[mover]
        return self._observed("observation"), aec.rewards[mover], *ends, {}

    def action_masks(self) -> Array:
        """Return the action mask of the player to move."""
        return self._observed("action_mask")

    def _observed(self, part: str) -> Array:
        observed: Array = self.aec.observe(self.aec.agent_selection)[part]
        return observed
