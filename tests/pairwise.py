"""Few combinations of independent factors that hold every pair of their values."""

from collections.abc import Sequence
from itertools import combinations, cycle, product
from typing import Any


def pairwise(*factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations of one value of each factor, so that every pair of values is in one."""
    missing = [
        ((one, i), (other, j))
        for one, other in combinations(range(len(factors)), 2)
        for i, j in product(range(len(factors[one])), range(len(factors[other])))
    ]
    wanted = dict.fromkeys(missing)
    chosen = []
    while wanted:
        row = dict(next(iter(wanted)))
        for factor in range(len(factors)):
            if factor not in row:
                gains = [
                    sum(tuple(sorted([pair, (factor, value)])) in wanted for pair in row.items())
                    for value in range(len(factors[factor]))
                ]
                row[factor] = gains.index(max(gains))
        for pair in combinations(sorted(row.items()), 2):
            wanted.pop(pair, None)
        chosen.append(tuple(values[row[factor]] for factor, values in enumerate(factors)))
    return chosen


def in_turn(values: Sequence[Any], *factors: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return each value once, with the combinations of the other factors in turn."""
    return [(value, *rest) for value, rest in zip(values, cycle(product(*factors)), strict=False)]
