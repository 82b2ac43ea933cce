"""Theorems and searches beside plain recursion, on games small enough to try everything."""

from __future__ import annotations

from functools import reduce
from operator import xor

import numpy as np
import pytest

from nim_envs import Convention, make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.theory import nim_sum, search_winning
from nim_envs.theory.memo_search import MemoSolution


def test_the_nim_sum_of_an_array_is_along_its_last_axis():
    values = np.random.default_rng(0).integers(0, 64, size=(2, 3, 5))
    expected = [[reduce(xor, row) for row in rows] for rows in values.tolist()]
    assert nim_sum(values).tolist() == expected


def test_a_search_of_more_positions_than_the_limit_is_refused_at_once():
    rules = make_game("nim", heaps=(3, 4, 5)).rules
    assert len(search_winning(rules, Convention.NORMAL, limit=rules.num_positions)) == 120
    with pytest.raises(SearchTooLargeError, match="120"):
        search_winning(rules, Convention.NORMAL, limit=119)


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(("k", "n"), [(1, 3), (3, 7), (4, 4), (5, 2)])
def test_winning_additions_are_those_that_lead_to_lost_totals(k, n, misere):
    game = make_game("addition", k=k, n=n, misere=misere)
    rules, winning = game.rules, search_winning(game.rules, game.convention)
    for position in rules.lattice():
        if rules.is_terminal(position):
            continue
        legal = np.flatnonzero(rules.action_mask(position))
        after = [rules.step(position, np.array(action)) for action in legal]
        right = [a for a, to in zip(legal, after, strict=True) if not winning[rules.indices(to)]]
        assert game.solution.winning_actions(position).tolist() == right


@pytest.mark.parametrize("convention", list(Convention))
@pytest.mark.parametrize(
    "games",
    [
        (("kayles", {"heaps": (4,)}), ("kayles", {"heaps": (3,)}), ("addition", {"k": 2, "n": 3})),
        (("grundy", {"heaps": (6,)}), ("graph", {"tokens": (4,)}), ("nim", {"heaps": (2,)})),
    ],
    ids=["kayles", "grundy"],
)
def test_search_up_to_the_order_of_components_agrees_with_the_sweep(games, convention):
    rules = make_game("sum", games=games).rules
    positions = rules.lattice()
    swept = search_winning(rules, convention)[rules.indices(positions)]
    solution = MemoSolution(rules, convention)
    assert (np.asarray(solution.is_winning(positions)) == swept).all()
    assert solution.is_winning(positions[-1]) == swept[-1]
