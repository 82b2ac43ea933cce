"""Nim-sum and minimum excludant."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import index, xor

import numpy as np
import numpy.typing as npt

from nim_envs.typing import IntArray


def nim_sum(values: Sequence[int] | npt.NDArray[np.integer]) -> int | IntArray:
    """Return the nim-sum (bitwise exclusive or) over the last axis.

    Args:
        values: non-negative integers: a sequence of Python integers of any size, or an
            integer array ``(..., n)``.

    Returns:
        An ``int`` for a sequence or a one-dimensional array, else an array ``(...)``.

    Raises:
        ValueError: a value is negative.
        TypeError: a value is not an integer.

    References:
        C. L. Bouton, "Nim, a game with a complete mathematical theory" (1901).

    Example:
        >>> nim_sum((3, 4, 5))
        2
        >>> nim_sum(np.array([[1, 2], [5, 5]])).tolist()
        [3, 0]
    """
    if isinstance(values, np.ndarray) and values.ndim > 1:
        if values.dtype.kind not in "iu":
            raise TypeError(f"nim_sum takes integers, not an array of dtype {values.dtype}")
        if (values < 0).any():
            raise ValueError(f"nim_sum takes non-negative integers, not {values.min()}")
        return np.asarray(np.bitwise_xor.reduce(values, axis=-1))
    numbers = [index(value) for value in values]
    if any(number < 0 for number in numbers):
        raise ValueError(f"nim_sum takes non-negative integers, not {min(numbers)}")
    return reduce(xor, numbers, 0)


def mex(values: Iterable[int]) -> int:
    """Return the minimum excludant: the smallest non-negative integer not in ``values``.

    Example:
        >>> mex([0, 1, 3]), mex([])
        (2, 0)
    """
    present = set(values)
    smallest = 0
    while smallest in present:
        smallest += 1
    return smallest
