"""Reward shaping that any learner can use; off unless asked for."""

from __future__ import annotations

import numpy as np

from agents.base import Array, Learner, MaskArray, Policy, Transition
from agents.storable import storable


@storable
class NimSumShaping:
    """Pays a learner a bonus whenever its move leaves nim-sum 0.

    It tells the learner Bouton's theorem by way of rewards: what is learned with it was not
    learned from the game alone. Observations must be heaps (``encoding="integer"``).

    Args:
        learner: who is paid.
        bonus: added to the reward of such a move.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim"))
        >>> spaces = env.observation_space("player_0"), env.action_space("player_0")
        >>> agent = NimSumShaping(QLearning(*spaces), bonus=0.1)
    """

    def __init__(self, learner: Learner, bonus: float) -> None:
        self.learner = learner
        self.bonus = bonus

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def update(self, transition: Transition) -> None:
        """Let the learner learn from the turn, with the bonus where it is due."""
        if np.bitwise_xor.reduce(transition.reply_observation) == 0:
            transition = transition._replace(reward=transition.reward + self.bonus)
        self.learner.update(transition)

    def greedy(self) -> Policy:
        """Return what the learner has learned."""
        return self.learner.greedy()
