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
from agents.tabular.index import mixed_radix_number
from agents.tabular.symmetry import Symmetry
from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.reference_counts import without_reference_counts

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
    # What a move puts into an empty slot, in the shape of the table. Where no move splits it is
    # None: of another type, so that code compiled for such games has nothing to do with it.
    second_table: IntArray | None
    first_slots: IntArray  # (components,): the first of the slots that each is one of


def compiled_rules(game: Game) -> CompiledRules:
    """Return the rules of ``game`` as arrays."""
    rules = game.rules
    illegal = rules.mask_table == 0
    first_slots = np.arange(len(rules.shape), dtype=np.int64)
    for group in rules.slot_groups:
        first_slots[group.start : group.stop] = group.start
    return CompiledRules(
        rules.table,
        np.ascontiguousarray(np.argsort(illegal, axis=-1, kind="stable")),
        np.sum(~illegal, axis=-1, dtype=np.int64),
        rules.strides,
        game.convention.winner(last_mover=0) == 0,
        rules.second_table,
        first_slots,
    )


class ListedRows(NamedTuple):
    """What is known of every position, a row each."""

    positions: IntArray  # (positions, components)
    lists: Array  # (positions, actions): the legal actions first, ascending
    list_lengths: IntArray  # (positions,): how many these are
    next_positions: Array  # (positions, actions): the position after each legal action
    strides: IntArray  # (components,): mixed-radix strides of positions
    last_mover_wins: bool


class PlayedRows(NamedTuple):
    """What is known of the three positions that a turn is made of; written as games go on."""

    positions: IntArray  # (3, components)
    lists: Array  # (3, actions): the legal actions first, ascending
    list_lengths: IntArray  # (3,): how many these are
    rules: CompiledRules
    strides: IntArray  # (components,): mixed-radix strides of positions
    last_mover_wins: bool


