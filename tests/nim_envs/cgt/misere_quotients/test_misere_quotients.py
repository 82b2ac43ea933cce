"""Misère quotients: known orders, proofs and their mutants, periods, sums, genus."""

import pickle
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nim_envs import Game, make_game
from nim_envs.cgt.misere_quotients import heaps as heap_quotients
from nim_envs.cgt.misere_quotients import misere_quotient
from nim_envs.cgt.misere_quotients.genus import heap_genera
from nim_envs.cgt.misere_quotients.heaps import HeapQuotients
from nim_envs.cgt.misere_quotients.periods import QuotientPeriod, period_refutation, periodic_from
from nim_envs.cgt.misere_quotients.proof import refutation
from nim_envs.cgt.misere_quotients.quotient_solution import quotient_solution
from nim_envs.cgt.misere_quotients.structure import is_tame
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.games.octal_codes import heap_game, octal_game
from nim_envs.nimbers import mex
from nim_envs.solution import SumValues, solve
from nim_envs.sums import Sum
from tests.heap_search import HeapSearch
from tests.nim_envs.core.test_random_games import part_of

ORDERS = {
    # T. E. Plambeck and A. N. Siegel (2008): misère Nim, and 0.123 with its 20 elements.
    ("nim", 1): 2, ("nim", 3): 6, ("nim", 7): 10, ("nim", 20): 34, ("0.123", 12): 20,
    # As MisereSolver finds them.
    ("0.77", 12): 24, ("0.07", 24): 24, ("0.07", 25): 144, ("0.07", 32): 552, ("0.26", 30): 98,
    ("0.6", 14): 48, ("0.152", 30): 34, ("0.54", 20): 42, ("0.15", 20): 20,
}  # fmt: skip

SOLVED = {
    # Order, where the period begins, its length.
    "0.15": (42, 66, 10), "0.34": (12, 7, 8), "0.53": (16, 21, 9), "0.71": (36, 3, 6),
    "0.72": (24, 16, 4), "0.75": (8, 8, 2), "0.77": (40, 71, 12), "0.123": (20, 5, 5),
    "0.44": (40, 143, 24), "4.12": (10, 6, 7), "4.56": (8, 11, 4), "4.74": (8, 8, 2),
    "4.40": (40, 72, 12),
}  # fmt: skip

LONG = {("0.07", 32), ("0.26", 30), "0.44", "4.40"}
"""Cases left to exhaustive runs."""


def cases(known):
    """The keys of a table as parameters."""
    values = [(key, key if isinstance(key, tuple) else (key,)) for key in known]
    return [
        pytest.param(*value, marks=[pytest.mark.exhaustive] if key in LONG else [])
        for key, value in values
    ]


@pytest.mark.parametrize(("game", "largest"), cases(ORDERS))
def test_known_orders_come_out(game, largest):
    assert misere_quotient(game, largest).order == ORDERS[game, largest]


def check_winning_moves(quotient, sample, largest):
    search = HeapSearch(quotient.game)
    for heaps in sample:
        heaps = [min(heap, largest) for heap in heaps]
        assert quotient.is_winning(heaps) is search.is_winning(heaps)
        assert quotient.winning_moves(heaps) == [
            (place, option)
            for place, heap in enumerate(heaps)
            for option in quotient.game.options(heap)
            if not search.is_winning([*heaps[:place], *option, *heaps[place + 1 :]])
        ]


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
    check_winning_moves(quotient, sample, largest)


@pytest.mark.parametrize("name", ["grundy", "splitting", "0.(3)", "4.26", "kayles"])
def test_quotients_of_named_games_agree_with_the_search(name):
    sample = np.random.default_rng(0).integers(0, 10, size=(15, 4)).tolist()
    check_winning_moves(misere_quotient(name, 9), sample, 9)


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


# Games solved for all heaps


@pytest.mark.parametrize("name", cases(SOLVED))
def test_games_solved_for_all_heaps_have_known_orders_and_periods(name):
    quotient = misere_quotient(name)
    order, start, length = SOLVED[name]
    assert (quotient.order, quotient.period) == (order, QuotientPeriod(start, length))
    assert period_refutation(quotient.game, quotient.elements, quotient.period) is None
    search = HeapSearch(name)
    rng = np.random.default_rng(0)
    for _ in range(40):
        heaps = rng.integers(0, 10, size=rng.integers(1, 4)).tolist()
        assert quotient.is_winning(heaps) is search.is_winning(heaps)
    # The class of a huge heap is that of a small one.
    folded = start + (10**9 - start) % length
    assert quotient.element([10**9, 3]) == quotient.element([folded, 3])


