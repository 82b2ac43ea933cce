"""Games: moves from single positions and from arrays, words, and what is refused."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from nim_envs import Game, game_from_moves, make_game, sum_of
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    SearchTooLargeError,
)
from tests.games import ALL


@pytest.mark.parametrize(("name", "arguments"), ALL, ids=str)
def test_single_positions_and_arrays_have_the_same_moves(name, arguments):
    game = make_game(name, **arguments)
    positions = game.positions()[::7]
    masks = game.mask(positions)
    for position, mask in zip(map(tuple, positions.tolist()), masks, strict=True):
        moves = game.moves(position)
        assert [action for action, _ in moves] == game.actions(position)
        assert game.actions(position) == np.flatnonzero(mask).tolist()
        assert game.is_over(position) == (not moves)
        for action, after in moves:
            assert game.play(position, action) == after
        if moves:
            actions = [action for action, _ in moves]
            after = game.step([position] * len(actions), actions)
            assert [*map(tuple, after.tolist())] == [after for _, after in moves]


def test_what_is_no_position_or_action_is_refused():
    game = make_game("kayles", heaps=(5,))
    for position in [(5,), (6, 0, 0), (-1, 0, 0), (5.0, 0, 0), (5, 0, "0"), 5, None]:
        with pytest.raises(InvalidPositionError):
            game.moves(position)
    with pytest.raises(InvalidPositionError, match="too little room"):
        game.moves((5, 1, 0))
    for action in (True, -1, game.num_actions, 1.5, "1"):
        for call in (game.play, lambda position, action: game.describe(action)):
            with pytest.raises(InvalidActionError):
                call((5, 0, 0), action)
    with pytest.raises(InvalidPositionError):
        game.describe(0, (6, 0, 0))
    with pytest.raises(IllegalMoveError, match=r"is illegal at \[1, 0, 0\]; legal actions are"):
        game.play((1, 0, 0), game.num_actions - 1)
    with pytest.raises(IllegalMoveError):
        game.step([[1, 0, 0]], [game.num_actions - 1])
    with pytest.raises(InvalidPositionError, match="leaves a legal move"):
        game.end_value((1, 0, 0))
    assert game.moves([5, 0, 0]) == game.moves(np.array([5, 0, 0])) == game.moves((5, 0, 0))


def test_copies_are_the_game_and_pickles_are_equal():
    game = make_game("wythoff", start="uniform", misere=True)
    assert copy.deepcopy(game) is game
    assert game.solution.value((0, 0)) == 1
    copied = pickle.loads(pickle.dumps(game))
    assert copied == game
    assert "solution" not in vars(copied)
    assert replace(game, misere=False) != game


def test_a_sum_of_games_is_decided_by_the_last_move():
    def moves(position):
        return [("take", (position[0] - 1,))] if position[0] else []

    row = game_from_moves("row", (2,), moves)
    drawn = game_from_moves("drawn", (1,), moves, outcome=lambda position: 0)
    total = sum_of([row, make_game("nim", heaps=(1, 2)), row])
    assert (total.name, total.start, total.longest_play()) == ("row + nim + row", (2, 1, 2, 2), 7)
    assert total.summary == "row + nim + row, row 2, heaps 1-2, row 2, normal play"
    with pytest.raises(InvalidGameError, match="outcome of its own is no part of a sum"):
        sum_of([row, drawn])
    with pytest.raises(InvalidGameError, match="at least one"):
        sum_of([])
    with pytest.raises(InvalidGameError, match="parts must be Parts"):
        Game("nim", (3,), (1,))
    with pytest.raises(InvalidGameError, match="give one of them"):
        replace(drawn, misere=True)


def test_positions_are_listed_up_to_a_limit():
    with pytest.raises(SearchTooLargeError, match="has 120 positions; at most 100"):
        make_game("nim").positions(limit=100)


def test_words_of_an_action_hold_at_any_position_or_at_one():
    kayles = make_game("kayles", heaps=(7,))
    assert kayles.describe(2) == "heap 0: take 1, leave 2 and the rest"
    assert kayles.describe(2, (7, 0, 0, 0)) == "heap 0: take 1, leave 2 and 4"