def compiled_rows(game: Game, symmetry: Symmetry | None) -> ListedRows | PlayedRows:
    """Return rows for the positions of ``game``: for all of them, unless they are many.

    Args:
        game: the game.
        symmetry: by which positions are sorted, if they are.
    """
    rules = game.rules
    # Small types, so that the lists stay near the processor.
    kind = np.int16 if rules.num_actions < 2**15 else np.int64
    if rules.num_positions * rules.num_actions > LARGEST_LISTS:
        return PlayedRows(
            np.zeros((3, len(rules.components)), dtype=np.int64),
            np.zeros((3, rules.num_actions), dtype=kind),
            np.zeros(3, dtype=np.int64),
            compiled_rules(game),
            rules.strides,
            game.convention.winner(last_mover=0) == 0,
        )
    # Of what is no position in a game that splits, too: nobody asks for that.
    positions = rules.positions(np.arange(rules.num_positions))
    legal = rules.action_mask(positions) == 1
    rows, actions = np.nonzero(legal)
    after = rules.step(positions[rows], actions)
    next_positions = np.zeros(legal.shape, dtype=np.int32)
    next_positions[legal] = rules.indices(symmetry.sorted(after) if symmetry else after)
    return ListedRows(
        positions,
        np.argsort(~legal, axis=1, kind="stable").astype(kind),
        legal.sum(axis=1, dtype=np.int64),
        next_positions,
        rules.strides,
        game.convention.winner(last_mover=0) == 0,
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
def sorted_number(observation: Array, strides: IntArray, order: IntArray) -> int:
    """Return the row of a position, after sorting it in place if there is an ``order``."""
    for end in range(1, len(order)):
        state = observation[order[end]]
        place = end
        while place > 0 and observation[order[place - 1]] > state:
            observation[order[place]] = observation[order[place - 1]]
            place -= 1
        observation[order[place]] = state
    return mixed_radix_number(observation, strides, 0)


def row_of(rows: Any, observation: Array, position: int) -> int:
    """Return the row of the position that a game begins with; compiled, by the type of ``rows``.

    Args:
        rows: of the game.
        observation: the position, ``(components,)``.
        position: its number.
    """
    raise NotImplementedError


def move(
    rows: Any,
    order: IntArray,
    position: int,
    row: int,
    action: int,
    slot: int,
) -> tuple[int, int]:
    """Return the position after a move, and its row; compiled, by the type of ``rows``.

    Args:
        rows: of the game.
        order: see :func:`sorted_number`.
        position: before the move.
        row: its row.
        action: the move.
        slot: which of three positions comes next.
    """
    raise NotImplementedError


@implements(row_of, ListedRows)
def _listed_row(rows: ListedRows, observation: Array, position: int) -> int:
    """A position's row is its number."""
    return position


@implements(move, ListedRows)
def _listed_move(
    rows: ListedRows,
    order: IntArray,
    position: int,
    row: int,
    action: int,
    slot: int,
) -> tuple[int, int]:
    """Look the next position up."""
    following = rows.next_positions[row, action]
    return following, following


@implements(row_of, PlayedRows)
def _written_row(rows: PlayedRows, observation: Array, position: int) -> int:
    """Write the first row."""
    rules = rows.rules
    rows.positions[0] = observation
    rows.list_lengths[0] = write_legal_actions(observation, rules, rows.lists[0])
    return 0


@implements(move, PlayedRows)
def _written_move(
    rows: PlayedRows,
    order: IntArray,
    position: int,
    row: int,
    action: int,
    slot: int,
) -> tuple[int, int]:
    """Write the row of the next slot."""
    rules = rows.rules
    moved, option = divmod(action, rules.table.shape[2])
    before, after = rows.positions[row], rows.positions[slot]
    for component in range(len(after)):
        after[component] = before[component]
    state = before[moved]
    successor = rules.table[moved, state, option]
    after[moved] = successor
    following = position + (successor - state) * rules.strides[moved]
    filled, second = slot_to_fill(rules.second_table, rules.first_slots, before, moved, option)
    if second:
        after[filled] = second
        following += second * rules.strides[filled]
    if len(order):
        following = sorted_number(after, rows.strides, order)
    rows.list_lengths[slot] = write_legal_actions(after, rules, rows.lists[slot])
    return following, slot


@compiled
def play_games(
    first: Any,
    second: Any,
    shared: bool,
    rows: ListedRows | PlayedRows,
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
        rows: of the game.
        order: of the components, where positions are to be sorted; see
            :class:`agents.tabular.symmetry.Symmetry`. Empty where not.
        starts: ``(games, components)``, sorted in place if there is an ``order``.
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
    rows = without_reference_counts(rows)
    one, other = without_reference_counts(first), without_reference_counts(second)
    at_first = np.array([ended[0].max(), ended[1].max()])
    finished = at_first.copy()
    for game in range(len(starts)):
        position = sorted_number(starts[game], rows.strides, order)
        row = row_of(rows, starts[game], position)
        earlier_position, earlier_row, earlier_action = position, row, 0
        moves = 0
        over = False
        while not over:
            seat = moves % 2
            seen = rows.positions[row]
            legal = rows.lists[row, : rows.list_lengths[row]]
            learner = 0 if shared else seat
            epsilon = epsilons[learner, finished[learner] - at_first[learner]]
            uniform = rng.random()
            if learner == 0:
                action = choose(one, seen, position, legal, moves == 0, epsilon, uniform)
            else:
                action = choose(other, seen, position, legal, moves == 1, epsilon, uniform)
            # A turn is learned from when two more positions are known: three are kept.
            slot = (moves + 1) % 3
            next_position, next_row = move(rows, order, position, row, action, slot)
            next_seen = rows.positions[next_row]
            next_legal = rows.lists[next_row, : rows.list_lengths[next_row]]
            moves += 1
            over = len(next_legal) == 0
            reward = 0.0
            # At the end the mover's turn is complete first, then the other's, as ever.
            if over:
                reward = 1.0 if rows.last_mover_wins else -1.0
                turn = Turn(
                    seat, seen, position, legal, action, reward, next_seen,
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
                    1 - seat, rows.positions[earlier_row], earlier_position,
                    rows.lists[earlier_row, : rows.list_lengths[earlier_row]], earlier_action,
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
        winners[game] = last_seat if rows.last_mover_wins else 1 - last_seat
        lengths[game] = moves