def test_a_period_needs_its_hypothesis():
    game = heap_game("0.123")
    elements = misere_quotient(game).elements
    period = QuotientPeriod(5, 5)
    assert period_refutation(game, elements, period) is None
    assert "up to 22" in period_refutation(game, elements[:-1], period)
    assert periodic_from(game, elements[:-1]) is None
    for heap in range(5, len(elements)):
        wrong = [*elements]
        wrong[heap] = 19
        assert "different elements" in period_refutation(game, wrong, period)
    assert "different elements" in period_refutation(game, elements, QuotientPeriod(4, 5))
    assert "different elements" in period_refutation(game, elements, QuotientPeriod(5, 4))
    assert "heap 1 or later" in period_refutation(game, elements, QuotientPeriod(0, 5))
    for other in ("nim", "grundy"):
        assert "not about" in period_refutation(heap_game(other), [0] * 50, QuotientPeriod(1, 1))
        with pytest.raises(InvalidGameError, match="not about"):
            misere_quotient(other)


# The proof


def claim(name, largest):
    """The options of all heaps, and what is claimed of them."""
    quotient = misere_quotient(name, largest)
    options = [quotient.game.options(heap) for heap in range(largest + 1)]
    lost = np.isin(np.arange(quotient.order), list(quotient.lost))
    return options, quotient.products, np.array(quotient.elements), lost


@cache
def truths(name, largest, heaps):
    """All positions of a few heaps as rows, and who wins them."""
    search = HeapSearch(name)
    rows = list(combinations_with_replacement(range(largest + 1), heaps))
    return np.array(rows), np.array([search.is_winning(row) for row in rows])


def is_right(name, largest, products, elements, lost, heaps=5):
    """Whether brute force finds no mistake, whatever the order of heaps."""
    positions, winning = truths(name, largest, heaps)
    for rows in (positions, positions[:, ::-1]):
        total = np.zeros(len(rows), dtype=int)
        for column in rows.T:
            total = products[total, elements[column]]
        if (lost[total] == winning).any():
            return False
    return True


def mutants(products, elements, lost, count, rng):
    """The claim with one entry changed; of the products one, or one and its mirror image."""
    order = len(lost)
    for x in range(order):
        other = lost.copy()
        other[x] = not lost[x]
        yield products, elements, other
    for heap in range(1, len(elements)):
        for x in range(order):
            if x != elements[heap]:
                other = elements.copy()
                other[heap] = x
                yield products, other, lost
    for _ in range(count):
        x, y, z = rng.integers(order, size=3)
        if products[x, y] != z:
            other = products.copy()
            other[x, y] = z
            if rng.integers(2):
                other[y, x] = z
            yield other, elements, lost


def test_no_wrong_mutant_is_proven():
    rng = np.random.default_rng(1)
    wrong = 0
    for name, largest in (("0.77", 7), ("0.123", 9), ("0.07", 10), ("0.6", 9), ("0.(3)", 3)):
        options, *right = claim(name, largest)
        assert is_right(name, largest, *right)
        for products, elements, lost in mutants(*right, 150, rng):
            reason = refutation(options, products, elements.tolist(), lost)
            if not is_right(name, largest, products, elements, lost):
                wrong += 1
                assert reason is not None, (name, products, elements, lost)
    assert wrong >= 500


@pytest.mark.parametrize(
    ("products", "elements", "lost", "reason"),
    [
        ([[0, 1]], [1], [False, True], "shape"),
        ([[1, 0], [0, 1]], [1], [False, True], "not neutral"),
        ([[0, 1], [1, 0]], [1], [True, False], "empty position"),
        ([[0, 1], [1, 1]], [1], [False, True], "lost option"),
    ],
)
def test_a_wrong_quotient_is_refused_with_the_reason(products, elements, lost, reason):
    assert reason in refutation([[()]], np.array(products), elements, np.array(lost))


def test_infinite_quotients_are_refused_with_what_is_proven(monkeypatch):
    with pytest.raises(SearchTooLargeError, match=r"may be infinite; heaps up to 16 have .* 48"):
        misere_quotient("0.06", 30)
    search = HeapQuotients(["0.77"], limit=20)
    with pytest.raises(SearchTooLargeError, match=r"up to 12: .* more than 20 elements"):
        search.extend(30)
    assert search.quotient(search.games[0]).order == 18
    monkeypatch.setattr(heap_quotients, "LARGEST_UNPERIODIC", 80)
    with pytest.raises(SearchTooLargeError, match=r"up to 80, .* order 40, and no period"):
        misere_quotient("kayles")


# Solutions


