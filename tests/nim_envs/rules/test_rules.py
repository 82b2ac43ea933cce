"""The tables say what the rules say."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import Convention, Game, make_game
from nim_envs.errors import (
    InvalidGameError,
    InvalidPositionError,
    NimEnvsError,
    SearchTooLargeError,
)
from nim_envs.rules import (
    NO_MOVE,
    Rules,
    SubtractionHeap,
    TableComponent,
    addition,
    graph,
    kayles,
    nim,
    subtraction,
    sum_of,
)
from nim_envs.rules.state_options import StateOptionsCache
from nim_envs.rules.words import any_of
from nim_envs.theory import count_games, levels, perft
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
    from nim_envs.registration import GAMES

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


def test_options_are_in_the_order_that_the_documents_say():
    nim_rules = nim(heaps=(3, 5), max_take=2)
    assert nim_rules.options(np.array([3, 1])).tolist() == [[2, 1], [0, -1]]
    assert addition(k=3, n=4).options(np.array([4])).tolist() == [[5, 6, 7]]
    set_rules = subtraction(heaps=(9,), subtraction_set=(5, 2))
    assert set_rules.options(np.array([6])).tolist() == [[4, 1]]


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


def test_a_heaps_own_size_bounds_the_lattice():
    rules = nim(heaps=(1, 3, 5, 7))
    assert rules.num_positions == 2 * 4 * 6 * 8
    assert rules.lattice().max(axis=0).tolist() == [1, 3, 5, 7]


@pytest.mark.parametrize("case", ALL, ids=label)
@settings(max_examples=6)
@given(data=st.data())
def test_positions_of_a_box_are_those_of_the_lattice_within_it(case, data):
    name, arguments = case
    rules = make_game(name, **arguments).rules
    lattice = rules.lattice(200_000)
    bounds = [sorted(data.draw(st.tuples(*[st.integers(0, n - 1)] * 2))) for n in rules.shape]
    low, high = zip(*bounds, strict=True)
    within = lattice[((lattice >= low) & (lattice <= high)).all(axis=1)]
    # Where there is none, the first components alone may have more than that.
    most = len(within) or None
    assert rules.positions_between(low, high, limit=most).tolist() == within.tolist()
    with pytest.raises(SearchTooLargeError, match=f"the limit is {len(within) - 1}"):
        rules.positions_between(low, high, limit=len(within) - 1)


def test_summaries_of_rules_show_heaps_but_not_empty_slots():
    assert nim(heaps=(0, 3)).summary == "nim, heaps 0-3"
    assert kayles(heaps=(5,)).summary == "kayles, heap 5"
    assert kayles(heaps=(3, 0, 2)).summary == "kayles, heaps 3-2"
    assert nim(heaps=(1,) * 12).summary == "nim, heaps " + "-".join("1" * 12)
    assert nim(heaps=(1,) * 13).summary == "nim, heaps " + "-".join("1" * 12) + "-…"


@pytest.mark.parametrize(
    ("rules", "words", "last", "numbers"),
    [
        (addition(k=3, n=9), "add 1 to 3, until the total is over 9", "total 0: add 3", (3,)),
        (nim(heaps=(5, 3)), "take any number of objects", "heap 0: take 5", (5,)),
        (nim(heaps=(9,), max_take=3), "take 1 to 3 objects", "heap 0: take 3", (3,)),
        (subtraction((9,), (1, 2)), "take 1 or 2 objects", "heap 0: take 2", (2,)),
        (subtraction((9,), (2, 5, 7)), "take 2, 5 or 7 objects", "heap 0: take 7", (7,)),
        (graph(((), (0,), (1,)), (2,)), "move along one arrow", "token 0: move to 1", (1,)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_moves_in_words(rules, words, last, numbers):
    component, action = rules.components[0], rules.num_options - 1
    position = (component.states - 1,) + (0,) * (len(rules.components) - 1)
    assert component.words.move == words
    assert rules.describe_action(action, position) == last
    assert component.words.numbers(action, position[0]) == numbers


def test_moves_of_a_table_are_chosen_by_their_numbers():
    component = TableComponent(((-1, -1), (0, -1), (1, 0)))
    assert component.words.move == "choose an option by its number"
    assert [component.words.numbers(option, 2) for option in (0, 1)] == [(0,), (1,)]
    assert component.words.describe(1, 2) == "option 1"


def test_of_many_numbers_only_the_first_and_the_last_are_named():
    thirteen, fourteen = (any_of(range(0, stop, 2)) for stop in (26, 28))
    assert thirteen == "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 or 24"
    assert fourteen == "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, … or 26"


def test_moves_in_words_are_those_that_a_heap_of_the_size_has():
    one, two = (kayles(heaps=(size,)).components[0].words.move for size in (1, 2))
    assert one == "take 1 object, and split the rest into two heaps if you like"
    assert two == "take 1 or 2 objects, and split the rest into two heaps if you like"


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


def test_nim_counts_plays_of_whole_length():
    # Removing objects one at a time from heaps of 2 and 1: 3 orders of heaps.
    assert perft(nim(heaps=(2, 1)), 3) == 3
    assert perft(nim(heaps=(2, 1)), 4) == 0


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (
            lambda: nim(heaps=(3, -1)),
            "heaps[1] must be an integer from 0 to 4611686018427387904, not -1",
        ),
        (lambda: nim(heaps=()), "()"),
        (lambda: nim(heaps=(3, 2.5)), "2.5"),
        (lambda: nim(heaps=(3, True)), "True"),
        (lambda: nim(heaps="34"), "34"),
        (lambda: nim(heaps=7), "7"),
        (lambda: nim(heaps=None), "None"),
        (lambda: nim(heaps=(2**63,)), str(2**63)),
        (lambda: nim(heaps=(3,), max_take=0), "0"),
        (lambda: nim(heaps=(3,), max_take=1.0), "1.0"),
        (lambda: addition(k=0, n=5), "0"),
        (lambda: addition(k=3, n=-1), "-1"),
        (lambda: addition(k=True, n=1), "True"),
        (lambda: addition(k="3", n=1), "'3'"),
        (lambda: subtraction(heaps=(5,), subtraction_set=()), "()"),
        (lambda: subtraction(heaps=(5,), subtraction_set=(1, 0)), "0"),
        (lambda: subtraction(heaps=(5,), subtraction_set=(1, -2)), "-2"),
        (lambda: subtraction(heaps=(), subtraction_set=(1,)), "()"),
        (lambda: subtraction(heaps=(5, -1), subtraction_set=(1,)), "heaps[1]"),
        (lambda: make_game("nim", heaps=(0, 0)), "(0, 0)"),
        (lambda: make_game("subtraction", heaps=(2,), subtraction_set=(3,)), "(2,)"),
        (lambda: make_game("nim", start=(9, 9, 9)), "(9, 9, 9)"),
        (lambda: make_game("nim", start=(1, 2)), "(1, 2)"),
        (lambda: make_game("nim", start="anywhere"), "anywhere"),
        (lambda: make_game("nim", start=(1.5, 2, 3)), "1.5"),
        (lambda: make_game("chess"), "chess"),
        (lambda: make_game("nim", misere="yes"), "yes"),
        (lambda: TableComponent(rows=()), "[]"),
        (lambda: TableComponent(rows=((0,), (1, 2))), "[1, 2]"),
        (lambda: TableComponent(rows=((-1,), (5,))), "5"),
        (lambda: TableComponent(rows=((-1,), (0.5,))), "0.5"),
        (lambda: TableComponent(rows=7), "7"),
        (lambda: Rules("empty", (), ()), "()"),
        (lambda: Rules("outside", nim((3,)).components, (9,)), "(9,)"),
        (lambda: Rules("negative", nim((3,)).components, (-1,)), "(-1,)"),
        (lambda: TableComponent(((-1,), (-1,), (1,)), ((0,), (0,), (-1,))), "second_rows[2][0]"),
        (lambda: Rules("one of two", nim((3, 4)).components, (3, 9)), "(3, 9)"),
        (lambda: Rules("one outside", nim((3,)).components, (4,)), "(4,)"),
        (lambda: Rules("short", nim((3, 4)).components, (3,)), "(3,)"),
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
        (nim((3, 3)), (1, 4), "2 integers, one for each component, from 0 to 3, not (1, 4)"),
        (nim((3, 5)), (4, 5), "2 integers, one for each component, from 0 to (3, 5), not (4, 5)"),
        (nim((3, 5)), (1, -1), "not (1, -1)"),
        (nim((3, 5)), [[1, 2], [4, 1], [0, 6]], "not (4, 1)"),
        (nim((3, 5)), np.array([1.0, 2.0]), "array([1., 2.]), an array of shape (2,)"),
        (kayles((4,)), (4, 4), "[4, 4] can come to need 4 slots for the heaps 0 to 1; there are 2"),
        (kayles((4,)), [[4, 4], [4, 0], [3, 3]], "what splits, and [4, 4] can come to need"),
        # The slots of the first heap suffice.
        (sum_of([kayles((4,)), kayles((5,))]), (4, 0, 5, 5, 0), "slots for the heaps 2 to 4"),
    ],
)
def test_an_invalid_position_is_refused_with_a_description_of_valid_ones(rules, position, named):
    with pytest.raises(InvalidPositionError) as caught:
        rules.checked_positions(position)
    assert named in str(caught.value)


def test_rows_of_a_component_may_be_lists():
    lists = TableComponent([[-1, -1], [0, -1], [1, 1]], [[0, 0], [0, 0], [0, 1]])
    tuples = TableComponent(((-1, -1), (0, -1), (1, 1)), ((0, 0), (0, 0), (0, 1)))
    assert lists == tuples
    assert hash(lists) == hash(tuples)


def test_a_component_may_have_a_single_state():
    point = TableComponent(rows=((NO_MOVE, NO_MOVE),))
    assert (point.states, point.options) == (1, 2)
    rules = Rules("a point and a heap", (point, *nim((2,)).components), (0, 2))
    assert count_games(rules) == count_games(nim((2,)))


def test_tables_that_everyone_shares_cannot_be_written_to():
    rules = nim((3, 4))
    row = rules.state_options[0][3]
    splitting = kayles((4,))
    seconds = splitting.second_table
    there = splitting.state_options[0][4].seconds
    own = rules.components[0].table
    for table in (rules.table, rules.mask_table, own, row.mask, row.successors, seconds, there):
        with pytest.raises(ValueError, match="read-only"):
            table[...] = 0


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


def test_options_of_heaps_too_large_to_tabulate_are_counted_and_found():
    heap = nim(heaps=(10**15,)).components[0]
    assert heap.legal_count(np.array([0, 7, 10**15])).tolist() == [0, 7, 10**15]
    assert heap.leads_to(np.array([10**15, 5]), np.array([3, 5])).tolist() == [True, False]
    total = addition(k=10**12, n=10**15).components[0]
    assert total.legal_count(np.array([10**15, 10**15 + 1])).tolist() == [10**12, 0]
    assert total.leads_to(np.array(0), np.array([10**12, 10**12 + 1])).tolist() == [True, False]


def test_a_cycle_is_refused_and_shown():
    with pytest.raises(InvalidGameError, match=r"1 -> 2 -> 1|2 -> 1 -> 2"):
        levels(TableComponent(rows=((-1, -1), (2, 0), (1, -1))))


def test_a_table_too_large_to_make_is_refused_with_its_size(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("NIM_ENVS_LARGEST_BYTES", str(6 * 5 * 8))
        assert SubtractionHeap(5, range(1, 6)).table.shape == (6, 5)
        patch.setenv("NIM_ENVS_LARGEST_BYTES", str(6 * 5 * 8 - 1))
        with pytest.raises(
            SearchTooLargeError, match=r"would take 240 bytes .* limit is 239 bytes"
        ):
            _ = SubtractionHeap(5, range(1, 6)).table
    rules = nim(heaps=(10**15,))
    with pytest.raises(SearchTooLargeError, match=f"{10**15} options .* limit is {2**30} bytes"):
        _ = rules.table
    (heap,) = nim(heaps=(16_000,)).components
    with pytest.raises(SearchTooLargeError, match=f"would take {16_001 * 16_000 * 8} bytes"):
        _ = heap.table
    with pytest.raises(SearchTooLargeError, match=f"{1001**3} positions .* {1001**3 * 24} bytes"):
        nim(heaps=(1000,) * 3).lattice()


def test_equal_components_have_the_same_tables_until_nobody_uses_them():
    # No other test has heaps of these sizes.
    rules, others = nim(heaps=(73, 97, 73)), subtraction(heaps=(73,), subtraction_set=(1, 2))
    first, second, third = rules.components
    assert first is third
    assert first.table is third.table
    assert first is nim(heaps=(73,)).components[0]
    assert others.components[0] not in rules.components
    assert rules.state_options[0] is rules.state_options[2] is nim(heaps=(97, 73)).state_options[1]
    # Rows are as long as the most options of the game.
    assert len(nim(heaps=(73,)).state_options[0][7].mask) == 73
    assert len(rules.state_options[0][7].mask) == 97
    for again in (pickle.loads(pickle.dumps(rules)), copy.deepcopy(rules)):
        assert again.components[1] is second
        assert again.state_options[1] is rules.state_options[1]
    gone = [
        weakref.ref(value)
        for value in (first, second, rules.state_options[0], rules.state_options[1])
    ]
    del rules, first, second, third, again
    assert [reference() for reference in gone] == [None] * 4


@pytest.mark.parametrize("case", ALL, ids=label)
def test_options_of_single_states_are_the_rows_of_the_tables(case):
    name, arguments = case
    rules = make_game(name, **arguments).rules
    for index, rows in enumerate(rules.state_options):
        for state in range(rules.shape[index]):
            row = rows[state]
            assert row.successors.tolist() == rules.table[index, state].tolist()
            assert row.mask.tolist() == rules.mask_table[index, state].tolist()
            assert row.legal_count == rules.mask_table[index, state].sum()
            if row.seconds is not None and rules.second_table is not None:
                assert row.seconds.tolist() == rules.second_table[index, state].tolist()
        assert (rows[0].seconds is not None) == rules.components[index].splits


def test_options_of_single_states_are_discarded_where_they_take_too_much_memory(monkeypatch):
    component = nim(heaps=(300,)).components[0]
    monkeypatch.setattr("nim_envs.rules.state_options.MOST_BYTES", 10 * 900)
    rows = StateOptionsCache(component, 300)
    for state in [*range(301), *range(301)]:
        assert rows[state].successors[:state].tolist() == list(range(state))[::-1]
        assert len(rows) <= 10
    assert rows[300].successors.dtype == np.int16


@pytest.mark.parametrize("case", ALL, ids=label)
def test_large_games_without_tables_answer_as_small_ones_with_tables(case, monkeypatch):
    name, arguments = case
    rules = make_game(name, **arguments).rules
    positions = rules.lattice(200_000)[:500]
    row, actions = np.nonzero(rules.action_mask(positions))

    def answers():
        return [
            rules.options(positions),
            rules.second_options(positions),
            rules.action_mask(positions),
            rules.step(positions[row], actions),
            rules.options(positions[0]),
            rules.step(positions[row[0]], actions[0]),
        ]

    with_tables = answers()
    monkeypatch.setattr("nim_envs.rules.option_tables.SMALL_TABLE", -1)
    for one, other in zip(with_tables, answers(), strict=True):
        assert (one is None) == (other is None)
        assert one is None or (one.dtype == other.dtype and one.tolist() == other.tolist())


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


def test_the_winner_follows_from_the_convention_and_the_last_mover():
    assert Convention.NORMAL.winner(last_mover=1) == 1
    assert Convention.MISERE.winner(last_mover=1) == 0
    assert [each.last_movers_reward for each in Convention] == [1.0, -1.0]
    assert Convention.NORMAL.in_words == "whoever makes the last move wins"
    assert Convention.MISERE.in_words == "whoever makes the last move loses"


def test_a_custom_game_needs_only_a_table():
    # A token on a path with a short cut: 3 -> 2 -> 1 -> 0, and 3 -> 0.
    path = TableComponent(rows=((NO_MOVE, NO_MOVE), (0, NO_MOVE), (1, NO_MOVE), (2, 0)))
    game = Game(Rules("path", (path, path), initial=(3, 2)), Convention.NORMAL)
    assert game.solution.grundy_value((3, 2)) == 1
    # The nim-sum is 1: move the first token to 2 or 0 (value 0) ... and nothing else wins.
    assert game.solution.winning_actions((3, 2)).tolist() == [0, 1, 2]
