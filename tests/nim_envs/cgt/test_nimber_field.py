"""Nimber arithmetic: the definition by mex, the field axioms, arrays against integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nim_envs.cgt.nimber_field import (
    nim_inverse,
    nim_power,
    nim_product,
    nim_quotient,
    nim_square_root,
)
from nim_envs.nimbers import mex

nimbers = st.one_of(st.integers(0, 2**16), st.integers(0, 2**64 - 1), st.integers(0, 2**130))
words = st.integers(0, 2**64 - 1)


def test_the_product_is_the_least_that_the_definition_allows():
    size = 24
    table = np.zeros((size, size), dtype=int)
    for x in range(size):
        for y in range(size):
            table[x, y] = mex(
                table[a, y] ^ table[x, b] ^ table[a, b] for a in range(x) for b in range(y)
            )
    ours = [[nim_product(x, y) for y in range(size)] for x in range(size)]
    assert ours == table.tolist()
    numbers = np.arange(size)
    assert (nim_product(numbers[:, np.newaxis], numbers) == table).all()


@given(x=nimbers, y=nimbers, z=nimbers)
def test_the_nimbers_are_a_field(x, y, z):
    assert nim_product(x, y) == nim_product(y, x)
    assert nim_product(nim_product(x, y), z) == nim_product(x, nim_product(y, z))
    assert nim_product(x, y ^ z) == nim_product(x, y) ^ nim_product(x, z)
    assert nim_product(x, 1) == x
    assert nim_product(x, 0) == 0
    if x:
        assert nim_product(x, nim_inverse(x)) == 1
        assert nim_product(nim_quotient(y, x), x) == y
        assert nim_product(x, y) != 0 or y == 0


@given(x=nimbers, y=nimbers)
def test_square_roots_undo_squares_and_squaring_is_additive(x, y):
    root = nim_square_root(x)
    assert nim_product(root, root) == x
    assert nim_square_root(nim_product(x, x)) == x
    assert nim_square_root(x ^ y) == root ^ nim_square_root(y)


@given(x=st.integers(0, 2**40), exponent=st.integers(0, 12), other=st.integers(0, 10**30))
def test_powers_are_repeated_products_and_exponents_add(x, exponent, other):
    expected = 1
    for _ in range(exponent):
        expected = nim_product(expected, x)
    assert nim_power(x, exponent) == expected
    assert nim_power(x, exponent + other) == nim_product(expected, nim_power(x, other))
    if x:
        assert nim_power(x, -exponent) == nim_inverse(expected)


@given(x=st.lists(words, min_size=1, max_size=8), y=words, exponent=st.integers(-3, 2**70))
def test_arrays_agree_with_integers(x, y, exponent):
    array, other = np.array(x, dtype=np.uint64), np.array([y], dtype=np.uint64)
    assert nim_product(array, other).tolist() == [nim_product(a, y) for a in x]
    assert nim_product(array, y).tolist() == [nim_product(a, y) for a in x]
    assert nim_square_root(array).tolist() == [nim_square_root(a) for a in x]
    if all(x):
        assert nim_inverse(array).tolist() == [nim_inverse(a) for a in x]
        assert nim_quotient(y, array).tolist() == [nim_quotient(y, a) for a in x]
        assert nim_power(array, exponent).tolist() == [nim_power(a, exponent) for a in x]


@pytest.mark.parametrize("zero", [0, np.array([5, 0])])
def test_zero_has_no_inverse(zero):
    with pytest.raises(ZeroDivisionError, match="0 has no nim-inverse"):
        nim_inverse(zero)
    with pytest.raises(ZeroDivisionError, match="0 has no nim-inverse"):
        nim_quotient(3, zero)
    with pytest.raises(ZeroDivisionError, match="0 has no nim-inverse"):
        nim_power(zero, -1)
    assert nim_power(0, 0) == 1
    assert nim_power(0, 2**64 - 1) == 0


def test_what_is_no_nimber_is_refused():
    for wrong in (-7, np.array([3, -7])):
        with pytest.raises(ValueError, match="-7"):
            nim_product(wrong, 2)
    for floating in (1.5, np.array([1.5])):
        with pytest.raises(TypeError, match="float"):
            nim_product(2, floating)
    with pytest.raises(ValueError, match=str(2**64)):
        nim_product(np.array([1]), 2**64)
