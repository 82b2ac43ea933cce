"""SARSA and expected SARSA, from own turn to own turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import FloatArray, IntArray, Transition
from agents.storable import storable
from agents.tabular.epsilon_greedy import EpsilonGreedyLearner, choose_epsilon_greedily
from agents.tabular.selection import largest_legal
from agents.training.compiled.games import Turn, choose, implements, learn
from nim_envs.compilation import compiled


@compiled
def move_towards(
    table: FloatArray, position: int, action: int, target: float, learning_rate: float
) -> None:
    """Move ``table[position, action]`` by ``learning_rate`` of the way to ``target``."""
    table[position, action] += learning_rate * (target - table[position, action])


@compiled
def epsilon_greedy_value(values: FloatArray, legal_actions: IntArray, epsilon: float) -> float:
    """Return the expected value of an epsilon-greedy action; 0 if none is legal.

    Args:
        values: of the actions, ``(actions,)``.
        legal_actions: what is legal.
        epsilon: probability of a random action.
    """
    best = largest_legal(values, legal_actions)
    if best == -np.inf:
        return 0.0
    total = 0.0
    for action in legal_actions:
        total += values[action]
    return (1.0 - epsilon) * best + epsilon * total / len(legal_actions)


@storable
class SARSA(EpsilonGreedyLearner):
    """SARSA: on-policy, bootstrapping from the action taken at the mover's next turn.

    The opponent is part of the environment. The target is ``reward + discount * Q(next
    position, next action)``; a turn is learned from once the next action is known.

    Arguments, attributes and errors: :class:`agents.tabular.epsilon_greedy.EpsilonGreedyLearner`.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.4.
    """

    _waiting: dict[int, Transition] | None = None

    def learn(self, transition: Transition) -> None:
        """Learn from the turn before this one, and from this one if it was the last."""
        if self._waiting is None:
            self._waiting = {}
        earlier = self._waiting.pop(transition.seat, None)
        if earlier is not None:
            following = self.table[self.index(transition.observation), transition.action]
            self._towards(earlier, self.discount * float(following))
        if transition.terminated:
            self._towards(transition, 0.0)
        else:
            self._waiting[transition.seat] = transition

    def _towards(self, turn: Transition, following: float) -> None:
        target = turn.reward + turn.reply_reward + following
        position = self.index(turn.observation)
        move_towards(self.table, position, turn.action, target, self.learning_rate)

    def compiled_state(self, longest_game: int) -> SARSAState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return SARSAState(
            self.table,
            float(self.learning_rate),
            float(self.discount),
            np.full(2, -1),
            np.zeros(2, np.int64),
            np.zeros(2),
        )


class SARSAState(NamedTuple):
    """What :class:`SARSA` is in compiled games, with the turn that waits in each seat."""

    table: FloatArray
    learning_rate: float
    discount: float
    positions: IntArray  # (2,); -1 where none waits
    actions: IntArray  # (2,)
    rewards: FloatArray  # (2,)


implements(choose, SARSAState)(choose_epsilon_greedily)


@implements(learn, SARSAState)
def _learn_sarsa(
    state: SARSAState, turn: Turn, epsilon: float, finished: int, generator: np.random.Generator
) -> None:
    """The same as :meth:`SARSA.learn`."""
    seat = turn.seat
    reward = turn.reward + turn.reply_reward
    if state.positions[seat] >= 0:
        following = state.discount * state.table[turn.position, turn.action]
        target = state.rewards[seat] + following
        position, action = state.positions[seat], state.actions[seat]
        move_towards(state.table, position, action, target, state.learning_rate)
    if turn.terminated:
        state.positions[seat] = -1
        move_towards(state.table, turn.position, turn.action, reward, state.learning_rate)
    else:
        state.positions[seat] = turn.position
        state.actions[seat] = turn.action
        state.rewards[seat] = reward


@storable
class ExpectedSARSA(EpsilonGreedyLearner):
    """Expected SARSA: bootstraps from the mean over its own policy at the mover's next turn.

    The opponent is part of the environment.

    Arguments, attributes and errors: :class:`agents.tabular.epsilon_greedy.EpsilonGreedyLearner`.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """

    def learn(self, transition: Transition) -> None:
        """Learn from one turn."""
        following = epsilon_greedy_value(
            self.table[self.index(transition.next_observation)],
            np.flatnonzero(transition.next_action_mask),
            self.exploration.epsilon,
        )
        target = transition.reward + transition.reply_reward + self.discount * following
        position = self.index(transition.observation)
        move_towards(self.table, position, transition.action, target, self.learning_rate)

    def compiled_state(self, longest_game: int) -> ExpectedSARSAState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return ExpectedSARSAState(self.table, float(self.learning_rate), float(self.discount))


class ExpectedSARSAState(NamedTuple):
    """What :class:`ExpectedSARSA` is in compiled games."""

    table: FloatArray
    learning_rate: float
    discount: float


implements(choose, ExpectedSARSAState)(choose_epsilon_greedily)


@implements(learn, ExpectedSARSAState)
def _learn_expected_sarsa(
    state: ExpectedSARSAState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`ExpectedSARSA.learn`."""
    following = epsilon_greedy_value(
        state.table[turn.next_position], turn.next_legal_actions, epsilon
    )
    target = turn.reward + turn.reply_reward + state.discount * following
    move_towards(state.table, turn.position, turn.action, target, state.learning_rate)
