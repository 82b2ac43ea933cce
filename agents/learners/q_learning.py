"""Tabular Q-learning for alternating moves, with a choice of bootstrap targets."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import Transition
from agents.tabular.action_values import ActionValueLearner, choose_epsilon_greedily
from agents.tabular.index import initial_table
from agents.tabular.learner import SavedTables
from agents.tabular.protocol import LearningRule, UpdateContext, is_unanswered, legal_at
from agents.tabular.replay import (
    GAMES_AT_LAST_BATCH,
    Replay,
    ReplayBuffer,
    batch_is_due,
    check_saved_buffer,
    drawn_row,
    empty_buffer,
    saved_arrays,
    store_turn,
)
from agents.tabular.schedules import Schedule, check_step
from agents.tabular.selection import largest_legal
from nim_envs.compilation import compiled
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_choice

BOOTSTRAPS = ("negamax", "own_turn", "opponent_max")
NEGAMAX, OWN_TURN, OPPONENT_MAX = range(len(BOOTSTRAPS))


class QLearningState(NamedTuple):
    """The state of :class:`QLearning` in the training loops."""

    table: FloatArray
    learning_rate: float
    discount: float  # negative where the opponent moves at s'
    bootstrap: int  # index in BOOTSTRAPS


class ReplayState(NamedTuple):
    """The state with replay; a separate type, so that replay is compiled only where it is used."""

    table: FloatArray
    q_learning: QLearningState
    buffer: ReplayBuffer


@compiled(inner=True)
def reward_of(learner: QLearningState, turn: Transition) -> float:
    """Return r.

    For negamax it is the reward of the move alone, as s' is the position that the opponent meets;
    for the other bootstraps that of move and reply.
    """
    reward = turn.reward
    if learner.bootstrap != NEGAMAX:
        reward += turn.reply_reward
    return reward


@compiled(inner=True)
def bootstrap_of(
    learner: QLearningState, turn: Transition, context: UpdateContext
) -> tuple[int, IntArray]:
    """Return s', the state to bootstrap from, and the legal actions there."""
    if learner.bootstrap == OWN_TURN:
        return context.next_state, turn.next_legal_actions
    return context.reply_state, turn.reply_legal_actions


@compiled(inner=True)
def q_learning_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    next_legal_actions: IntArray,
) -> float:
    """Q(s, a) += α [r + γ max_a' Q(s', a') − Q(s, a)], with −γ where the opponent moves at s'.

    Args:
        q: Q(s, ·), ``(actions,)``.
        action: a.
        reward: r, to the mover.
        discount: γ, negative where the opponent is to move at s'.
        q_next: Q(s', ·), ``(actions,)``, at the position to bootstrap from.
        next_legal_actions: legal actions at s'; empty where the game has ended, so that r alone
            is the target.

    Returns:
        The TD error, in square brackets.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989); R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 6.5. For the minus sign M. L. Littman, "Markov
        games as a framework for multi-agent reinforcement learning", *ICML* (1994): minimax-Q
        where moves alternate.
    """
    target = reward
    best = largest_legal(q_next, next_legal_actions)
    if best > -np.inf:
        target += discount * best
    td_error: float = target - q[action]
    return td_error


@compiled(inner=True)
def update_entry(
    learner: QLearningState,
    state: int,
    action: int,
    reward: float,
    next_state: int,
    next_legal_actions: IntArray,
) -> None:
    """Change one entry of the table, Q(s, a), by :func:`q_learning_td_error`."""
    q, q_next = learner.table[state], learner.table[next_state]
    td_error = q_learning_td_error(q, action, reward, learner.discount, q_next, next_legal_actions)
    q[action] += learner.learning_rate * td_error


@compiled(inline=True)
def learn(learner: QLearningState, turn: Transition, context: UpdateContext) -> None:
    """Learn from a turn, unless it has nothing to bootstrap from."""
    if learner.bootstrap == OWN_TURN and is_unanswered(turn):
        return
    reward = reward_of(learner, turn)
    next_state, legal_actions = bootstrap_of(learner, turn, context)
    update_entry(learner, context.state, turn.action, reward, next_state, legal_actions)


@compiled(inline=True)
def draw_batch(learner: ReplayState, finished_games: int, generator: np.random.Generator) -> None:
    """Draw the random numbers that choose the next batch, if one is due."""
    if batch_is_due(learner.buffer, finished_games):
        uniforms = learner.buffer.uniforms
        for index in range(len(uniforms)):
            uniforms[index] = generator.random()


