"""Games from a function of moves: limits while moves are read, gaps, and sparse moves."""

from __future__ import annotations

import itertools
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nim_envs
from nim_envs.check import check_env, check_game
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules import nim, rules_from_moves, sum_of
from nim_envs.text import verdict
from nim_envs.theory import reachable


def jump(position, unit=1):
    (number,) = position
    return [(n, (number - n * unit,)) for n in (3, 5) if n * unit <= number]


def far_jump(position):
    return jump(position, 10**6)


@st.composite
def acyclic_games(draw):
    """A game as a dictionary of moves, its start and further positions."""
    width = draw(st.integers(1, 3))
    factor = draw(st.sampled_from([1, 3, 10**6, 10**15]))
    points = st.tuples(*[st.integers(0, 8).map(lambda n: n * factor)] * width)
    positions = draw(st.lists(points, min_size=2, max_size=12, unique=True))  # in any order
    moves = {}
    for place, position in enumerate(positions):
        earlier = st.sampled_from(positions[:place]) if place else st.nothing()
        labels = st.integers(0, 5) | st.sampled_from(["left", "right 10", "right 9"])
        moves[position] = draw(st.dictionaries(labels, earlier, max_size=4 if place else 0))
    start = draw(st.sampled_from([p for p in positions if moves[p]] or positions))
    return moves, start, draw(st.lists(st.sampled_from(positions), max_size=2))


def solved(moves, misere):
    """Return who wins and the Grundy value at each position, by their definitions."""

    @cache
    def wins(position):
        return any(not wins(a) for a in moves[position].values()) if moves[position] else misere

    @cache
    def grundy(position):
        met = {grundy(after) for after in moves[position].values()}
        return next(n for n in itertools.count() if n not in met)

    return wins, grundy


def reached(moves, starts):
    """Return the positions that play can reach, in order."""
    found, new = set(), set(starts)
    while new:
        found |= new
        new = {after for position in new for after in moves[position].values()} - found
    return sorted(found)


@settings(max_examples=25)
@given(acyclic_games(), st.booleans())
def test_random_games_are_as_their_dictionary_says(drawn, misere):
    moves, start, others = drawn
    listed = reached(moves, [start, *others])
    if not any(moves[position] for position in listed):
        with pytest.raises(InvalidGameError, match="no move at"):
            rules_from_moves("drawn", start, lambda p: moves[p].items(), positions=others)
        return
    if not moves[start]:
        return
    game = nim_envs.game_from_moves(
        "drawn", start, lambda p: moves[p].items(), positions=others, misere=misere
    )
    rules, solution = game.rules, game.solution
    wins, grundy = solved(moves, misere)
    assert rules.coordinates(rules.lattice()).tolist() == [list(p) for p in listed]
    assert rules.is_position(rules.lattice()).all()
    here = rules.checked_positions(listed)
    assert rules.positions(rules.indices(here)).tolist() == here.tolist()
    assert solution.is_winning(listed).tolist() == [wins(p) for p in listed]
    assert solution.grundy_value(listed).tolist() == [grundy(p) for p in listed]
    assert rules.is_terminal(here).tolist() == [not moves[p] for p in listed]
    words = rules.components[0].descriptions
    for position, state in zip(listed, here, strict=True):
        legal = np.flatnonzero(rules.action_mask(state))
        after = rules.coordinates(rules.step(np.tile(state, (len(legal), 1)), legal))
        found = dict(zip((words[a] for a in legal), map(tuple, after.tolist()), strict=True))
        assert found == {str(label): after for label, after in moves[position].items()}
        winning = {words[action] for action in solution.winning_actions(position)}
        expected = {str(m) for m, after in moves[position].items() if not wins(after)}
        assert winning == expected
    seats = reachable(rules, rules.checked_positions([start])).any(axis=0)
    met = rules.coordinates(rules.positions(np.flatnonzero(seats)))
    assert sorted(map(tuple, met.tolist())) == reached(moves, [start])
    won = sum(wins(p) and bool(moves[p]) for p in listed)
    if won:
        score = nim_envs.optimality(lambda _, masks: masks.argmax(axis=1), game)
        assert score.count == won
    search = nim_envs.solver.solve(game, method="search")
    assert search.is_winning(listed).tolist() == [wins(p) for p in listed]


