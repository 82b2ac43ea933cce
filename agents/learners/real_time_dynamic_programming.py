"""Real-time dynamic programming: value iteration at the positions of the games played."""

from __future__ import annotations

import functools
from typing import Literal, NamedTuple

import numpy as np

from agents.base import Transition
from agents.tabular.index import check_memory, sorted_index
from agents.tabular.position_values import (
    PositionValueLearner,
    PositionValues,
    choose_by_lookahead,
    position_values,
    value_index,
    value_index_after,
)
from agents.tabular.protocol import LearningRule, UpdateContext
from agents.tabular.schedules import Schedule
from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.rules import NO_MOVE, Rules
from nim_envs.rules.compiled_moves import copy_entries
from nim_envs.typing import Array, IntArray, ValueArray
from nim_envs.validation import checked_choice, checked_number

DTYPES = ("float64", "float32", "int8")


class Predecessors(NamedTuple):
    """The predecessors of each state of each component: the states one move before it."""

    states: IntArray  # (components, states, largest count)
    counts: IntArray  # (components, states): number of predecessors


class RealTimeDynamicProgrammingState(NamedTuple):
    """The state of :class:`RealTimeDynamicProgramming` in the training loops."""

    positions: PositionValues
    predecessors: Predecessors | None  # with sweeping
    learning_rate: float


@compiled(inner=True)
def bellman_error(
    positions: PositionValues, observation: Array, index: int, legal_actions: IntArray
) -> float:
    """V(s) += α [max_a −V(s'(a)) − V(s)] over all legal actions a at s, s'(a) by the rules.

    With α = 1 this is value iteration. V is for the player to move, and 1 at most, so the maximum
    is not sought beyond a value of 1.

    Args:
        positions: V and the rules.
        observation: s, ``(components,)``.
        index: index of V(s) in ``positions.values``.
        legal_actions: legal actions at s, ascending.

    Returns:
        The Bellman error, in square brackets.

    References:
        A. G. Barto, S. J. Bradtke & S. P. Singh, "Learning to act using real-time dynamic
        programming", *Artificial Intelligence* 72 (1995), 81-138; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 8.7.
    """
    options = positions.rules.table.shape[2]
    best = -np.inf
    for action in legal_actions:
        after = value_index_after(
            positions, positions.order, observation, index, action // options, action % options
        )
        best = max(best, -positions.values[after])
        if best >= 1.0:  # no value is larger
            break
    return best - float(positions.values[index])


@compiled(inner=True)
def sweep_back(
    positions: PositionValues,
    predecessors: Predecessors | None,
    observation: Array,
    index: int,
    learning_rate: float,
) -> None:
    """V(p) += α max(−V(s) − V(p), 0) for all p one move before s, after V(s) has decreased.

    The player to move at p can move to s, so V(p) is at least −V(s). This is one step of the
    backward sweep of prioritised sweeping.

    Args:
        positions: V, changed in place.
        predecessors: predecessors of each state of each component; ``None``: no sweep.
        observation: s, ``(components,)``.
        index: index of V(s).
        learning_rate: α.

    References:
        A. W. Moore & C. G. Atkeson, "Prioritized sweeping: reinforcement learning with less
        data and less time", *Machine Learning* 13 (1993), 103-130; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 8.4.
    """
    if predecessors is not None:
        target = -float(positions.values[index])
        for component in range(len(observation)):
            here = observation[component]
            for number in range(predecessors.counts[component, here]):
                copy_entries(observation, positions.position)
                positions.position[component] = predecessors.states[component, here, number]
                before = sorted_index(positions.position, positions.rules.strides, positions.order)
                value = float(positions.values[before])
                if value < target:
                    positions.values[before] = value + learning_rate * (target - value)


@compiled(inline=True)
def learn(
    learner: RealTimeDynamicProgrammingState, turn: Transition, context: UpdateContext
) -> None:
    """Apply :func:`bellman_error` to V(s), and if it decreases :func:`sweep_back`."""
    positions, learning_rate = learner.positions, learner.learning_rate
    index = value_index(positions, turn.observation)
    error = bellman_error(positions, turn.observation, index, turn.legal_actions)
    value = float(positions.values[index])
    positions.values[index] = value + learning_rate * error
    if positions.values[index] < value:
        sweep_back(positions, learner.predecessors, turn.observation, index, learning_rate)


