"""Values of positions, learned by looking one move ahead with the rules."""

from __future__ import annotations

import functools
from typing import Literal, NamedTuple

import numpy as np

from agents.base import Array, FloatArray, IntArray, MaskArray, Transition
from agents.players.random_agent import explored, uniform_probabilities
from agents.storable import storable
from agents.tabular.index import check_memory
from agents.tabular.schedules import Exploration, Schedule, check_range
from agents.tabular.selection import epsilon_greedy_action
from agents.tabular.symmetry import Symmetry
from agents.training.compiled.games import (
    CompiledRules,
    Turn,
    choose,
    compiled_rules,
    implements,
    learn,
    number_after,
    slot_to_fill,
    sorted_number,
)
from nim_envs import Convention, Game, Rules
from nim_envs.compilation import compiled
from nim_envs.rules import NO_MOVE

DTYPES = ("float64", "float32", "int8")


class AfterstateValues(NamedTuple):
    """Values of positions, and what is needed to find them: the learner in compiled games."""

    values: Array  # (num_positions,): for the player to move, by mixed-radix index
    rules: CompiledRules
    order: IntArray  # of components where positions are sorted, else empty
    predecessors: IntArray  # (components, states, most): states one move before; see below
    predecessor_counts: IntArray  # (components, states): how many; all 0 without sweeping
    learning_rate: float
    position: IntArray  # scratch space, (components,)
    worth: FloatArray  # scratch space, (actions,)


@compiled
def value_index(state: AfterstateValues, observation: Array) -> int:
    """Return where the value of a position is."""
    state.position[:] = observation
    return sorted_number(state.position, state.rules.strides, state.order)


@compiled
def value_after(
    state: AfterstateValues, observation: Array, index: int, component: int, option: int
) -> float:
    """Return the value of the position after a move.

    Args:
        state: of the learner.
        observation: the position, ``(components,)``.
        index: where its value is.
        component: where the move is made.
        option: the move.
    """
    rules = state.rules
    if len(state.order):
        state.position[:] = observation
        state.position[component] = rules.table[component, observation[component], option]
        slot, second = slot_to_fill(
            rules.second_table, rules.first_slots, observation, component, option
        )
        if second:
            state.position[slot] = second
        return float(state.values[sorted_number(state.position, rules.strides, state.order)])
    return float(state.values[number_after(rules, observation, index, component, option)])


@compiled
def option_values(state: AfterstateValues, observation: Array, legal_actions: IntArray) -> None:
    """Write to ``state.worth`` minus the value of where each legal action leads.

    Args:
        state: of the learner; what is not legal is left as it is in ``state.worth``.
        observation: the position, ``(components,)``.
        legal_actions: what is legal there, ascending.
    """
    rules = state.rules
    index = value_index(state, observation)
    options = rules.table.shape[2]
    component, first = 0, 0
    for action in legal_actions:
        while action >= first + options:
            first += options
            component += 1
        state.worth[action] = -value_after(state, observation, index, component, action - first)


@compiled
def best_option_value(
    state: AfterstateValues, observation: Array, index: int, legal_actions: IntArray
) -> float:
    """Return the largest of :func:`option_values`, without looking on from a sure win.

    Args:
        state: of the learner.
        observation: the position, ``(components,)``.
        index: where its value is.
        legal_actions: what is legal there, ascending.
    """
    rules = state.rules
    options = rules.table.shape[2]
    best = -np.inf
    component, first = 0, 0
    for action in legal_actions:
        while action >= first + options:
            first += options
            component += 1
        best = max(best, -value_after(state, observation, index, component, action - first))
        if best >= 1.0:  # no value is larger
            break
    return best


@compiled
def afterstate_action(
    state: AfterstateValues,
    observation: Array,
    legal_actions: IntArray,
    epsilon: float,
    uniform: float,
) -> int:
    """Return an epsilon-greedy action by the values of the positions after it.

    Args:
        state: of the learner.
        observation: the position, ``(components,)``.
        legal_actions: what is legal there, ascending.
        epsilon: probability of a random action.
        uniform: the source of randomness, in [0, 1).
    """
    if uniform >= epsilon:  # a random action needs no values
        option_values(state, observation, legal_actions)
    return epsilon_greedy_action(state.worth, legal_actions, epsilon, uniform)