@settings(max_examples=25)
@given(acyclic_games(), st.lists(st.integers(0, 9), min_size=3, max_size=3), st.data())
def test_what_is_not_reached_is_no_position(drawn, digits, data):
    moves, start, _ = drawn
    if not moves[start]:
        return
    game = nim_envs.game_from_moves("drawn", start, lambda p: moves[p].items())
    listed = set(reached(moves, [start]))
    largest = [max(axis) for axis in zip(*listed, strict=True)]
    point = tuple(
        data.draw(st.sampled_from([0, top // 2, top, min(digit, top)]))
        for digit, top in zip(digits, largest, strict=False)
    )
    env = nim_envs.GameEnv(game)
    env.reset()
    if point in listed:
        assert game.solution.is_winning(point) in (True, False)
        return
    for ask in (
        game.solution.is_winning,
        game.solution.winning_actions,
        game.rules.checked_positions,
        env.set_position,
        lambda p: env.reset(options={"start": p}),
        lambda p: nim_envs.Game(game.rules, game.convention, start=p),
        lambda p: verdict(game, p, "drawn 0: left"),
        game.moves,
        game.is_over,
    ):
        with pytest.raises(InvalidPositionError, match="drawn has the coordinates"):
            ask(point)


def test_sums_of_games_with_gaps_have_their_positions_alone():
    game = nim_envs.game_from_moves("jump", (9 * 10**6,), far_jump, starts="uniform")
    numbers = np.array([0, 1, 3, 4, 6, 9])
    assert game.rules.lattice().ravel().tolist() == (10**6 * numbers).tolist()
    both = sum_of([game.rules, nim(heaps=(2,))])
    points = np.array([[7 * 10**6, 1], [6 * 10**6, 1]])
    assert both.is_position(points).tolist() == [False, True]
    assert len(both.lattice()) == 6 * 3
    starts = nim_envs.Game(both, nim_envs.Convention.NORMAL, start="uniform").start_positions()
    assert both.is_position(starts).all()
    assert len(starts) == 6 * 3 - 2  # neither (0, 0) nor (1, 0)
    check_game(game)
    check_env(nim_envs.GameEnv(game))


@pytest.mark.parametrize(
    ("moves", "error", "said"),
    [
        (lambda p: ((n, (0,)) for n in itertools.count()), SearchTooLargeError, "262144 labels"),
        (lambda p: (("on", (n,)) for n in itertools.count()), InvalidGameError, "'on' twice"),
        (lambda p: ((n % 1500, (0,)) for n in itertools.count()), InvalidGameError, "0 twice"),
        (lambda p: ((n, (n,)) for n in itertools.count()), SearchTooLargeError, "2000 positions"),
    ],
)
def test_moves_without_an_end_are_refused_while_they_are_read(moves, error, said):
    with pytest.raises(error, match=said):
        rules_from_moves("g", (1,), moves, limit=2000)


def test_other_moves_at_the_second_call_are_noticed():
    def at_random(position):
        (n,) = position
        return [(1, (n - 1,))] + [(2, (n - 2,))] * (random.random() < 0.5) if n > 1 else []

    calls = []

    def swapped(position):
        calls.append(position)
        first, second = (0,), (1,)
        after = (first, second) if calls.count(position) < 2 else (second, first)
        return zip("ab", after, strict=True) if position == (2,) else []

    for moves, said in (
        (at_random, r"moves\(\(\d+,\)\) gives other moves when it is called again"),
        (swapped, r"moves\(\(2,\)\) .* 'a' leads to \(1,\), and led to \(0,\)"),
    ):
        calls.clear()
        with pytest.raises(InvalidGameError, match=said):
            nim_envs.game_from_moves("g", (2,) if moves is swapped else (20,), moves)


def test_an_empty_name_is_refused():
    with pytest.raises(InvalidGameError, match="name must not be empty"):
        nim_envs.game_from_moves(" ", (9,), jump)


def grid_kayles(side):
    """Return moves that take one cell of a square grid, or two that touch; positions as lists."""
    cells = range(side**2)
    taken = [(cell,) for cell in cells]
    taken += [(cell, cell + 1) for cell in cells if (cell + 1) % side]
    taken += [(cell, cell + side) for cell in cells[:-side]]

    def moves(position):
        for some in taken:
            if not any(position[cell] for cell in some):
                after = list(position)
                for cell in some:
                    after[cell] = 1
                yield f"take {' and '.join(map(str, some))}", after

    return moves, [sum(1 << cell for cell in some) for some in taken]


@pytest.mark.parametrize("side", [3, pytest.param(4, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("misere", [False, True])
def test_grid_kayles(side, misere):
    moves, sets = grid_kayles(side)
    game = nim_envs.game_from_moves("grid kayles", (0,) * side**2, moves, misere=misere)
    taken = np.arange(2 ** (side**2))
    found = game.solution.is_winning(taken[:, np.newaxis] >> np.arange(side**2) & 1)
    won = [False] * len(taken)
    for position in reversed(range(len(taken))):
        after = [position | some for some in sets if not position & some]
        won[position] = any(not won[each] for each in after) if after else misere
    assert found.tolist() == won
