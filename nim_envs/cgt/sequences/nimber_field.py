"""The field of nimbers: nim-products, quotients, powers and roots, of integers and of arrays.

The nimbers below a Fermat power ``F = 2**(2**n)`` form a field. A nimber below ``F**2`` is a sum
``high ⊗ F ⊕ low`` of two of them, ``high`` and ``low`` being the halves of its bits. As
``F ⊗ F = F ⊕ F/2``, all operations reduce to the halves (J. H. Conway, *On Numbers and Games*,
ch. 6), down to a table of the nimbers below 256 for Python integers, below 65,536 for arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import index
from typing import Any, overload

import numpy as np
import numpy.typing as npt

WordArray = npt.NDArray[np.uint64]
Nimbers = int | npt.NDArray[np.integer]

BYTE = 8
"""Number of bits of the nimbers in the table of products."""

GENERATOR = 258
"""A nimber whose powers are all the non-zero nimbers below 65,536."""

CHUNK = 1 << 14
"""Entries of an array computed at a time, so that buffers stay in the processor's cache."""


@overload
def nim_product(x: int, y: int) -> int: ...
@overload
def nim_product(x: Nimbers, y: Nimbers) -> Any: ...
def nim_product(x: Nimbers, y: Nimbers) -> Any:
    """Return the nim-product ``x ⊗ y``.

    It is the mex of ``(x' ⊗ y) ⊕ (x ⊗ y') ⊕ (x' ⊗ y')`` over all ``x' < x`` and ``y' < y``.

    Args:
        x: a non-negative integer of any size, or an array of them below ``2**64``.
        y: the same; arrays are broadcast.

    Returns:
        An ``int`` for integers, a uint64 array of the common shape if either is an array.

    Raises:
        ValueError: a number is negative.
        TypeError: something is not an integer.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 6; *Winning Ways*, ch. 14.

    Example:
        >>> nim_product(2, 3), nim_product(4, 4), nim_product(2**64, 2**64) == 2**64 + 2**63
        (1, 6, True)
        >>> nim_product(np.array([2, 8]), np.array([2, 8])).tolist()
        [3, 13]
    """
    if _any_array(x, y):
        return _by_chunks(_multiply_words, x, y)
    return _multiply(_checked(x), _checked(y))


@overload
def nim_inverse(x: int) -> int: ...
@overload
def nim_inverse(x: Nimbers) -> Any: ...
def nim_inverse(x: Nimbers) -> Any:
    """Return the nimber whose nim-product with ``x`` is 1.

    Args:
        x: a positive integer of any size, or an array of them below ``2**64``.

    Returns:
        An ``int``, or a uint64 array of the shape of ``x``.

    Raises:
        ZeroDivisionError: a number is 0.
        ValueError: a number is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_inverse(x) for x in range(1, 8)]
        [1, 3, 2, 15, 12, 9, 11]
    """
    if _any_array(x):
        words = _checked_words(x)
        if (words == 0).any():
            raise ZeroDivisionError("0 has no nim-inverse")
        return _by_chunks(_invert_words, words)
    return _invert(_checked(x))


@overload
def nim_quotient(x: int, y: int) -> int: ...
@overload
def nim_quotient(x: Nimbers, y: Nimbers) -> Any: ...
def nim_quotient(x: Nimbers, y: Nimbers) -> Any:
    """Return the nimber whose nim-product with ``y`` is ``x``.

    Args:
        x: a non-negative integer of any size, or an array of them below ``2**64``.
        y: as ``x``, but not 0; arrays are broadcast.

    Returns:
        An ``int`` for integers, a uint64 array of the common shape if either is an array.

    Raises:
        ZeroDivisionError: ``y`` is 0 or holds one.
        ValueError: a number is negative.
        TypeError: something is not an integer.

    Example:
        >>> nim_quotient(6, 4)
        4
    """
    return nim_product(x, nim_inverse(y))


@overload
def nim_power(x: int, exponent: int) -> int: ...
@overload
def nim_power(x: Nimbers, exponent: int) -> Any: ...
def nim_power(x: Nimbers, exponent: int) -> Any:
    """Return the nim-product of ``exponent`` factors ``x``; 1 for ``exponent`` 0.

    Args:
        x: a non-negative integer of any size, or an array of them below ``2**64``.
        exponent: any integer; a negative one is a power of the inverse.

    Returns:
        An ``int``, or a uint64 array of the shape of ``x``.

    Raises:
        ZeroDivisionError: a negative power of 0.
        ValueError: a number is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_power(2, exponent) for exponent in (-1, 0, 1, 2, 3)]
        [3, 1, 2, 3, 1]
    """
    exponent = index(exponent)
    if exponent < 0:
        x, exponent = nim_inverse(x), -exponent
    if _any_array(x):
        base: Any = _checked_words(x)
        result: Any = np.ones(base.shape, dtype=np.uint64)
        bits = 64
    else:
        base, result = _checked(x), 1
        bits = _field_bits(base)
    if exponent:
        # A non-zero x to the power of the number of non-zero elements of its field is 1.
        exponent = (exponent - 1) % (2**bits - 1) + 1
    while exponent:
        if exponent & 1:
            result = nim_product(result, base)
        base = nim_product(base, base)
        exponent >>= 1
    return result


