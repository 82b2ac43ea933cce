"""The classic games: their moves, coordinates and arguments; who wins is tested with the theory."""

from __future__ import annotations

import itertools
from itertools import product

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules import (
    NO_MOVE,
    addition,
    chomp,
    cram,
    euclid,
    fibonacci_nim,
    grundy,
    moores_nim,
    nim,
    node_kayles,
    octal,
    wythoff,
)
from nim_envs.rules.component import NO_OPTION
from nim_envs.rules.cram_game import CramBoard
from nim_envs.theory import count_games
from tests.classic_moves import dominoes


@pytest.mark.parametrize(
    "rules",
    [
        addition(k=2, n=4),
        wythoff(((5, 4),)),
        euclid(((7, 5),)),
        fibonacci_nim((9,)),
        moores_nim((2, 3, 2), k=2),
        chomp(3, 3),
        cram(2, 3),
        *(octal(code, (9,)) for code in ("0.77", "0.137", "4.7", "0.6")),
        grundy((9,)),
    ],
    ids=lambda rules: rules.summary,
)
def test_the_option_between_two_states_is_that_of_the_table(rules):
    component = rules.components[0]
    states = np.arange(component.states)
    options = component.option_to(states[:, np.newaxis], states)
    leads = component.leads_to(states[:, np.newaxis], states)
    for before, row in enumerate(np.where(component.second_table, NO_MOVE, component.table)):
        for after, option in enumerate(options[before].tolist()):
            assert leads[before, after] == (after in row)
            if after in row:
                assert option >= 0
                assert row[option] == after
            else:
                assert option == NO_OPTION


def test_moves_of_one_heap_group_are_numbered_as_its_list_has_them():
    for sizes, k in [((3, 4, 2), 2), ((3, 0, 2, 4), 3), ((5,), 1), ((2,) * 5, 5)]:
        (group,) = make_game("moores_nim", heaps=sizes, k=k).rules.components
        listed = [
            taken
            for number in range(1, k + 1)
            for chosen in itertools.combinations(range(len(sizes)), number)
            for amounts in itertools.product(*(range(1, sizes[heap] + 1) for heap in chosen))
            for taken in [dict(zip(chosen, amounts, strict=True))]
        ]
        expected = [tuple(taken.get(heap, 0) for heap in range(len(sizes))) for taken in listed]
        assert list(map(group.amounts, range(group.options))) == expected
        assert group.option_taking(np.array(expected)).tolist() == list(range(group.options))


def test_moves_of_a_heap_group_too_many_to_list_are_refused_with_their_bytes():
    (group,) = moores_nim((1000,) * 3, k=3).components
    moves = 1001**3 - 1
    with pytest.raises(SearchTooLargeError, match=f"the {moves} moves .* {moves * 3 * 8} bytes"):
        group.successors(np.array([0]))


def test_chomp_states_are_all_bars_in_order():
    rules = chomp(rows=3, columns=4)
    (component,) = rules.components
    rows = component.coordinate_system.of(np.arange(component.states)).tolist()
    expected = [
        lengths
        for lengths in product(range(5), repeat=3)
        if lengths[0] and list(lengths) == sorted(lengths, reverse=True)
    ]
    assert rows == list(map(list, expected))


def test_a_standard_part_of_a_board_is_the_smallest_that_is_moved_mirrored_or_turned():
    for rows, columns in ((2, 4), (3, 2)):
        (board,) = cram(rows, columns).components
        bits = dict(zip(product(range(rows), range(columns)), board.bits.tolist(), strict=True))
        for part in range(1, 1 << rows * columns):
            cells = [cell for cell, bit in bits.items() if part & bit]
            images = []
            for down, right, turned in product((-1, 1), (-1, 1), (False, True)):
                image = [(y * down, x * right)[:: -1 if turned else 1] for y, x in cells]
                for y, x in product(range(-rows, 2 * rows), range(-columns, 2 * columns)):
                    moved = [bits.get((top + y, left + x), 0) for top, left in image]
                    images += [sum(moved)] if all(moved) else []
            assert board.standard_part(part) == min(images)