class RealTimeDynamicProgramming(PositionValueLearner):
    """Learns values of positions for the player to move, from all moves at each position played.

    It uses the rules, for the moves at a position and the values of terminal positions, but no
    theorem. It does not use rewards, so a truncated game is learned from like any other.

    Use it on large boards where the rules may be used: one visit to a position evaluates all its
    moves, and with ``sweeping``, ``symmetric`` and ``dtype="int8"`` it can learn boards of a
    hundred million positions.

    Args:
        game: rules to use; observations are its positions (``encoding="integer"``).
        learning_rate: step size, over 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.
        sweeping: whether a decrease of a position's value immediately updates its predecessors,
            except those by moves that split.
        symmetric: whether positions that differ in the order of like heaps share a value; see
            :func:`agents.tabular.index.heap_order`.
        dtype: type of the values: ``"float64"``, ``"float32"``, or ``"int8"``, which holds all
            values that a learning rate of 1 can give: -1 lost, 0 unknown or drawn, 1 won.

    Attributes:
        values: for the player to move, ``(num_positions,)`` by mixed-radix index, 0 at first except
            at terminal positions.

    Raises:
        ValueError: a parameter out of its range, or ``"int8"`` with another learning rate.
        InvalidGameError: ``symmetric`` for a game whose components have different options.
        MemoryError: the values would need too much memory.
    """

    rule = LearningRule(choose=choose_by_lookahead, learn=learn)

    def __init__(
        self,
        game: Game,
        *,
        learning_rate: float = 1.0,
        epsilon: float | Schedule = 0.2,
        sweeping: bool = False,
        symmetric: bool = False,
        dtype: Literal["float64", "float32", "int8"] = "float64",
    ) -> None:
        checked_number("learning_rate", learning_rate, 0, 1, open_low=True)
        checked_choice("dtype", dtype, DTYPES)
        if dtype == "int8" and learning_rate != 1:
            raise ValueError(f"values of int8 need a learning_rate of 1, not {learning_rate!r}")
        check_memory((game.rules.num_positions,), dtype=dtype)
        values = _end_values(game).astype(dtype)
        state = RealTimeDynamicProgrammingState(
            position_values(game, values, symmetric=symmetric),
            predecessors(game.rules) if sweeping else None,
            float(learning_rate),
        )
        arguments = {
            "learning_rate": learning_rate, "epsilon": epsilon, "sweeping": sweeping,
            "symmetric": symmetric, "dtype": dtype,
        }  # fmt: skip
        super().__init__(game, state, arguments, epsilon)


def _end_values(game: Game) -> ValueArray:
    """Return the value of each position without moves to the player to move, 0 where there is one.

    Args:
        game: rules and convention.

    Returns:
        int8 ``(num_positions,)`` by mixed-radix index.
    """
    rules = game.rules
    terminal = [
        component.is_terminal(component.states_at_places(np.arange(component.num_places)))
        for component in rules.components
    ]
    ends = functools.reduce(np.logical_and.outer, terminal).ravel()
    values: ValueArray = np.zeros(len(ends), dtype=np.int8)
    values[ends] = game.convention.end_values(rules, rules.positions(np.flatnonzero(ends)))
    return values


def predecessors(rules: Rules) -> Predecessors:
    """Return the states one move before each state of each component.

    Moves that split change two components, and are left out.
    """
    second = rules.second_table
    table = rules.table if second is None else np.where(second > 0, NO_MOVE, rules.table)
    components, states, _ = table.shape
    before = [
        [np.flatnonzero((rows == state).any(axis=1)) for state in range(states)] for rows in table
    ]
    counts = np.array([[len(numbers) for numbers in rows] for rows in before], dtype=np.int64)
    earlier = np.zeros((components, states, int(counts.max())), dtype=np.int64)
    for component, rows in enumerate(before):
        for state, numbers in enumerate(rows):
            earlier[component, state, : len(numbers)] = numbers
    return Predecessors(earlier, counts)
