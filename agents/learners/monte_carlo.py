"""Monte-Carlo control with exploring starts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.storable import storable
from agents.tabular.epsilon_greedy import EpsilonGreedyLearner
from agents.tabular.index import check_memory
from agents.tabular.schedules import Schedule, harmonic
from agents.tabular.selection import epsilon_greedy_action, random_action, random_of_mask
from agents.training.compiled.games import (
    Moves,
    Turn,
    choose,
    implements,
    learn,
    no_moves,
    remember,
)
from nim_envs.compilation import compiled


@compiled
def average_update(
    table: FloatArray, visits: npt.NDArray[np.int64], position: int, action: int, result: float
) -> None:
    """Average ``result`` into ``table[position, action]``.

    Args:
        table: mean results, ``(positions, actions)``, changed in place.
        visits: their numbers, ``(positions, actions)``, changed in place.
        position: row of a visited position; no position comes twice in a game, so every
            visit is a first visit.
        action: what was done there.
        result: of the game for the player who moved.
    """
    visits[position, action] += 1
    table[position, action] += (result - table[position, action]) / visits[position, action]


@storable
class MonteCarloES(EpsilonGreedyLearner):
    """Averages the results of whole games; the first move of each is random.

    Start the games from random positions (``start="uniform"``) for exploring starts. The
    result is 1 for a win and 0 for a loss. Its ``action_probabilities`` are those of every
    move but a game's first.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        epsilon: probability of a random action after the first; by default ``1 / (games + 1)``.

    Attributes:
        table: mean results, float64 ``(observations, actions)``, zeros at first.
        visits: their numbers, int64, same shape.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the tables would not fit.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 5.3.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        epsilon: float | Schedule = harmonic,
    ) -> None:
        super().__init__(observation_space, action_space, epsilon=epsilon)
        check_memory(self.table.shape, self.table.shape)
        self.visits = np.zeros(self.table.shape, dtype=np.int64)
        self._game: tuple[list[Transition], list[Transition]] = ([], [])
        self._first_move = True

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a random action at the first move of a game, then an epsilon-greedy one."""
        if self._first_move:
            self._first_move = False
            return int(random_of_mask(action_mask, rng.random()))
        return super().act(observation, action_mask, rng)

    def learn(self, transition: Transition) -> None:
        """Remember one turn; at the end of the game learn from all turns of its seat."""
        turns = self._game[transition.seat]
        turns.append(transition)
        if not transition.terminated:
            return
        self._first_move = True
        result = 1.0 if transition.reward + transition.reply_reward > 0 else 0.0
        for turn in turns:
            position = self.index(turn.observation)
            average_update(self.table, self.visits, position, turn.action, result)
        turns.clear()

    def compiled_state(self, longest_game: int) -> MonteCarloState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return MonteCarloState(self.table, self.visits, no_moves(longest_game))


class MonteCarloState(NamedTuple):
    """What :class:`MonteCarloES` is in compiled games."""

    table: FloatArray
    visits: IntArray
    moves: Moves


@implements(choose, MonteCarloState)
def _choose(
    state: MonteCarloState,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`MonteCarloES.act`."""
    if first_move:
        return random_action(legal_actions, uniform)
    return epsilon_greedy_action(state.table[position], legal_actions, epsilon, uniform)


@implements(learn, MonteCarloState)
def _learn(
    state: MonteCarloState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`MonteCarloES.learn`."""
    count = remember(state.moves, turn)
    if turn.terminated:
        result = 1.0 if turn.reward + turn.reply_reward > 0 else 0.0
        for move in range(count):
            position = state.moves.positions[turn.seat, move]
            action = state.moves.actions[turn.seat, move]
            average_update(state.table, state.visits, position, action, result)
