"""The tables say what the rules say."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nim_envs import Game, make_game
from nim_envs.errors import (
    InvalidGameError,
    InvalidPositionError,
    NimEnvsError,
)
from nim_envs.rules import (
    NO_MOVE,
    Convention,
    Rules,
    SubtractionHeap,
    TableComponent,
    addition,
    kayles,
    nim,
    subtraction,
    sum_of,
)
from nim_envs.theory import count_games, perft
from tests.classic_moves import moves_of
from tests.games import ALL, label


def legal_moves_in_plain_words(name, arguments, rules, position):
    """The rules again, written as one would say them, without tables: what each move leaves."""
    classic = moves_of(name, arguments)
    if classic is not None:
        return [
            (
                *position[:index],
                int(component.coordinate_system.states_at(np.array(after))),
                *position[index + 1 :],
            )
            for index, component in enumerate(rules.components)
            for after in classic(
                tuple(component.coordinate_system.of(np.array(position[index])).tolist())
            )
        ]
    if name == "addition":
        (total,) = position
        return [(total + add,) for add in range(1, arguments["k"] + 1) if total <= arguments["n"]]
    moves = []
    for heap, left in enumerate(position):
        if name == "graph":
            after = arguments["successors"][left]
        elif name == "subtraction":
            after = [left - amount for amount in set(arguments["subtraction_set"])]
        else:
            most = arguments["max_take"] or max(arguments["heaps"])
            after = [left - amount for amount in range(1, most + 1)]
        moves += [(*position[:heap], state, *position[heap + 1 :]) for state in after if state >= 0]
    return moves


def heap_moves_in_plain_words(name, arguments, position):
    """The same of heaps that split: what each move leaves, up to the order of the heaps."""

    def options(heap):
        if name == "grundy":
            return [(part, heap - part) for part in range(1, heap) if part < heap - part]
        if name == "splitting":
            return [(part, heap - part) for part in range(1, heap) if part <= heap - part]
        if name == "laskers_nim":
            whole = [(part, heap - part) for part in range(1, heap // 2 + 1)]
            return whole + [(0, left) for left in range(heap)]
        if name == "officers":  # take one, but not the last of a heap
            return [(part, heap - 1 - part) for part in range((heap - 1) // 2 + 1) if heap > 1]
        taken = {"kayles": (1, 2), "dawsons_kayles": (2,), "dawsons_chess": (1, 2, 3)}[name]
        return [
            (part, heap - amount - part)
            for amount in taken
            for part in range((heap - amount) // 2 + 1)
            if heap >= amount
            # In Dawson's chess a file goes with its neighbours: one of a kind, at an end, inside.
            and not (name == "dawsons_chess" and amount == 1 and heap > 1)
            and not (name == "dawsons_chess" and amount == 2 and part > 0)
        ]

    def kept(parts):
        return [part for part in parts if part and options(part)]

    return [
        tuple(sorted([*position[:place], *position[place + 1 :], *kept(option)]))
        for place, heap in enumerate(position)
        for option in options(heap)
    ]


SPLITTING = (
    "kayles", "dawsons_kayles", "dawsons_chess", "officers", "grundy", "splitting", "laskers_nim"
)  # fmt: skip


@pytest.mark.parametrize(
    "case", [case for case in ALL if case[0] not in ("octal", "sum")], ids=label
)
def test_options_are_those_of_the_rules_in_plain_words(case):
    from nim_envs.registry import GAMES

    name, arguments = case
    arguments = {**GAMES[name].defaults, **arguments}
    arguments.pop("start", None)
    rules = make_game(name, **arguments).rules
    plain = "nim" if name == "misere_nim" else name
    lattice = rules.lattice(100_000)
    for position in lattice[:: 1 + len(lattice) // 1000]:
        actions = np.flatnonzero(rules.action_mask(position))
        after = rules.step(np.broadcast_to(position, (len(actions), len(position))), actions)
        found = [tuple(row) for row in after.tolist()]
        if plain in SPLITTING:
            expected = heap_moves_in_plain_words(plain, arguments, position.tolist())
            found = [tuple(sorted(filter(None, row))) for row in found]
            expected = [tuple(filter(None, row)) for row in expected]
        else:
            expected = legal_moves_in_plain_words(plain, arguments, rules, position.tolist())
            for action, row in zip(actions.tolist(), after, strict=True):
                changed = np.flatnonzero(row != position)
                assert changed.tolist() == [action // rules.num_options]
        assert sorted(found) == sorted(expected)
        assert rules.is_terminal(position) == (not expected)


@given(data=st.data())
def test_rules_take_positions_of_any_rank(data):
    rules = nim(heaps=(3, 5, 2))
    lattice = rules.lattice()
    batch = lattice.reshape(4, 6, 3, 3)
    index = data.draw(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 2)))
    assert rules.action_mask(batch)[index].tolist() == rules.action_mask(batch[index]).tolist()
    assert rules.options(batch)[index].tolist() == rules.options(batch[index]).tolist()
    assert rules.is_terminal(batch)[index] == rules.is_terminal(batch[index])
    assert rules.positions(rules.indices(batch)).tolist() == batch.tolist()


def test_perft_matches_the_published_counts():
    # Compositions into parts of at most 3.
    assert count_games(nim(heaps=(5,), max_take=3)) == 13
    assert count_games(nim(heaps=(17,), max_take=3)) == 19_513
    assert count_games(subtraction(heaps=(17,), subtraction_set=(1, 2, 3))) == 19_513


@given(k=st.integers(1, 4), n=st.integers(0, 8))
def test_perft_of_the_addition_game_counts_its_sequences(k, n):
    def sequences(total):
        return 1 if total > n else sum(sequences(total + add) for add in range(1, k + 1))

    rules = addition(k=k, n=n)
    assert count_games(rules) == sequences(0)
    ended_at = [
        perft(rules, depth) * k - perft(rules, depth + 1) for depth in range(n + 2)
    ]  # lines that could not go on, k times over
    assert sum(ended_at) == k * sequences(0)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (
            lambda: nim(heaps=(3, -1)),
            "heaps[1] must be an integer from 0 to 4611686018427387904, not -1",
        ),
        (lambda: nim(heaps=()), "()"),
        (lambda: nim(heaps=(3, 2.5)), "2.5"),
        (lambda: nim(heaps=(3,), max_take=1.0), "1.0"),
        (lambda: subtraction(heaps=(5,), subtraction_set=(1, 0)), "0"),
        (lambda: make_game("nim", heaps=(0, 0)), "(0, 0)"),
        (lambda: make_game("nim", start=(9, 9, 9)), "(9, 9, 9)"),
        (lambda: make_game("nim", start="anywhere"), "anywhere"),
        (lambda: make_game("chess"), "chess"),
        (lambda: make_game("nim", misere="yes"), "yes"),
        (lambda: Rules("outside", nim((3,)).components, (9,)), "(9,)"),
        (lambda: Game(nim((3,)), "misere"), "'misere'"),
    ],
)
def test_bad_arguments_are_refused_by_name(make, named):
    with pytest.raises((InvalidGameError, InvalidPositionError)) as caught:
        make()
    assert named in str(caught.value)
    assert isinstance(caught.value, NimEnvsError)


@pytest.mark.parametrize(
    ("rules", "position", "named"),
    [
        (nim((3,)), (4,), "a position is 1 integer, from 0 to 3, not (4,)"),
        (nim((3, 5)), (4, 5), "2 integers, one for each component, from 0 to (3, 5), not (4, 5)"),
        (nim((3, 5)), np.array([1.0, 2.0]), "array([1., 2.]), an array of shape (2,)"),
        (sum_of([kayles((4,)), kayles((5,))]), (4, 0, 5, 5, 0), "slots for the heaps 2 to 4"),
    ],
)
def test_an_invalid_position_is_refused_with_a_description_of_valid_ones(rules, position, named):
    with pytest.raises(InvalidPositionError) as caught:
        rules.checked_positions(position)
    assert named in str(caught.value)


@given(
    size=st.integers(0, 40),
    amounts=st.sets(st.integers(1, 40)).map(sorted).map(tuple)
    | st.builds(range, st.integers(1, 9), st.integers(1, 41), st.integers(1, 7)),
)
def test_closed_forms_of_any_set_of_amounts_are_what_the_table_says(size, amounts):
    heap = SubtractionHeap(size, amounts)
    states = np.arange(heap.states)
    assert heap.successors(states).tolist() == [
        [left if (left := state - amount) >= 0 else NO_MOVE for amount in amounts]
        for state in range(size + 1)
    ]
    assert heap.legal_count(states).tolist() == (heap.table != NO_MOVE).sum(axis=1).tolist()
    assert heap.is_terminal(states).tolist() == (heap.legal_count(states) == 0).tolist()
    assert heap.leads_to(states[:, np.newaxis], states).tolist() == [
        [before - after in amounts for after in range(size + 1)] for before in range(size + 1)
    ]


def test_rules_and_games_pickle_and_copy_as_values():
    game = make_game("misere_nim", heaps=(2, 3))
    _ = game.rules.table, game.solution
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert again.rules.table.tolist() == game.rules.table.tolist()
    assert copy.deepcopy(game) is game
    component = game.rules.components[0]
    assert copy.deepcopy(component) is component
    assert hash(again) == hash(game)


def test_a_custom_game_needs_only_a_table():
    # A token on a path with a short cut: 3 -> 2 -> 1 -> 0, and 3 -> 0.
    path = TableComponent(rows=((NO_MOVE, NO_MOVE), (0, NO_MOVE), (1, NO_MOVE), (2, 0)))
    game = Game(Rules("path", (path, path), initial=(3, 2)), Convention.NORMAL)
    assert game.solution.grundy_value((3, 2)) == 1
    # The nim-sum is 1: move the first token to 2 or 0 (value 0) ... and nothing else wins.
    assert game.solution.winning_actions((3, 2)).tolist() == [0, 1, 2]