@overload
def nim_square_root(x: int) -> int: ...
@overload
def nim_square_root(x: Nimbers) -> Any: ...
def nim_square_root(x: Nimbers) -> Any:
    """Return the square root: the unique nimber whose nim-product with itself is ``x``.

    Args:
        x: a non-negative integer of any size, or an array of them below ``2**64``.

    Returns:
        An ``int``, or a uint64 array of the shape of ``x``.

    Raises:
        ValueError: a number is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_square_root(x) for x in range(8)]
        [0, 1, 3, 2, 7, 6, 4, 5]
    """
    if _any_array(x):
        return _by_chunks(_root_of_words, x)
    return _root(_checked(x))


def _any_array(*values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


def _checked(value: Any) -> int:
    number = index(value)
    if number < 0:
        raise ValueError(f"nimbers are non-negative integers, not {number}")
    return number


def _checked_words(values: Any) -> WordArray:
    """Return an integer, or an array of integers, as a uint64 array."""
    if not isinstance(values, np.ndarray):
        number = _checked(values)
        if number >= 2**64:
            raise ValueError(f"nimbers in arrays are integers below 2**64, not {number}")
        return np.array(number, dtype=np.uint64)
    if values.dtype.kind not in "iu":
        raise TypeError(f"nimbers are integers, not an array of dtype {values.dtype}")
    if values.dtype.kind == "i" and (values < 0).any():
        raise ValueError(f"nimbers are non-negative integers, not {values.min()}")
    return values.astype(np.uint64)


# Python integers.


def _field_bits(x: int) -> int:
    """Return the number of bits of a field that holds ``x``: a power of 2, at least ``BYTE``."""
    return max(BYTE, 1 << (x.bit_length() - 1).bit_length()) if x else BYTE


def _multiply(x: int, y: int) -> int:
    if x <= 1 or y <= 1:
        return x * y
    bits = _field_bits(max(x, y))
    if bits == BYTE:
        return _byte_products()[x << BYTE | y]
    half = bits // 2
    below = (1 << half) - 1
    x_high, x_low, y_high, y_low = x >> half, x & below, y >> half, y & below
    low = _multiply(x_low, y_low)
    if not y_high:
        return _multiply(x_high, y_low) << half | low
    if not x_high:
        return _multiply(x_low, y_high) << half | low
    high = _multiply(x_high, y_high)
    both = _multiply(x_high ^ x_low, y_high ^ y_low)
    return (both ^ low) << half | low ^ _times_top(high, half)


def _times_top(x: int, bits: int) -> int:
    """Return ``x ⊗ 2**(bits - 1)`` for ``x`` below ``2**bits``, ``bits`` a power of 2."""
    if x <= 1:
        return x << (bits - 1)
    if bits <= BYTE:
        return _byte_products()[x << BYTE | 1 << (bits - 1)]
    half = bits // 2
    high, low = x >> half, x & ((1 << half) - 1)
    # 2**(bits - 1) is F ⊗ F/2 for F = 2**half.
    return _times_top(high ^ low, half) << half | _times_top(_times_top(high, half), half)


def _invert(x: int) -> int:
    if x == 0:
        raise ZeroDivisionError("0 has no nim-inverse")
    bits = _field_bits(x)
    if bits == BYTE:
        return _byte_inverses()[x]
    half = bits // 2
    high, low = x >> half, x & ((1 << half) - 1)
    # x times its conjugate, high * F + (high ^ low), lies in the smaller field.
    norm = _multiply(low, high ^ low) ^ _times_top(_multiply(high, high), half)
    inverse = _invert(norm)
    return _multiply(high, inverse) << half | _multiply(high ^ low, inverse)


def _root(x: int) -> int:
    bits = _field_bits(x)
    if bits == BYTE:
        return _byte_roots()[x]
    half = bits // 2
    high, low = x >> half, x & ((1 << half) - 1)
    return _root(high) << half | _root(low ^ _times_top(high, half))


@lru_cache(maxsize=1)
def _byte_products() -> list[int]:
    """Return ``x ⊗ y`` at index ``x << BYTE | y``; each field is computed from the smaller one."""
    products = np.array([[0, 0], [0, 1]], dtype=np.int64)
    half = 1
    while half < BYTE:
        numbers = np.arange(1 << 2 * half)
        high, low = numbers >> half, numbers & ((1 << half) - 1)

        def product(x: Any, y: Any, table: Any = products) -> Any:
            return table[x[:, np.newaxis], y]

        lows = product(low, low)
        both = product(high ^ low, high ^ low)
        products = (both ^ lows) << half | lows ^ products[product(high, high), 1 << (half - 1)]
        half *= 2
    table: list[int] = products.reshape(-1).tolist()
    return table


@lru_cache(maxsize=1)
def _byte_inverses() -> list[int]:
    """Return the inverse of every nimber below 256; 0 at 0."""
    products = np.array(_byte_products()).reshape(1 << BYTE, -1)
    inverses: list[int] = np.argmax(products == 1, axis=1).tolist()
    return inverses


@lru_cache(maxsize=1)
def _byte_roots() -> list[int]:
    """Return the square root of every nimber below 256."""
    squares = np.array(_byte_products()).reshape(1 << BYTE, -1).diagonal()
    roots: list[int] = np.argsort(squares).tolist()
    return roots


# Arrays of 64-bit words.


def _by_chunks(function: Callable[..., WordArray], *arguments: Any) -> WordArray:
    """Apply ``function`` to the arguments, broadcast and as words, a chunk at a time."""
    arrays = np.broadcast_arrays(*(_checked_words(argument) for argument in arguments))
    flat = [array.reshape(-1) for array in arrays]
    result = np.empty(flat[0].shape, dtype=np.uint64)
    for first in range(0, len(result), CHUNK):
        piece = slice(first, first + CHUNK)
        result[piece] = function(*(array[piece] for array in flat))
    return result.reshape(arrays[0].shape)


@lru_cache(maxsize=1)
def _logarithms() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
    """Return the logarithms to base ``GENERATOR`` of the nimbers below 65,536, and the powers.

    The logarithm of 0 is a large number: the powers at half of it, and at all sums with it, are 0.
    """
    order = 2**16 - 1
    powers = np.array([1], dtype=np.int64)
    step = GENERATOR
    while len(powers) < order:
        powers = np.concatenate([powers, _multiply_by(powers, step)])
        step = _multiply(step, step)
    powers = powers[:order]
    logarithms = np.full(2**16, 4 * order, dtype=np.int32)
    logarithms[powers] = np.arange(order)
    table = np.zeros(8 * order + 1, dtype=np.uint64)
    table[: 2 * order] = np.tile(powers, 2)
    return logarithms, table


def _multiply_by(x: npt.NDArray[np.int64], factor: int) -> npt.NDArray[np.int64]:
    """Return ``x ⊗ factor``, all below 65,536: byte by byte, by distributivity."""
    low = np.array([_multiply(byte, factor) for byte in range(256)])
    high = np.array([_multiply(byte << BYTE, factor) for byte in range(256)])
    return np.asarray(low[x & 255] ^ high[x >> BYTE])


def _multiply_words(x: WordArray, y: WordArray, bits: int = 64) -> WordArray:
    if bits == 16:
        logarithms, powers = _logarithms()
        return np.asarray(powers[logarithms[x] + logarithms[y]])
    half = bits // 2
    x_high, x_low, y_high, y_low = *_halves(x, half), *_halves(y, half)
    low = _multiply_words(x_low, y_low, half)
    high = _multiply_words(x_high, y_high, half)
    both = _multiply_words(x_high ^ x_low, y_high ^ y_low, half)
    return np.asarray((both ^ low) << np.uint64(half) | low ^ _times_top_of_words(high, half))


def _times_top_of_words(x: WordArray, bits: int) -> WordArray:
    """Return ``x ⊗ 2**(bits - 1)``; see :func:`_times_top`."""
    if bits == 16:
        logarithms, powers = _logarithms()
        return np.asarray(powers[logarithms[x] + logarithms[1 << 15]])
    half = bits // 2
    high, low = _halves(x, half)
    rest = _times_top_of_words(high ^ low, half)
    return np.asarray(
        rest << np.uint64(half) | _times_top_of_words(_times_top_of_words(high, half), half)
    )


def _invert_words(x: WordArray, bits: int = 64) -> WordArray:
    if bits == 16:
        logarithms, powers = _logarithms()
        return np.asarray(powers[2**16 - 1 - logarithms[x]])
    half = bits // 2
    high, low = _halves(x, half)
    square = _multiply_words(high, high, half)
    norm = _multiply_words(low, high ^ low, half) ^ _times_top_of_words(square, half)
    inverse = _invert_words(norm, half)
    product = _multiply_words(high, inverse, half)
    return np.asarray(product << np.uint64(half) | _multiply_words(high ^ low, inverse, half))


def _root_of_words(x: WordArray, bits: int = 64) -> WordArray:
    if bits == 16:
        logarithms, powers = _logarithms()
        # Adding the order of the group, which is odd, makes an odd logarithm even.
        doubled = logarithms[x]
        return np.asarray(powers[(doubled + (doubled & 1) * (2**16 - 1)) >> 1])
    half = bits // 2
    high, low = _halves(x, half)
    root = _root_of_words(high, half)
    return root << np.uint64(half) | _root_of_words(low ^ _times_top_of_words(high, half), half)


def _halves(x: WordArray, half: int) -> tuple[WordArray, WordArray]:
    return x >> np.uint64(half), x & np.uint64((1 << half) - 1)
