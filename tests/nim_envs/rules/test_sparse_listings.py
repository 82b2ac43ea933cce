"""Games from a function of moves: limits while moves are read, gaps, and sparse moves."""

from __future__ import annotations

import itertools
import pickle
import random
import subprocess
import sys
import textwrap
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nim_envs
from nim_envs.check import check_env, check_game
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules import Rules, nim, rules_from_moves, sum_of
from nim_envs.rules.compiled_moves import compiled_rules
from nim_envs.rules.component import LARGEST_SPREAD
from nim_envs.rules.listing import labels, readers
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


def test_a_number_between_the_positions_is_no_position():
    game = nim_envs.game_from_moves("jump", (9,), jump, starts="uniform")
    assert game.rules.lattice().tolist() == [[0], [1], [3], [4], [6], [9]]
    won = game.solution.is_winning([[0], [1], [3], [4], [6], [9]])
    assert won.tolist() == [False, False, True, True, True, False]
    for number in (2, 5, 7, 8):
        with pytest.raises(InvalidPositionError, match=rf"no position of jump .* \({number},\)"):
            game.solution.is_winning((number,))
        with pytest.raises(InvalidPositionError, match=rf"no position of jump .* \({number},\)"):
            verdict(game, (number,), "jump 0: 5")
    with pytest.raises(InvalidGameError, match=r"no position of jump is \(7,\)"):
        Rules("jump", game.rules.components, initial=(7,))
    both = sum_of([game.rules, nim(heaps=(2,))])
    assert both.is_position(np.array([[7, 1], [6, 1]])).tolist() == [False, True]
    assert len(both.lattice()) == 6 * 3
    starts = nim_envs.Game(both, nim_envs.Convention.NORMAL, start="uniform").start_positions()
    assert both.is_position(starts).all()
    assert len(starts) == 6 * 3 - 2  # neither (0, 0) nor (1, 0)
    check_game(game)
    check_env(nim_envs.GameEnv(game))


@pytest.mark.parametrize("misere", [False, True])
def test_numbers_up_to_a_billion_cost_what_their_positions_cost(misere):
    game = nim_envs.game_from_moves("jump", (10**9,), far_jump, misere=misere, starts="uniform")
    small = nim_envs.game_from_moves("jump", (1000,), jump, misere=misere, starts="uniform")
    numbers = small.rules.lattice()
    assert game.rules.lattice().tolist() == (10**6 * numbers).tolist()
    assert (
        game.solution.is_winning(10**6 * numbers).tolist()
        == small.solution.is_winning(numbers).tolist()
    )
    for positions in ("all", "reachable"):
        scores = [
            nim_envs.optimality(lambda _, m: m.argmax(axis=1), one, positions)
            for one in (game, small)
        ]
        assert str(scores[0]) == str(scores[1])
    far, near = verdict(game, (10**9,), "jump 0: 3"), verdict(small, (1000,), "jump 0: 3")
    assert far.after == (997 * 10**6,)
    assert (far.kind, far.winning) == (near.kind, near.winning)
    both = nim_envs.Game(sum_of([game.rules, nim(heaps=(2,))]), game.convention)
    like = nim_envs.Game(sum_of([small.rules, nim(heaps=(2,))]), game.convention)
    points = like.rules.lattice()
    assert (
        both.solution.is_winning(points * [10**6, 1]).tolist()
        == like.solution.is_winning(points).tolist()
    )
    env = nim_envs.GameEnv(game)
    env.reset(seed=0, options={"start": (9 * 10**6,)})
    env.step(0)
    assert env.coordinates.tolist() == [6 * 10**6]
    with pytest.raises(InvalidPositionError):
        env.set_position((7,))
    check_game(game)


def test_tables_with_a_row_for_every_number_are_refused_at_once():
    wide = rules_from_moves("jump", (10**9,), far_jump)
    assert wide.components[0].states > LARGEST_SPREAD
    for ask in (compiled_rules, lambda rules: rules.table):
        with pytest.raises(SearchTooLargeError, match="1000000001"):
            ask(wide)


