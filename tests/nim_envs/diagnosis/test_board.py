"""The positions, moves and results of small games, against dictionaries."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from nim_envs.diagnosis import board as module
from nim_envs.diagnosis import tiny_games
from nim_envs.diagnosis.board import Board, edges_by_level, evenly, greedy
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import Convention
from tests.nim_envs.diagnosis.tiny import ALL, Tiny, graph, heap, heaps, sets

games = pytest.mark.parametrize("tiny", [make() for make in ALL.values()], ids=ALL)


@cache
def longest(tiny: Tiny, position):
    return max((1 + longest(tiny, after) for after in tiny.moves[position].values()), default=0)


@games
def test_moves_and_results_are_those_of_the_rules(tiny):
    board = tiny.board()
    assert board.game is tiny.game
    assert set(tiny.rows) == set(tiny.moves)
    assert tiny.game.rules.coordinates(board.positions).tolist() == board.coordinates.tolist()
    for position, row in tiny.rows.items():
        moves = tiny.moves[position]
        assert set(np.flatnonzero(board.legal[row])) == set(moves)
        assert board.lengths[row] == longest(tiny, position)
        assert board.over[row] == tiny.over(position)
        assert board.values[row] == tiny.value(position)
        assert set(np.flatnonzero(board.keeping[row])) == tiny.keeping(position)
        assert board.counted[row] == bool(tiny.keeping(position))
        for action in range(board.legal.shape[1]):
            after = moves.get(action)
            ends = after is not None and tiny.over(after)
            assert board.after[row, action] == (0 if after is None else tiny.row(after))
            assert board.ending[row, action] == ends
            assert board.rewards[row, action] == (tiny.reward(position, action) if ends else 0)
    in_order = sorted(tiny.ends, key=tiny.row)
    assert board.end_values.tolist() == [tiny.ends[end] for end in in_order]
    assert board.has_draws == (0 in tiny.ends.values())


@games
def test_games_may_end_with_other_values(tiny):
    board = tiny.board()
    values = np.resize([0, 1, -1], len(tiny.ends))
    ends = dict(zip(sorted(tiny.ends, key=tiny.row), values.tolist(), strict=True))
    expected = [tiny.keeping(position, ends) for position in sorted(tiny.rows, key=tiny.row)]
    assert sets(board.keeping_if(values.astype(np.int8))) == expected
    rewards = board.rewards_of(values.astype(np.int8))
    for position, row in tiny.rows.items():
        for action in range(board.legal.shape[1]):
            after = tiny.moves[position].get(action)
            assert rewards[row, action] == -ends.get(after, 0)


def test_the_last_move_wins_in_normal_play_and_loses_in_misere_play():
    for tiny in (heap(), heap(misere=True), graph()):
        ends = len(tiny.ends)
        assert tiny.board().end_values_by(Convention.NORMAL).tolist() == [-1] * ends
        assert tiny.board().end_values_by(Convention.MISERE).tolist() == [1] * ends


@games
def test_values_are_passed_back_from_the_end(tiny):
    board = tiny.board()
    plays = np.zeros(len(board.positions))
    plays[board.over] = 1

    @cache
    def number_of_plays(position):
        return sum(map(number_of_plays, tiny.moves[position].values())) or 1

    def update(rows):
        found = plays[board.after[rows]]
        plays[rows] = (found * board.legal[rows]).sum(axis=1)
        return found

    found = board.backward(update)
    for position, row in tiny.rows.items():
        expected = {a: number_of_plays(each) for a, each in tiny.moves[position].items()}
        assert found[row].tolist() == [
            expected.get(action, -np.inf) for action in range(board.legal.shape[1])
        ]


def test_moves_with_a_fault_are_computed_once():
    board, asked = Board(heap().game), []

    def moves(board):
        asked.append(board)
        return board.keeping

    assert board.moves_of(moves) is board.moves_of(moves)
    assert asked == [board]


def test_equal_values_are_greedy_and_rows_without_a_value_have_no_greedy_action():
    values = np.array([[1.0, 1 - 1e-12, 0.99], [-np.inf, -2.0, -np.inf], [-np.inf] * 3])
    assert sets(greedy(values)) == [{0, 1}, {1}, set()]


def test_probabilities_are_shared_evenly():
    actions = np.array([[True, False, True], [False, True, False], [False, False, False]])
    assert evenly(actions).tolist() == [[0.5, 0, 0.5], [0, 1, 0], [0, 0, 0]]


def test_boards_that_are_too_large_are_refused(monkeypatch):
    game = heaps().game  # 12 positions, 6 actions
    monkeypatch.setattr(module, "LARGEST_BOARD", 72)
    assert len(Board(game).positions) == 12
    monkeypatch.setattr(module, "LARGEST_BOARD", 71)
    with pytest.raises(SearchTooLargeError, match=r"at most 71 pairs.*smaller board"):
        Board(game)


def test_each_level_of_the_graph_has_one_lost_node_and_others_that_lead_to_that_below():
    edges = edges_by_level()
    levels = [[0], *np.arange(1, 76).reshape(15, 5).tolist(), [76]]
    assert len(edges) == 77

    @cache
    def wins(node):
        return not all(map(wins, edges[node]))

    places = []
    for level, below in zip(levels[1:], levels, strict=False):
        assert all(set(edges[node]) <= set(below) for node in level)
        lost_below = [node for node in below if not wins(node)]
        assert len(lost_below) == 1
        for node in level:
            assert (lost_below[0] in edges[node]) == wins(node)
            assert set(below) - set(lost_below) <= set(edges[node])
        places += [level.index(node) for node in level if not wins(node)]
    # Neither always the same move nor always the next one is right.
    assert set(places) == set(range(5))
    assert len({(b - a) % 5 for a, b in pairwise(places)}) > 1


def test_the_tiny_games_tell_faults_apart_as_they_are_said_to():
    normal, misere, heaps, misere_heaps, graph = map(Board, tiny_games())
    # The right moves of normal play are wrong in misère play nearly everywhere.
    assert normal.game.convention is Convention.NORMAL
    assert misere.game.convention is Convention.MISERE
    assert (normal.legal == misere.legal).all()
    assert normal.legal.shape == (31, 4)
    assert normal.legal[-1].all()
    both = normal.counted & misere.counted
    assert not (normal.keeping & misere.keeping)[both & (normal.lengths > 4)].any()
    for each in (heaps, misere_heaps):
        assert each.positions.max(axis=0).tolist() == [3, 3, 3]
    assert (heaps.keeping != misere_heaps.keeping).any()
    assert [each.game.convention for each in (heaps, misere_heaps)] == [*Convention]
    for each in (normal, misere, heaps, misere_heaps):  # the largest position is one to begin at
        indices = each.game.rules.indices(each.positions[~each.over][:-1])
        assert each.game.positions_by_seat()[:, indices].all()
    # A position of the graph belongs to one player.
    indices = graph.game.rules.indices(graph.positions)
    assert (graph.game.positions_by_seat()[:, indices].sum(axis=0) == 1).all()
