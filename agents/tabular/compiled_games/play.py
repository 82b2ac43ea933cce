"""Whole games of self-play in one compiled loop, for every table learner."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Transition
from agents.tabular.compiled_games.numba_intrinsics import without_reference_counts
from agents.tabular.compiled_games.position_rows import (
    PositionRows,
    first_row,
    last_reward,
    move,
)
from agents.tabular.index import mixed_radix_index
from agents.tabular.protocol import (
    Decision,
    FinishedGame,
    Function,
    LearningRule,
    UpdateContext,
    do_nothing,
    legal_at,
)
from nim_envs.compilation import compiled
from nim_envs.rules.compiled_moves import CompiledRules, copy_entries
from nim_envs.typing import Array, FloatArray, IntArray


class Records(NamedTuple):
    """The turns of the game in progress, by seat, from which a :class:`FinishedGame` is made."""

    states: IntArray  # (2, longest)
    rows: IntArray  # (2, longest): index in legal_actions and legal_counts
    # (rows, actions) and (rows,): of all positions, or buffers for the positions of one game.
    legal_actions: Array
    legal_counts: IntArray
    actions: IntArray  # (2, longest)
    rewards: FloatArray  # (2, longest)


class Board(NamedTuple):
    """Positions and recorded games of a game, shared by all blocks of its games."""

    rows: PositionRows
    records: Records | None  # buffer for games, where a learner learns from whole games


class Block(NamedTuple):
    """A block of games: how they start, and buffers for how they end."""

    starts: IntArray  # (games, components)
    # (learners, games + 1): each learner's epsilon now, and after each further game it finishes.
    epsilons: FloatArray
    # (learners, 2): games that each learner has finished in each seat, in all blocks so far.
    games_by_seat: IntArray
    # (learners,): games that each learner has finished, the larger of both: a game that one plays
    # in both seats counts once.
    finished_games: IntArray
    winners: npt.NDArray[np.int8]  # (games,): seat, or -1: a draw
    lengths: npt.NDArray[np.int32]  # (games,): number of moves


def empty_records(rows: PositionRows, longest_game: int) -> Records:
    """Return a buffer for games of at most ``longest_game`` moves.

    Args:
        rows: positions of the game.
        longest_game: largest number of moves.
    """
    shape = (2, (longest_game + 1) // 2)
    legal_actions, legal_counts = rows.legal_actions, rows.legal_counts
    if rows.rules is not None:
        turns = 2 * shape[1]
        legal_actions = np.zeros((turns, legal_actions.shape[1]), legal_actions.dtype)
        legal_counts = np.zeros(turns, np.int64)
    return Records(
        np.zeros(shape, np.int64),
        np.arange(2 * shape[1]).reshape(shape),
        legal_actions,
        legal_counts,
        np.zeros(shape, np.int64),
        np.zeros(shape),
    )


@compiled(inner=True)
def record(
    records: Records | None,
    rules: CompiledRules | None,
    turn: Transition,
    state: int,
    row: int,
    index: int,
) -> None:
    """Record a turn, if games are recorded.

    Args:
        records: buffer to write to; ``None``: games are not recorded.
        rules: ``rules`` of the game's :class:`PositionRows`.
        turn: turn to record.
        state: index of its observation.
        row: row of its position.
        index: number of earlier turns of its seat.
    """
    if records is not None:
        seat = turn.seat
        records.states[seat, index] = state
        if rules is None:
            records.rows[seat, index] = row
        else:
            copied_row = records.rows[seat, index]
            copy_entries(turn.legal_actions, records.legal_actions[copied_row])
            records.legal_counts[copied_row] = len(turn.legal_actions)
        records.actions[seat, index] = turn.action
        records.rewards[seat, index] = turn.reward + turn.reply_reward


@compiled(inner=True)
def learn_from_record(
    learn_from_game: Function,
    learner: Any,
    records: Records | None,
    seat: int,
    turns: int,
    result: float,
) -> None:
    """Let a learner learn from the finished game of one seat, if games are recorded."""
    if records is not None:
        game = FinishedGame(
            records.states[seat, :turns], records.rows[seat, :turns], records.legal_actions,
            records.legal_counts, records.actions[seat, :turns], records.rewards[seat, :turns],
            result,
        )  # fmt: skip
        learn_from_game(learner, game)


@compiled(inline=True)
def last_turn(
    seat: int,
    observation: Array,
    legal_actions: Array,
    action: int,
    reward: float,
    end: Array,
    no_actions: Array,
) -> Transition:
    """Return the turn of a move to the position ``end``, which ended the game."""
    return Transition(
        seat=seat,
        observation=observation,
        legal_actions=legal_actions,
        action=action,
        reward=reward,
        reply_observation=end,
        reply_legal_actions=no_actions,
        reply_reward=0.0,
        next_observation=end,
        next_legal_actions=no_actions,
        terminated=True,
        truncated=False,
    )


@compiled(inline=True)
def answered_turn(
    seat: int,
    observation: Array,
    legal_actions: Array,
    action: int,
    reply_observation: Array,
    reply_legal_actions: Array,
    reply_reward: float,
    next_observation: Array,
    next_legal_actions: Array,
) -> Transition:
    """Return the turn of a move that the opponent has answered.

    Apart from :func:`last_turn`, as one function for both makes the loop a tenth slower.
    """
    return Transition(
        seat=seat,
        observation=observation,
        legal_actions=legal_actions,
        action=action,
        reward=0.0,
        reply_observation=reply_observation,
        reply_legal_actions=reply_legal_actions,
        reply_reward=reply_reward,
        next_observation=next_observation,
        next_legal_actions=next_legal_actions,
        terminated=len(next_legal_actions) == 0,
        truncated=False,
    )


@compiled(inline=True)
def complete(
    learn: Function,
    draw_numbers: Function,
    learn_from_game: Function,
    learner: Any,
    generator: np.random.Generator | None,
    turn: Transition,
    context: UpdateContext,
    records: Records | None,
    turns: int,
) -> None:
    """Let a learner learn from a turn, and from its game if it has ended.

    Args:
        learn: function of the learner's rule.
        draw_numbers: function of the learner's rule.
        learn_from_game: function of the learner's rule.
        learner: state of the learner.
        generator: the learner's own generator; ``None``: it has none.
        turn: complete turn of the learner, recorded if games are.
        context: numbers of the learner at this turn.
        records: recorded games; ``None``: games are not recorded.
        turns: number of turns of this seat, with this one.
    """
    draw_numbers(learner, context.finished_games, generator)
    learn(learner, turn, context)
    if turn.terminated:
        result = turn.reward + turn.reply_reward
        learn_from_record(learn_from_game, learner, records, turn.seat, turns, result)


@functools.cache
def self_play_loop(first: LearningRule, second: LearningRule | None) -> Any:
    """Return the compiled loop of games between learners of these rules, or of one with itself.

    It closes over the functions of the rules, so that no call is left between the rules of the game
    and the learning rule. It is loaded from disk, as Numba stores functions that close over
    functions of a module.

    Args:
        first: rule of the learner of ``player_0``.
        second: rule of the learner of ``player_1``; ``None``: the first learner plays both seats.

    Returns:
        ``play_games(learners, generators, board, block, rng)``.
    """
    plays_both = second is None
    other = second or first
    choose_first, choose_second = first.choose, other.choose
    learn_first, learn_second = first.learn or do_nothing, other.learn or do_nothing
    begin_first, begin_second = first.begin_game or do_nothing, other.begin_game or do_nothing
    draw_first, draw_second = first.draw_numbers or do_nothing, other.draw_numbers or do_nothing
    end_first = first.learn_from_game or do_nothing
    end_second = other.learn_from_game or do_nothing

    @compiled
    def play_games(
        learners: tuple[Any, Any],
        generators: tuple[np.random.Generator | None, np.random.Generator | None],
        board: Board,
        block: Block,
        rng: np.random.Generator,
    ) -> None:
        """Play a block of games; both players learn after every turn.

        The turns are the same as those of :func:`agents.training.play_and_learn`.

        Args:
            learners: state of the learner of each seat; the second is ``None`` where one plays
                both.
            generators: likewise their own generators; ``None``: a learner has none.
            board: positions of the game, and buffers.
            block: games to play; its results are written in place.
            rng: generator of the players' choices.
        """
        rows = without_reference_counts(board.rows)
        records = without_reference_counts(board.records)
        first_learner = without_reference_counts(learners[0])
        second_learner = without_reference_counts(learners[1])
        starts, epsilons = block.starts, block.epsilons
        by_seat, finished = block.games_by_seat, block.finished_games
        # Plain numbers and max() of two: arrays here make short games a third slower.
        finished_before = finished[0], finished[len(finished) - 1]
        for game in range(len(starts)):
            state = mixed_radix_index(starts[game], rows.strides, 0)
            row = first_row(rows, rows.rules, starts[game], state)
            earlier_state, earlier_row, earlier_action = state, row, 0
            moves = 0
            over = False
            begin_first(first_learner)
            if not plays_both:
                begin_second(second_learner)
            while not over:
                seat = moves % 2
                observation, legal = rows.positions[row], legal_at(rows, row)
                learner = 0 if plays_both else seat
                epsilon = epsilons[learner, finished[learner] - finished_before[learner]]
                decision = Decision(
                    state=state,
                    first_move=moves == (0 if plays_both else seat),
                    epsilon=epsilon,
                    uniform=rng.random(),
                )
                if plays_both or seat == 0:
                    action = choose_first(first_learner, observation, legal, decision)
                else:
                    action = choose_second(second_learner, observation, legal, decision)
                # Learning from a turn needs the two positions after it, so three are stored.
                next_state, next_row = move(rows, rows.rules, state, row, action, (moves + 1) % 3)
                next_observation, next_legal = rows.positions[next_row], legal_at(rows, next_row)
                moves += 1
                over = len(next_legal) == 0
                reward = 0.0
                # At the end of a game the last mover's turn is completed first, then the other's.
                if over:  # the mover's turn ends without a reply
                    reward = last_reward(rows, rows.end_values, next_state)
                    turn = last_turn(
                        seat, observation, legal, action, reward,
                        next_observation, next_legal,
                    )  # fmt: skip
                    context = UpdateContext(
                        state, next_state, next_state, epsilon, finished[learner]
                    )
                    turns = (moves + 1) // 2
                    record(records, rows.rules, turn, state, row, turns - 1)
                    if plays_both or seat == 0:
                        complete(
                            learn_first, draw_first, end_first, first_learner, generators[0],
                            turn, context, records, turns,
                        )  # fmt: skip
                    else:
                        complete(
                            learn_second, draw_second, end_second, second_learner, generators[1],
                            turn, context, records, turns,
                        )  # fmt: skip
                    by_seat[learner, seat] += 1
                    finished[learner] = max(by_seat[learner, 0], by_seat[learner, 1])
                if moves > 1:  # the move answered the opponent's earlier turn
                    learner = 0 if plays_both else 1 - seat
                    turn = answered_turn(
                        1 - seat, rows.positions[earlier_row], legal_at(rows, earlier_row),
                        earlier_action,
                        observation, legal, -reward, next_observation, next_legal,
                    )  # fmt: skip
                    context = UpdateContext(
                        earlier_state,
                        state,
                        next_state,
                        epsilons[learner, finished[learner] - finished_before[learner]],
                        finished[learner],
                    )
                    turns = moves // 2
                    record(records, rows.rules, turn, earlier_state, earlier_row, turns - 1)
                    if plays_both or seat == 1:
                        complete(
                            learn_first, draw_first, end_first, first_learner, generators[0],
                            turn, context, records, turns,
                        )  # fmt: skip
                    else:
                        complete(
                            learn_second, draw_second, end_second, second_learner, generators[1],
                            turn, context, records, turns,
                        )  # fmt: skip
                    if over:
                        by_seat[learner, 1 - seat] += 1
                        finished[learner] = max(by_seat[learner, 0], by_seat[learner, 1])
                earlier_state, earlier_row, earlier_action = state, row, action
                state, row = next_state, next_row
            last_seat = (moves + 1) % 2
            block.winners[game] = -1
            if reward != 0.0:
                block.winners[game] = last_seat if reward > 0.0 else 1 - last_seat
            block.lengths[game] = moves

    return play_games
