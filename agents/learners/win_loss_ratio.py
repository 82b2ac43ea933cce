"""The win/loss-ratio learner: counts wins and losses of every move ever made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.storable import storable
from agents.tabular.index import (
    GreedyTablePolicy,
    ObservationIndex,
    check_memory,
    mixed_radix_number,
    num_actions,
)
from agents.tabular.schedules import check_range
from agents.tabular.selection import sample
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
def ratio_probabilities(
    wins: FloatArray, losses: FloatArray, legal_actions: IntArray, out: FloatArray
) -> None:
    """Write probabilities proportional to ``max(wins, 1) / max(losses, 1)`` of legal actions.

    Args:
        wins: ``(actions,)``.
        losses: ``(actions,)``.
        legal_actions: what is legal.
        out: ``(actions,)``, changed in place; 0 where not legal.
    """
    total = 0.0
    out[:] = 0.0
    for action in legal_actions:
        out[action] = max(wins[action], 1.0) / max(losses[action], 1.0)
        total += out[action]
    for action in legal_actions:
        out[action] /= total


@compiled
def crystallised_action(
    wins: FloatArray,
    losses: FloatArray,
    legal_actions: IntArray,
    threshold: float,
    uniform: float,
    probabilities: FloatArray,
) -> int:
    """Return an action by the ratios, or the likeliest where it is above ``threshold``."""
    ratio_probabilities(wins, losses, legal_actions, probabilities)
    likeliest = int(np.argmax(probabilities))
    if probabilities[likeliest] > threshold:
        return likeliest
    return sample(probabilities, uniform)


@compiled
def ratio_action(
    wins: FloatArray,
    losses: FloatArray,
    strides: IntArray,
    offset: int,
    observation: Array,
    action_mask: MaskArray,
    threshold: float,
    uniform: float,
    probabilities: FloatArray,
) -> int:
    """One compiled call for the step-by-step loop: number the observation, then choose."""
    position = mixed_radix_number(observation, strides, offset)
    legal = np.flatnonzero(action_mask)
    return crystallised_action(
        wins[position], losses[position], legal, threshold, uniform, probabilities
    )


@compiled
def count_result(
    wins: FloatArray, losses: FloatArray, position: int, action: int, won: bool, kept: float
) -> None:
    """Count one result of a move, after the old counts at the position have shrunk to ``kept``.

    Args:
        wins: ``(positions, actions)``, changed in place.
        losses: same shape, changed in place.
        position: row of the position.
        action: the move.
        won: whether its player won.
        kept: what share of the old counts is kept; 1 forgets nothing.
    """
    if kept < 1.0:
        for other in range(wins.shape[1]):
            wins[position, other] *= kept
            losses[position, other] *= kept
    if won:
        wins[position, action] += 1.0
    else:
        losses[position, action] += 1.0


@storable
class WinLossRatio:
    """Plays every move in proportion to its wins over its losses, counted over all games.

    Every ply of every game counts, as each rest of a game is a game. One agent serves both
    seats.

    Args:
        observation_space: of either player, with integer observations.
        action_space: of either player, ``Discrete``.
        crystallise: where the likeliest move's probability exceeds this, it is played for
            certain; 1 never does.
        forgetting: share of the counts at a position that is forgotten before each new result
            there, 0 to below 1; early results came of bad play.

    Attributes:
        wins: float64 ``(observations, actions)``.
        losses: float64 ``(observations, actions)``.

    Raises:
        TypeError: spaces that no table can be made for.
        ValueError: a parameter out of its range.
        MemoryError: the tables would not fit.

    References:
        The Decision Management Community's challenge of January 2020, solution by Moore.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        crystallise: float = 1.0,
        forgetting: float = 0.0,
    ) -> None:
        self.crystallise = check_range("crystallise", crystallise, 0, 1, open_low=False)
        if not 0 <= forgetting < 1:
            raise ValueError(f"forgetting must be from 0 to below 1, not {forgetting!r}")
        self.forgetting = forgetting
        self.index = ObservationIndex(observation_space)
        shape = (self.index.size, num_actions(action_space))
        check_memory(shape, shape)
        self.wins = np.zeros(shape)
        self.losses = np.zeros(shape)
        self._scratch = np.zeros(shape[1])
        self._game: tuple[list[Transition], list[Transition]] = ([], [])

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action by the ratios, crystallised where it is to be."""
        return int(
            ratio_action(
                self.wins,
                self.losses,
                self.index.strides,
                self.index.offset,
                observation.reshape(-1),
                action_mask,
                self.crystallise,
                rng.random(),
                self._scratch,
            )
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities by the ratios, crystallised where they are to be."""
        rows = self.index.many(observations)
        ratios = np.maximum(self.wins[rows], 1) / np.maximum(self.losses[rows], 1)
        ratios *= action_masks == 1
        shares: FloatArray = ratios / ratios.sum(axis=1, keepdims=True)
        likeliest = shares.argmax(axis=1)
        certain = shares.max(axis=1) > self.crystallise
        shares[certain] = np.eye(shares.shape[1])[likeliest[certain]]
        return shares

    def update(self, transition: Transition) -> None:
        """Remember one turn; at the end of the game count all turns of its seat."""
        turns = self._game[transition.seat]
        turns.append(transition)
        if not transition.terminated:
            return
        won = transition.reward + transition.reply_reward > 0
        for turn in turns:
            position = self.index(turn.observation)
            kept = 1.0 - self.forgetting
            count_result(self.wins, self.losses, position, turn.action, won, kept)
        turns.clear()

    def greedy(self) -> GreedyTablePolicy:
        """Return the policy that plays the move of the largest ratio, as it is now."""
        return GreedyTablePolicy(self.index, np.maximum(self.wins, 1) / np.maximum(self.losses, 1))

    def compiled_state(self, longest_game: int) -> WinLossRatioState:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return WinLossRatioState(
            self.wins,
            self.losses,
            float(self.crystallise),
            1.0 - self.forgetting,
            self._scratch,
            no_moves(longest_game),
        )


class WinLossRatioState(NamedTuple):
    """What :class:`WinLossRatio` is in compiled games."""

    wins: FloatArray
    losses: FloatArray
    threshold: float
    kept: float
    scratch: FloatArray
    moves: Moves


@implements(choose, WinLossRatioState)
def _choose(
    state: WinLossRatioState,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`WinLossRatio.act`."""
    wins, losses = state.wins[position], state.losses[position]
    return crystallised_action(wins, losses, legal_actions, state.threshold, uniform, state.scratch)


@implements(learn, WinLossRatioState)
def _learn(
    state: WinLossRatioState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`WinLossRatio.update`."""
    count = remember(state.moves, turn)
    if turn.terminated:
        won = turn.reward + turn.reply_reward > 0
        for move in range(count):
            position = state.moves.positions[turn.seat, move]
            action = state.moves.actions[turn.seat, move]
            count_result(state.wins, state.losses, position, action, won, state.kept)
