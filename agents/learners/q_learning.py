"""Tabular Q-learning for alternating moves, with every bootstrap that has been used."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.storable import storable
from agents.tabular.epsilon_greedy import EpsilonGreedyLearner, choose_epsilon_greedily
from agents.tabular.index import mixed_radix_number
from agents.tabular.replay import (
    Replay,
    ReplayBuffer,
    add_turn,
    drawn_turn,
    replay_buffer,
    turns_due,
)
from agents.tabular.schedules import Schedule
from agents.tabular.selection import largest_legal
from agents.training.compiled.games import Turn, choose, implements, learn
from nim_envs.compilation import compiled

BOOTSTRAPS = ("negamax", "own_turn", "opponent_max")
NEGAMAX, OWN_TURN, _ = range(len(BOOTSTRAPS))


@compiled
def q_learning_update(
    table: FloatArray,
    position: int,
    action: int,
    reward: float,
    later_position: int,
    later_legal_actions: IntArray,
    learning_rate: float,
    signed_discount: float,
) -> None:
    """Move ``table[position, action]`` towards the reward and the best value of what follows.

    The target is ``reward + signed_discount * max table[later_position]`` over legal actions,
    or the reward alone where the game is over.

    Args:
        table: ``(positions, actions)``, changed in place.
        position: row of the position moved from.
        action: the move.
        reward: to the mover.
        later_position: row of the position to bootstrap from.
        later_legal_actions: what is legal there; none where the game is over.
        learning_rate: step size.
        signed_discount: the discount; negative where ``later_position`` is the opponent's.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989); for the minus sign M. L. Littman,
        "Markov games as a framework for multi-agent reinforcement learning", *ICML* (1994),
        minimax-Q where moves alternate.
    """
    target = reward
    best = largest_legal(table[later_position], later_legal_actions)
    if best > -np.inf:
        target += signed_discount * best
    table[position, action] += learning_rate * (target - table[position, action])


@compiled
def _update_from_observations(
    table: FloatArray,
    strides: IntArray,
    offset: int,
    observation: Array,
    action: int,
    reward: float,
    later_observation: Array,
    later_action_mask: MaskArray,
    learning_rate: float,
    signed_discount: float,
) -> None:
    """One compiled call for the step-by-step loop: number both observations, then learn."""
    q_learning_update(
        table,
        mixed_radix_number(observation, strides, offset),
        action,
        reward,
        mixed_radix_number(later_observation, strides, offset),
        np.flatnonzero(later_action_mask),
        learning_rate,
        signed_discount,
    )


@compiled
def learn_again(
    table: FloatArray, buffer: ReplayBuffer, slot: int, learning_rate: float, signed_discount: float
) -> None:
    """Learn by :func:`q_learning_update` from the turn in a slot of a buffer."""
    q_learning_update(
        table,
        buffer.positions[slot],
        buffer.actions[slot],
        buffer.rewards[slot],
        buffer.later_positions[slot],
        buffer.later_legal_actions[slot, : buffer.later_counts[slot]],
        learning_rate,
        signed_discount,
    )


@compiled
def scaled_reward(reward: float, win_reward: float, loss_reward: float) -> float:
    """Return a reward of the environment in a learner's units; shaping passes through."""
    if reward == 1.0:
        return win_reward
    return loss_reward if reward == -1.0 else reward


