"""Whole games of self-play in one compiled loop, for every learner that has a compiled form.

A learner's compiled form is a ``NamedTuple`` of its arrays and numbers, its *state*, and two
functions on it: :func:`choose` and :func:`learn`. A learner's file says what these are for its
state with :func:`implements`; they call the same rules that the step-by-step loop calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from agents.base import Array, FloatArray, IntArray
from agents.table import mixed_radix_number
from nim_envs import Game
from nim_envs.borrowing import borrowed
from nim_envs.compilation import compiled

LARGEST_LISTS = 1 << 18
"""Games of up to so many (position, action) pairs have their legal actions listed beforehand."""

Function = TypeVar("Function", bound=Callable[..., Any])


class Turn(NamedTuple):
    """One turn of one seat, as :class:`agents.base.Transition`, with positions numbered."""

    seat: int
    observation: Array  # (components,)
    position: int  # row of the observation
    legal_actions: IntArray  # ascending
    action: int
    reward: float
    reply_observation: Array
    reply_position: int
    reply_legal_actions: IntArray  # none where the game is over
    reply_reward: float
    next_position: int
    next_legal_actions: IntArray  # none where the game is over
    terminated: bool


def choose(
    state: Any,
    observation: Array,
    position: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """Return an action; compiled, by the type of ``state``.

    Args:
        state: of the learner.
        observation: the position, ``(components,)``.
        position: its row.
        legal_actions: what is legal, ascending.
        first_move: whether the learner has not moved in this game yet.
        epsilon: probability of a random action, where the learner has one.
        uniform: the source of randomness, in [0, 1).
    """
    raise NotImplementedError(f"{type(state).__name__} has no compiled choice of actions")


def learn(
    state: Any, turn: Turn, epsilon: float, finished: int, generator: np.random.Generator
) -> None:
    """Learn from one turn; compiled, by the type of ``state``.

    Args:
        state: of the learner, whose arrays change in place.
        turn: the turn.
        epsilon: probability of a random action, where the learner has one.
        finished: games that the learner has finished.
        generator: the learner's own.
    """
    raise NotImplementedError(f"{type(state).__name__} has no compiled learning rule")


class CompiledRules(NamedTuple):
    """The rules of a game as arrays."""

    table: IntArray  # (components, states, options): the next state, or -1
    legal_options: IntArray  # same shape: in each state the legal options first, ascending
    legal_counts: IntArray  # (components, states): how many these are
    strides: IntArray  # (components,): mixed-radix strides of positions
    last_mover_wins: bool
    listed: bool  # whether the legal actions of every position are listed below
    lists: Array  # (positions, actions): legal actions first, ascending; else scratch space
    list_lengths: IntArray  # (positions,): how many these are; else scratch space
    # What a move puts into an empty slot, in the shape of the table. Where no move splits it is
    # None: of another type, so that code compiled for such games has nothing to do with it.
    second_table: IntArray | None
    first_slots: IntArray  # (components,): the first of the slots that each is one of


def compiled_rules(game: Game) -> CompiledRules:
    """Return the rules of ``game`` as arrays."""
    rules = game.rules
    illegal = rules.mask_table == 0
    # Small types, so that the lists stay near the processor.
    kind = np.int16 if rules.num_actions < 2**15 else np.int64
    listed = rules.num_positions * rules.num_actions <= LARGEST_LISTS
    if listed:
        # Of what is no position in a game that splits, too: nobody asks for that.
        masks = rules.action_mask(rules.positions(np.arange(rules.num_positions)))
        lists = np.argsort(masks == 0, axis=1, kind="stable").astype(kind)
        list_lengths = masks.sum(axis=1, dtype=np.int64)
    else:  # for the three positions in play
        lists = np.zeros((3, rules.num_actions), dtype=kind)
        list_lengths = np.zeros(3, dtype=np.int64)
    first_slots = np.arange(len(rules.shape), dtype=np.int64)
    for group in rules.slot_groups:
        first_slots[group.start : group.stop] = group.start
    return CompiledRules(
        rules.table,
        np.ascontiguousarray(np.argsort(illegal, axis=-1, kind="stable")),
        np.sum(~illegal, axis=-1, dtype=np.int64),
        rules.strides,
        game.convention.winner(last_mover=0) == 0,
        listed,
        lists,
        list_lengths,
        rules.second_table,
        first_slots,
    )


class Moves(NamedTuple):
    """What a learner from whole games remembers of the game in progress, by seat."""

    positions: IntArray  # (2, longest game)
    actions: IntArray  # (2, longest game)
    counts: IntArray  # (2,): moves made


def no_moves(longest_game: int) -> Moves:
    """Return an empty memory for games of at most ``longest_game`` moves."""
    shape = (2, longest_game)
    return Moves(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(2, np.int64))


@compiled
def remember(moves: Moves, turn: Turn) -> int:
    """Add a turn to the moves of its seat; return how many these are now.

    At the end of the game the memory is empty again.
    """
    seat = turn.seat
    count = int(moves.counts[seat])
    moves.positions[seat, count] = turn.position
    moves.actions[seat, count] = turn.action
    moves.counts[seat] = 0 if turn.terminated else count + 1
    return count + 1


def implements(function: Callable[..., Any], state: type) -> Callable[[Function], Function]:
    """Make what is decorated the compiled ``function`` for states of type ``state``.

    Args:
        function: :func:`choose` or :func:`learn`; the arguments come in its order.
        state: a class of ``NamedTuple``.
    """

    def register(implementation: Function) -> Function:
        def of_such_a_state(kind: Any, *_: Any) -> Any:
            named = isinstance(kind, (types.NamedTuple, types.NamedUniTuple))
            return implementation if named and kind.instance_class is state else None

        # Strictly, Numba would compare the annotations of the two signatures.
        overload(function, strict=False, jit_options={"forceinline": True})(of_such_a_state)
        return implementation

    return register


@compiled
def write_legal_actions(observation: Array, rules: CompiledRules, out: IntArray) -> int:
    """Write the legal actions to ``out``, ascending, and return how many there are."""
    options = rules.table.shape[2]
    count = 0
    for component in range(len(observation)):
        state = observation[component]
        for number in range(rules.legal_counts[component, state]):
            out[count] = component * options + rules.legal_options[component, state, number]
            count += 1
    return count


@compiled
def legal_row(rules: CompiledRules, observation: Array, position: int, slot: int) -> int:
    """Return the row of ``rules.lists`` with the legal actions of a position in play.

    Args:
        rules: of the game, whose scratch space changes unless everything is listed.
        observation: the position, ``(components,)``.
        position: its row among all positions.
        slot: which of the three positions in play it is.
    """
    if rules.listed:
        return position
    rules.list_lengths[slot] = write_legal_actions(observation, rules, rules.lists[slot])
    return slot


def slot_to_fill(
    second_table: IntArray | None,
    first_slots: IntArray,
    observation: Array,
    component: int,
    option: int,
) -> tuple[int, int]:
    """Return which slot a move fills with a second part, and with what; (0, 0) if none.

    Compiled by the type of the first argument: where nothing splits, to nothing.

    Args:
        second_table: as in :class:`CompiledRules`, as the next.
        first_slots: as there.
        observation: the position before the move, ``(components,)``.
        component: where the move is made.
        option: the move.
    """
    raise NotImplementedError("slots are filled in compiled code only")


def _no_slot(
    second_table: None, first_slots: IntArray, observation: Array, component: int, option: int
) -> tuple[int, int]:
    return 0, 0


def _first_empty_slot(
    second_table: IntArray, first_slots: IntArray, observation: Array, component: int, option: int
) -> tuple[int, int]:
    second = second_table[component, observation[component], option]
    if second == 0:
        return 0, 0
    slot = first_slots[component]
    # Every position leaves an empty slot to a move that splits.
    while observation[slot] != 0:
        slot += 1
    return slot, second


@overload(slot_to_fill, strict=False, jit_options={"forceinline": True})
def _slot_to_fill(second_table: Any, *_: Any) -> Callable[..., tuple[int, int]]:
    return _no_slot if isinstance(second_table, types.NoneType) else _first_empty_slot


@compiled
def number_after(
    rules: CompiledRules, observation: Array, number: int, component: int, option: int
) -> int:
    """Return the row of the position after a move.

    Args:
        rules: of the game.
        observation: the position, ``(components,)``.
        number: its row.
        component: where the move is made.
        option: the move.
    """
    before = observation[component]
    number += (rules.table[component, before, option] - before) * rules.strides[component]
    slot, second = slot_to_fill(
        rules.second_table, rules.first_slots, observation, component, option
    )
    return int(number + second * rules.strides[slot])


@compiled
def sorted_number(observation: Array, rules: CompiledRules, order: IntArray) -> int:
    """Return the row of a position, after sorting it in place if there is an ``order``."""
    for end in range(1, len(order)):
        state = observation[order[end]]
        place = end
        while place > 0 and observation[order[place - 1]] > state:
            observation[order[place]] = observation[order[place - 1]]
            place -= 1
        observation[order[place]] = state
    return mixed_radix_number(observation, rules.strides, 0)


@compiled
def play_games(
    first: Any,
    second: Any,
    shared: bool,
    rules: CompiledRules,
    order: IntArray,
    starts: IntArray,
    epsilons: FloatArray,
    ended: IntArray,
    rng: np.random.Generator,
    first_generator: np.random.Generator,
    second_generator: np.random.Generator,
    winners: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.int32],
) -> None:
    """Play games from ``starts``; both players learn as they go.

    Turn for turn the same as :func:`agents.training.play_and_learn`.

    Args:
        first: state of the learner of seat 0.
        second: state of the learner of seat 1, the same if it is ``shared``.
        shared: whether one learner plays both seats.
        rules: of the game.
        order: of the components, where positions are to be sorted; see
            :class:`agents.symmetry.Symmetry`. Empty where not.
        starts: ``(games, components)``.
        epsilons: of each learner now, and once it has finished so many more games,
            ``(2, games + 1)``.
        ended: games that each learner has finished in each seat, ``(2, 2)``, changed in
            place; that of learner 0 alone if it is ``shared``.
        rng: of the players' choices.
        first_generator: the first learner's own.
        second_generator: the second learner's own.
        winners: changed in place, ``(games,)``.
        lengths: changed in place, ``(games,)``.
    """
    rules = borrowed(rules)
    components, _, options = rules.table.shape
    # A turn is learned from when two more positions are known: three are kept.
    owner = np.zeros((3, components), dtype=np.int64)
    # Looked up: a division takes long.
    component_of = np.arange(components * options) // options
    observations: Array = borrowed(owner)
    one, other = borrowed(first), borrowed(second)
    at_first = np.array([ended[0].max(), ended[1].max()])
    finished = at_first.copy()
    for game in range(len(starts)):
        observations[0] = starts[game]
        position = sorted_number(observations[0], rules, order)
        row = legal_row(rules, observations[0], position, 0)
        earlier_position, earlier_row, earlier_action = position, row, 0
        moves = 0
        over = False
        while not over:
            here, after = moves % 3, (moves + 1) % 3
            seat = moves % 2
            seen = observations[here]
            legal = rules.lists[row, : rules.list_lengths[row]]
            learner = 0 if shared else seat
            epsilon = epsilons[learner, finished[learner] - at_first[learner]]
            uniform = rng.random()
            if learner == 0:
                action = choose(one, seen, position, legal, moves == 0, epsilon, uniform)
            else:
                action = choose(other, seen, position, legal, moves == 1, epsilon, uniform)
            moved = component_of[action]
            state = seen[moved]
            successor = rules.table[moved, state, action - moved * options]
            for component in range(components):
                observations[after, component] = seen[component]
            observations[after, moved] = successor
            slot, second = slot_to_fill(
                rules.second_table, rules.first_slots, seen, moved, action - moved * options
            )
            if second:
                observations[after, slot] = second
            if len(order):
                next_position = sorted_number(observations[after], rules, order)
            else:
                next_position = position + (successor - state) * rules.strides[moved]
                next_position += second * rules.strides[slot]
            next_row = legal_row(rules, observations[after], next_position, after)
            next_legal = rules.lists[next_row, : rules.list_lengths[next_row]]
            moves += 1
            over = len(next_legal) == 0
            reward = 0.0
            # At the end the mover's turn is complete first, then the other's, as ever.
            if over:
                reward = 1.0 if rules.last_mover_wins else -1.0
                turn = Turn(
                    seat, seen, position, legal, action, reward, observations[after],
                    next_position, next_legal, 0.0, next_position, next_legal, True,
                )  # fmt: skip
                if learner == 0:
                    learn(one, turn, epsilon, finished[0], first_generator)
                else:
                    learn(other, turn, epsilon, finished[1], second_generator)
                ended[learner, seat] += 1
                finished[learner] = max(ended[learner, 0], ended[learner, 1])
            if moves > 1:
                learner = 0 if shared else 1 - seat
                epsilon = epsilons[learner, finished[learner] - at_first[learner]]
                completed = Turn(
                    1 - seat, observations[(moves + 1) % 3], earlier_position,
                    rules.lists[earlier_row, : rules.list_lengths[earlier_row]], earlier_action,
                    0.0, seen, position, legal, -reward, next_position, next_legal, over,
                )  # fmt: skip
                if learner == 0:
                    learn(one, completed, epsilon, finished[0], first_generator)
                else:
                    learn(other, completed, epsilon, finished[1], second_generator)
                if over:
                    ended[learner, 1 - seat] += 1
                    finished[learner] = max(ended[learner, 0], ended[learner, 1])
            earlier_position, earlier_row, earlier_action = position, row, action
            position, row = next_position, next_row
        last_seat = (moves + 1) % 2
        winners[game] = last_seat if rules.last_mover_wins else 1 - last_seat
        lengths[game] = moves
    # What was borrowed from lives until here.
    owner[0, 0] = 0
