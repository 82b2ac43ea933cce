"""Tabular Q-learning for alternating moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, MaskArray, Transition
from agents.selection import epsilon_greedy_action, largest_legal
from agents.table import (
    GreedyTablePolicy,
    IntArray,
    ObservationIndex,
    check_memory,
    mixed_radix_number,
    num_actions,
)
from nim_envs.compilation import compiled


@compiled
def negamax_update(
    table: FloatArray,
    position: int,
    action: int,
    reward: float,
    reply_position: int,
    reply_action_mask: MaskArray,
    learning_rate: float,
    discount: float,
) -> None:
    """Move ``table[position, action]`` towards ``reward - discount * max table[reply_position]``.

    The position after the move belongs to the opponent, whose gain is the mover's loss:
    hence the minus sign. Where the game is over the target is the reward alone.

    Args:
        table: ``(positions, actions)``, changed in place.
        position: row of the position moved from.
        action: the move.
        reward: to the mover.
        reply_position: row of the position after the move.
        reply_action_mask: what is legal there, ``(actions,)``; all zeros where the game is over.
        learning_rate: step size.
        discount: of the value of the position after the move.

    References:
        M. L. Littman, "Markov games as a framework for multi-agent reinforcement learning",
        *ICML* (1994), minimax-Q, where moves alternate; C. Watkins (1989) for the rule.
    """
    target = reward
    best_reply = largest_legal(table[reply_position], reply_action_mask)
    if best_reply > -np.inf:
        target -= discount * best_reply
    table[position, action] += learning_rate * (target - table[position, action])


@compiled
def _act(
    table: FloatArray,
    strides: IntArray,
    offset: int,
    observation: Array,
    action_mask: MaskArray,
    epsilon: float,
    uniform: float,
) -> int:
    """One compiled call for the step-by-step loop: number the observation, then choose."""
    position = mixed_radix_number(observation, strides, offset)
    return epsilon_greedy_action(table[position], action_mask, epsilon, uniform)


@compiled
def _update(
    table: FloatArray,
    strides: IntArray,
    offset: int,
    observation: Array,
    action: int,
    reward: float,
    reply_observation: Array,
    reply_action_mask: MaskArray,
    learning_rate: float,
    discount: float,
) -> None:
    """One compiled call for the step-by-step loop: number both observations, then learn."""
    position = mixed_radix_number(observation, strides, offset)
    reply_position = mixed_radix_number(reply_observation, strides, offset)
    negamax_update(
        table, position, action, reward, reply_position, reply_action_mask, learning_rate, discount
    )


class QLearning:
    """Q-learning with one table for both seats and the negamax bootstrap.

    It learns the value of each action for the player who moves, from observations alone.
    In the deterministic games here a learning rate of 1 converges fastest.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        learning_rate: step size, over 0 to 1.
        discount: of the value of the position after the move, 0 to 1.
        epsilon: probability of a random action while learning, 0 to 1.

    Attributes:
        table: action values, float64 ``(observations, actions)``, zeros at first.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the table would not fit.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 1.0,
        discount: float = 1.0,
        epsilon: float = 0.2,
    ) -> None:
        if not 0 < learning_rate <= 1:
            raise ValueError(f"learning_rate must be over 0 and at most 1, not {learning_rate!r}")
        if not 0 <= discount <= 1:
            raise ValueError(f"discount must be from 0 to 1, not {discount!r}")
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be from 0 to 1, not {epsilon!r}")
        self.learning_rate = learning_rate
        self.discount = discount
        self.epsilon = epsilon
        self.index = ObservationIndex(observation_space)
        shape = (self.index.size, num_actions(action_space))
        check_memory(shape)
        self.table = np.zeros(shape)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an epsilon-greedy action."""
        index = self.index
        return int(
            _act(
                self.table,
                index.strides,
                index.offset,
                observation.reshape(-1),
                action_mask,
                self.epsilon,
                rng.random(),
            )
        )

    def update(self, transition: Transition) -> None:
        """Learn from one turn by :func:`negamax_update`."""
        index = self.index
        _update(
            self.table,
            index.strides,
            index.offset,
            transition.observation.reshape(-1),
            transition.action,
            transition.reward,
            transition.reply_observation.reshape(-1),
            transition.reply_action_mask,
            self.learning_rate,
            self.discount,
        )

    def greedy(self) -> GreedyTablePolicy:
        """Return the greedy policy of the table as it is now."""
        return GreedyTablePolicy(self.index, self.table.copy())
