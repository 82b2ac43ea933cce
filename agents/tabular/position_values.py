"""Values of positions, looked up one move ahead by the rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.games import same_game
from agents.tabular.index import ObservationIndex, heap_order, positions_of, sorted_index
from agents.tabular.learner import TabularLearner
from agents.tabular.policies import shared_by_best, with_exploration
from agents.tabular.protocol import Decision
from agents.tabular.schedules import Schedule
from agents.tabular.selection import epsilon_greedy_action
from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.rules import Rules
from nim_envs.rules.compiled_moves import (
    CompiledRules,
    compiled_rules,
    copy_entries,
    index_after,
    write_position_after,
)
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray


class PositionValues(NamedTuple):
    """A value for each position, and the arrays needed to look it up."""

    values: Array  # (num_positions,): for the player to move
    rules: CompiledRules
    order: IntArray | None  # order of the components if positions are sorted
    position: IntArray  # buffer, (components,)
    action_values: FloatArray  # buffer, (actions,)


def position_values(game: Game, values: Array, *, symmetric: bool = False) -> PositionValues:
    """Return values of positions, with the rules for looking one move ahead.

    Args:
        game: rules of the positions.
        values: values by mixed-radix index, ``(num_positions,)``.
        symmetric: whether positions that differ in the order of like heaps share a value.

    Raises:
        InvalidGameError: ``symmetric`` for a game whose components have different options.
    """
    rules = game.rules
    return PositionValues(
        values,
        compiled_rules(rules),
        heap_order(rules) if symmetric else None,
        np.zeros(len(rules.shape), np.int64),
        np.zeros(rules.num_actions),
    )


@compiled(inner=True)
def value_index(positions: PositionValues, observation: Array) -> int:
    """Return the index of the value of a position."""
    copy_entries(observation, positions.position)
    return sorted_index(positions.position, positions.rules.strides, positions.order)


@compiled(inner=True)
def value_index_after(
    positions: PositionValues,
    order: IntArray | None,
    observation: Array,
    index: int,
    component: int,
    option: int,
) -> int:
    """Return the index of the value of the position after a move.

    Args:
        positions: values of all positions.
        order: ``positions.order``.
        observation: position before the move, ``(components,)``.
        index: index of its value.
        component: component of the move.
        option: option of the move.
    """
    rules = positions.rules
    if order is None:
        return index_after(rules, rules.second_table, observation, index, component, option)[0]
    write_position_after(rules, observation, index, component, option, positions.position)
    return sorted_index(positions.position, rules.strides, order)


@compiled(inner=True)
def write_action_values(
    positions: PositionValues, observation: Array, legal_actions: IntArray
) -> None:
    """Write minus the value of the position after each legal action to ``action_values``.

    Args:
        positions: values of all positions, with the buffer; its entries for illegal actions are
            left unchanged.
        observation: position, ``(components,)``.
        legal_actions: legal actions, ascending.
    """
    index = value_index(positions, observation)
    options = positions.rules.table.shape[2]
    for action in legal_actions:
        after = value_index_after(
            positions, positions.order, observation, index, action // options, action % options
        )
        positions.action_values[action] = -positions.values[after]


@compiled(inner=True)
def lookahead_action(
    positions: PositionValues,
    observation: Array,
    legal_actions: IntArray,
    epsilon: float,
    uniform: float,
) -> int:
    """Return an epsilon-greedy action by the values of the positions one move ahead.

    Args:
        positions: values of all positions.
        observation: position, ``(components,)``.
        legal_actions: legal actions, ascending.
        epsilon: probability of a random action.
        uniform: random number that draws the action, in [0, 1).
    """
    if uniform >= epsilon:  # a random action needs no values
        write_action_values(positions, observation, legal_actions)
    return epsilon_greedy_action(positions.action_values, legal_actions, epsilon, uniform)


@compiled(inline=True)
def choose_by_lookahead(
    learner: Any, observation: Array, legal_actions: IntArray, decision: Decision
) -> int:
    """Choose for any learner whose state has ``positions``; see :mod:`agents.tabular.protocol`."""
    return lookahead_action(
        learner.positions, observation, legal_actions, decision.epsilon,
        decision.uniform,
    )  # fmt: skip


@compiled
def _act(
    positions: PositionValues, observation: Array, action_mask: MaskArray, uniform: float
) -> int:
    """Return the greedy action, in one compiled call."""
    return lookahead_action(positions, observation, np.flatnonzero(action_mask), 0.0, uniform)


@compiled
def _many_action_values(
    positions: PositionValues, observations: Array, action_masks: MaskArray, out: FloatArray
) -> None:
    """Write the action values at ``observations`` to ``out``; illegal ones are left unchanged."""
    for row in range(len(observations)):
        legal_actions = np.flatnonzero(action_masks[row])
        write_action_values(positions, observations[row], legal_actions)
        for action in legal_actions:
            out[row, action] = positions.action_values[action]


@compiled
def _many_values(positions: PositionValues, observations: Array) -> FloatArray:
    """Return the values at ``observations``, ``(n,)``."""
    values = np.zeros(len(observations))
    for row in range(len(observations)):
        values[row] = positions.values[value_index(positions, observations[row])]
    return values


class GreedyValuePolicy:
    """Moves to a position of least value for the opponent; ties are equally likely.

    Args:
        positions: values of all positions.
        rules: rules of the game.
    """

    def __init__(self, positions: PositionValues, rules: Rules) -> None:
        self.positions = positions
        self.rules = rules

    def __repr__(self) -> str:
        """Return the size of the table."""
        return f"{type(self).__name__}({len(self.positions.values)} positions)"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action to a position of least value."""
        position = positions_of(self.rules, observation)
        return int(_act(self.positions, position, action_mask, rng.random()))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return action values, ``(n, actions)``; minus infinity where illegal.

        An action's value is minus the value of the position after it, where the opponent moves.
        """
        values = np.full(action_masks.shape, -np.inf)
        positions = positions_of(self.rules, observations)
        _many_action_values(self.positions, positions, action_masks, values)
        return values

    def values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the values of the positions to the player to move, ``(n,)``."""
        return _many_values(self.positions, positions_of(self.rules, observations))

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the actions to a position of least value."""
        return shared_by_best(self.action_values(observations, action_masks), action_masks)


class PositionValueLearner(TabularLearner):
    """A learner of values of positions that chooses moves by looking one move ahead.

    Args:
        game: rules for the look-ahead; observations are its positions.
        state: learner state with ``positions``, a :class:`PositionValues`.
        arguments: constructor arguments besides the game.
        epsilon: probability of a random action while learning, or a schedule.

    Attributes:
        values: values of positions for the player to move, ``(num_positions,)``; changed in place.
    """

    uses_rules = True

    def __init__(
        self, game: Game, state: Any, arguments: dict[str, Any], epsilon: float | Schedule
    ) -> None:
        self.values: Array = state.positions.values
        self._rules = game.rules
        super().__init__(
            ObservationIndex.of_positions(game),
            state,
            learned={"values": self.values},
            arguments=arguments,
            num_actions=game.rules.num_actions,
            epsilon=epsilon,
            game=game,
        )

    def fits(self, game: Game) -> bool:
        """Return whether ``game`` has the rules that it uses."""
        return self.game is not None and same_game(self.game, game)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities of the epsilon-greedy policy by the current values."""
        greedy = GreedyValuePolicy(self.state.positions, self._rules)
        probabilities = greedy.action_probabilities(observations, action_masks)
        return with_exploration(probabilities, action_masks, self.exploration.epsilon)

    def greedy(self) -> GreedyValuePolicy:
        """Return the policy that is greedy by a copy of the current values."""
        copied = self.state.positions._replace(values=self.values.copy())
        return GreedyValuePolicy(copied, self._rules)
