"""TD(0) on values of afterstates: from the position after a move to the one after the reply."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Transition
from agents.tabular.index import check_memory
from agents.tabular.position_values import (
    PositionValueLearner,
    PositionValues,
    choose_by_lookahead,
    position_values,
)
from agents.tabular.protocol import LearningRule, UpdateContext, is_unanswered
from agents.tabular.schedules import Schedule, check_step
from nim_envs import Game
from nim_envs.compilation import compiled


class SampledAfterstateTDState(NamedTuple):
    """The state of :class:`SampledAfterstateTD` in the training loops."""

    positions: PositionValues
    learning_rate: float
    discount: float


@compiled(inner=True)
def afterstate_td_error(v: float, reward: float, discount: float, v_next: float) -> float:
    """V(s') += α [−r − γ V(s'') − V(s')] for s' after the move and s'' after the opponent's reply.

    Values are for the player to move: the opponent at s', hence −r, and the mover at s''. Where the
    game has ended, −r alone is the target.

    Args:
        v: V(s').
        reward: r, from the move and the reply.
        discount: γ.
        v_next: V(s''); 0 where the game has ended.

    Returns:
        The TD error, in square brackets.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.8.
    """
    return -reward - discount * v_next - v


@compiled(inline=True)
def learn(learner: SampledAfterstateTDState, turn: Transition, context: UpdateContext) -> None:
    """Apply :func:`afterstate_td_error` to V(s'), unless there was no reply."""
    if is_unanswered(turn):
        return
    values = learner.positions.values
    reward = turn.reward + turn.reply_reward
    v_next = 0.0 if turn.terminated else values[context.next_state]
    td_error = afterstate_td_error(values[context.reply_state], reward, learner.discount, v_next)
    values[context.reply_state] += learner.learning_rate * td_error


class SampledAfterstateTD(PositionValueLearner):
    """Learns values of afterstates (positions after moves) from the replies in the games played.

    It uses the rules to choose a move, by looking one move ahead, but not to learn: its values
    come from replies and results alone. Where a game is truncated, it bootstraps from the position
    after the reply; a turn without a reply is skipped.

    Use it to measure the benefit of afterstates, one value for each position instead of one for
    each action, without the rules in the update.

    Args:
        game: rules for the look-ahead; observations are its positions (``encoding="integer"``).
        learning_rate: step size, over 0 to 1.
        discount: factor of the value after the reply, 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.

    Attributes:
        values: for the player to move, float64 ``(num_positions,)`` by mixed-radix index, zeros at
            first.

    Raises:
        ValueError: a parameter out of its range.
        MemoryError: the values would need too much memory.
    """

    rule = LearningRule(choose=choose_by_lookahead, learn=learn)

    def __init__(
        self,
        game: Game,
        *,
        learning_rate: float = 0.3,
        discount: float = 1.0,
        epsilon: float | Schedule = 0.2,
    ) -> None:
        check_step(learning_rate, discount)
        check_memory((game.rules.num_positions,))
        values = np.zeros(game.rules.num_positions)
        state = SampledAfterstateTDState(
            position_values(game, values), float(learning_rate), float(discount)
        )
        arguments = {"learning_rate": learning_rate, "discount": discount, "epsilon": epsilon}
        super().__init__(game, state, arguments, epsilon)
