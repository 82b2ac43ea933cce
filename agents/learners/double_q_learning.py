"""Double Q-learning with the negamax bootstrap."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import FloatArray, IntArray
from agents.tabular.action_values import (
    ActionValueLearner,
    choose_epsilon_greedily,
    initial_table,
    step_towards,
)
from agents.tabular.protocol import Turn, choose, draw_numbers, implements, learn
from agents.tabular.schedules import Schedule, check_step
from agents.tabular.selection import greedy_action
from nim_envs.compilation import compiled


@compiled(inner=True)
def double_q_learning(
    table: FloatArray,
    other_table: FloatArray,
    state: int,
    action: int,
    reward: float,
    next_state: int,
    next_legal_actions: IntArray,
    learning_rate: float,
    discount: float,
    uniform: float,
) -> None:
    """Q1(s, a) += α [r − γ Q2(s', argmax_a' Q1(s', a')) − Q1(s, a)].

    The minus sign is there because s' is the opponent's to move.

    Args:
        table: Q1, ``(states, actions)``, changed in place.
        other_table: Q2, same shape.
        state: s.
        action: a.
        reward: r, to the mover.
        next_state: s', the position after the move.
        next_legal_actions: what is legal there; none where the game has ended.
        learning_rate: α.
        discount: γ.
        uniform: breaks ties, in [0, 1).

    References:
        H. van Hasselt, "Double Q-learning", *NeurIPS* (2010).
    """
    target = reward
    best = greedy_action(table[next_state], next_legal_actions, uniform)
    if best >= 0:
        target -= discount * other_table[next_state, best]
    step_towards(table, state, action, target, learning_rate)


class DoubleQLearningState(NamedTuple):
    """What :class:`DoubleQLearning` is to the training loops."""

    table: FloatArray  # the mean of both
    first: FloatArray
    second: FloatArray
    learning_rate: float
    discount: float
    numbers: FloatArray  # (2,): which table is updated, and which of equal replies is taken


implements(choose, DoubleQLearningState)(choose_epsilon_greedily)


@implements(draw_numbers, DoubleQLearningState)
def _draw_numbers(
    learner: DoubleQLearningState, finished_games: int, generator: np.random.Generator
) -> None:
    for place in range(2):
        learner.numbers[place] = generator.random()


@implements(learn, DoubleQLearningState)
def _learn(learner: DoubleQLearningState, turn: Turn, epsilon: float, finished_games: int) -> None:
    updated, other = learner.first, learner.second
    if learner.numbers[0] < 0.5:
        updated, other = learner.second, learner.first
    state, action = turn.state, turn.action
    double_q_learning(
        updated, other, state, action, turn.reward + turn.bonus, turn.reply_state,
        turn.reply_legal_actions, learner.learning_rate, learner.discount, learner.numbers[1],
    )  # fmt: skip
    learner.table[state, action] = (
        learner.first[state, action] + learner.second[state, action]
    ) / 2


class DoubleQLearning(ActionValueLearner):
    """Double Q-learning: two tables, each valuing what the other chooses.

    A coin drawn from its own generator says which one a turn updates. It acts on their mean,
    ``table``. Where a game is cut short, it bootstraps from the position that is left.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        learning_rate: step size, over 0 to 1.
        discount: of what comes after, 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.
        initial_range: initial values are uniform within plus and minus this.
        seed: of the initial values and the coins.

    Attributes:
        table: action values, float64 ``(observations, actions)``.
        tables: the two tables, same shape.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the tables would not fit.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 1.0,
        discount: float = 1.0,
        epsilon: float | Schedule = 0.2,
        initial_range: float = 0.0,
        seed: int = 0,
    ) -> None:
        check_step(learning_rate, discount)
        rng = np.random.default_rng(seed)
        index, table = initial_table(observation_space, action_space, initial_range, rng, tables=3)
        state = DoubleQLearningState(
            table, table.copy(), table.copy(), float(learning_rate), float(discount), np.zeros(2)
        )
        arguments = {
            "learning_rate": learning_rate, "discount": discount, "epsilon": epsilon,
            "initial_range": initial_range, "seed": seed,
        }  # fmt: skip
        self.tables: tuple[FloatArray, FloatArray] = (state.first, state.second)
        learned = {"first": state.first, "second": state.second}
        super().__init__(
            index, state, learned=learned, arguments=arguments, epsilon=epsilon, generator=rng
        )
