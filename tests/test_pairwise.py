"""The combinations in which tests sweep independent factors."""

from itertools import combinations, product

from tests.pairwise import pairwise


def test_every_pair_of_values_is_in_a_combination():
    factors = range(5), "abc", (None, True), range(2)
    rows = pairwise(*factors)
    for one, other in combinations(range(4), 2):
        assert {(row[one], row[other]) for row in rows} == set(
            product(factors[one], factors[other])
        )
    assert len(rows) <= 18
