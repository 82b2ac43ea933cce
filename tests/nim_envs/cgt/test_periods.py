"""Grundy sequences and their periods: what is claimed is true, and nothing false is proven."""

import itertools
from functools import reduce
from operator import xor

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nim_envs.cgt import sequences
from nim_envs.cgt.sequences import (
    LARGEST_SEQUENCE,
    check_period,
    find_period,
    grundy_sequence,
    octal_period,
    winning_moves,
)
from nim_envs.errors import InvalidGameError, NotProvenError, SearchTooLargeError
from nim_envs.games.octal_codes import HeapGame, octal_game
from nim_envs.nimbers import mex

SIZE = 400
"""Heaps up to which claims are compared with the recursion."""


def by_recursion(digits, size):
    """Grundy values from the words of the rule, with lists alone; shares no code with the rest."""
    values = []
    for heap in range(size):
        options = set()
        for taken, digit in enumerate(digits):
            left = heap - taken
            if digit & 1 and left == 0 and taken:
                options.add(0)
            if digit & 2 and left > 0:
                options.add(values[left])
            if digit & 4 and left > 1:
                below = values[1 : left // 2 + 1]
                options.update(map(int.__xor__, below, values[left - 1 : 0 : -1]))
        values.append(next(value for value in itertools.count() if value not in options))
    return values


@settings(max_examples=40)
@given(
    head=st.sampled_from([0, 4]),
    digits=st.lists(st.integers(0, 7), min_size=1, max_size=5),
    repeating=st.booleans(),
    unequal=st.booleans(),
    size=st.integers(0, 120),
)
def test_values_of_any_digits_are_those_of_the_definition(head, digits, repeating, unequal, size):
    if head or any(digits):
        game, values = HeapGame((head, *digits), repeating, unequal), []
        for heap in range(size):
            options = game.options(heap)
            values.append(mex(reduce(xor, map(values.__getitem__, each), 0) for each in options))
        assert grundy_sequence(game, size).tolist() == values


def test_values_that_grow_are_not_cut_off_and_bad_sizes_are_refused():
    assert grundy_sequence("0.(3)", 3000).tolist() == list(range(3000))
    with pytest.raises(SearchTooLargeError, match=f"{LARGEST_SEQUENCE} values"):
        grundy_sequence("0.77", LARGEST_SEQUENCE + 1)
    for size in (-1, 1.5, "9"):
        with pytest.raises(InvalidGameError, match="size"):
            grundy_sequence("0.77", size)
    with pytest.raises(InvalidGameError, match=r"0\.8"):
        grundy_sequence("0.8", 9)


def repeats(values, length, start):
    return values[start + length :] == values[start : len(values) - length]


def random_digits(rng, most):
    """Digits of a game with a move, many of them 0, so that early values repeat."""
    while True:
        digits = rng.choice(8, size=rng.integers(1, most + 1), p=[0.44] + [0.08] * 7)
        head = int(rng.random() < 0.2) * 4
        if digits.any() or head:
            return HeapGame((head, *digits.tolist())).digits


def claims(count):
    """Codes of at most five digits, each with a period: every one up to 12 from every heap up to 4,
    then those that the codes have or nearly have."""
    rng = np.random.default_rng(0)
    small = list(itertools.product(range(1, 13), range(5)))
    for index in range(count):
        digits = random_digits(rng, 5)
        if index < count * 3 // 4:
            yield digits, *small[index % len(small)]
            continue
        period = find_period(np.array(by_recursion(digits, SIZE), np.uint16), len(digits) - 1)
        length, start = (12, 4) if period is None else (period.length, period.start)
        shifts = rng.integers(-1, 2, size=2) * (rng.random() < 0.7)
        yield digits, max(1, length + int(shifts[0])), max(0, start + int(shifts[1]))


@pytest.mark.parametrize("count", [100, pytest.param(2_000, marks=pytest.mark.exhaustive)])
def test_claims_of_periods_against_the_recursion(count):
    checked = called_proven = 0
    for digits, length, start in claims(count):
        game = HeapGame(digits)
        values = by_recursion(game.digits, SIZE)
        enough = 2 * start + 2 * length + game.places + (start == 0)
        true = repeats(values, length, start)
        for known in {*range(start + length, enough + 3, max(1, enough // 8)), enough - 1, enough}:
            if known > SIZE:
                continue
            checked += 1
            proven = check_period(game, values[:known], length, start)
            called_proven += proven
            assert true or not proven, (game.name, length, start, known)
            assert proven or not true or known < enough, (game.name, length, start, known)
            found = find_period(np.array(values[:known], np.uint16), game.places)
            if found is not None and found.proven:
                assert repeats(values, found.length, found.start), (game.name, known)
                assert check_period(game, values[:known], found.length, found.start)
        if true and enough <= SIZE:
            # One value that is not the period's refutes it.
            changed = values[:enough]
            changed[int(np.random.default_rng(enough).integers(start + length, enough))] += 1
            assert not check_period(game, changed, length, start)
    assert checked > 5 * count
    assert called_proven > count / 4


@pytest.mark.parametrize("places", [2, 8, 254])
def test_two_equal_heaps_of_a_period_from_heap_0_are_no_shifted_option(places):
    code = "0." + "0" * (places - 1) + "4"
    zeros = np.zeros(places + 2, np.uint16)
    assert (by_recursion(octal_game(code).digits, places + 3)[: places + 2] == zeros).all()
    found = find_period(zeros, places)
    assert found is None or not found.proven
    assert not check_period(code, zeros, 1, 0)
    with pytest.raises(SearchTooLargeError):
        octal_period(code, 600)
    assert grundy_sequence(code, 300).tolist() == by_recursion(octal_game(code).digits, 300)


def codes():
    yield from map("0.{:03o}".format, range(1, 512))
    yield from map("4.{:03o}".format, range(512))
    rng = np.random.default_rng(2)
    for _ in range(500):
        digits = "".join(map(str, rng.integers(0, 8, size=rng.integers(4, 21))))
        yield f"{rng.choice([0, 4])}.{digits}"


@pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_values_by_periods_are_those_of_the_recursion(every):
    for code in itertools.islice(codes(), 0, None, every):
        values = by_recursion(octal_game(code).digits, 500)
        assert grundy_sequence(code, 500).tolist() == values, code


def test_bad_arguments_of_the_checker_are_refused():
    for game, why in (("grundy", "theorem on periods"), ("0.(3)", "periods"), (77, "code .* 77")):
        with pytest.raises(InvalidGameError, match=why):
            check_period(game, [0] * 20, 1, 0)
        with pytest.raises(InvalidGameError, match=why):
            octal_period(game)
    for length, start in ((0, 0), (1.5, 0), (1, -1)):
        with pytest.raises(InvalidGameError, match=r"length|start"):
            check_period("0.77", [0] * 20, length, start)


def test_exceptions_of_kayles():
    period = octal_period("kayles")
    assert period.exceptions().tolist() == [0, 3, 6, 9, 11, 15, 18, 21, 22, 28, 34, 39, 57, 70]
    assert period.value(10**18) == period.value(10**18 % 12 + 72)
    with pytest.raises(ValueError, match="-1"):
        period.value(-1)


def test_a_period_is_proven_by_the_last_value_needed_and_not_before():
    period = octal_period("0.77")
    values = np.array(by_recursion(octal_game("0.77").digits, 400))
    assert find_period(values[: period.needed], 2).proven
    before = find_period(values[: period.needed - 1], 2)
    assert (before.length, before.start, before.proven) == (12, 71, False)
    assert before.needed == period.needed


@given(
    start=st.integers(0, 40), cycle=st.lists(st.integers(0, 300), min_size=1, max_size=30),
    seed=st.integers(0, 1000), places=st.integers(0, 5),
)  # fmt: skip
@example(start=0, cycle=[0, 1, 1], seed=0, places=0)
@example(start=3, cycle=[0] * 29 + [1], seed=0, places=5)
def test_the_least_period_of_any_periodic_sequence_is_found(start, cycle, seed, places):
    head = np.random.default_rng(seed).integers(0, 300, size=start)
    size = 2 * start + 2 * len(cycle) + places + 1
    values = np.concatenate([head, np.resize(cycle, max(8, 2 * size))]).astype(np.uint16)
    period = find_period(values, places)

    def repeats(begin, length):
        return (values[begin + length :] == values[begin : len(values) - length]).all()

    length = next(p for p in range(1, len(cycle) + 1) if repeats(start, p))
    first = next(begin for begin in range(start + 1) if repeats(begin, length))
    assert (period.length, period.start, period.proven) == (length, first, True)


def test_no_period_is_claimed_without_proof():
    with pytest.raises(SearchTooLargeError, match="5000 values, which is the limit"):
        octal_period("0.6", 5_000)
    # 0.156 has been periodic for long, but this is not enough to prove it.
    with pytest.raises(SearchTooLargeError, match="7659 values would prove it"):
        octal_period("0.156", 6_000)
    assert find_period(np.arange(100, dtype=np.uint16), 2) is None
    assert find_period(np.zeros(3, dtype=np.uint16), 2) is None


@pytest.mark.parametrize("code", ["0.77", "0.07", "0.137", "4.0", "0.3", "0.156", "4.75"])
def test_winning_moves_by_the_period_are_those_of_the_values(code):
    game, period = octal_game(code), octal_period(code)
    heaps = (period.start + 3 * period.length + 2, 5, 0, 1)
    values = by_recursion(game.digits, heaps[0] + 1)
    winning = set()
    for number, heap in enumerate(heaps):
        others = reduce(xor, (values[other] for other in heaps), values[heap])
        for taken, digit in enumerate(game.digits[: heap + 1]):
            left = heap - taken
            legal = [0] if (digit & 2 and left) or (digit & 1 and taken and not left) else []
            legal += range(1, left // 2 + 1) if digit & 4 else []
            winning |= {
                (number, taken, smaller)
                for smaller in legal
                if values[smaller] ^ values[left - smaller] == others
            }
    found = winning_moves(game, period, heaps)
    shifted = {
        (number, taken, more)
        for number, taken, smaller in found
        if 0 < smaller >= period.start
        for more in range(smaller, (heaps[number] - taken) // 2 + 1, period.length)
    }
    assert len(set(found)) == len(found)
    assert {*found} | shifted == winning
    assert all(smaller < period.start + period.length for *_, smaller in found)


def test_a_long_code_has_fewer_values_unless_more_are_asked_for(monkeypatch):
    monkeypatch.setattr(sequences, "LARGEST_WORK", 1 << 20)
    code = f"0.{'4657' * 50}"
    with pytest.raises(NotProvenError, match="144 values, which is the limit"):
        octal_period(code)
    with pytest.raises(NotProvenError, match="500 values, which is the limit"):
        octal_period(code, 500)
