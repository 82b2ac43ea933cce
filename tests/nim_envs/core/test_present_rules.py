"""The games on graphs and sums are those of :mod:`nim_envs.rules`, position by position.

It goes with these rules.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tasks import GAMES as TASKS
from nim_envs import Game, games, make_game, rules
from nim_envs.errors import InvalidGameError
from nim_envs.game import sum_of
from nim_envs.registry import GAMES
from nim_envs.rules import Convention, Rules, TableComponent
from nim_envs.solution import Solution, graph_values, solve
from nim_envs.solver import solve as old_solve
from nim_envs.sums import Sum
from tests.games import ALL
from tests.nim_envs.core.random_games import random_game
from tests.nim_envs.core.test_random_games import part_of

MOST = 2000
"""Positions that are compared, of games that have more."""

OF_ENVIRONMENTS = ("start", "misere")

BOARDS = [
    *ALL,
    *((task.name, task.arguments) for task in TASKS.values()),
    ("octal", {"code": "0.137", "heaps": (9, 2)}),
    ("octal", {"code": "4.16", "heaps": (7, 3)}),
    ("octal", {"code": "0.07(3)", "heaps": (8,)}),
    ("octal", {"code": "0.(6)", "heaps": (6, 6)}),
    ("laskers_nim", {"heaps": (1, 2, 3)}),
    ("grundy", {"heaps": (12,)}),
    ("cram", {"rows": 4, "columns": 4}),
    ("chomp", {"rows": 5, "columns": 3}),
    ("moores_nim", {"heaps": (0, 4, 2, 3), "k": 2}),
    ("subtraction", {"heaps": (3, 30), "subtraction_set": (4, 7, 9)}),
    ("wythoff", {"queens": ((0, 0), (3, 9))}),
]


def game_of(name, arguments):
    """The new game of a registered name."""
    given = {key: value for key, value in arguments.items() if key not in OF_ENVIRONMENTS}
    all_arguments = {**GAMES[name].defaults, **given}
    if name == "sum":
        pairs = [(each, {}) if isinstance(each, str) else each for each in all_arguments["games"]]
        return sum_of([game_of(*pair) for pair in pairs])
    return getattr(games, "nim" if name == "misere_nim" else name)(**all_arguments)


def some_positions(old):
    """All positions of the present rules, or some of them, spread evenly."""
    listed = old.lattice()
    return listed[:: -(-len(listed) // MOST)]


def check_moves(board, old):
    states_before = some_positions(old)
    coordinates = old.coordinates(states_before)
    states = board.find(coordinates)
    mask = board.mask(states)
    assert board.num_positions == len(old.lattice())
    assert board.fields == old.fields
    assert board.num_actions == old.num_actions
    assert np.array_equal(board.positions(states), coordinates)
    assert np.array_equal(mask, old.action_mask(states_before))
    assert np.array_equal(board.is_over(states), old.is_terminal(states_before))
    rows, actions = np.nonzero(mask)
    after = board.positions(board.step(states[rows], actions))
    assert np.array_equal(after, old.coordinates(old.step(states_before[rows], actions)))


class Old:
    def __init__(self, rules, convention):
        self.rules, self.convention, self.theorem = rules, convention, None
        self.old_solution = old_solve(self)


def check_values(solved, old):
    positions = some_positions(old.rules)
    coordinates = old.rules.coordinates(positions)
    assert np.array_equal(solved.value(coordinates), old.old_solution.value(positions))
    assert np.array_equal(
        solved.keeping_mask(coordinates), old.old_solution.keeping_mask(positions)
    )
    assert np.array_equal(
        solved.winning_mask(coordinates), old.old_solution.winning_mask(positions)
    )


def check_words(new, old):
    positions = some_positions(old)[::40]
    for position in positions:
        coordinates = old.coordinate_tuple(position)
        for action in np.flatnonzero(old.action_mask(position)).tolist():
            part, option = divmod(action, old.num_options)
            component, state = old.components[part], int(position[part])
            here = coordinates[old.field_slices[part]]
            words = component.words
            assert new.describe(action, coordinates) == old.describe_action(action, position)
            assert new.describe(action) == old.describe_action(action)
            assert new.parts[part].removal(option, here) == words.describe_removal(option, state)
            assert new.parts[part].numbers(option, here) == words.numbers(option, state)
    for part, component in zip(new.parts, old.components, strict=True):
        assert part.words.move == component.words.move


@pytest.mark.parametrize(("name", "arguments"), BOARDS, ids=str)
def test_registered_games(name, arguments):
    new = game_of(name, arguments)
    given = {key: value for key, value in arguments.items() if key not in OF_ENVIRONMENTS}
    boards = [new.board] if new.board is new.parts[0] else [new.board, Sum(new.parts)]
    for misere in (False, True):
        old = make_game(name, misere=misere, **given)
        solved = solve(new, misere)
        check_values(solved, old)
        if solved.method != "exhaustive search" and not isinstance(new.board, Sum):
            end = np.int8(1 if misere else -1)
            table = graph_values(new.board, end)
            check_values(Solution(new.board, "induction", table.__getitem__), old)
    for board in boards:
        check_moves(board, old.rules)
    assert new.start == old.rules.coordinate_tuple(old.rules.initial)
    check_words(new, old.rules)


@pytest.mark.parametrize("first", range(5000, 5300, 100))
def test_random_games(first):
    for seed in range(first, first + 100):
        brute = random_game(seed)
        tables, parts = [], [part_of(kind) for kind in brute.kinds]
        for part in parts:
            second = () if part.second is None else part.second.astype(np.int64)
            tables.append(TableComponent(part.after.astype(np.int64), second))
        new = Game("random", tuple(parts[kind] for kind in brute.kind_of), brute.positions[-1])
        begin = [position for position in brute.positions if any(brute.moves(position))]
        if tables[0] == tables[1] or not begin:
            continue  # equal components share their slots, and a game must have a first move
        components = tuple(tables[kind] for kind in brute.kind_of)
        old = Rules("random", components, begin[-1])
        for convention in Convention:
            check_values(solve(new, convention is Convention.MISERE), Old(old, convention))
        for board in (Sum(new.parts), Sum(new.parts).flat()):
            check_moves(board, old)


def test_named_heap_games_have_one_constructor():
    for name in ("kayles", "dawsons_kayles", "dawsons_chess", "officers", "splitting"):
        code = rules.heap_game(name).name
        assert game_of(name, {"heaps": (8,)}).parts == games.octal(code, (8,)).parts


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nim", {"heaps": ()}),
        ("nim", {"heaps": (-1,)}),
        ("nim", {"heaps": {1, 2}}),
        ("nim", {"heaps": (1.0,)}),
        ("nim", {"max_take": 0}),
        ("subtraction", {"subtraction_set": ()}),
        ("addition", {"k": 0}),
        ("addition", {"n": True}),
        ("octal", {"code": "0.8"}),
        ("kayles", {"heaps": "3"}),
        ("moores_nim", {"k": 0}),
        ("fibonacci_nim", {"heaps": (1,)}),
        ("wythoff", {"queens": ((1, 2, 3),)}),
        ("euclid", {"pairs": ((0, 3),)}),
        ("chomp", {"rows": 1}),
        ("cram", {"rows": 1, "columns": 1}),
        ("node_kayles", {"edges": ((0, 0),)}),
        ("node_kayles", {"nodes": 2, "edges": ((0, 2),)}),
        ("graph", {"successors": (), "tokens": (0,)}),
        ("graph", {"successors": ((), (0, 0)), "tokens": (0,)}),
        ("graph", {"successors": ((), 3), "tokens": (0,)}),
        ("graph", {"tokens": (12,)}),
    ],
    ids=str,
)
def test_arguments_are_refused_in_the_same_words(name, arguments):
    with pytest.raises(InvalidGameError) as old:
        make_game(name, **arguments)
    with pytest.raises(InvalidGameError) as new:
        game_of(name, arguments)
    assert str(new.value) == str(old.value)
