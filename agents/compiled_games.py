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

from agents.base import Array, FloatArray, MaskArray
from agents.table import IntArray
from nim_envs.compilation import compiled

Function = TypeVar("Function", bound=Callable[..., Any])


class Turn(NamedTuple):
    """One turn of one seat, as :class:`agents.base.Transition`, with positions numbered."""

    seat: int
    observation: Array  # (components,)
    position: int  # row of the observation
    action_mask: MaskArray  # (actions,)
    action: int
    reward: float
    reply_observation: Array
    reply_position: int
    reply_action_mask: MaskArray
    reply_reward: float
    next_position: int
    next_action_mask: MaskArray
    terminated: bool


def choose(
    state: Any,
    observation: Array,
    position: int,
    action_mask: MaskArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """Return an action; compiled, by the type of ``state``.

    Args:
        state: of the learner.
        observation: the position, ``(components,)``.
        position: its row.
        action_mask: what is legal, ``(actions,)``.
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
    count = moves.counts[seat]
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
            if isinstance(kind, types.NamedTuple) and kind.instance_class is state:
                return implementation
            return None

        # Strictly, Numba would compare the annotations of the two signatures.
        overload(function, strict=False, jit_options={"forceinline": True})(of_such_a_state)
        return implementation

    return register


@compiled
def play_games(
    first: Any,
    second: Any,
    shared: bool,
    table: IntArray,
    masks: MaskArray,
    strides: IntArray,
    last_mover_wins: bool,
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
        table: the rules' options, ``(components, states, options)``.
        masks: which of them are legal, int8, same shape.
        strides: mixed-radix strides of positions, ``(components,)``.
        last_mover_wins: whether the one who made the last move wins.
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
    components, _, options = table.shape
    actions = components * options
    # A turn is learned from when two more positions are known: three are kept.
    observations = np.zeros((3, components), dtype=np.int64)
    legal_actions = np.zeros((3, actions), dtype=np.int8)
    positions = np.zeros(3, dtype=np.int64)
    chosen = np.zeros(3, dtype=np.int64)
    at_first = np.array([ended[0].max(), ended[1].max()])
    finished = at_first.copy()
    for game in range(len(starts)):
        legal = 0
        positions[0] = 0
        for component in range(components):
            state = starts[game, component]
            observations[0, component] = state
            positions[0] += state * strides[component]
            for option in range(options):
                allowed = masks[component, state, option]
                legal_actions[0, component * options + option] = allowed
                legal += allowed
        moves = 0
        while legal:
            here, after, before = moves % 3, (moves + 1) % 3, (moves + 2) % 3
            seat = moves % 2
            uniform = rng.random()
            mover = 0 if shared else seat
            epsilon = epsilons[mover, finished[mover] - at_first[mover]]
            if mover == 0:
                action = choose(
                    first, observations[here], positions[here], legal_actions[here],
                    moves == 0, epsilon, uniform,
                )  # fmt: skip
            else:
                action = choose(
                    second, observations[here], positions[here], legal_actions[here],
                    moves == 1, epsilon, uniform,
                )  # fmt: skip
            chosen[here] = action
            moved = action // options
            state = observations[here, moved]
            successor = table[moved, state, action % options]
            for component in range(components):
                observations[after, component] = observations[here, component]
            observations[after, moved] = successor
            positions[after] = positions[here] + (successor - state) * strides[moved]
            for other in range(actions):
                legal_actions[after, other] = legal_actions[here, other]
            for option in range(options):
                allowed = masks[moved, successor, option]
                legal += allowed - legal_actions[after, moved * options + option]
                legal_actions[after, moved * options + option] = allowed
            moves += 1
            over = legal == 0
            reward = 0.0
            if over:
                reward = 1.0 if last_mover_wins else -1.0
            # At the end the mover's turn is complete first, then the other's, as ever.
            for completed in range(0 if over else 1, 2 if moves > 1 else 1):
                if completed == 0:
                    turn = Turn(
                        seat, observations[here], positions[here], legal_actions[here], action,
                        reward, observations[after], positions[after], legal_actions[after],
                        0.0, positions[after], legal_actions[after], True,
                    )  # fmt: skip
                else:
                    turn = Turn(
                        1 - seat, observations[before], positions[before],
                        legal_actions[before], chosen[before], 0.0, observations[here],
                        positions[here], legal_actions[here], -reward, positions[after],
                        legal_actions[after], over,
                    )  # fmt: skip
                learner = 0 if shared else turn.seat
                games = finished[learner]
                epsilon = epsilons[learner, games - at_first[learner]]
                if learner == 0:
                    learn(first, turn, epsilon, games, first_generator)
                else:
                    learn(second, turn, epsilon, games, second_generator)
                if over:
                    ended[learner, turn.seat] += 1
                    finished[learner] = max(ended[learner, 0], ended[learner, 1])
        last_seat = (moves + 1) % 2
        winners[game] = last_seat if last_mover_wins else 1 - last_seat
        lengths[game] = moves