@storable
class QLearning(EpsilonGreedyLearner):
    """Q-learning; one table serves both seats.

    It learns the value of each action for the player who moves, from observations alone.
    In the deterministic games here a learning rate of 1 converges fastest.

    The bootstraps:

    - ``"negamax"``: ``reward - discount * max Q`` of the position after the move. That position
      is the opponent's, whose gain is the mover's loss, hence the minus.
    - ``"own_turn"``: the opponent is part of the environment; rewards up to the mover's next
      turn and ``+ discount * max Q`` of the position then.
    - ``"opponent_max"``: what published Nim learners did: ``+ discount * max Q`` of the
      position after the move, as if it were the mover's own. The sign is wrong: what is good
      for the opponent counts as good for the mover. It is here to reproduce their figures.

    Args:
        observation_space: see :class:`agents.tabular.epsilon_greedy.EpsilonGreedyLearner`, as for
            the other arguments that are not named here.
        action_space: as there.
        bootstrap: one of the three above.
        win_reward: what a reward of +1 counts as.
        loss_reward: what a reward of -1 counts as.
        replay: replay settings; ``None``: every turn is learned from once.

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
        bootstrap: Literal["negamax", "own_turn", "opponent_max"] = "negamax",
        learning_rate: float = 1.0,
        discount: float = 1.0,
        epsilon: float | Schedule = 0.2,
        initial_range: float = 0.0,
        win_reward: float = 1.0,
        loss_reward: float = -1.0,
        replay: Replay | None = None,
        seed: int = 0,
    ) -> None:
        if bootstrap not in BOOTSTRAPS:
            raise ValueError(f"bootstrap must be one of {BOOTSTRAPS}, not {bootstrap!r}")
        super().__init__(
            observation_space,
            action_space,
            learning_rate=learning_rate,
            discount=discount,
            epsilon=epsilon,
            initial_range=initial_range,
            seed=seed,
        )
        self.bootstrap = bootstrap
        self.win_reward = win_reward
        self.loss_reward = loss_reward
        self.buffer = replay_buffer(replay, self.table.shape[1])

    def learn(self, transition: Transition) -> None:
        """Learn from one turn by :func:`q_learning_update`, and from old ones if it is time."""
        reward = self._scaled(transition.reward)
        later, later_mask = transition.reply_observation, transition.reply_action_mask
        if self.bootstrap != "negamax":
            reward += self._scaled(transition.reply_reward)
            if self.bootstrap == "own_turn":
                later, later_mask = transition.next_observation, transition.next_action_mask
        _update_from_observations(
            self.table,
            self.index.strides,
            self.index.offset,
            transition.observation.reshape(-1),
            transition.action,
            reward,
            later.reshape(-1),
            later_mask,
            self.learning_rate,
            self.signed_discount,
        )
        if len(self.buffer.positions):
            position = self.index(transition.observation)
            legal = np.flatnonzero(later_mask)
            add_turn(self.buffer, position, transition.action, reward, self.index(later), legal)
            for _ in range(turns_due(self.buffer, self.exploration.games)):
                slot = drawn_turn(self.buffer, self.rng.random())
                learn_again(self.table, self.buffer, slot, self.learning_rate, self.signed_discount)

    @property
    def signed_discount(self) -> float:
        """The discount, negative where the bootstrap is from the opponent's position."""
        return -self.discount if self.bootstrap == "negamax" else self.discount

    def _scaled(self, reward: float) -> float:
        return float(scaled_reward(reward, self.win_reward, self.loss_reward))

    def compiled_state(self, longest_game: int) -> QLearningState | ReplayState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        state = QLearningState(
            self.table,
            float(self.learning_rate),
            float(self.signed_discount),
            BOOTSTRAPS.index(self.bootstrap),
            float(self.win_reward),
            float(self.loss_reward),
        )
        return ReplayState(self.table, state, self.buffer) if len(self.buffer.positions) else state


class QLearningState(NamedTuple):
    """What :class:`QLearning` is in compiled games, without replay."""

    table: FloatArray
    learning_rate: float
    signed_discount: float
    bootstrap: int  # its number in BOOTSTRAPS
    win_reward: float
    loss_reward: float


class ReplayState(NamedTuple):
    """What :class:`QLearning` is in compiled games, with replay."""

    table: FloatArray
    learning: QLearningState
    buffer: ReplayBuffer


implements(choose, QLearningState)(choose_epsilon_greedily)
implements(choose, ReplayState)(choose_epsilon_greedily)


@compiled
def _seen_from(state: QLearningState, turn: Turn) -> tuple[float, int, IntArray]:
    """The reward of a turn, the position to bootstrap from, and what is legal there."""
    reward = scaled_reward(turn.reward, state.win_reward, state.loss_reward)
    if state.bootstrap == NEGAMAX:
        return reward, turn.reply_position, turn.reply_legal_actions
    reward += scaled_reward(turn.reply_reward, state.win_reward, state.loss_reward)
    if state.bootstrap == OWN_TURN:
        return reward, turn.next_position, turn.next_legal_actions
    return reward, turn.reply_position, turn.reply_legal_actions


@implements(learn, QLearningState)
def _learn(
    state: QLearningState, turn: Turn, epsilon: float, finished: int, generator: np.random.Generator
) -> None:
    """The same as :meth:`QLearning.learn`, without replay."""
    table, rate, discount = state.table, state.learning_rate, state.signed_discount
    position, action = turn.position, turn.action
    reward = scaled_reward(turn.reward, state.win_reward, state.loss_reward)
    if state.bootstrap != NEGAMAX:
        reward += scaled_reward(turn.reply_reward, state.win_reward, state.loss_reward)
    # Two calls: to choose between two arrays first would cost a third of the speed.
    if state.bootstrap == OWN_TURN:
        later, legal = turn.next_position, turn.next_legal_actions
        q_learning_update(table, position, action, reward, later, legal, rate, discount)
    else:
        reply, replies = turn.reply_position, turn.reply_legal_actions
        q_learning_update(table, position, action, reward, reply, replies, rate, discount)


@implements(learn, ReplayState)
def _learn_with_replay(
    state: ReplayState, turn: Turn, epsilon: float, finished: int, generator: np.random.Generator
) -> None:
    """The same as :meth:`QLearning.learn`, with replay."""
    learning, buffer = state.learning, state.buffer
    learn(learning, turn, epsilon, finished, generator)
    reward, later, legal = _seen_from(learning, turn)
    add_turn(buffer, turn.position, turn.action, reward, later, legal)
    for _ in range(turns_due(buffer, finished)):
        slot = drawn_turn(buffer, generator.random())
        learn_again(learning.table, buffer, slot, learning.learning_rate, learning.signed_discount)