def counted(moves):
    """Return a function of moves, and a list whose only entry is the number of moves read."""
    read = [0]

    def counting(position):
        for move in moves(position):
            read[0] += 1
            yield move

    return counting, read


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
    moves, read = counted(moves)
    with pytest.raises(error, match=said):
        rules_from_moves("g", (1,), moves, limit=2000)
    assert read[0] <= 2**18 + readers.READ_AT_ONCE


def test_positions_and_bytes_are_limited_while_moves_are_read(monkeypatch):
    def heaps(position):
        for place, heap in enumerate(position):
            for n in range(1, heap + 1):
                yield f"{n} of {place}", (*position[:place], heap - n, *position[place + 1 :])

    moves, read = counted(heaps)
    with pytest.raises(SearchTooLargeError, match="more than 5000 positions"):
        rules_from_moves("nim", (2000, 2000), moves, limit=5000)
    assert read[0] < 2 * 4000 + 2 * 5000 + readers.READ_AT_ONCE
    with monkeypatch.context() as patch:
        patch.setattr(labels, "MOST_LABELS", 1000)
        moves, read = counted(heaps)
        with pytest.raises(SearchTooLargeError, match="1000 labels"):
            rules_from_moves("nim", (3_000_000,), moves)
        assert read[0] <= 1000 + readers.READ_AT_ONCE
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "100000")
    moves, read = counted(heaps)
    with pytest.raises(SearchTooLargeError, match=r"positions of nim, and the .* moves"):
        rules_from_moves("nim", (2000, 2000), moves)
    assert read[0] < 100_000 / 8 + readers.READ_AT_ONCE
    endless = itertools.count()
    with pytest.raises(SearchTooLargeError, match="more than 10 positions"):
        rules_from_moves("nim", (2,), heaps, positions=((n,) for n in endless), limit=10)
    with pytest.raises(SearchTooLargeError, match="positions lists more than 10 positions"):
        rules_from_moves("nim", (2,), heaps, positions=itertools.repeat((2,)), limit=10)
    with pytest.raises(SearchTooLargeError, match="more than 262144 labels"):
        rules_from_moves("nim", (2,), heaps, actions=endless)


def test_memory_is_that_of_the_moves_alone(monkeypatch):
    """2,001 positions with a label each: a table of positions and labels would take 32 MB."""
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "4000000")

    def to(position):
        return [(f"to {n}", (n, 0)) for n in range(max(0, position[0] - 2), position[0])]

    game = nim_envs.game_from_moves("steps", (2000, 0), to)
    lost = [n for n in range(2001) if not game.solution.is_winning((n, 0))]
    assert lost == list(range(0, 2001, 3))
    env = nim_envs.GameEnv(game)
    env.reset()
    assert env.observe("player_0")["action_mask"].sum() == 2
    assert verdict(game, (2000, 0), "steps 0: to 1998").kind == "kept_win"
    misere = nim_envs.Game(game.rules, nim_envs.Convention.MISERE)
    lost = [n for n in range(2001) if not misere.solution.is_winning((n, 0))]
    assert lost == list(range(1, 2001, 3))
    with pytest.raises(SearchTooLargeError, match="2000 options"):
        _ = game.rules.table


def test_a_position_takes_a_byte_for_each_coordinate_and_a_move_eight():
    """4,096 positions of 12 cells: 49 kB, their 24,576 moves 197 kB, and where each row begins."""

    def take(cells):
        return [(cell, (*cells[:cell], 0, *cells[cell + 1 :])) for cell in range(12) if cells[cell]]

    component = rules_from_moves("cells", (1,) * 12, take).components[0]
    taken = len(pickle.dumps(component))
    assert taken < 1.05 * (4096 * (12 + 8) + 24_576 * 8)
    assert component.positions.dtype == np.int64  # as everywhere outside
    assert component.positions.tolist() == [*map(list, itertools.product((0, 1), repeat=12))]


