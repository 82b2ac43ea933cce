"""Misère play of heap games: search against words and theorems, quotients against the search."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs.cgt.misere_quotients.heaps import misere_quotient
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.games.octal_codes import octal_game
from nim_envs.rules import Convention
from nim_envs.theory import bouton
from nim_envs.theory.heap_search import HeapSearch

GAMES = ["0.77", "0.07", "0.137", "0.6", "0.123", "0.4", "4.3", "grundy", "splitting", "0.(3)"]


def positions(largest, heaps):
    """All positions of up to ``heaps`` heaps of up to ``largest`` objects."""
    for count in range(heaps + 1):
        yield from combinations_with_replacement(range(1, largest + 1), count)


def plain_search(game, convention):
    """Return who wins by the plain rules: every heap in its place, nothing left out."""

    @cache
    def wins(heaps):
        after = [
            heaps[:place] + option + heaps[place + 1 :]
            for place, heap in enumerate(heaps)
            for option in game.options(heap)
        ]
        return any(not wins(option) for option in after) if after else convention is misere

    misere = Convention.MISERE
    return wins


@pytest.mark.parametrize("convention", Convention)
def test_the_search_equals_a_plain_recursion(convention):
    for name in GAMES:
        search = HeapSearch(name, convention)
        plain = plain_search(search.game, convention)
        for heaps in positions(5, 3):
            assert search.is_winning(heaps) is plain(heaps), (name, heaps)
            moves = search.winning_moves(heaps)
            assert bool(moves) is plain(heaps) or not search.canonical(heaps), (name, heaps)
            for place, option in moves:
                assert option in search.game.options(heaps[place]), (name, heaps)
                assert not plain(heaps[:place] + option + heaps[place + 1 :]), (name, heaps)
        assert search.is_winning((5, 0, 3)) is plain((3, 5)), name


def test_misere_nim_is_as_bouton_says():
    search = HeapSearch("nim", Convention.MISERE)
    quotient = misere_quotient("nim", 6)
    for heaps in positions(6, 4):
        padded = np.array([*heaps, 0, 0, 0, 0])
        expected = bool(bouton(padded, Convention.MISERE))
        assert search.is_winning(heaps) is expected
        assert quotient.is_winning(heaps) is expected


@pytest.mark.parametrize(
    ("name", "largest", "heaps"),
    [("0.77", 10, 4), ("0.123", 10, 4), ("0.07", 10, 4), ("0.137", 10, 4), ("grundy", 12, 3),
     ("0.6", 9, 4), ("4.3", 8, 4), ("0.26", 9, 4), ("0.4", 12, 3), ("0.15", 12, 3),
     ("0.77", 5, 8), ("0.(3)", 4, 7)],
)  # fmt: skip
def test_a_quotient_agrees_with_the_search_everywhere(name, largest, heaps):
    quotient = misere_quotient(name, largest)
    search = HeapSearch(name, Convention.MISERE)
    for position in positions(largest, heaps):
        assert quotient.is_winning(position) is search.is_winning(position), position


@settings(max_examples=40)
@given(
    digits=st.lists(st.integers(0, 7), min_size=1, max_size=4),
    largest=st.integers(1, 6),
    sample=st.lists(st.lists(st.integers(0, 6), max_size=7), max_size=10),
)
def test_quotients_of_any_game_agree_with_the_search(digits, largest, sample):
    if not any(digits):
        return
    game = octal_game("0." + "".join(map(str, digits)))
    try:
        quotient = misere_quotient(game, largest, limit=60)
    except SearchTooLargeError:
        return
    search = HeapSearch(game, Convention.MISERE)
    for heaps in sample:
        heaps = [min(heap, largest) for heap in heaps]
        assert quotient.is_winning(heaps) is search.is_winning(heaps)


@pytest.mark.parametrize(("name", "largest"), [("0.77", 10), ("0.123", 12), ("nim", 7)])
def test_a_quotient_is_a_commutative_monoid_whose_elements_differ(name, largest):
    quotient = misere_quotient(name, largest)
    table = np.array(quotient.products)
    order = quotient.order
    assert table.shape == (order, order)
    assert (table[0] == np.arange(order)).all()
    assert (table == table.T).all()
    assert (table[table] == table[:, table]).all()
    for element, position in enumerate(quotient.representatives):
        assert quotient.element(position) == element
    # Any two elements are told apart by some third.
    lost = np.isin(table, list(quotient.lost))
    assert len({tuple(row) for row in lost.tolist()}) == order


def test_searches_past_their_limit_say_so():
    search = HeapSearch("kayles", Convention.MISERE, limit=100)
    with pytest.raises(SearchTooLargeError, match="100 positions, which is the limit"):
        search.is_winning((9, 10, 11))
    with pytest.raises(SearchTooLargeError, match="more than 10 elements, which is the limit"):
        misere_quotient("kayles", 6, limit=10)


@pytest.mark.parametrize("heaps", [(1, -2), (1, 2.5), 7])
def test_an_invalid_position_is_refused(heaps):
    with pytest.raises(InvalidPositionError, match="list of heaps"):
        HeapSearch("kayles", Convention.MISERE).is_winning(heaps)
    with pytest.raises(InvalidPositionError):
        misere_quotient("kayles", 3).is_winning(heaps)
