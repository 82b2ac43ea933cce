"""Watkins's Q(λ), offline: λ-returns of finished games, from one turn of the mover to its next."""

from __future__ import annotations

from typing import Any, NamedTuple

from gymnasium import spaces

from agents.tabular.action_values import ActionValueLearner, choose_epsilon_greedily
from agents.tabular.index import initial_table
from agents.tabular.protocol import FinishedGame, LearningRule, legal_at
from agents.tabular.schedules import Schedule, check_step
from agents.tabular.selection import largest_legal
from nim_envs.compilation import compiled
from nim_envs.typing import FloatArray
from nim_envs.validation import checked_number


class WatkinsQLambdaState(NamedTuple):
    """The state of :class:`WatkinsQLambda` in the training loops."""

    table: FloatArray
    learning_rate: float
    discount: float
    trace_decay: float


@compiled(inner=True)
def lambda_return(
    reward: float, discount: float, trace_decay: float, value_next: float, return_next: float
) -> float:
    """Q(s, a) += α [G − Q(s, a)], G = r + γ [(1 − λ) max_a' Q(s', a') + λ G'], last turn first.

    s' is the position at the mover's next turn and G' the return from there. If the action taken
    at s' was not greedy, the return is cut there: G = r + γ max_a' Q(s', a'). At the last turn,
    G = r.

    Args:
        reward: r, from the move and the reply.
        discount: γ.
        trace_decay: λ; 0 where the return is cut at s'.
        value_next: max_a' Q(s', a'), 0 at the last turn.
        return_next: G', 0 at the last turn.

    Returns:
        G.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989), chapter 12; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 12.10, and section 12.1 for offline returns.
    """
    return reward + discount * ((1.0 - trace_decay) * value_next + trace_decay * return_next)


@compiled(inline=True)
def learn_from_game(learner: WatkinsQLambdaState, game: FinishedGame) -> None:
    """Move Q(s, a) towards the :func:`lambda_return` of each turn, the last first."""
    table = learner.table
    return_next, value_next, is_greedy_next = 0.0, 0.0, False  # of the turn after this one
    for turn in range(len(game.states) - 1, -1, -1):
        state, action = game.states[turn], game.actions[turn]
        decay = learner.trace_decay if is_greedy_next else 0.0
        g = lambda_return(game.rewards[turn], learner.discount, decay, value_next, return_next)
        # The values are those before this game, as no position occurs twice in it.
        return_next, value_next = g, largest_legal(table[state], legal_at(game, game.rows[turn]))
        is_greedy_next = table[state, action] == value_next
        table[state, action] += learner.learning_rate * (g - table[state, action])


class WatkinsQLambda(ActionValueLearner):
    """Q-learning by λ-returns that are cut at the first action that was not greedy.

    The opponent is part of the environment. It learns when a game has ended; from a truncated game
    it learns nothing.

    Use it to study multi-step returns: the result of a game updates all positions from the last
    action that was not greedy on.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        learning_rate: step size, over 0 to 1.
        discount: factor of later rewards, 0 to 1.
        trace_decay: λ, 0 (Q-learning with the own-turn bootstrap) to 1 (results of greedy play).
        epsilon: probability of a random action while learning, or a schedule.

    Attributes:
        table: action values, float64 ``(observations, actions)``.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the table would need too much memory.
    """

    rule = LearningRule(choose=choose_epsilon_greedily, learn_from_game=learn_from_game)

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        learning_rate: float = 0.3,
        discount: float = 1.0,
        trace_decay: float = 0.8,
        epsilon: float | Schedule = 0.2,
    ) -> None:
        check_step(learning_rate, discount)
        checked_number("trace_decay", trace_decay, 0, 1)
        index, table = initial_table(observation_space, action_space)
        state = WatkinsQLambdaState(
            table, float(learning_rate), float(discount), float(trace_decay)
        )
        arguments = {
            "learning_rate": learning_rate, "discount": discount, "trace_decay": trace_decay,
            "epsilon": epsilon,
        }  # fmt: skip
        super().__init__(index, state, arguments=arguments, epsilon=epsilon)
