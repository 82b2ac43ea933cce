"""Reward shaping that any learner can use; off unless asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray, Learner, MaskArray, Policy, Transition
from agents.storable import storable
from agents.training.compiled.games import Turn, choose, implements, learn


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

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the learner's probabilities; it must have them."""
        inner: Any = self.learner
        probabilities: FloatArray = inner.action_probabilities(observations, action_masks)
        return probabilities

    def update(self, transition: Transition) -> None:
        """Let the learner learn from the turn, with the bonus where it is due."""
        if np.bitwise_xor.reduce(transition.reply_observation) == 0:
            transition = transition._replace(reward=transition.reward + self.bonus)
        self.learner.update(transition)

    def greedy(self) -> Policy:
        """Return what the learner has learned."""
        return self.learner.greedy()

    def compiled_state(self, longest_game: int) -> NimSumShapingState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        inner: Any = self.learner
        return NimSumShapingState(inner.compiled_state(longest_game), float(self.bonus))


class NimSumShapingState(NamedTuple):
    """What :class:`NimSumShaping` is in compiled games."""

    learner: Any  # the state of who is paid
    bonus: float


@implements(choose, NimSumShapingState)
def _choose(
    state: NimSumShapingState,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`NimSumShaping.act`."""
    return choose(state.learner, observation, position, legal_actions, first_move, epsilon, uniform)


@implements(learn, NimSumShapingState)
def _learn(
    state: NimSumShapingState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`NimSumShaping.update`."""
    nim_sum = 0
    for heap in turn.reply_observation:
        nim_sum ^= heap
    reward = turn.reward + (state.bonus if nim_sum == 0 else 0.0)
    paid = Turn(
        turn.seat, turn.observation, turn.position, turn.legal_actions, turn.action, reward,
        turn.reply_observation, turn.reply_position, turn.reply_legal_actions, turn.reply_reward,
        turn.next_position, turn.next_legal_actions, turn.terminated,
    )  # fmt: skip
    learn(state.learner, paid, epsilon, finished, generator)
