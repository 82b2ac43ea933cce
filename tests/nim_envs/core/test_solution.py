"""Boards and solutions as callers use them: forms of positions, sizes, and what is refused."""

import numpy as np
import pytest

from nim_envs import solution
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.games import (
    graph,
    kayles,
    laskers_nim,
    nim,
    octal,
)
from nim_envs.graph import Graph
from nim_envs.solution import solve
from nim_envs.sums import Sum, board_of


def test_one_position_gives_a_number_and_many_give_arrays():
    solved = solve(nim((3, 4, 5)))
    assert solved.value((3, 4, 5)) == 1
    assert solved.is_winning([1, 2, 3]) is False
    values = solved.value(np.array([[[3, 4, 5], [1, 2, 3]]]))
    assert values.tolist() == [[1, -1]]
    assert values.dtype == np.int8
    assert solved.keeping_mask([[0, 0, 0], [1, 2, 3]]).sum() == 0


NO_POSITIONS = [(), 3, (5,), (5, 0, 0, 0), (5.0, 0, 0), ("5", 0, 0), (6, 0, 0), (-1, 0, 0)]


@pytest.mark.parametrize("board", [kayles((5,)).board, Sum(kayles((5,)).parts)])
@pytest.mark.parametrize("positions", [*NO_POSITIONS, [(5, 0, 0), (5, 1, 0)], [(1, 0, 0), (1,)]])
def test_what_is_no_position_is_refused(board, positions):
    with pytest.raises(InvalidPositionError, match=r"is 3 integers, from 0 to|is no position of"):
        solution.states_at(board, positions)
    game = kayles((5,))
    vars(game)["board"] = board
    with pytest.raises(InvalidPositionError):
        game.longest_play(positions)


@pytest.mark.parametrize(
    ("game", "arguments", "error", "message"),
    [
        ("nim", {}, TypeError, "solve takes a nim_envs.Game, not 'nim'"),
        (nim((2,)), {"misere": "yes"}, InvalidGameError, "misere must be True or False"),
        (nim((2,)), {"limit": -1}, InvalidGameError, "limit must be an integer from 1"),
        (nim((2,)), {"method": "search"}, InvalidGameError, "method must be None or one of"),
        (nim((2,)), {"method": "quotient"}, InvalidGameError, "solves misère play, not nim"),
    ],
)
def test_solve_refuses_what_it_cannot_answer(game, arguments, error, message):
    with pytest.raises(error, match=message):
        solve(game, **arguments)


def test_small_sums_are_flattened_and_shared():
    assert isinstance(nim((3, 4)).board, Graph)
    assert nim((3, 4)).board is nim((3, 4)).board
    assert isinstance(nim((60,) * 4).board, Sum)
    assert isinstance(board_of(nim((3, 4)).parts, most=100), Sum)
    assert board_of(nim((9,)).parts) is nim((9,)).parts[0]


def test_sizes_are_known_without_a_list():
    assert Sum(nim((10**3,) * 9).parts).num_positions == 1001**9
    assert isinstance(laskers_nim((800,)).board, Sum)  # its number of positions takes half a minute
    many = Sum(kayles((40,)).parts)
    assert many.num_positions > 10**12
    with pytest.raises(SearchTooLargeError, match=f"a table of {many.num_positions * 800}"):
        many.flat()
    wild = octal("4.7", (30,))
    number = wild.board.num_positions
    with pytest.raises(SearchTooLargeError, match=rf"{number} positions; at most .* Nor is there"):
        solve(wild, misere=True)


def test_unlisted_sums_that_split_are_solved_in_normal_play():
    game = kayles((40, 33))
    assert not isinstance(game.board, Graph)
    one, other = solution.grundy_values(game.parts[0])[[40, 33]]
    assert game.solution.value(game.start) == (1 if one != other else -1)
    after = game.play(game.start, game.solution.winning_actions(game.start)[0])
    assert game.solution.value(after) == -1


def test_a_graph_with_a_cycle_is_refused_with_its_nodes():
    with pytest.raises(InvalidGameError, match=r"cycle: \(0,\) -> \(1,\) -> \(0,\);.* an end$"):
        graph([(1,), (0,)], (0,))
