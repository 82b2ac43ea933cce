"""Misère play of heap games: quotients against a search and a theorem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs.cgt.misere_quotients.heaps import misere_quotient
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.games.octal_codes import octal_game
from tests.heap_search import HeapSearch


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
    search = HeapSearch(game)
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


def test_a_quotient_past_its_limit_says_so():
    with pytest.raises(SearchTooLargeError, match="more than 10 elements, which is the limit"):
        misere_quotient("kayles", 6, limit=10)


@pytest.mark.parametrize("heaps", [(1, -2), (1, 2.5), 7])
def test_an_invalid_position_is_refused(heaps):
    with pytest.raises(InvalidPositionError, match="list of heaps"):
        misere_quotient("kayles", 3).is_winning(heaps)
