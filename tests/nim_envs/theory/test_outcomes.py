"""Values of positions in games with an outcome of their own, against plain recursion."""

from __future__ import annotations

import numpy as np
import pytest

import nim_envs
from nim_envs import make_game
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules.convention import LISTED_OUTCOME, Convention
from tests.outcome_games import (
    GAMES,
    LARGER,
    LARGER_NAMES,
    far_apart,
    small_random_games,
    tic_tac_toe,
)


def check_values_and_keeping_moves(entry):
    game, truth = entry.game, entry.truth()
    rules, solution = game.rules, game.solution
    positions = np.array(list(truth))
    values = np.array(list(truth.values()))
    assert len(positions) == len(rules.lattice())
    np.testing.assert_array_equal(solution.value(positions), values)
    np.testing.assert_array_equal(solution.is_winning(positions), values == 1)
    np.testing.assert_array_equal(solution.is_losing(positions), values == -1)
    keeping, winning = solution.keeping_mask(positions), solution.winning_mask(positions)
    for mask, of in ((keeping, solution.keeping_mask), (winning, solution.winning_mask)):
        np.testing.assert_array_equal(of(positions[np.newaxis]), mask[np.newaxis])
    descriptions = [rules.describe_action(action) for action in range(rules.num_actions)]
    for row, position in enumerate(truth):
        reached = {f"{label}": truth[after] for label, after in entry.moves(position)}
        of = {name.split(": ")[1]: action for action, name in enumerate(descriptions)}
        keeps = {of[label] for label, value in reached.items() if -value == values[row] >= 0}
        wins = {of[label] for label, value in reached.items() if value == -1}
        assert set(np.flatnonzero(keeping[row])) == keeps
        assert set(np.flatnonzero(winning[row])) == wins
        if row % 50 == 0:
            assert solution.value(position) == values[row]
            assert solution.is_losing(position) is (truth[position] == -1)
            assert solution.keeping_actions(position).tolist() == sorted(keeps)
            assert solution.winning_actions(position).tolist() == sorted(wins)
        if not reached:
            assert game.end_value(position) == values[row]


@pytest.mark.parametrize("name", GAMES)
def test_values_and_keeping_moves_are_those_of_plain_recursion(name):
    check_values_and_keeping_moves(GAMES[name]())


def test_values_and_keeping_moves_of_random_games_and_of_numbers_far_apart():
    for entry in [*small_random_games(), far_apart()]:
        check_values_and_keeping_moves(entry)


@pytest.mark.parametrize("name", LARGER_NAMES)
def test_values_and_keeping_moves_of_larger_games(name):
    check_values_and_keeping_moves(LARGER[name]())


def test_games_of_the_last_move_keep_the_win_alone():
    for misere in (False, True):
        solution = make_game("nim", heaps=(2, 3), misere=misere).solution
        positions = solution.rules.lattice()
        wins = solution.is_winning(positions)
        np.testing.assert_array_equal(solution.value(positions), np.where(wins, 1, -1))
        np.testing.assert_array_equal(solution.is_losing(positions), ~wins)
        np.testing.assert_array_equal(
            solution.keeping_mask(positions), solution.winning_mask(positions)
        )
        for position in positions:
            assert (
                solution.keeping_actions(position).tolist()
                == solution.winning_actions(position).tolist()
            )
        assert make_game("nim", misere=misere).end_value((0, 0, 0)) == (1 if misere else -1)


def strip(position):
    (square,) = position
    return [(f"left {n}", (square - n,)) for n in (1, 2) if n <= square]


def test_outcome_excludes_misere_play_theorems_and_grundy_values():
    with pytest.raises(InvalidGameError, match="give one of them"):
        nim_envs.game_from_moves("strip", (4,), strip, outcome=lambda p: 0, misere=True)
    game = tic_tac_toe().game
    with pytest.raises(InvalidGameError, match="tic-tac-toe has an outcome of its own"):
        game.solution.grundy_value((0,) * 9)
    for method in ("theorem", "quotient"):
        with pytest.raises(ValueError, match="method='search' alone solves"):
            nim_envs.solve(game, method=method)
    with pytest.raises(SearchTooLargeError):
        nim_envs.solve(game, limit=5477)
    with pytest.raises(InvalidGameError, match="does not fit"):
        nim_envs.Game(game.rules, Convention.NORMAL)
    with pytest.raises(InvalidGameError, match="does not fit"):
        nim_envs.Game(make_game("nim").rules, LISTED_OUTCOME)
    with pytest.raises(InvalidPositionError, match="leaves a legal move"):
        game.end_value((0,) * 9)
