"""Choice of pairs of heaps to try first, as options that may have a wanted value.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.cgt.sequences.lanes import NONE
from nim_envs.compilation import compiled

AT_ONCE = 16
"""Pairs chosen for a target between two computations of the gains, to save time."""


def _most_frequent(small: Any, larger: Any, shares: Any, targets: Any, most: int) -> Any:
    """Return for each target the pairs expected to give many heaps an option of that value.

    Pair ``k`` of a heap consists of a small heap, of value ``small[k]``, and a larger one, ``k``
    steps below the heap itself and of the same residue. The choice is greedy: next come the pairs
    for the value of the larger heap that should serve the most heaps not served so far.

    Args:
        small: value of the smaller heap of each pair, or :data:`NONE`, uint16 ``(pairs,)``.
        larger: values of the larger heaps, int64 ``(values,)``.
        shares: share of the heaps of each residue modulo the step that have each of these values,
            float64 ``(values, step)``.
        targets: the wanted values of options, int64 ``(targets,)``.
        most: most pairs for each target.

    Returns:
        The pairs for each target, filled up by -1, int64 ``(targets, most)``.
    """
    order = np.argsort(small, kind="mergesort")
    ordered = small[order]
    step = shares.shape[1]
    picked = np.full((len(targets), most), -1)
    places = np.empty(len(larger), dtype=np.int64)
    without, gains = np.empty(step), np.empty(len(larger))
    for row in range(len(targets)):
        for index in range(len(larger)):
            places[index] = np.searchsorted(ordered, np.uint16(larger[index] ^ targets[row]))
        without[:] = 1 / step
        number = 0
        while number < most:
            for index in range(len(larger)):
                gains[index], place = 0.0, places[index]
                if place < len(small) and ordered[place] == larger[index] ^ targets[row]:
                    for residue in range(step):
                        gains[index] += without[residue] * shares[index, residue]
            until = min(number + AT_ONCE, most)
            best = gains.argmax()
            if gains[best] <= 0:
                break
            while number < until and gains[best] > 0:
                place = places[best]
                while number < until and place < len(small):
                    if ordered[place] != larger[best] ^ targets[row]:
                        break
                    picked[row, number] = order[place]
                    number += 1
                    place += 1
                    for residue in range(step):
                        without[residue] *= 1 - shares[best, residue]
                places[best], gains[best] = place, 0.0
                best = gains.argmax()
    return picked


most_frequent = compiled(_most_frequent)


def _lacking(small: Any, larger: Any, values: Any, places: Any, targets: Any, per: Any) -> Any:
    """Return pairs that give options of wanted values to many of the heaps that lack one.

    The choice is greedy: each round takes the pairs that serve the most heaps not served so far.

    Args:
        small: value of the smaller heap of each pair, or :data:`NONE`, uint16 ``(pairs,)``.
        larger: whether the larger heap of a pair may have a value, by value, bool.
        values: values of the heaps of one residue modulo the step, largest heap first, then those
            of the other residues, uint16.
        places: index in ``values`` of each heap that lacks an option, int64.
        targets: the value that each of these heaps lacks, ascending, int64.
        per: most pairs to choose in each round, int64 ``(rounds,)``.

    Returns:
        The values and the pairs chosen, int64 ``(2, chosen)``.
    """
    pairs = len(small)
    wanted = np.empty(pairs, dtype=np.uint16)
    gain = np.empty(pairs, dtype=np.uint16)
    chosen = np.empty((2, len(places) * len(per)), dtype=np.int64)
    total, begin = 0, 0
    while begin < len(places):
        target, end = targets[begin], begin
        while end < len(places) and targets[end] == target:
            end += 1
        for k in range(pairs):
            other = small[k] ^ np.uint16(target)
            wanted[k] = other if small[k] != NONE and larger[other] else NONE
        left = places[begin:end].copy()
        begin = end
        for rounded in per:
            most = min(rounded, len(left))
            gain[:] = 0
            for place in left:
                others = values[place : place + pairs]
                for k in range(pairs):
                    gain[k] += others[k] == wanted[k]
            order = np.bincount(gain)
            least, number = len(order), 0
            while least > 1 and number + order[least - 1] <= most:
                least -= 1
                number += order[least]
            spare = most - number
            first = total
            for k in range(pairs):
                if gain[k] >= least or (spare > 0 and gain[k] == least - 1 and gain[k] > 0):
                    spare -= gain[k] < least
                    chosen[0, total], chosen[1, total] = target, k
                    total += 1
            kept = 0
            for place in left:
                found = False
                for k in chosen[1, first:total]:
                    found |= values[place + k] == wanted[k]
                if not found:
                    left[kept] = place
                    kept += 1
            left = left[:kept]
            if not kept:
                break
    return chosen[:, :total]


lacking = compiled(_lacking)
