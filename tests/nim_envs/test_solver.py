"""Quotients that are tried before a search."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.solver import solve


@pytest.mark.parametrize(
    ("code", "heaps", "method"),
    [
        ("0.77", (36,), "misère quotient, proven by its transition algebra"),
        ("0.26", (20, 20), "misère quotient, proven by its transition algebra"),
        ("0.241", (40,), "theorem on periodic misère quotients"),
        ("4.7", (30,), "memoised search modulo permutation"),
    ],
)
def test_misere_play_by_a_small_quotient_or_a_search_is_that_of_the_search(code, heaps, method):
    game = make_game("octal", code=code, heaps=heaps, misere=True)
    solution, searched = solve(game), solve(game, method="search")
    assert solution.method == method
    rng = np.random.default_rng(0)
    for _ in range(10):
        position = game.rules.initial
        for _ in range(rng.integers(8)):
            moves = [after for _, after in game.moves(position)]
            position = moves[rng.integers(len(moves))] if moves else position
        assert solution.is_winning(position) == searched.is_winning(position)
        found = solution.winning_actions(position).tolist()
        assert found == searched.winning_actions(position).tolist()


def test_a_quotient_that_is_not_small_is_found_where_it_is_asked_for():
    game = make_game("octal", code="0.07", heaps=(25,), misere=True)
    assert solve(game, method="quotient").method.startswith("misère quotient")
    assert solve(game).method == "memoised search modulo permutation"
