"""The field of nimbers: nim-products, quotients, powers and roots, of integers and of arrays.

The nimbers below a Fermat power ``F = 2**(2**n)`` form a field. A nimber below ``F**2`` is a sum
``high ⊗ F ⊕ low`` of two of them, ``high`` and ``low`` being the halves of its bits. As
``F ⊗ F = F ⊕ F/2``, all operations reduce to the halves (J. H. Conway, *On Numbers and Games*,
ch. 6), down to tables of logarithms of the nimbers below 65,536. The same functions compute with
Python integers and with arrays of 64-bit words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from operator import index
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from nim_envs.typing import WordArray

Nimbers = int | npt.NDArray[np.integer]

SMALL = 16
"""Number of bits of the nimbers in the tables of logarithms."""

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
        ValueError: a nimber is negative.
        TypeError: something is not an integer.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 6; *Winning Ways*, ch. 14.

    Example:
        >>> nim_product(2, 3), nim_product(4, 4), nim_product(2**64, 2**64) == 2**64 + 2**63
        (1, 6, True)
        >>> nim_product(np.array([2, 8]), np.array([2, 8])).tolist()
        [3, 13]
    """
    return _applied(_multiply, x, y)


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
        ZeroDivisionError: a nimber is 0.
        ValueError: a nimber is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_inverse(x) for x in range(1, 8)]
        [1, 3, 2, 15, 12, 9, 11]
    """
    return _applied(_invert, x)


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
        ValueError: a nimber is negative.
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
        ValueError: a nimber is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_power(2, exponent) for exponent in (-1, 0, 1, 2, 3)]
        [3, 1, 2, 3, 1]
    """
    exponent = index(exponent)
    if exponent < 0:
        x, exponent = nim_inverse(x), -exponent
    return _applied(partial(_power, exponent), x)


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
        ValueError: a nimber is negative.
        TypeError: something is not an integer.

    Example:
        >>> [nim_square_root(x) for x in range(8)]
        [0, 1, 3, 2, 7, 6, 4, 5]
    """
    return _applied(_root, x)


def _checked(value: Any) -> int:
    nimber = index(value)
    if nimber < 0:
        raise ValueError(f"nimbers are non-negative integers, not {nimber}")
    return nimber


def _checked_words(values: Any) -> WordArray:
    """Return an integer, or an array of integers, as a uint64 array."""
    if not isinstance(values, np.ndarray):
        nimber = _checked(values)
        if nimber >= 2**64:
            raise ValueError(f"nimbers in arrays are integers below 2**64, not {nimber}")
        return np.array(nimber, dtype=np.uint64)
    if values.dtype.kind not in "iu":
        raise TypeError(f"nimbers are integers, not an array of dtype {values.dtype}")
    if values.dtype.kind == "i" and (values < 0).any():
        raise ValueError(f"nimbers are non-negative integers, not {values.min()}")
    return values.astype(np.uint64)


def _field_bits(x: int) -> int:
    """Return the number of bits of a field that holds ``x``: a power of 2, at least ``SMALL``."""
    return max(SMALL, 1 << (x.bit_length() - 1).bit_length()) if x else SMALL


def _applied(function: Callable[..., Any], *numbers: Any) -> Any:
    """Apply ``function`` to integers, or to arrays: broadcast and as words, a chunk at a time."""
    if not any(isinstance(number, np.ndarray) for number in numbers):
        integers = [_checked(number) for number in numbers]
        return function(*integers, _field_bits(max(integers)))
    arrays = np.broadcast_arrays(*(_checked_words(number) for number in numbers))
    flat = [array.reshape(-1) for array in arrays]
    result = np.empty(flat[0].shape, dtype=np.uint64)
    for first in range(0, len(result), CHUNK):
        piece = slice(first, first + CHUNK)
        result[piece] = function(*(array[piece] for array in flat), 64)
    return result.reshape(arrays[0].shape)


# Functions of numbers below ``2**bits``, either integers or arrays of words.


def _halves(x: Any, half: int) -> tuple[Any, Any]:
    return x >> half, x & ((1 << half) - 1)


def _multiply(x: Any, y: Any, bits: int) -> Any:
    if (isinstance(x, int) and x == 0) or (isinstance(y, int) and y == 0):
        return 0
    if bits == 1:
        return x & y
    if bits == SMALL:
        logarithms, powers = _tables(x)
        return powers[logarithms[x] + logarithms[y]]
    return _multiply_by_halves(x, y, bits // 2)


def _multiply_by_halves(x: Any, y: Any, half: int) -> Any:
    (x_high, x_low), (y_high, y_low) = _halves(x, half), _halves(y, half)
    low = _multiply(x_low, y_low, half)
    high = _multiply(x_high, y_high, half)
    both = _multiply(x_high ^ x_low, y_high ^ y_low, half)
    return (both ^ low) << half | low ^ _times_top(high, half)


def _times_top(x: Any, bits: int) -> Any:
    """Return ``x ⊗ 2**(bits - 1)``, which is ``x ⊗ F/2`` for ``F = 2**bits``."""
    return _multiply(x, 1 << (bits - 1), bits)


def _invert(x: Any, bits: int) -> Any:
    if bits == SMALL:
        if not np.all(x):
            raise ZeroDivisionError("0 has no nim-inverse")
        logarithms, powers = _tables(x)
        return powers[2**SMALL - 1 - logarithms[x]]
    half = bits // 2
    high, low = _halves(x, half)
    # x times its conjugate, high * F + (high ^ low), lies in the smaller field; it is 0 for 0 only.
    norm = _multiply(low, high ^ low, half) ^ _times_top(_multiply(high, high, half), half)
    inverse = _invert(norm, half)
    return _multiply(high, inverse, half) << half | _multiply(high ^ low, inverse, half)


def _power(exponent: int, x: Any, bits: int) -> Any:
    result = np.ones_like(x) if isinstance(x, np.ndarray) else 1
    if exponent:
        # A non-zero x to the power of the number of non-zero elements of its field is 1.
        exponent = (exponent - 1) % (2**bits - 1) + 1
    while exponent:
        if exponent & 1:
            result = _multiply(result, x, bits)
        x = _multiply(x, x, bits)
        exponent >>= 1
    return result


def _root(x: Any, bits: int) -> Any:
    if bits == SMALL:
        logarithms, powers = _tables(x)
        # Adding the order of the group, which is odd, makes an odd logarithm even.
        doubled = logarithms[x]
        return powers[(doubled + (doubled & 1) * (2**SMALL - 1)) >> 1]
    half = bits // 2
    high, low = _halves(x, half)
    return _root(high, half) << half | _root(low ^ _times_top(high, half), half)


def _tables(x: Any) -> tuple[Any, Any]:
    """Return the logarithms and powers: arrays for an array, lists for an integer."""
    return _logarithms() if isinstance(x, np.ndarray) else _listed_logarithms()


@lru_cache(maxsize=1)
def _logarithms() -> tuple[npt.NDArray[np.int32], WordArray]:
    """Return the logarithms to base ``GENERATOR`` of the nimbers below 65,536, and the powers.

    The logarithm of 0 is a large number: the powers at half of it, and at all sums with it, are 0.
    """
    order = 2**SMALL - 1
    powers, step = np.array([1], dtype=np.uint64), GENERATOR
    while len(powers) < order:
        powers = np.concatenate([powers, _multiply_by_halves(powers, step, SMALL // 2)])
        step = _multiply_by_halves(step, step, SMALL // 2)
    logarithms = np.full(2**SMALL, 4 * order, dtype=np.int32)
    logarithms[powers[:order]] = np.arange(order)
    table = np.zeros(8 * order + 1, dtype=np.uint64)
    table[: 2 * order] = np.tile(powers[:order], 2)
    return logarithms, table


@lru_cache(maxsize=1)
def _listed_logarithms() -> tuple[list[int], list[int]]:
    logarithms, powers = _logarithms()
    return logarithms.tolist(), powers.tolist()