@compiled
def act_by_afterstates(
    state: AfterstateValues,
    observation: Array,
    action_mask: MaskArray,
    epsilon: float,
    uniform: float,
) -> int:
    """One compiled call for the step-by-step loop: :func:`afterstate_action` of a mask."""
    return afterstate_action(state, observation, np.flatnonzero(action_mask), epsilon, uniform)


@compiled
def afterstate_update(state: AfterstateValues, observation: Array, legal_actions: IntArray) -> None:
    """Move the value of a position towards that of its best option.

    ``V(s)`` moves towards ``-min V`` over the options of ``s``, each of which is the
    opponent's to move.

    Args:
        state: of the learner, whose values change in place.
        observation: the position, ``(components,)``.
        legal_actions: what is legal there, ascending, at least one.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.8.
    """
    index = value_index(state, observation)
    best = best_option_value(state, observation, index, legal_actions)
    value = float(state.values[index])
    state.values[index] = value + state.learning_rate * (best - value)
    if state.values[index] < value:
        sweep_back(state, observation, index)


@compiled
def sweep_back(state: AfterstateValues, observation: Array, index: int) -> None:
    """Raise the values of positions one move before one that turned out worse for its mover.

    Who is to move there can leave the opponent with it, so the value is at least minus its
    value. One step of the backward sweep of prioritised sweeping.

    Args:
        state: of the learner, whose values change in place.
        observation: the position whose value fell, ``(components,)``.
        index: where its value is.

    References:
        A. W. Moore & C. G. Atkeson, "Prioritized sweeping: reinforcement learning with less
        data and less time", *Machine Learning* 13 (1993), 103-130; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 8.4.
    """
    target = -float(state.values[index])
    for component in range(len(observation)):
        here = observation[component]
        for number in range(state.predecessor_counts[component, here]):
            before = state.predecessors[component, here, number]
            if len(state.order):
                state.position[:] = observation
                state.position[component] = before
                place = sorted_number(state.position, state.rules.strides, state.order)
            else:
                place = index + (before - here) * state.rules.strides[component]
            value = float(state.values[place])
            if value < target:
                state.values[place] = value + state.learning_rate * (target - value)


@compiled
def options_worth(
    state: AfterstateValues, observations: Array, action_masks: MaskArray, out: FloatArray
) -> None:
    """Write minus the value of where each legal action leads, for many positions.

    Args:
        state: of the learner.
        observations: ``(n, components)``.
        action_masks: int8 ``(n, actions)``.
        out: ``(n, actions)``, changed in place; left as it is where not legal.
    """
    for row in range(len(observations)):
        legal_actions = np.flatnonzero(action_masks[row])
        option_values(state, observations[row], legal_actions)
        for action in legal_actions:
            out[row, action] = state.worth[action]


