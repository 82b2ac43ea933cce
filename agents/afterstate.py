"""Values of positions, learned by looking one move ahead with the rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.base import Array, FloatArray, MaskArray, Transition
from agents.compiled_games import Turn, choose, implements, learn
from agents.exploration import Exploration, Schedule, check_range
from agents.random_agent import explored, uniform_probabilities
from agents.selection import epsilon_greedy_action, largest_legal
from agents.storable import storable
from agents.table import IntArray, check_memory, mixed_radix_number
from nim_envs import Convention, Game
from nim_envs.compilation import compiled


@compiled
def option_values(
    values: FloatArray,
    table: IntArray,
    strides: IntArray,
    observation: IntArray,
    out: FloatArray,
) -> None:
    """Write to ``out`` what each action is worth: minus the value of the position after it.

    Args:
        values: of positions for the player to move, ``(positions,)``.
        table: the rules' options, ``(components, states, options)``.
        strides: mixed-radix strides of positions, ``(components,)``.
        observation: the position, ``(components,)``.
        out: ``(actions,)``, changed in place; minus infinity where not legal.
    """
    position = mixed_radix_number(observation, strides, 0)
    options = table.shape[2]
    for component in range(len(observation)):
        state = observation[component]
        for option in range(options):
            after = table[component, state, option]
            worth = -np.inf
            if after >= 0:
                worth = -values[position + (after - state) * strides[component]]
            out[component * options + option] = worth


@compiled
def afterstate_action(
    values: FloatArray,
    table: IntArray,
    strides: IntArray,
    observation: IntArray,
    action_mask: MaskArray,
    epsilon: float,
    uniform: float,
    out: FloatArray,
) -> int:
    """Return an epsilon-greedy action by the values of the positions after it.

    Args:
        values: as in :func:`option_values`.
        table: as there.
        strides: as there.
        observation: as there.
        action_mask: what is legal, ``(actions,)``.
        epsilon: probability of a random action.
        uniform: the source of randomness, in [0, 1).
        out: scratch space, ``(actions,)``.
    """
    if uniform >= epsilon:  # a random action needs no values
        option_values(values, table, strides, observation, out)
    return epsilon_greedy_action(out, action_mask, epsilon, uniform)


@compiled
def afterstate_update(
    values: FloatArray,
    table: IntArray,
    strides: IntArray,
    observation: IntArray,
    action_mask: MaskArray,
    learning_rate: float,
    out: FloatArray,
) -> None:
    """Move the value of a position towards that of its best option.

    ``V(s)`` moves towards ``-min V`` over the options of ``s``, each of which is the
    opponent's to move.

    Args:
        values: ``(positions,)``, changed in place.
        table: as in :func:`option_values`.
        strides: as there.
        observation: the position, ``(components,)``.
        action_mask: what is legal there, ``(actions,)``.
        learning_rate: step size.
        out: scratch space, ``(actions,)``.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.8.
    """
    option_values(values, table, strides, observation, out)
    position = mixed_radix_number(observation, strides, 0)
    values[position] += learning_rate * (largest_legal(out, action_mask) - values[position])


@storable
class AfterstateTD:
    """Learns what positions are worth to the player to move, in self-play.

    It is told the rules: it looks at the options of a position, and knows the value of
    terminal positions. It is not told any theorem.

    Args:
        game: the game; observations are its positions (``encoding="integer"``).
        learning_rate: step size, over 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.

    Attributes:
        values: float64 ``(num_positions,)`` by mixed-radix index, 0 at first, except terminal
            positions.

    Raises:
        ValueError: a parameter out of its range.
        MemoryError: the values would not fit.
    """

    def __init__(
        self, game: Game, *, learning_rate: float = 1.0, epsilon: float | Schedule = 0.2
    ) -> None:
        self.learning_rate = check_range("learning_rate", learning_rate, 0, 1, open_low=True)
        self.exploration = Exploration(epsilon)
        self.game = game
        rules = game.rules
        check_memory((rules.num_positions, len(rules.shape) + 1))
        self.strides = rules.strides
        # The player who cannot move has lost, or in misère play won.
        stuck = 1.0 if game.convention is Convention.MISERE else -1.0
        self.values = np.where(rules.is_terminal(rules.lattice()), stuck, 0.0)
        self._scratch = np.zeros(rules.num_actions)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an epsilon-greedy action by the values of the positions after it."""
        return int(
            afterstate_action(
                self.values,
                self.game.rules.table,
                self.strides,
                observation,
                action_mask,
                self.exploration.epsilon,
                rng.random(),
                self._scratch,
            )
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the epsilon-greedy probabilities, by the values and epsilon of now."""
        greedy = GreedyValuePolicy(self.game, self.values)
        shares = greedy.action_probabilities(observations, action_masks)
        return explored(shares, action_masks, self.exploration.epsilon)

    def update(self, transition: Transition) -> None:
        """Learn from one turn by :func:`afterstate_update`."""
        afterstate_update(
            self.values,
            self.game.rules.table,
            self.strides,
            transition.observation,
            transition.action_mask,
            self.learning_rate,
            self._scratch,
        )
        if transition.terminated:
            self.exploration.finish(transition.seat)

    def compiled_state(self, longest_game: int) -> AfterstateState:
        """Return its state for :mod:`agents.compiled_games`."""
        return AfterstateState(
            self.values,
            self.game.rules.table,
            self.strides,
            float(self.learning_rate),
            self._scratch,
        )

    def greedy(self) -> GreedyValuePolicy:
        """Return the policy that moves to the position worst for the opponent, as of now."""
        return GreedyValuePolicy(self.game, self.values.copy())


class AfterstateState(NamedTuple):
    """What :class:`AfterstateTD` is in compiled games."""

    values: FloatArray
    table: IntArray  # the rules'
    strides: IntArray
    learning_rate: float
    scratch: FloatArray


@implements(choose, AfterstateState)
def _choose(
    state: AfterstateState,
    observation: Array,
    position: int,
    action_mask: MaskArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`AfterstateTD.act`."""
    return afterstate_action(
        state.values, state.table, state.strides, observation, action_mask, epsilon, uniform,
        state.scratch,
    )  # fmt: skip


@implements(learn, AfterstateState)
def _learn(
    state: AfterstateState,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`AfterstateTD.update`."""
    afterstate_update(
        state.values, state.table, state.strides, turn.observation, turn.action_mask,
        state.learning_rate, state.scratch,
    )  # fmt: skip


class GreedyValuePolicy:
    """Moves to the position of the least value for the opponent; ties are equally likely.

    Args:
        game: the game.
        values: of positions for the player to move, ``(num_positions,)``.
    """

    def __init__(self, game: Game, values: FloatArray) -> None:
        self.game = game
        self.values = values

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action to a position of least value."""
        chances = self.action_probabilities(observation[np.newaxis], action_mask[np.newaxis])[0]
        return int(rng.choice(len(chances), p=chances))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return what actions are ranked by, ``(n, actions)``; minus infinity where not legal.

        That is minus the value, for the opponent, of the position that each leads to.
        """
        rules = self.game.rules
        after = rules.options(observations)
        step = (after - observations[..., np.newaxis]) * rules.strides[:, np.newaxis]
        indices = rules.indices(observations)[:, np.newaxis] + step.reshape(len(step), -1)
        worth: FloatArray = np.where(
            action_masks == 1, -self.values[indices * action_masks], -np.inf
        )
        return worth

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the actions to a position of least value."""
        worth = self.action_values(observations, action_masks)
        best = worth == worth.max(axis=1, keepdims=True)
        return uniform_probabilities((best & (action_masks == 1)).astype(np.int8))
