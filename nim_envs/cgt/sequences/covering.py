"""Choice of pairs of heaps to try first, as options that may have a wanted value.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.cgt.sequences.lanes import NONE
from nim_envs.compilation import compiled

LOW = (1 << 32) - 1
"""Heaps and offsets are smaller; so one of them and a value fit in a word."""

AT_ONCE = 16
"""Pairs chosen for a target between two computations of the gains, to save time."""


@compiled
def most_frequent(small: Any, larger: Any, shares: Any, targets: Any, most: int) -> Any:
    """Return for each target the pairs expected to give many heaps an option of that value.

    Pair ``k`` of a heap consists of a small heap, of value ``small[k]``, and a larger one, ``k``
    steps below the heap itself and of the same residue. The choice is greedy: next come the pairs
    for the value of the larger heap that should serve the most heaps not served so far.

    Args:
        small: value of the smaller heap of each pair, or :data:`NONE`, uint16 ``(pairs,)``.
        larger: values of the larger heaps, int64 ``(values,)``.
        shares: share of the heaps of each residue modulo the step that have each of these values,
            float64 ``(step, values)``.
        targets: the wanted values of options, int64 ``(targets,)``.
        most: most pairs for each target.

    Returns:
        The pairs, ``k`` in the low 32 bits and the target above them, one target after the other,
        int64.
    """
    order, ends = _by_value(small)
    chosen = np.empty(len(targets) * most, dtype=np.int64)
    total, step = 0, len(shares)
    begins, stops = np.empty(len(larger), dtype=np.int64), np.empty(len(larger), dtype=np.int64)
    without, gains = np.empty(step), np.empty(len(larger))
    for target in targets:
        for index in range(len(larger)):
            value = larger[index] ^ target
            known = value + 1 < len(ends)
            begins[index] = ends[value] if known else 0
            stops[index] = ends[value + 1] if known else 0
        without[:] = 1 / step
        last = total + most
        while total < last:
            gains[:] = 0.0
            for residue in range(step):
                for index in range(len(larger)):
                    gains[index] += without[residue] * shares[residue, index]
            for index in range(len(larger)):
                if begins[index] == stops[index]:
                    gains[index] = 0.0
            until = min(total + AT_ONCE, last)
            best = gains.argmax()
            if gains[best] <= 0:
                break
            while total < until and gains[best] > 0:
                count = min(until - total, stops[best] - begins[best])
                for k in order[begins[best] : begins[best] + count]:
                    chosen[total] = target << 32 | k
                    total += 1
                begins[best] += count
                for residue in range(step):
                    without[residue] *= (1 - shares[residue, best]) ** count
                gains[best] = 0.0
                best = gains.argmax()
    return chosen[:total]


@compiled(inner=True)
def _by_value(small: Any) -> Any:
    """Return where the entries of each value are, but :data:`NONE`: a counting sort.

    Returns:
        Places in ``small``, ordered by their values, and where those of each value end, after a 0;
        both int64.
    """
    bound = 0
    for value in small:
        if value != NONE:
            bound = max(bound, value + 1)
    ends = np.zeros(bound + 1, dtype=np.int64)
    for value in small:
        if value != NONE:
            ends[value + 1] += 1
    for value in range(bound):
        ends[value + 1] += ends[value]
    order, following = np.empty(ends[bound], dtype=np.int64), ends.copy()
    for place in range(len(small)):
        value = small[place]
        if value != NONE:
            order[following[value]] = place
            following[value] += 1
    return order, ends


@compiled
def by_group(pairs: Any, small: Any, blocks: Any) -> Any:
    """Return pairs in groups of one target, those of the first block first: a counting sort.

    Args:
        pairs: as :func:`most_frequent` returns them.
        small: value of the smaller heap of each pair, uint16.
        blocks: the block of each value of a larger heap, int64 ``(bound,)``.

    Returns:
        The target of each group, where each ends, and the pairs, ``k`` in the low 32 bits and the
        value of the larger heap above them, int64.
    """
    bound = len(blocks)
    counts = np.zeros((blocks.max() + 1) * bound, dtype=np.int64)
    keys = np.empty(len(pairs), dtype=np.int64)
    for i in range(len(pairs)):
        target = pairs[i] >> 32
        keys[i] = blocks[small[pairs[i] & LOW] ^ target] * bound + target
        counts[keys[i]] += 1
    groups = np.flatnonzero(counts)
    ends = np.cumsum(counts[groups])
    counts[groups] = ends - counts[groups]
    ordered = np.empty(len(pairs), dtype=np.int64)
    for i in range(len(pairs)):
        k = pairs[i] & LOW
        ordered[counts[keys[i]]] = (small[k] ^ pairs[i] >> 32) << 32 | k
        counts[keys[i]] += 1
    return groups % bound, ends, ordered


@compiled
def lacking(small: Any, larger: Any, values: Any, places: Any, targets: Any, per: Any) -> Any:
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
            least, count = len(order), 0
            while least > 1 and count + order[least - 1] <= most:
                least -= 1
                count += order[least]
            spare = most - count
            first = total
            for k in range(pairs):
                if gain[k] >= least or (spare > 0 and gain[k] == least - 1 and gain[k] > 0):
                    spare -= gain[k] < least
                    chosen[0, total], chosen[1, total] = target, k
                    total += 1
            remaining = 0
            for place in left:
                has_wanted = False
                for k in chosen[1, first:total]:
                    has_wanted |= values[place + k] == wanted[k]
                if not has_wanted:
                    left[remaining] = place
                    remaining += 1
            left = left[:remaining]
            if not remaining:
                break
    return chosen[:, :total]