def test_large_misere_games_are_solved_by_quotients():
    game = make_game("kayles", heaps=(12,) * 8, misere=True)
    solution = pickle.loads(pickle.dumps(game.solution))
    assert solution.method == "misère quotient, proven by its transition algebra"
    kayles = misere_quotient("kayles", 12)
    rng = np.random.default_rng(0)
    for _ in range(20):
        heaps = rng.integers(0, 13, size=8)
        position = np.concatenate([heaps, np.zeros(len(game.parts) - 8, int)])
        assert solution.is_winning(position) is kayles.is_winning(heaps.tolist())
        after = [game.play(position, action) for action in solution.winning_actions(position)]
        assert not solution.is_winning(np.array(after, dtype=int).reshape(-1, len(position))).any()
        assert len(after) == len(kayles.winning_moves(heaps.tolist())) or 0 in heaps


def test_heaps_larger_than_those_of_the_proof_are_solved_by_the_theorem():
    game = make_game("octal", code="0.123", heaps=(60, 41), misere=True)
    solution = solve(game, method="quotient")
    assert solution.method == "theorem on periodic misère quotients"
    quotient = misere_quotient("0.123")
    for heaps in ((60, 41), (59, 7), (33, 34)):
        position = heaps + (0,) * (len(game.parts) - 2)
        assert solution.is_winning(position) is quotient.is_winning(heaps)


def check_by_induction(game):
    """Assert that the quotient says who wins as induction does, at all positions."""
    total = Sum(game.parts)
    states = total.states(10**6)
    values = SumValues(total, np.int8(1), 10**6)(states)
    assert np.array_equal(quotient_solution(game).value(total.positions(states)), values)


@pytest.mark.parametrize(
    "games",
    [
        (("kayles", {"heaps": (5, 3)}), ("nim", {"heaps": (3, 2)})),
        (("grundy", {"heaps": (9,)}), ("officers", {"heaps": (4,)}), ("nim", {"heaps": (1,)})),
        (("kayles", {"heaps": (5,)}), ("dawsons_kayles", {"heaps": (5,)})),
        (("kayles", {"heaps": (4,)}), ("addition", {"k": 2, "n": 4}),
         ("graph", {"successors": ((), (0,), (1, 0), (2,), (3, 1)), "tokens": (4, 3)})),
    ],
    ids=lambda games: "+".join(name for name, _ in games),
)  # fmt: skip
def test_quotients_of_sums_agree_with_induction(games):
    check_by_induction(make_game("sum", games=games, misere=True))


def test_quotients_of_random_tables_agree_with_induction():
    rng = np.random.default_rng(3)
    for _ in range(25):
        rows = rng.integers(-1, np.arange(7)[:, np.newaxis], size=(7, 3)).tolist()
        kind = [[None if each < 0 else (each,) for each in row] for row in rows]
        check_by_induction(Game("random", (part_of(kind),) * 3, (6, 5, 4), misere=True))


def test_a_game_is_solved_again_after_one_with_larger_heaps():
    for size in (5, 8, 5):
        check_by_induction(make_game("kayles", heaps=(size,), misere=True))


def test_where_no_quotient_is_found_the_search_goes_on_or_says_so():
    game = make_game("octal", code="0.06", heaps=(20, 20, 20), misere=True)
    with pytest.raises(SearchTooLargeError, match=r"Nor is there a misère quotient .* infinite"):
        solve(game, limit=1000)


# Structure and genus


@pytest.mark.parametrize(
    ("name", "largest", "tame"),
    [("nim", 7, True), ("0.23", 8, True), ("4.0", 9, True), ("0.0007", 3, True), ("0.1", 3, True),
     ("0.123", 12, False), ("kayles", 4, True), ("kayles", 5, False), ("0.75", 12, False)],
)  # fmt: skip
def test_which_games_are_tame(name, largest, tame):
    quotient = misere_quotient(name, largest)
    assert is_tame(quotient.products, quotient.lost) is tame


def plain_genus(game, heap, twos):
    """The misère Grundy values with heaps of 2 added, by the words of the definition."""

    @cache
    def value(heaps, nim):
        after = [
            value(tuple(sorted((*heaps[:i], *option, *heaps[i + 1 :]))), nim)
            for i, size in enumerate(heaps)
            for option in game.options(size)
        ]
        after += [
            value(heaps, tuple(sorted((*nim[:i], *left, *nim[i + 1 :]))))
            for i, size in enumerate(nim)
            for left in [(), *((smaller,) for smaller in range(1, size))]
        ]
        return mex(after) if after else 1

    return tuple(value((heap,), (2,) * number) for number in range(twos))


@pytest.mark.parametrize(
    ("name", "largest"), [("0.77", 9), ("0.137", 9), ("0.6", 7), ("grundy", 11)]
)
def test_genera_agree_with_their_definition(name, largest):
    game = heap_game(name)
    for heap, genus in enumerate(heap_genera(name, largest)):
        long = list(genus.misere)
        while len(long) < 4:
            long.append(long[-1] ^ 2)
        assert tuple(long[:4]) == plain_genus(game, heap, 4)
