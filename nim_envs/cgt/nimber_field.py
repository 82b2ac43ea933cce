"""The field of nimbers: nim-products, quotients, powers and roots, of integers and of arrays.

The nimbers below a Fermat power ``F = 2**(2**n)`` form a field. A nimber below ``F**2`` is a sum
``high ⊗ F ⊕ low`` of two of them, ``high`` and ``low`` being the halves of its bits. As
``F ⊗ F = F ⊕ F/2``, all operations reduce to the halves (J. H. Conway, *On Numbers and Games*,
ch. 6). Each function takes non-negative integers of any size, or NumPy arrays of them below
``2**64``, which are broadcast and give a uint64 array. They raise a :exc:`ValueError` for a
negative number, and a :exc:`TypeError` for what is not an integer.
"""

from collections.abc import Callable
from functools import cache, partial, wraps
from operator import index
from typing import Any, Protocol, overload

import numpy as np

CACHED_BITS = 8
"""Bits of the nimbers whose products are computed once."""


class _Elementwise(Protocol):
    @overload
    def __call__(self, x: int, y: int = ..., /) -> int: ...
    @overload
    def __call__(self, x: Any, y: Any = ..., /) -> Any: ...


def _elementwise(function: Callable[..., int]) -> _Elementwise:
    """Let a function of integers take arrays of them, too."""

    @wraps(function)
    def applied(*numbers: Any) -> Any:
        if not any(isinstance(number, np.ndarray) for number in numbers):
            return function(*map(index, numbers))
        columns = [array.tolist() for array in map(np.ravel, np.broadcast_arrays(*numbers))]
        largest = max(max(column, default=0) for column in columns)
        if largest >= 2**64:
            raise ValueError(f"nimbers in arrays are integers below 2**64, not {largest}")
        results = [function(*map(index, each)) for each in zip(*columns, strict=True)]
        return np.array(results, np.uint64).reshape(np.broadcast(*numbers).shape)

    return applied


@_elementwise
def nim_product(x: int, y: int) -> int:
    """Return the nim-product ``x ⊗ y``.

    It is the mex of ``(x' ⊗ y) ⊕ (x ⊗ y') ⊕ (x' ⊗ y')`` over all ``x' < x`` and ``y' < y``.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 6; *Winning Ways*, ch. 14.

    Example:
        >>> nim_product(2, 3), nim_product(4, 4), nim_product(2**64, 2**64) == 2**64 + 2**63
        (1, 6, True)
        >>> nim_product(np.array([2, 8]), np.array([2, 8])).tolist()
        [3, 13]
    """
    return _multiply(x, y, _bits(x, y))


@_elementwise
def nim_inverse(x: int) -> int:
    """Return the nimber whose nim-product with ``x`` is 1.

    Raises:
        ZeroDivisionError: ``x`` is 0 or holds one.

    Example:
        >>> [nim_inverse(x) for x in range(1, 8)]
        [1, 3, 2, 15, 12, 9, 11]
    """
    return _invert(x, _bits(x))


def nim_quotient(x: Any, y: Any) -> Any:
    """Return the nimber whose nim-product with ``y`` is ``x``.

    Raises:
        ZeroDivisionError: ``y`` is 0 or holds one.

    Example:
        >>> nim_quotient(6, 4)
        4
    """
    return nim_product(x, nim_inverse(y))


def nim_power(x: Any, exponent: int) -> Any:
    """Return the nim-product of ``exponent`` factors ``x``; 1 for ``exponent`` 0.

    Args:
        x: a nimber, or an array of them.
        exponent: any integer; a negative one is a power of the inverse.

    Raises:
        ZeroDivisionError: a negative power of 0.

    Example:
        >>> [nim_power(2, exponent) for exponent in (-1, 0, 1, 2, 3)]
        [3, 1, 2, 3, 1]
    """
    return _elementwise(partial(_power, index(exponent)))(x)


@_elementwise
def nim_square_root(x: int) -> int:
    """Return the square root: the unique nimber whose nim-product with itself is ``x``.

    Example:
        >>> [nim_square_root(x) for x in range(8)]
        [0, 1, 3, 2, 7, 6, 4, 5]
    """
    return _root(x, _bits(x))


def _bits(*nimbers: int) -> int:
    """Return the number of bits of a field that holds the nimbers: a power of 2.

    Raises:
        ValueError: one is negative.
    """
    if min(nimbers) < 0:
        raise ValueError(f"nimbers are non-negative integers, not {min(nimbers)}")
    longest = max(nimbers).bit_length()
    return 1 << max(longest - 1, 0).bit_length()


# Functions of nimbers below ``2**bits``.


def _multiply(x: int, y: int, bits: int) -> int:
    if bits <= CACHED_BITS:
        return _small_product(x, y, bits)
    return _multiply_by_halves(x, y, bits) if x and y else 0


def _multiply_by_halves(x: int, y: int, bits: int) -> int:
    half = bits // 2
    (x_high, x_low), (y_high, y_low) = _halves(x, half), _halves(y, half)
    low = _multiply(x_low, y_low, half)
    high = _multiply(x_high, y_high, half)
    both = _multiply(x_high ^ x_low, y_high ^ y_low, half)
    return (both ^ low) << half | low ^ _times_top(high, half)


@cache
def _small_product(x: int, y: int, bits: int) -> int:
    return x & y if bits == 1 else _multiply_by_halves(x, y, bits)


def _halves(x: int, half: int) -> tuple[int, int]:
    return x >> half, x & ((1 << half) - 1)


def _times_top(x: int, bits: int) -> int:
    """Return ``x ⊗ 2**(bits - 1)``, which is ``x ⊗ F/2`` for ``F = 2**bits``."""
    return _multiply(x, 1 << (bits - 1), bits)


def _invert(x: int, bits: int) -> int:
    if bits == 1:
        if not x:
            raise ZeroDivisionError("0 has no nim-inverse")
        return 1
    half = bits // 2
    high, low = _halves(x, half)
    # x times its conjugate, high * F + (high ^ low), lies in the smaller field; it is 0 for 0 only.
    norm = _multiply(low, high ^ low, half) ^ _times_top(_multiply(high, high, half), half)
    inverse = _invert(norm, half)
    return _multiply(high, inverse, half) << half | _multiply(high ^ low, inverse, half)


def _power(exponent: int, x: int) -> int:
    bits, result = _bits(x), 1
    if exponent < 0:
        x, exponent = _invert(x, bits), -exponent
    if exponent:
        # A non-zero x to the power of the number of non-zero elements of its field is 1.
        exponent = (exponent - 1) % (2**bits - 1) + 1
    while exponent:
        if exponent & 1:
            result = _multiply(result, x, bits)
        x = _multiply(x, x, bits)
        exponent >>= 1
    return result


def _root(x: int, bits: int) -> int:
    if bits == 1:
        return x
    half = bits // 2
    high, low = _halves(x, half)
    return _root(high, half) << half | _root(low ^ _times_top(high, half), half)
