"""One gradient bandit a position, trained by the results of whole games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.storable import storable
from agents.tabular.index import (
    GreedyTablePolicy,
    ObservationIndex,
    check_memory,
    num_actions,
)
from agents.tabular.selection import sample, softmax
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
def gradient_bandit_update(
    preferences: FloatArray,
    baselines: FloatArray,
    visits: npt.NDArray[np.int64],
    position: int,
    legal_actions: IntArray,
    action: int,
    result: float,
    learning_rate: float,
    temperature: float,
    probabilities: FloatArray,
) -> None:
    """Update the preferences at one visited position by the result of the game.

    With advantage ``A = result - baseline``, the baseline being the mean of the results
    at this position before this one, the preference of the action taken grows by
    ``learning_rate * A * (1 - probability)`` and every other legal one shrinks by
    ``learning_rate * A * probability``.

    Args:
        preferences: ``(positions, actions)``, changed in place.
        baselines: mean result by position, ``(positions,)``, changed in place.
        visits: number of results by position, ``(positions,)``, changed in place.
        position: row of the position.
        legal_actions: what was legal there.
        action: what was done.
        result: of the game for the player who moved: +1 or -1.
        learning_rate: step size.
        temperature: of the softmax.
        probabilities: scratch space, ``(actions,)``.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 2.8.
    """
    softmax(preferences[position], legal_actions, temperature, probabilities)
    step = learning_rate * (result - baselines[position])
    for other in legal_actions:
        if other == action:
            preferences[position, other] += step * (1.0 - probabilities[other])
        else:
            preferences[position, other] -= step * probabilities[other]
    visits[position] += 1
    baselines[position] += (result - baselines[position]) / visits[position]


@compiled
def softmax_action(
    preferences: FloatArray,
    legal_actions: IntArray,
    temperature: float,
    uniform: float,
    probabilities: FloatArray,
) -> int:
    """Return an action drawn from the softmax policy; ``probabilities`` is scratch space."""
    softmax(preferences, legal_actions, temperature, probabilities)
    return sample(probabilities, uniform)


def softmax_probabilities(preferences: FloatArray, action_masks: MaskArray) -> FloatArray:
    """Return the softmax of the legal preferences, row by row of ``(n, actions)``."""
    legal = np.where(action_masks == 1, preferences, -np.inf)
    weights = np.exp(legal - legal.max(axis=1, keepdims=True))
    shares: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return shares


@storable
class GradientBandit:
    """Softmax preferences at every position, moved by the result of each game played.

    It plays and learns on-policy and updates all positions of a seat when its game ends.
    Give each seat an agent of its own.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        learning_rate: step size, over 0.
        temperature: of the softmax, over 0.

    Attributes:
        preferences: float64 ``(observations, actions)``, zeros at first.
        baselines: mean result at each position, float64 ``(observations,)``.
        visits: number of results at each position, int64 ``(observations,)``.

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
        learning_rate: float = 0.15,
        temperature: float = 1.0,
    ) -> None:
        if not learning_rate > 0:
            raise ValueError(f"learning_rate must be over 0, not {learning_rate!r}")
        if not temperature > 0:
            raise ValueError(f"temperature must be over 0, not {temperature!r}")
        self.learning_rate = learning_rate
        self.temperature = temperature
        self.index = ObservationIndex(observation_space)
        shape = (self.index.size, num_actions(action_space))
        check_memory(shape, shape[:1], shape[:1])
        self.preferences = np.zeros(shape)
        self.baselines = np.zeros(shape[0])
        self.visits = np.zeros(shape[0], dtype=np.int64)
        self._scratch = np.zeros(shape[1])
        self._game: tuple[list[Transition], list[Transition]] = ([], [])

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action drawn from the softmax policy."""
        preferences = self.preferences[self.index(observation)]
        return int(
            softmax_action(
                preferences,
                np.flatnonzero(action_mask),
                self.temperature,
                rng.random(),
                self._scratch,
            )
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the softmax policy."""
        scaled = self.preferences[self.index.many(observations)] / self.temperature
        return softmax_probabilities(scaled, action_masks)

    def update(self, transition: Transition) -> None:
        """Remember one turn; at the end of the game learn from all turns of its seat."""
        turns = self._game[transition.seat]
        turns.append(transition)
        if not transition.terminated:
            return
        result = transition.reward + transition.reply_reward
        for turn in turns:
            gradient_bandit_update(
                self.preferences,
                self.baselines,
                self.visits,
                self.index(turn.observation),
                np.flatnonzero(turn.action_mask),
                turn.action,
                result,
                self.learning_rate,
                self.temperature,
                self._scratch,
            )
        turns.clear()

    def greedy(self) -> GreedyTablePolicy:
        """Return the policy that picks the largest preference, as it is now."""
        return GreedyTablePolicy(self.index, self.preferences.copy())

    def compiled_state(self, longest_game: int) -> GradientBanditState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return GradientBanditState(
            self.preferences,
            self.baselines,
            self.visits,
            float(self.learning_rate),
            float(self.temperature),
            self._scratch,
            no_moves(longest_game),
            np.zeros((2, longest_game, self.preferences.shape[1]), np.int64),
            np.zeros((2, longest_game), np.int64),
        )


class GradientBanditState(NamedTuple):
    """What :class:`GradientBandit` is in compiled games."""

    preferences: FloatArray
    baselines: FloatArray
    visits: IntArray
    learning_rate: float
    temperature: float
    scratch: FloatArray
    moves: Moves
    legal_actions: IntArray  # (2, longest game, actions), beside the moves
    legal_counts: IntArray  # (2, longest game)


@implements(choose, GradientBanditState)
def _choose(
    state: GradientBanditState,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`GradientBandit.act`."""
    preferences = state.preferences[position]
    return softmax_action(preferences, legal_actions, state.temperature, uniform, state.scratch)


@implements(learn, GradientBanditState)
def _learn(
    state: GradientBanditState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`GradientBandit.update`."""
    count = remember(state.moves, turn)
    legal = len(turn.legal_actions)
    state.legal_counts[turn.seat, count - 1] = legal
    state.legal_actions[turn.seat, count - 1, :legal] = turn.legal_actions
    if turn.terminated:
        result = turn.reward + turn.reply_reward
        for move in range(count):
            gradient_bandit_update(
                state.preferences,
                state.baselines,
                state.visits,
                state.moves.positions[turn.seat, move],
                state.legal_actions[turn.seat, move, : state.legal_counts[turn.seat, move]],
                state.moves.actions[turn.seat, move],
                result,
                state.learning_rate,
                state.temperature,
                state.scratch,
            )
