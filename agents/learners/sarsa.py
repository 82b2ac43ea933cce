"""SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Transition
from agents.tabular.action_values import StandardActionValueLearner, choose_epsilon_greedily
from agents.tabular.protocol import LearningRule, UpdateContext
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray


class SARSAState(NamedTuple):
    """The state of :class:`SARSA` in the training loops, with the previous turn of each seat."""

    table: FloatArray
    learning_rate: float
    discount: float
    states: IntArray  # (2,): state at the previous turn of each seat; -1 where there is none
    actions: IntArray  # (2,)
    rewards: FloatArray  # (2,)


@compiled(inner=True)
def sarsa_td_error(q: float, reward: float, discount: float, q_next: float) -> float:
    """Q(s, a) += α [r + γ Q(s', a') − Q(s, a)].

    Args:
        q: Q(s, a).
        reward: r, from the move and the reply.
        discount: γ.
        q_next: Q(s', a') of the mover's next turn; 0 where the game has ended.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.4.
    """
    return reward + discount * q_next - q


@compiled(inline=True)
def begin_game(learner: SARSAState) -> None:
    """Discard the previous turns."""
    learner.states[:] = -1


@compiled(inline=True)
def learn(learner: SARSAState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`sarsa_td_error` to the seat's previous turn, and to its last."""
    table, seat = learner.table, turn.seat
    reward = turn.reward + turn.reply_reward
    if learner.states[seat] >= 0:
        state, action = learner.states[seat], learner.actions[seat]
        q_next = table[context.state, turn.action]
        td_error = sarsa_td_error(
            table[state, action], learner.rewards[seat], learner.discount, q_next
        )
        table[state, action] += learner.learning_rate * td_error
    learner.states[seat] = -1
    if turn.terminated:
        td_error = sarsa_td_error(table[context.state, turn.action], reward, learner.discount, 0.0)
        table[context.state, turn.action] += learner.learning_rate * td_error
    elif not turn.truncated:
        learner.states[seat] = context.state
        learner.actions[seat] = turn.action
        learner.rewards[seat] = reward


class SARSA(StandardActionValueLearner):
    """SARSA: on-policy, bootstrapping from the action taken at the mover's next turn.

    The opponent is part of the environment. It learns from a turn once the mover's next action is
    known. In a truncated game each seat's last turn has no next action, so there is no update for
    it.

    Use it as the on-policy baseline. Its values are those of its own exploring play, mistakes
    included, so on large boards it comes less close to optimal play than Q-learning.

    Arguments and errors: :class:`agents.tabular.action_values.StandardActionValueLearner`.

    Attributes:
        table: action values, float64 ``(observations, actions)``.
    """

    rule = LearningRule(choose=choose_epsilon_greedily, learn=learn, begin_game=begin_game)

    def initial_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[SARSAState, dict[str, Array]]:
        """Return the initial state; there are no other arrays."""
        no_turns = np.full(2, -1), np.zeros(2, np.int64), np.zeros(2)
        return SARSAState(table, learning_rate, discount, *no_turns), {}
