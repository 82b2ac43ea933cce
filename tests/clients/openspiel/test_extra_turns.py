"""Games with extra turns, written as a function of moves, against OpenSpiel at every position."""

from __future__ import annotations

import random

import numpy as np
import pyspiel
import pytest

from nim_envs import game_from_moves

BOXES = [(0, 2, 6, 7), (1, 3, 7, 8), (2, 4, 9, 10), (3, 5, 10, 11)]


def draw(position):
    """Lines of Dots and Boxes 2 x 2, the boxes of the player to move, and of the other one."""
    *lines, mine, others = position
    for line in np.flatnonzero(np.array(lines) == 0).tolist():
        drawn = [*lines[:line], 1, *lines[line + 1 :]]
        closed = sum(line in box and all(drawn[i] for i in box) for box in BOXES)
        yield (
            (line, (*drawn, mine + closed, others), True)
            if closed
            else (line, (*drawn, others, mine))
        )


def sow(board):
    """Kalah: six houses and the store of the player to move, then those of the other one."""
    for house in range(6) if any(board[:6]) and any(board[7:13]) else ():
        after, place = list(board), house
        after[house] = 0
        for _ in range(board[house]):
            place = (place + 1) % 13
            after[place] += 1
        if board[house] and place == 6:
            yield house, tuple(after), True
        elif board[house]:
            if place < 6 and after[place] == 1 and after[12 - place]:
                after[6] += 1 + after[12 - place]
                after[place] = after[12 - place] = 0
            yield house, (*after[7:], *after[:7])


def sign_of_difference(position, half):
    return int(np.sign(sum(position[:half]) - sum(position[half:])))


def boxes():
    outcome = lambda position: sign_of_difference(position[-2:], 1)  # noqa: E731
    state = pyspiel.load_game("dots_and_boxes").new_initial_state()
    return game_from_moves("boxes", (0,) * 14, draw, outcome=outcome), state, 0


def kalah(seed):
    """Kalah after random moves, when few seeds are left in houses."""
    rng = random.Random(seed)
    state = pyspiel.load_game("mancala").new_initial_state()
    board, mover = (4, 4, 4, 4, 4, 4, 0) * 2, 0
    while board[6] + board[13] < 40:
        house, board, *again = rng.choice([*sow(board)])
        state.apply_action(house + 1 + 7 * mover)
        mover = mover if again else 1 - mover
    assert state.current_player() == mover
    outcome = lambda position: sign_of_difference(position, 7)  # noqa: E731
    return game_from_moves("kalah", board, sow, outcome=outcome), state, 7


@pytest.mark.parametrize(
    ("make", "size"), [(boxes, 2_000), *((lambda s=s: kalah(s), 100) for s in (2, 3))]
)
def test_every_value_is_that_of_openspiel(make, size):
    game, start, of_second_player = make()
    values = {}

    def compare(state, position, mover):
        """Return the value to player 0 by recursion on OpenSpiel's states, compared at each."""
        key = str(state), position, mover
        if key not in values:
            if state.is_terminal():
                values[key] = np.sign(state.returns()[0])
            else:
                assert state.current_player() == mover
                moves = {int(game.parts[0].labels[action]): after
                         for action, after in game.moves(position)}  # fmt: skip
                shift = mover * of_second_player + (of_second_player > 0)
                assert sorted(moves) == [action - shift for action in state.legal_actions()]
                best = (max, min)[mover]
                values[key] = best(
                    compare(state.child(label + shift), *without_pass(after, 1 - mover))
                    for label, after in moves.items()
                )
            assert game.solution.value(position) == (1, -1)[mover] * values[key]
        return values[key]

    def without_pass(position, mover):
        if not position[-1]:
            return position, mover
        assert game.solution.value(position) == -game.solution.value(position[:-1])
        ((_, after),) = game.moves(position)
        return after, 1 - mover

    compare(start, game.start, start.current_player())
    compared = {position for _, position, _ in values}
    assert len(compared) > size
    is_pass = game.positions()[:, -1]
    assert len(compared) == (is_pass == 0).sum()
