"""The combinations in which tests sweep independent factors."""

from itertools import combinations, product

from tests.pairwise import in_turn, pairwise


def test_every_pair_of_values_is_in_a_combination():
    factors = range(5), "abc", (None, True), range(2)
    rows = pairwise(*factors)
    for one, other in combinations(range(4), 2):
        assert {(row[one], row[other]) for row in rows} == set(
            product(factors[one], factors[other])
        )
    assert len(rows) <= 18


def test_each_value_meets_the_combinations_of_the_others_in_turn():
    rows = in_turn(range(7), "ab", (False, True))
    assert [row[0] for row in rows] == list(range(7))
    assert [row[1:] for row in rows[:5]] == [*product("ab", (False, True)), ("a", False)]