def test_states_of_boards_with_too_many_to_list_are_all_sets_of_cells(monkeypatch):
    monkeypatch.setattr("nim_envs.rules.cell_sets.MOST_LISTED", 50)
    board, moves = CramBoard(3, 3), dominoes(3, 3)
    assert not board.are_listed
    assert board.free_cells(np.arange(512)).tolist() == [*range(512)][::-1]
    taken = [*product((0, 1), repeat=9)]
    system = board.coordinate_system
    assert system.of(np.arange(512)).tolist() == [*map(list, taken)]
    assert system.states_at(np.array([*taken, (2,) + (0,) * 8])).tolist() == [*range(512), -1]
    for row, cells in zip(board.table, taken, strict=True):
        after = system.of(row[row != NO_MOVE]).tolist()
        assert sorted(after) == sorted(map(list, moves(cells)))


def test_plays_of_the_smallest_games_are_counted_by_hand():
    assert count_games(wythoff(((0, 0),))) == 1  # without a move
    assert count_games(euclid(((1, 1),))) == 1
    assert count_games(fibonacci_nim((2,))) == 1  # one object, and then the other
    assert count_games(moores_nim((1, 1), k=1)) == 2
    # A bite at (1, 1) leaves two squares, bitten off in either order; any other bite leaves one.
    assert count_games(chomp(2, 2)) == 2 + 1 + 1
    assert count_games(cram(1, 2)) == count_games(cram(2, 1)) == 1
    assert count_games(node_kayles(1, ())) == 1
    assert count_games(addition(k=1, n=0)) == 1


def test_boards_of_too_many_cells_are_refused():
    with pytest.raises(InvalidGameError, match=r"a board of 64 cells .* at most 61 cells"):
        cram(rows=8, columns=8)
    with pytest.raises(InvalidGameError, match="a graph of 62 cells"):
        node_kayles(62, ())
    assert node_kayles(61, ()).shape == (2**61,)


def test_numbers_of_states_and_actions_fit_in_64_bits():
    assert wythoff(((2**31 - 1, 2**31 - 1),)).shape == (2**62,)
    with pytest.raises(InvalidGameError, match=f"has {2**62 + 2**31} states; at most {2**62} are"):
        wythoff(((2**31 - 1, 2**31),))
    assert nim((2**62,)).num_actions == 2**62
    with pytest.raises(InvalidGameError, match=f"are {2**63} actions; at most {2**62} are"):
        nim((2**62, 2**62))


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: wythoff((8, 8)), r"queens\[0\] must be a pair of integers of at least 0, not 8"),
        (lambda: wythoff(()), "queens must be a sequence of at least 1 pair"),
        (lambda: wythoff(((1, -1),)), r"queens\[0\]\[1\] must be an integer from 0"),
        (lambda: wythoff(((2**40, 2**40),)), "ranks has .* states; at most"),
        (lambda: euclid(((0, 3),)), r"pairs\[0\]\[0\] must be an integer from 1"),
        (lambda: fibonacci_nim((1,)), r"heaps\[0\] must be an integer from 2"),
        (lambda: moores_nim((3,), k=0), "k must be an integer from 1"),
        (lambda: chomp(1, 5), "rows must be an integer from 2"),
        (lambda: chomp(40, 40), "bar of 40 rows and 40 columns has .* states; at most"),
        (lambda: cram(1, 1), "a board must have at least 2 cells"),
        (lambda: node_kayles(3, [(0, 3)]), r"edges\[0\] must be two different nodes from 0 to 2"),
        (lambda: node_kayles(3, [(1, 1)]), r"edges\[0\] must be two different nodes"),
        (lambda: node_kayles(3, "ab"), "edges must be a sequence of pairs"),
    ],
)
def test_arguments_that_describe_no_game_are_named(make, named):
    with pytest.raises(InvalidGameError, match=named):
        make()