def test_a_position_may_have_more_moves_than_are_read_at_once(monkeypatch):
    monkeypatch.setattr(readers, "READ_AT_ONCE", 16)

    def take(position):
        return [(n, (position[0] - n, position[1])) for n in range(1, position[0] + 1)]

    rules = rules_from_moves("heap", (39, 300), take)
    component = rules.components[0]
    heaps = np.arange(len(component.positions))
    assert component.legal_count(heaps).tolist() == heaps.tolist()
    assert component.successors(np.array([5]))[0, :5].tolist() == [4, 3, 2, 1, 0]
    assert component.positions[-1].tolist() == [39, 300]

    def failing(position):
        yield from take(position)
        yield 1 // (position[0] - 30), position

    with pytest.raises(InvalidGameError, match=r"moves\(\(30, 0\)\) raised ZeroDivisionError"):
        rules_from_moves("heap", (30, 0), failing)


@pytest.mark.exhaustive
def test_the_memory_of_breakthrough_on_four_by_four_is_100_megabytes():
    """387,693 positions with 991,260 moves, listed and solved in a process of their own."""
    program = textwrap.dedent(
        """
        import resource
        import nim_envs

        def used():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def moves(position):
            *cells, mover = position
            own, other = mover + 1, 2 - mover
            home = cells[:4] if other == 2 else cells[12:]
            if other in home or own not in cells:
                return
            for here in range(16):
                row, column = here // 4 + 1 - 2 * mover, here % 4
                for aside in (-1, 0, 1):
                    there = row * 4 + column + aside
                    inside = 0 <= row < 4 and 0 <= column + aside < 4
                    if cells[here] != own or not inside or cells[there] == own:
                        continue
                    if aside or not cells[there]:
                        after = cells.copy()
                        after[here], after[there] = 0, own
                        yield (here, there, cells[there]), (*after, 1 - mover)

        start = (1,) * 4 + (0,) * 8 + (2,) * 4 + (0,)
        before = used()
        game = nim_envs.game_from_moves("breakthrough", start, moves, outcome=lambda _: -1)
        value = game.solution.value(start)
        print(game.rules.num_positions, value, (used() - before) // 1024)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    positions, _, megabytes = map(int, done.stdout.split())
    assert positions == 387_693
    assert megabytes <= 100


def test_other_moves_at_the_second_call_are_noticed():
    def at_random(position):
        (n,) = position
        return [(1, (n - 1,))] + [(2, (n - 2,))] * (random.random() < 0.5) if n > 1 else []

    calls = []

    def later(position):
        calls.append(position)
        return jump(position) if calls.count(position) < 2 else jump(position)[:1]

    def swapped(position):
        calls.append(position)
        first, second = (0,), (1,)
        after = (first, second) if calls.count(position) < 2 else (second, first)
        return zip("ab", after, strict=True) if position == (2,) else []

    def growing(position):
        calls.append(position)
        return [(n, (0,)) for n in range(calls.count(position))] if position[0] else []

    def failing(position):
        calls.append(position)
        return jump(position) if calls.count(position) < 2 else 1 // 0

    for moves, said in (
        (failing, r"moves\(\(20,\)\) raised ZeroDivisionError"),
        (at_random, r"moves\(\(\d+,\)\) gives other moves when it is called again"),
        (later, r"moves\(\(20,\)\) .* again: 5 is missing; .* of the position alone"),
        (swapped, r"moves\(\(2,\)\) .* 'a' leads to \(1,\), and led to \(0,\)"),
        (growing, r"moves\(\(20,\)\) .* 1 is new"),
    ):
        calls.clear()
        with pytest.raises(InvalidGameError, match=said):
            nim_envs.game_from_moves("g", (2,) if moves is swapped else (20,), moves)


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_refused(name):
    with pytest.raises(InvalidGameError, match="name must not be empty"):
        nim_envs.game_from_moves(name, (9,), jump)
    with pytest.raises(InvalidGameError, match="kind must not be empty"):
        nim_envs.game_from_moves("jump", (9,), jump, kind=name)
    with pytest.raises(InvalidGameError, match="name must not be empty"):
        Rules(name, nim(heaps=(1,)).components, initial=(1,))


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
