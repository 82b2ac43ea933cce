"""SARSA, from one turn of the mover to its next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.tabular.action_values import (
    StandardActionValueLearner,
    choose_epsilon_greedily,
    step_towards,
)
from agents.tabular.protocol import LearningRule, Turn
from nim_envs.typing import Array, FloatArray, IntArray


class SARSAState(NamedTuple):
    """The state of :class:`SARSA` in the training loops, with the previous turn of each seat."""

    table: FloatArray
    learning_rate: float
    discount: float
    states: IntArray  # (2,): state at the previous turn of each seat; -1 where there is none
    actions: IntArray  # (2,)
    rewards: FloatArray  # (2,)


def _begin_game(learner: SARSAState) -> None:
    learner.states[:] = -1


def sarsa(learner: SARSAState, turn: Turn) -> None:
    """Q(s, a) += α [r + γ Q(s', a') − Q(s, a)].

    Args:
        learner: Q, α and γ; s, a and r, from the move, the reply and the bonus, of the seat's
            previous turn.
        turn: s' and a'; its reward alone is the target of its own action where the game has ended.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.4.
    """
    table, seat = learner.table, turn.seat
    reward = turn.reward + turn.bonus + turn.reply_reward
    if learner.states[seat] >= 0:
        target = learner.rewards[seat] + learner.discount * table[turn.state, turn.action]
        step_towards(
            table, learner.states[seat], learner.actions[seat], target, learner.learning_rate
        )
    learner.states[seat] = -1
    if turn.terminated:
        step_towards(table, turn.state, turn.action, reward, learner.learning_rate)
    elif not turn.truncated:
        learner.states[seat] = turn.state
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

    rule = LearningRule(
        SARSAState, choose=choose_epsilon_greedily, learn=sarsa, begin_game=_begin_game
    )

    def first_state(
        self, table: FloatArray, learning_rate: float, discount: float
    ) -> tuple[SARSAState, dict[str, Array]]:
        """Return the initial state; there are no other arrays."""
        nothing = np.full(2, -1), np.zeros(2, np.int64), np.zeros(2)
        return SARSAState(table, learning_rate, discount, *nothing), {}
