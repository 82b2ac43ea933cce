"""The theorems on who wins, each as a function of arrays."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.convention import Convention


def sprague_grundy(values: IntArray) -> BoolArray:
    """Return which sums are N-positions of normal play: those whose nim-sum is not 0.

    Args:
        values: Grundy values of the components, ``(..., components)``.

    Returns:
        ``(...)``.

    References:
        R. P. Sprague, "Über mathematische Kampfspiele", *Tôhoku Mathematical Journal* 41
        (1935); P. M. Grundy, "Mathematics and games", *Eureka* 2 (1939).
    """
    return np.asarray(np.bitwise_xor.reduce(values, axis=-1) != 0)


def bouton(heaps: IntArray, convention: Convention = Convention.NORMAL) -> BoolArray:
    """Return which positions of Nim, without a bound on moves, are N-positions.

    Normal play: those whose nim-sum is not 0. Misère play: the same while some heap
    holds 2 or more; else those with an even number of heaps of 1.

    Args:
        heaps: objects in each heap, ``(..., heaps)``.
        convention: normal or misère play.

    Returns:
        ``(...)``.

    References:
        C. L. Bouton, "Nim, a game with a complete mathematical theory", *Annals of
        Mathematics* 3 (1901), 35-39.

    Example:
        >>> bouton(np.array([[3, 4, 5], [1, 1, 1]]), Convention.MISERE).tolist()
        [True, False]
    """
    if convention is Convention.NORMAL:
        return sprague_grundy(heaps)
    all_small = (heaps <= 1).all(axis=-1)
    return np.where(all_small, heaps.sum(axis=-1) % 2 == 0, sprague_grundy(heaps))


def ferguson(values: IntArray) -> BoolArray:
    """Return which misère sums of subtraction games are N-positions.

    P-positions have every value at most 1 and nim-sum 1, or some value of 2 or more and
    nim-sum 0. Nim, bounded Nim and the addition game are subtraction games here.

    Args:
        values: Grundy values of the components, ``(..., components)``.

    Returns:
        ``(...)``.

    References:
        T. S. Ferguson, "On sums of graph games with last player losing", *International
        Journal of Game Theory* 3 (1974), 159-167.
    """
    return tame_misere(values, np.where(values <= 1, 1 - values, values))


def tame_misere(normal: IntArray, misere: IntArray) -> BoolArray:
    """Return which misère sums of tame components are N-positions.

    A component is tame if in each of its states the normal and the misère Grundy value
    are (0, 1) or (1, 0), called *fickle*, or equal, called *firm*. A sum is a P-position
    where every component is fickle and the nim-sum is 1, or some component is firm and
    the nim-sum is 0.

    Args:
        normal: Grundy values of the components, ``(..., components)``.
        misere: their misère Grundy values, same shape.

    Returns:
        ``(...)``.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 12; *Winning Ways*, ch. 13.
    """
    total = np.bitwise_xor.reduce(normal, axis=-1)
    all_fickle = (normal != misere).all(axis=-1)
    return np.asarray(np.where(all_fickle, total == 0, total != 0))