@storable
class AfterstateTD:
    """Learns what positions are worth to the player to move, in self-play.

    It is told the rules: it looks at the options of a position, and knows the value of
    terminal positions. It is not told any theorem.

    Args:
        game: the game; observations are its positions (``encoding="integer"``).
        learning_rate: step size, over 0 to 1.
        epsilon: probability of a random action while learning, or a schedule.
        sweeping: whether a fall of a position's value raises those one move before at once, but
            for moves that split.
        symmetric: whether positions that differ in the order of like heaps share a value; see
            :class:`agents.tabular.symmetry.Symmetry`.
        dtype: of the values: ``"float64"``, ``"float32"``, or ``"int8"``, which holds what a
            learning rate of 1 can learn: lost, unknown or won.

    Attributes:
        values: ``(num_positions,)`` by mixed-radix index, 0 at first, except terminal
            positions.

    Raises:
        ValueError: a parameter out of its range, or ``"int8"`` with another learning rate.
        InvalidGameError: ``symmetric`` for a game whose components are not alike.
        MemoryError: the values would not fit.
    """

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
        self.learning_rate = check_range("learning_rate", learning_rate, 0, 1, open_low=True)
        if dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}, not {dtype!r}")
        if dtype == "int8" and learning_rate != 1:
            raise ValueError(f"values of int8 need a learning_rate of 1, not {learning_rate!r}")
        self.exploration = Exploration(epsilon)
        self.game = game
        rules = game.rules
        check_memory((rules.num_positions,), dtype=dtype)
        order = Symmetry(rules).order if symmetric else np.empty(0, dtype=np.int64)
        terminal = [
            component.is_terminal(np.arange(component.states)) for component in rules.components
        ]
        # The player who cannot move has lost, or in misère play won.
        stuck = 1 if game.convention is Convention.MISERE else -1
        self.values = functools.reduce(np.logical_and.outer, terminal).ravel().astype(dtype)
        self.values *= stuck
        self._unfilled = AfterstateValues(
            np.zeros(0, dtype),
            compiled_rules(game),
            order,
            *_predecessors(rules, sweeping),
            float(learning_rate),
            np.zeros(len(rules.shape), np.int64),
            np.zeros(rules.num_actions),
        )

    def compiled_state(self, longest_game: int = 0) -> AfterstateValues:
        """Return its state for :mod:`agents.training.compiled.games`."""
        return self._unfilled._replace(values=self.values)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an epsilon-greedy action by the values of the positions after it."""
        epsilon = self.exploration.epsilon
        return int(
            act_by_afterstates(
                self.compiled_state(), observation, action_mask, epsilon, rng.random()
            )
        )

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the epsilon-greedy probabilities, by the values and epsilon of now."""
        greedy = GreedyValuePolicy(self.compiled_state())
        shares = greedy.action_probabilities(observations, action_masks)
        return explored(shares, action_masks, self.exploration.epsilon)

    def update(self, transition: Transition) -> None:
        """Learn from one turn by :func:`afterstate_update`."""
        legal_actions = np.flatnonzero(transition.action_mask)
        afterstate_update(self.compiled_state(), transition.observation, legal_actions)
        if transition.terminated:
            self.exploration.finish(transition.seat)

    def greedy(self) -> GreedyValuePolicy:
        """Return the policy that moves to the position worst for the opponent, as of now."""
        return GreedyValuePolicy(self._unfilled._replace(values=self.values.copy()))


@implements(choose, AfterstateValues)
def _choose(
    state: AfterstateValues,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """The same as :meth:`AfterstateTD.act`."""
    return afterstate_action(state, observation, legal_actions, epsilon, uniform)


@implements(learn, AfterstateValues)
def _learn(
    state: AfterstateValues,
    turn: Turn,
    epsilon: float,
    finished: int,
    generator: np.random.Generator,
) -> None:
    """The same as :meth:`AfterstateTD.update`."""
    afterstate_update(state, turn.observation, turn.legal_actions)


def _predecessors(rules: Rules, wanted: bool) -> tuple[IntArray, IntArray]:
    """The states one move before each state of each component, and how many they are.

    A move that splits changes two components, and is left out.
    """
    components, states, _ = rules.table.shape
    second = rules.second_table
    table = rules.table if second is None else np.where(second > 0, NO_MOVE, rules.table)
    counts = np.zeros((components, states), dtype=np.int64)
    if not wanted:
        return np.zeros((components, states, 0), dtype=np.int64), counts
    before = [[np.flatnonzero((rows == state).any(axis=1)) for state in range(states)]
              for rows in table]  # fmt: skip
    most = max(len(found) for rows in before for found in rows)
    predecessors = np.zeros((components, states, most), dtype=np.int64)
    for component, rows in enumerate(before):
        for state, found in enumerate(rows):
            counts[component, state] = len(found)
            predecessors[component, state, : len(found)] = found
    return predecessors, counts


class GreedyValuePolicy:
    """Moves to the position of the least value for the opponent; ties are equally likely.

    Args:
        state: of the learner.
    """

    def __init__(self, state: AfterstateValues) -> None:
        self.state = state

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action to a position of least value."""
        return int(act_by_afterstates(self.state, observation, action_mask, 0.0, rng.random()))

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return what actions are ranked by, ``(n, actions)``; minus infinity where not legal.

        That is minus the value, for the opponent, of the position that each leads to.
        """
        worth = np.full(action_masks.shape, -np.inf)
        options_worth(self.state, observations, action_masks, worth)
        return worth

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return equal probabilities over the actions to a position of least value."""
        worth = self.action_values(observations, action_masks)
        best = worth == worth.max(axis=1, keepdims=True)
        return uniform_probabilities((best & (action_masks == 1)).astype(np.int8))
