"""Cram and Node Kayles by parts: against tables, published values and plain recursion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import GameEnv, make_game, optimality
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import cram, node_kayles
from nim_envs.rules.cram_game import CramBoard
from nim_envs.text import verdict
from nim_envs.theory import grundy_values, mex
from nim_envs.theory.parts import FreeParts
from nim_envs.theory.values import PartValues

# J. Lemoine and S. Viennot, "Nimbers are inevitable", Theoretical Computer Science 462 (2012), and
# for 3 x n M. Schneider, "Das Spiel Juvavum" (2009).
PUBLISHED = {
    (3, 3): 0, (3, 4): 1, (3, 5): 1, (3, 6): 4, (3, 7): 1, (4, 4): 0, (4, 5): 2, (5, 5): 0,
}  # fmt: skip
LARGE = {(3, 8): 3, (3, 9): 1, (4, 6): 0, (4, 7): 3}


def value_of_board(rows: int, columns: int) -> int:
    return FreeParts(CramBoard(rows, columns)).value((1 << rows * columns) - 1)


@pytest.mark.parametrize(("rows", "columns"), PUBLISHED)
def test_values_of_cram_are_the_published_ones(rows, columns):
    assert value_of_board(rows, columns) == PUBLISHED[rows, columns]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("rows", "columns"), LARGE)
def test_values_of_cram_on_large_boards_are_the_published_ones(rows, columns):
    assert value_of_board(rows, columns) == LARGE[rows, columns]


@pytest.mark.release
def test_the_value_of_cram_on_the_largest_board_is_the_published_one():
    assert value_of_board(5, 6) == 2


@pytest.mark.parametrize(
    "rules", [cram(3, 4), cram(4, 3), node_kayles(6, [(0, 1), (1, 2), (0, 2)])]
)
def test_values_by_parts_are_those_of_the_table(rules):
    (board,) = rules.components
    values = PartValues(board).normal(np.arange(board.states))
    assert values.tolist() == grundy_values(board).tolist()


@settings(max_examples=40, deadline=None)
@given(
    nodes=st.integers(1, 9),
    pairs=st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=12),
)
def test_values_of_any_graph_are_those_of_plain_recursion(nodes, pairs):
    edges = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1] and max(pair) < nodes}

    @cache
    def value(free: frozenset[int]) -> int:
        gone = [
            {node, *(sum(edge) - node for edge in edges if node in edge)} for node in sorted(free)
        ]
        return mex(value(free - taken) for taken in gone)

    (graph,) = node_kayles(nodes, sorted(edges)).components
    assert FreeParts(graph).value((1 << nodes) - 1) == value(frozenset(range(nodes)))


def test_a_limit_on_parts_is_named():
    board = CramBoard(4, 4)
    with pytest.raises(SearchTooLargeError, match="a board of 16 cells fall into more than 100"):
        FreeParts(board, limit=100).value((1 << 16) - 1)


@pytest.fixture(scope="module")
def board():
    return make_game("cram", rows=2, columns=12, start="n_position")


def test_boards_too_large_for_tables_are_played_scored_and_told(board):
    solution = board.solution
    first = board.rules.initial
    assert solution.method == "Sprague-Grundy theorem"
    assert not solution.is_winning(first)  # the second player answers in the mirror
    assert solution.winning_actions(first).size == 0

    def optimal(positions, masks):
        return solution.winning_mask(board.rules.positions_at(positions)).argmax(axis=1)

    env = GameEnv(board, truth_in_info=True)
    assert optimality(optimal, env, sample=100).percent == 100
    random = optimality(
        lambda positions, masks: masks / masks.sum(1, keepdims=True), env, sample=100
    )
    assert random.percent == pytest.approx(random.random_percent)
    env.reset(seed=0)
    while not any(env.terminations.values()):
        legal = np.flatnonzero(board.rules.action_mask(env.position))
        wins = solution.winning_actions(env.position)
        env.step(int(wins[0] if env.agent_selection == "player_0" else legal[0]))
    assert env.rewards == {"player_0": 1, "player_1": -1}
    told = verdict(
        board, board.rules.coordinate_tuple(np.array(first)), "board 0: cover (0, 0) and (0, 1)"
    )
    assert told.kind == "lost_position"


def test_sparse_graphs_of_sixty_nodes_are_solved():
    rng = np.random.default_rng(0)
    edges = {tuple(sorted(rng.choice(60, 2, replace=False).tolist())) for _ in range(45)}
    game = make_game("node_kayles", nodes=60, edges=sorted(edges))
    solution = game.solution
    value = solution.grundy_value(game.rules.initial)
    after = [
        solution.grundy_value(game.rules.step(np.array(game.rules.initial), np.array(node)))
        for node in range(60)
    ]
    assert value == mex(after)
    wins = [node for node in range(60) if after[node] == 0]
    assert solution.winning_actions(game.rules.initial).tolist() == (wins if value else [])