@compiled(inline=True)
def learn_with_replay(learner: ReplayState, turn: Transition, context: UpdateContext) -> None:
    """Learn from a turn and store it; then learn from a batch of stored turns, if one is due."""
    q_learning, buffer = learner.q_learning, learner.buffer
    if not (q_learning.bootstrap == OWN_TURN and is_unanswered(turn)):
        learn(q_learning, turn, context)
        next_state, legal_actions = bootstrap_of(q_learning, turn, context)
        store_turn(
            buffer,
            context.state,
            turn.action,
            reward_of(q_learning, turn),
            next_state,
            legal_actions,
        )
    if batch_is_due(buffer, context.finished_games):
        buffer.counters[GAMES_AT_LAST_BATCH] = context.finished_games
        for uniform in buffer.uniforms:
            row = drawn_row(buffer, uniform)
            update_entry(
                q_learning, buffer.states[row], buffer.actions[row], buffer.rewards[row],
                buffer.next_states[row], legal_at(buffer, row),
            )  # fmt: skip


class QLearning(ActionValueLearner):
    """Q-learning; one table serves both seats.

    It learns the value of each action for the player who moves, from observations alone.
    In the deterministic games here a learning rate of 1 converges fastest.

    The bootstraps:

    - ``"negamax"``: ``reward - discount * max Q`` of the position after the move. The opponent is
      to move there, and its gain is the mover's loss: hence the minus.
    - ``"own_turn"``: the opponent is part of the environment: the rewards up to the mover's next
      turn, ``+ discount * max Q`` of the position there. A turn without a reply, in a truncated
      game, is skipped.
    - ``"opponent_max"``: the bootstrap of published Nim learners: ``+ discount * max Q`` of the
      position after the move, as if the mover were to move again. The sign is wrong: a position
      that is good for the opponent counts as good for the mover. Use it to reproduce their figures.

    Where a game is truncated, it bootstraps from the last position.

    Use it first: with the negamax bootstrap it solves every board of the leaderboard from
    observations alone; the other bootstraps are for comparison.

    Args:
        observation_space: space of integer observations.
        action_space: ``Discrete`` space.
        bootstrap: one of the three above.
        learning_rate: step size, over 0 to 1.
        discount: factor of later rewards, 0 to 1.
        epsilon: probability of a random action while learning: a number from 0 to 1, or a
            schedule over finished games such as :class:`agents.tabular.schedules.Decay`.
        initial_range: initial values are drawn uniformly from ``-initial_range`` to
            ``initial_range``.
        replay: settings of experience replay; ``None``: no replay.
        seed: seed of the initial values and of the replay.

    Attributes:
        table: action values, float64 ``(observations, actions)``.

    Raises:
        TypeError: spaces for which no table can be made.
        ValueError: a parameter out of its range.
        MemoryError: the table would need too much memory.
    """

    rule = LearningRule(choose=choose_epsilon_greedily, learn=learn)
    rule_with_replay = LearningRule(
        choose=choose_epsilon_greedily, learn=learn_with_replay, draw_numbers=draw_batch
    )

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        bootstrap: Literal["negamax", "own_turn", "opponent_max"] = "negamax",
        learning_rate: float = 1.0,
        discount: float = 1.0,
        epsilon: float | Schedule = 0.2,
        initial_range: float = 0.0,
        replay: Replay | None = None,
        seed: int = 0,
    ) -> None:
        checked_choice("bootstrap", bootstrap, BOOTSTRAPS)
        check_step(learning_rate, discount)
        rng = np.random.default_rng(seed)
        index, table = initial_table(observation_space, action_space, initial_range, rng)
        q_learning = QLearningState(
            table,
            float(learning_rate),
            -float(discount) if bootstrap == "negamax" else float(discount),
            BOOTSTRAPS.index(bootstrap),
        )
        state: QLearningState | ReplayState = q_learning
        learned = {}
        if replay is not None:
            buffer = empty_buffer(replay, table.shape[1])
            state, learned = ReplayState(table, q_learning, buffer), saved_arrays(buffer)
            self.rule = self.rule_with_replay
        arguments = {
            "bootstrap": bootstrap, "learning_rate": learning_rate, "discount": discount,
            "epsilon": epsilon, "initial_range": initial_range, "replay": replay, "seed": seed,
        }  # fmt: skip
        super().__init__(
            index, state, learned=learned, arguments=arguments, epsilon=epsilon,
            generator=None if replay is None else rng,
        )  # fmt: skip

    def restore(self, saved: SavedTables) -> None:
        """Restore the result of :meth:`saved`; see :class:`TabularLearner`."""
        check_saved_buffer(saved["learned"], *self.table.shape)
        super().restore(saved)
