"""Games: moves from single positions and from arrays, words, and what is refused."""

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
from nim_envs.games.heaps import heap
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
    for nothing in ([], row):
        with pytest.raises(InvalidGameError, match="at least one"):
            sum_of(nothing)
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


@pytest.mark.parametrize("action", [-1, 15, 0.5])
def test_steps_of_arrays_refuse_what_is_no_action(action):
    with pytest.raises(InvalidActionError, match="from 0 to 14, not"):
        make_game("nim").step([3, 4, 5], action)


@pytest.mark.parametrize("start", [(9, 4, 5), (-1, 2, 3), ("a", 2, 3), (1, 2), (1, 2, 3, 4)])
def test_an_initial_position_has_an_integer_for_each_coordinate(start):
    with pytest.raises(InvalidPositionError, match=r"from 0 to \(3, 4, 5\), one for each"):
        replace(make_game("nim"), start=start)


@pytest.mark.parametrize("code", [f"0.{one}{two}" for one in range(8) for two in range(2, 8)])
def test_words_name_all_heaps_that_a_move_removes(code):
    game = make_game("octal", code=code, heaps=(8,))
    part, position = game.parts[0], game.start
    for action, after in game.moves(position):
        taken, smaller = part.labels[action]
        left = [size for size in (smaller, 8 - taken - smaller) if size]
        removed = len(left) - sum(map(bool, after))
        words = part.removal(action, position[:1])
        assert removed == ("is removed" in words) + 2 * ("both are removed" in words)


def test_equal_parts_are_one_whether_their_arguments_are_named_or_not():
    assert heap(size=3, amounts=(1, 2)) == heap(3, (1, 2)) != heap(size=9, amounts=(1,))
