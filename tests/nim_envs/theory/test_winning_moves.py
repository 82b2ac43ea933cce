"""Winning moves by theorem against all moves written here, and on boards too large to list them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import Convention
from nim_envs.theory import theorems, winning_moves
from tests.classic_moves import Moves, bar, heaps_at_once, limited_heap, queen

Positions = Iterable[tuple[int, ...]]


def points(*sizes: int) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, sizes))


def bars(rows: int, columns: int) -> Positions:
    lengths = points(*[columns + 1] * rows)
    return [bar for bar in lengths if bar[0] and list(bar) == sorted(bar, reverse=True)]


def assert_exactly_the_winning_moves(
    moves: Moves, positions: Positions, found: Callable[[Any], Iterable[Any]], wins: Any
) -> None:
    for position in positions:
        after = sorted(set(moves(position)))
        won = wins(np.array(after)) if after else []
        expected = list(itertools.compress(after, np.logical_not(won)))
        assert sorted(found(position)) == expected, position


HEAPS = [(0, 0), *((size, limit) for size in range(1, 90) for limit in range(1, size + 1))]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize(
    ("moves", "positions", "found", "wins"),
    [
        (queen, list(points(25, 25)), winning_moves.wythoff, theorems.wythoff),
        (limited_heap, HEAPS, winning_moves.fibonacci_nim, theorems.fibonacci_nim),
        *(
            (
                heaps_at_once(k),
                list(points(*sizes)),
                partial(winning_moves.moore, k=k),
                partial(theorems.moore, k=k),
            )
            for sizes, k in [((9, 9), 1), ((4, 4, 4, 3), 2), ((4, 3, 4, 3), 3), ((6, 4), 2)]
        ),
    ],
    ids=["Wythoff", "Fibonacci Nim", "k=1", "k=2 of 4", "k=3 of 4", "k=2 of 2"],
)
def test_exactly_the_winning_moves_are_found(moves, positions, found, wins, convention):
    assert_exactly_the_winning_moves(
        moves,
        positions,
        partial(found, convention=convention),
        partial(wins, convention=convention),
    )


@pytest.mark.parametrize(("rows", "columns"), [(1, 8), (2, 9), (4, 2)])
def test_exactly_the_winning_bites_are_found(rows, columns):
    assert_exactly_the_winning_moves(bar, bars(rows, columns), winning_moves.chomp, theorems.chomp)


@pytest.mark.parametrize(
    ("name", "arguments", "position", "described"),
    [
        ("wythoff", {"queens": ((10**9, 10**9),)}, (10**9, 10**9), "move diagonally 1000000000"),
        ("euclid", {"pairs": ((10**9, 10**9),), "misere": True}, (10**9, 3), "leave (4, 3)"),
        ("fibonacci_nim", {"heaps": (3037000499,)}, (3037000499, 3037000498), "take 43320"),
        ("moores_nim", {"heaps": (10**5,) * 3, "k": 2}, (10**5, 10**5, 1), "99999 from heap 1"),
        ("chomp", {"rows": 2, "columns": 10**6}, (10**6, 10**6), "bite at (1, 999999)"),
        ("nim", {"heaps": (10**15, 3)}, (10**15, 3), "take 999999999999997"),
    ],
)
def test_boards_whose_moves_cannot_be_listed_have_winning_moves(
    name, arguments, position, described
):
    game = make_game(name, **arguments)
    here = game.rules.positions_at(np.array(position))
    actions = list(game.solution.iter_winning_actions(position))
    words = [game.rules.describe_action(action, here) for action in actions]
    assert any(described in move for move in words), words
    assert sorted(actions) == game.solution.winning_actions(position).tolist()


def test_the_first_of_very_many_winning_moves_is_yielded_at_once(monkeypatch):
    solution = make_game("moores_nim", heaps=(5000,) * 5, k=3).solution
    position = (5000, 5000, 5000, 4999, 4998)
    some = list(itertools.islice(solution.iter_winning_actions(position), 100))
    after = []
    for action in some:
        taken = np.array(solution.rules.components[0].amounts(action))
        assert (taken >= 0).all()
        assert 1 <= (taken > 0).sum() <= 3
        after.append(np.array(position) - taken)
    assert len(set(some)) == 100
    assert not theorems.moore(np.array(after), k=3).any()
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "4096")
    with pytest.raises(SearchTooLargeError, match="more than 85 winning actions"):
        solution.winning_actions(position)
