"""Whole games of self-play in one compiled loop, for every table learner."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.tabular.compiled_games.position_rows import PositionRows, first_row, move
from agents.tabular.index import sorted_number
from agents.tabular.protocol import (
    Decision,
    FinishedGame,
    Turn,
    begin_game,
    choose,
    draw_numbers,
    learn,
    learn_from_game,
)
from agents.tabular.shaping import nim_sum_bonus
from nim_envs.compilation import compiled
from nim_envs.numba_intrinsics import without_reference_counts
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


def empty_records(rows: PositionRows, longest_game: int) -> Records:
    """Return a buffer for games of at most ``longest_game`` moves.

    Args:
        rows: positions of the game.
        longest_game: largest number of moves.
    """
    shape = (2, (longest_game + 1) // 2)
    legal_actions, legal_counts = rows.legal_actions, rows.legal_counts
    if rows.rules is not None:
        number = 2 * shape[1]
        legal_actions = np.zeros((number, legal_actions.shape[1]), legal_actions.dtype)
        legal_counts = np.zeros(number, np.int64)
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
    records: Records | None, rules: CompiledRules | None, turn: Turn, row: int, number: int
) -> None:
    """Record a turn, if games are recorded.

    Args:
        records: buffer to write to; ``None``: games are not recorded.
        rules: ``rules`` of the game's :class:`PositionRows`.
        turn: turn to record.
        row: row of its position.
        number: number of earlier turns of its seat.
    """
    if records is not None:
        seat = turn.seat
        records.states[seat, number] = turn.state
        if rules is None:
            records.rows[seat, number] = row
        else:
            own = records.rows[seat, number]
            copy_entries(turn.legal_actions, records.legal_actions[own])
            records.legal_counts[own] = len(turn.legal_actions)
        records.actions[seat, number] = turn.action
        records.rewards[seat, number] = turn.reward + turn.reply_reward + turn.bonus


@compiled(inner=True)
def learn_from_record(
    learner: Any, records: Records | None, seat: int, turns: int, result: float
) -> None:
    """Let a learner learn from the finished game of one seat, if games are recorded."""
    if records is not None:
        game = FinishedGame(
            records.states[seat, :turns], records.rows[seat, :turns], records.legal_actions,
            records.legal_counts, records.actions[seat, :turns], records.rewards[seat, :turns],
            result,
        )  # fmt: skip
        learn_from_game(learner, game)


@compiled(inner=True)
def bonus_of(bonuses: FloatArray | None, learner: int, observation: Array) -> float:
    """Return the bonus by reward shaping of ``learner`` for a move to ``observation``."""
    if bonuses is None:
        return 0.0
    return nim_sum_bonus(observation, bonuses[learner])


@compiled
def play_games(
    first: Any,
    second: Any,
    rows: PositionRows,
    order: IntArray | None,
    records: Records | None,
    bonuses: FloatArray | None,
    starts: IntArray,
    epsilons: FloatArray,
    ended: IntArray,
    rng: np.random.Generator,
    first_generator: np.random.Generator | None,
    second_generator: np.random.Generator | None,
    winners: npt.NDArray[np.int8],
    lengths: npt.NDArray[np.int32],
) -> None:
    """Play games from ``starts``; both players learn after every turn.

    The turns are the same as those of :func:`agents.training.play_and_learn`.

    Args:
        first: state of the learner of ``player_0``.
        second: state of the learner of ``player_1``; ``None``: one learner plays both seats.
        rows: positions of the game.
        order: order of the components if positions are sorted, else ``None``; see
            :class:`agents.tabular.symmetry.Symmetry`.
        records: buffer for games, where a learner learns from whole games, else ``None``.
        bonuses: bonus of each learner for a move that leaves nim-sum 0, ``(learners,)``;
            ``None``: none.
        starts: start positions, ``(games, components)``, sorted in place if there is an ``order``.
        epsilons: each learner's epsilon now, and after each further game that it finishes,
            ``(learners, games + 1)``.
        ended: games that each learner has finished in each seat, ``(learners, 2)``, changed in
            place.
        rng: generator of the players' choices.
        first_generator: own generator of the learner of ``player_0``; ``None``: it has none.
        second_generator: likewise of the learner of ``player_1``.
        winners: buffer for the winner of each game, ``(games,)``.
        lengths: buffer for the number of moves of each game, ``(games,)``.
    """
    rows = without_reference_counts(rows)
    one, other = without_reference_counts(first), without_reference_counts(second)
    last = len(ended) - 1
    at_first = (max(ended[0, 0], ended[0, 1]), max(ended[last, 0], ended[last, 1]))
    finished = np.array(at_first)
    for game in range(len(starts)):
        state = sorted_number(starts[game], rows.strides, order)
        row = first_row(rows, rows.rules, starts[game], state)
        earlier_state, earlier_row, earlier_action, earlier_bonus = state, row, 0, 0.0
        moves = 0
        over = False
        begin_game(one)
        if second is not None:
            begin_game(other)
        while not over:
            seat = moves % 2
            observation = rows.positions[row]
            legal = rows.legal_actions[row, : rows.legal_counts[row]]
            learner = 0 if second is None else seat
            epsilon = epsilons[learner, finished[learner] - at_first[learner]]
            decision = Decision(
                state=state,
                first_move=moves == (0 if second is None else seat),
                epsilon=epsilon,
                uniform=rng.random(),
            )
            if second is None or seat == 0:
                action = choose(one, observation, legal, decision)
            else:
                action = choose(other, observation, legal, decision)
            # Learning from a turn needs the two positions after it, so three are stored.
            next_state, next_row = move(
                rows, rows.rules, order, state, row, action, (moves + 1) % 3
            )
            next_observation = rows.positions[next_row]
            next_legal = rows.legal_actions[next_row, : rows.legal_counts[next_row]]
            moves += 1
            over = len(next_legal) == 0
            reward = 0.0
            bonus = bonus_of(bonuses, learner, next_observation)
            # At the end of a game the last mover's turn is completed first, then the other's.
            if over:
                reward = 1.0 if rows.last_mover_wins else -1.0
                turn = Turn(
                    seat=seat,
                    observation=observation,
                    state=state,
                    legal_actions=legal,
                    action=action,
                    reward=reward,
                    bonus=bonus,
                    reply_observation=next_observation,
                    reply_state=next_state,
                    reply_legal_actions=next_legal,
                    reply_reward=0.0,
                    next_state=next_state,
                    next_legal_actions=next_legal,
                    terminated=over,
                    truncated=False,
                    epsilon=epsilon,
                    finished_games=finished[learner],
                )
                record(records, rows.rules, turn, row, (moves - 1) // 2)
                if second is None or seat == 0:
                    draw_numbers(one, finished[0], first_generator)
                    learn(one, turn)
                    learn_from_record(one, records, seat, (moves + 1) // 2, reward)
                else:
                    draw_numbers(other, finished[1], second_generator)
                    learn(other, turn)
                    learn_from_record(other, records, seat, (moves + 1) // 2, reward)
                ended[learner, seat] += 1
                finished[learner] = max(ended[learner, 0], ended[learner, 1])
            if moves > 1:
                learner = 0 if second is None else 1 - seat
                earlier = Turn(
                    seat=1 - seat,
                    observation=rows.positions[earlier_row],
                    state=earlier_state,
                    legal_actions=rows.legal_actions[earlier_row, : rows.legal_counts[earlier_row]],
                    action=earlier_action,
                    reward=0.0,
                    bonus=earlier_bonus,
                    reply_observation=observation,
                    reply_state=state,
                    reply_legal_actions=legal,
                    reply_reward=-reward,
                    next_state=next_state,
                    next_legal_actions=next_legal,
                    terminated=over,
                    truncated=False,
                    epsilon=epsilons[learner, finished[learner] - at_first[learner]],
                    finished_games=finished[learner],
                )
                record(records, rows.rules, earlier, earlier_row, (moves - 2) // 2)
                if second is None or seat == 1:
                    draw_numbers(one, finished[0], first_generator)
                    learn(one, earlier)
                    if over:
                        learn_from_record(one, records, 1 - seat, moves // 2, -reward)
                else:
                    draw_numbers(other, finished[1], second_generator)
                    learn(other, earlier)
                    if over:
                        learn_from_record(other, records, 1 - seat, moves // 2, -reward)
                if over:
                    ended[learner, 1 - seat] += 1
                    finished[learner] = max(ended[learner, 0], ended[learner, 1])
            earlier_state, earlier_row, earlier_action, earlier_bonus = state, row, action, bonus
            state, row = next_state, next_row
        last_seat = (moves + 1) % 2
        winners[game] = last_seat if rows.last_mover_wins else 1 - last_seat
        lengths[game] = moves
