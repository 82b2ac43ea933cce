"""Monte-Carlo control with exploring starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.tabular.action_values import ActionValueLearner
from agents.tabular.index import initial_table
from agents.tabular.protocol import Decision, FinishedGame, LearningRule
from agents.tabular.schedules import Schedule, harmonic
from agents.tabular.selection import epsilon_greedy_action
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray


class MonteCarloState(NamedTuple):
    """The state of :class:`MonteCarloES` in the training loops."""

    table: FloatArray
    visits: IntArray


@compiled(inner=True)
def monte_carlo_step(q: float, result: float, visits: int) -> float:
    """N(s, a) += 1;  Q(s, a) += [G − Q(s, a)] / N(s, a).

    Args:
        q: Q(s, a), mean of the earlier results.
        result: G, result for the mover: 1 for a win, 0 for a loss, 0.5 for a draw.
        visits: N(s, a), number of results with this one. No position occurs twice in a game, so
            every visit is a first visit.

    Returns:
        The change of Q(s, a).

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 5.3.
    """
    return (result - q) / visits


@compiled(inline=True)
def choose(
    learner: MonteCarloState, observation: Array, legal_actions: IntArray, decision: Decision
) -> int:
    """Choose epsilon-greedily, and at random at the first move of a game."""
    epsilon = 1.0 if decision.first_move else decision.epsilon
    values = learner.table[decision.state]
    return epsilon_greedy_action(values, legal_actions, epsilon, decision.uniform)


@compiled(inline=True)
def learn_from_game(learner: MonteCarloState, game: FinishedGame) -> None:
    """Apply :func:`monte_carlo_step` to each turn."""
    result = (1.0 + game.result) / 2.0
    for turn in range(len(game.states)):
        state, action = game.states[turn], game.actions[turn]
        learner.visits[state, action] += 1
        learner.table[state, action] += monte_carlo_step(
            learner.table[state, action], result, learner.visits[state, action]
        )


class MonteCarloES(ActionValueLearner):
    """Averages the results of whole games; the first move of each is random.

    Start the games from random positions (``start="uniform"``) for exploring starts. The
    result is 1 for a win, 0 for a loss and 0.5 for a draw. ``action_probabilities`` does not apply
    to the random first move. From a truncated game it learns nothing.

    Use it on small boards, as the learner without bootstrapping; on large ones the results of
    early, bad play stay in the averages for long.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        epsilon: probability of a random action, or a schedule, after the first move of a game;
            by default ``1 / (games + 1)``.

    Attributes:
        table: mean results, float64 ``(observations, actions)``, zeros at first.
        visits: number of results of each pair, int64, same shape.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the tables would need too much memory.
    """

    rule = LearningRule(choose=choose, learn_from_game=learn_from_game)

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        epsilon: float | Schedule = harmonic,
    ) -> None:
        index, table = initial_table(observation_space, action_space, tables=2)
        state = MonteCarloState(table, np.zeros(table.shape, dtype=np.int64))
        self.visits: IntArray = state.visits
        learned, arguments = {"visits": self.visits}, {"epsilon": epsilon}
        super().__init__(index, state, learned=learned, arguments=arguments, epsilon=epsilon)
