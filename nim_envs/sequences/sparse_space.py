"""Grundy values of heap games by the sparse-space method, many heaps at once.

Values are split by a mask: *rare* are those that have an even number of bits in common with it,
*common* the others. The nim-sum of two rare or of two common values is rare, that of a rare and
a common one common. A good mask leaves few rare values, so a heap's common options come from few
pairs of heaps: those with a heap of rare value. The value of a heap is the least common one that
is no option, unless a smaller rare value is no option either; that is checked, and that makes the
method exact whatever the mask.

For each common value a bitmap says which heaps have it. What one heap of rare value excludes from
``LANES`` consecutive heaps at once is then a stretch of a bitmap, and bitmaps are or-ed. The same
with a sample of heaps of common value shows that most rare values are options; a search among all
pairs decides on the rest. Pairs with a heap inside the stretch are looked up heap by heap.

Importing this module imports Numba.

References:
    Berlekamp, Conway & Guy, *Winning Ways*, ch. 4 "Sparse spaces"; A. Gangolli and T. Plambeck, "A
    note on periodicity in some octal games", *International Journal of Game Theory* 18 (1989),
    311-320; A. Flammenkamp, "Lange Perioden in Subtraktions-Spielen" (1997) and his tables of
    octal games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.compilation import compiled
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, HeapGame
from nim_envs.sequences.lanes import (
    LANES,
    PAIRS,
    WORDS,
    any_pair,
    load,
    or_bytes,
    store,
    store_shifted,
)

Values = npt.NDArray[np.uint16]

ENOUGH = 4096
"""From so many values on a mask saves time."""

OVERSHOOT = LANES
"""Most values that are computed beyond those wanted."""

SAMPLE = 1200
"""Heaps of common value that are tried to show that rare values are options."""

FREQUENT = 0.8
"""Share of the heaps of common value whose bitmaps are used with the sample: the fullest ones."""

NEW_RARE = 64
"""New heaps of rare value after which the plan is made anew."""

LARGEST_BITMAPS = 1 << 26
"""Bytes that the bitmaps may take."""

CANDIDATES = 5
"""Values of a heap that are listed as not excluded before the bitmaps are read again."""

FULL = (1 << 64) - 1
"""A word of ones."""

LOW = (1 << 32) - 1
"""Heaps are smaller; so an offset and a value fit in a word."""


class Plan(NamedTuple):
    """Tables for a part of the computation, made from the values so far.

    Attributes:
        singles: objects taken by the moves that leave one heap, int64.
        splits: objects taken by the moves that leave two heaps, int64.
        unequal: whether those two must be of different sizes.
        common: whether a value is common, uint8 ``(bound,)``; values are below ``bound``.
        frequent: whether the sample is tried with a value's bitmap, uint8 ``(bound,)``.
        newest: the last heap with each common value, or a negative number, int64 ``(bound,)``.
        bitmaps: for each value a bitmap of ``width`` words, one after the other, uint64.
        width: words of one bitmap.
        window: words of a bitmap before the cursor that offsets reach into.
        offsets: where in ``shifted`` the lanes of each offset begin, in bytes, int64.
        groups: the value of the heaps of each group of offsets, int64 ``(groups,)``.
        ends: where each group ends in ``offsets``, int64 ``(groups,)``.
        rare_groups: how many of the groups are of rare values; the others are of the sample.
        direct: offsets that are looked up heap by heap, ascending, in the low 32 bits, and the
            value of the heap of each above them, uint64; with room for more.
        near: how many of ``direct`` are below ``LANES``.
        shifted: buffer for a bitmap shifted by 0 to 7 bits, ``(8, window + WORDS + 1)``
            words, one after the other, uint64.
        excluded: buffer for the lanes of each value, uint64 ``(bound * WORDS,)``.
        state: the bit of the bitmaps that is the next heap's, the number of direct offsets, the
            largest value, and why :func:`advance` returned, int64 ``(4,)``.
    """

    singles: npt.NDArray[np.int64]
    splits: npt.NDArray[np.int64]
    unequal: bool
    common: npt.NDArray[np.uint8]
    frequent: npt.NDArray[np.uint8]
    newest: npt.NDArray[np.int64]
    bitmaps: npt.NDArray[np.uint64]
    width: int
    window: int
    offsets: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    rare_groups: int
    direct: npt.NDArray[np.uint64]
    near: int
    shifted: npt.NDArray[np.uint64]
    excluded: npt.NDArray[np.uint64]
    state: npt.NDArray[np.int64]


CURSOR, COUNT, TOP, STATUS = range(4)
"""Places of :attr:`Plan.state`."""

DONE, NEEDS_PLAN, NEEDS_BOUND, NEEDS_ROOM = range(4)
"""Why :func:`advance` returned."""


def least_known(game: HeapGame) -> int:
    """Return how many values of ``game`` must be known before the method can begin."""
    return max(ENOUGH, 2 * len(game.digits))


def extend(values: Values, known: int, size: int, game: HeapGame, piece: int) -> Iterator[int]:
    """Compute Grundy values in place, after those that are known.

    Args:
        values: array of at least ``size + OVERSHOOT`` entries, the first ``known`` filled.
        known: at least :func:`least_known`.
        size: number of values wanted.
        game: a game whose digits do not repeat and that has a splitting move.
        piece: about how many values to compute between two yields.

    Yields:
        How many values are known by now; at last ``size`` or a little more.

    Raises:
        OverflowError: a value does not fit in 16 bits.
    """
    bound = 2
    while known < size:
        until = min(size, 2 * known)
        plan = make_plan(values[:known], game, bound)
        while known < until:
            known = advance(values, known, min(until, known + piece), plan)
            yield known
            if plan.state[STATUS] == NEEDS_ROOM:
                _make_room(plan)
            elif plan.state[STATUS] != DONE:
                break
        bound = len(plan.common) * (2 if plan.state[STATUS] == NEEDS_BOUND else 1)
        if bound > 1 << 16:
            raise OverflowError(f"a Grundy value of {game.name} does not fit in 16 bits")


def _taken(game: HeapGame, bit: int) -> npt.NDArray[np.int64]:
    return np.array(
        [taken for taken, digit in enumerate(game.digits) if digit & bit], dtype=np.int64
    )


def sparse_mask(values: Values, bound: int) -> int:
    """Return the mask, below ``bound``, that makes the fewest of ``values`` rare.

    With ``c[v]`` heaps of value ``v`` the sum of ``c[v] * (-1)**(bits of v & mask)`` is the surplus
    of rare values; a Walsh-Hadamard transform gives it for every mask.
    """
    surplus = np.bincount(values, minlength=bound).astype(np.float64)
    half = 1
    while half < bound:
        pairs = surplus.reshape(-1, 2, half)
        first, second = pairs[:, 0], pairs[:, 1]
        surplus = np.stack([first + second, first - second], axis=1).reshape(-1)
        half *= 2
    return int(np.argmin(surplus[1:])) + 1


def parities(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return 1 for each number with an odd number of bits, else 0."""
    folded = numbers.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        folded ^= folded >> shift
    return (folded & 1).astype(np.uint8)


def make_plan(values: Values, game: HeapGame, bound: int = 2) -> Plan:
    """Return the plan for the heaps after those whose ``values`` are known.

    Args:
        values: the values so far, at least :func:`least_known`.
        game: the game.
        bound: least bound of the values to plan for.
    """
    known = len(values)
    splits = _taken(game, LEAVE_TWO)
    while bound <= values.max():
        bound *= 2
    mask = sparse_mask(values[known // 4 :], bound)
    common = parities(np.arange(bound, dtype=np.int64) & mask)
    is_common = common[values].astype(np.bool_)

    rare = np.flatnonzero(~is_common[1:]) + 1
    # A heap of rare value counts once for each number of objects that a splitting move takes.
    pairs = np.unique(
        np.concatenate([np.stack([rare + taken, values[rare]], axis=1) for taken in splits]), axis=0
    )
    offsets, offset_values = pairs[:, 0], pairs[:, 1]
    used = np.unique(values[known // 2 :][is_common[known // 2 :]]).size
    reach = _best_reach(offsets, used, min(LARGEST_BITMAPS * 8 // (2 * bound), known - LANES))
    grouped = (offsets >= LANES) & (offsets <= reach)

    recent = np.arange(max(1, known - reach), known)
    recent = recent[is_common[recent]]
    counts = np.bincount(values[recent], minlength=bound)
    fullest = np.argsort(-counts, kind="stable")
    frequent = np.zeros(bound, dtype=np.uint8)
    frequent[fullest[np.cumsum(counts[fullest]) <= FREQUENT * len(recent)]] = 1

    rare_offsets, rare_groups, rare_ends = _grouped(offsets[grouped], offset_values[grouped])
    sample_offsets, sample_groups, sample_ends = _grouped(
        *_sample(values, is_common, splits, reach)
    )
    group_offsets = np.concatenate([rare_offsets, sample_offsets])
    # So that the lanes from every word up to the cursor's are a whole number of vectors.
    window = -(-(reach // 64 + 2) // WORDS) * WORDS - 1
    stride = window + 1 + WORDS

    width = 2 * window + 64 * WORDS
    cursor = 64 * (window + 1)
    bitmaps = _aligned(bound * width)
    bits = recent - known + cursor
    words = values[recent].astype(np.int64) * width + (bits >> 6)
    np.bitwise_or.at(bitmaps, words, np.uint64(1) << (bits & 63).astype(np.uint64))
    newest = np.full(bound, -LARGEST_BITMAPS * 8, dtype=np.int64)
    newest[values[recent]] = recent

    singles = _taken(game, LEAVE_ONE)
    # To leave one heap is as to split off an empty one, of value 0.
    direct = np.concatenate([singles, offsets[~grouped] | offset_values[~grouped] << 32])
    direct = direct[np.argsort(direct & LOW, kind="stable")]
    room = np.zeros(NEW_RARE + len(direct) // 8 + len(splits) * LANES, dtype=np.int64)
    return Plan(
        singles=singles,
        splits=splits,
        unequal=game.unequal,
        common=common,
        frequent=frequent,
        newest=newest,
        bitmaps=bitmaps,
        width=width,
        window=window,
        offsets=8 * ((-group_offsets & 7) * stride + window) - (group_offsets + 7 >> 3),
        groups=np.concatenate([rare_groups, sample_groups]),
        ends=np.concatenate([rare_ends, len(rare_offsets) + sample_ends]),
        rare_groups=len(rare_groups),
        direct=np.concatenate([direct, room]).astype(np.uint64),
        near=int((direct & LOW < LANES).sum()),
        shifted=_aligned(8 * stride),
        excluded=_aligned(bound * WORDS),
        state=np.array([cursor, len(direct), values.max(), DONE]),
    )


def _best_reach(offsets: npt.NDArray[np.int64], used: int, largest: int) -> int:
    """Return up to which offset bitmaps save time.

    Every 64 heaps further cost work for each of the ``used`` bitmaps, every offset that is left to
    be looked up heap by heap costs work for each heap; the factors were measured.
    """
    reaches = np.append(offsets[(offsets > ENOUGH) & (offsets <= largest)], min(ENOUGH, largest))
    reaches.sort()
    beyond = len(offsets) - np.searchsorted(np.sort(offsets), reaches, side="right")
    cost = used * (reaches / 70 - beyond) + 600 * beyond
    return int(reaches[np.argmin(cost)])


def _sample(
    values: Values,
    is_common: npt.NDArray[np.bool_],
    splits: npt.NDArray[np.int64],
    reach: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return offsets of ``SAMPLE`` heaps of common value, as many of each value as possible.

    All are so small that the other heap of the pair is larger.
    """
    rng = np.random.default_rng(0)
    most_taken = int(splits.max())
    heaps = np.arange(LANES, min(reach - most_taken, (len(values) - most_taken) // 2))
    heaps = rng.permutation(heaps[is_common[heaps]])
    order = np.argsort(values[heaps], kind="stable")
    sorted_values = values[heaps][order]
    rank = np.empty(len(heaps), dtype=np.int64)
    rank[order] = np.arange(len(heaps)) - np.searchsorted(sorted_values, sorted_values)
    chosen = heaps[np.argsort(rank, kind="stable")[:SAMPLE]]
    return chosen + rng.choice(splits, len(chosen)), values[chosen].astype(np.int64)


def _grouped(
    offsets: npt.NDArray[np.int64], values: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return offsets sorted by value, the values, and where the offsets of each end."""
    order = np.lexsort((offsets, values))
    groups, counts = np.unique(values, return_counts=True)
    return offsets[order], groups, np.cumsum(counts)


def _aligned(words: int) -> npt.NDArray[np.uint64]:
    """Return zeros that begin at a cache line."""
    memory = np.zeros(words + 8, dtype=np.uint64)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + words]


def _make_room(plan: Plan) -> None:
    """Move the bits that are still needed to the front of the bitmaps."""
    bitmaps = plan.bitmaps.reshape(-1, plan.width)
    end, kept = plan.state[CURSOR] // 64, plan.window + 1
    bitmaps[:, :kept] = bitmaps[:, end - kept : end].copy()
    bitmaps[:, kept:] = 0
    plan.state[CURSOR] = 64 * kept


def _lowest_bit(word: Any) -> int:
    number = 0
    for half in (32, 16, 8, 4, 2, 1):
        if not word & np.uint64((1 << half) - 1):
            number += half
            word >>= np.uint64(half)
    return number


lowest_bit = compiled(_lowest_bit)


def _exclude(plan: Any, known: int, top: int) -> None:
    """Set in ``plan.excluded`` the bits of the values up to ``top`` that the groups exclude."""
    stride = plan.window + 1 + WORDS
    for value in range(len(plan.common)):
        if plan.newest[value] < known - 64 * plan.window:
            continue
        source = value * plan.width + plan.state[CURSOR] // 64 - plan.window
        for word in range(0, stride, WORDS):
            store_shifted(plan.shifted, word, stride, plan.bitmaps, source + word)
        begin = 0
        for group in range(len(plan.groups) if plan.frequent[value] else plan.rare_groups):
            end = plan.ends[group]
            option = value ^ plan.groups[group]
            if option <= top:
                found = load(plan.excluded, option * WORDS)
                for i in range(begin, end):
                    found = or_bytes(found, plan.shifted, plan.offsets[i])
                store(plan.excluded, option * WORDS, found)
            begin = end


exclude = compiled(_exclude)


def _is_option(
    values: Any, heap: int, value: int, singles: Any, splits: Any, unequal: bool
) -> bool:
    """Return whether ``heap`` has an option of Grundy value ``value``; all pairs are tried."""
    for taken in singles:
        if values[heap - taken] == value:
            return True
    target = np.uint16(value)
    for taken in splits:
        total = heap - taken
        last = (total - 1) // 2 if unequal else total // 2
        one = 1
        while one + PAIRS <= last + 1:
            if any_pair(values, one, total - one, target):
                return True
            one += PAIRS
        while one <= last:
            if values[one] ^ values[total - one] == value:
                return True
            one += 1
    return False


is_option = compiled(_is_option)


def _note_candidates(excluded: Any, candidates: Any, noted: Any) -> None:
    """List for each lane the least values that are not excluded, ascending."""
    open_lanes = np.full(WORDS, np.uint64(FULL))
    noted[:] = 0
    for value in range(len(excluded) // WORDS):
        any_open = False
        for word in range(WORDS):
            left = ~excluded[value * WORDS + word] & open_lanes[word]
            while left:
                bit = lowest_bit(left)
                left &= left - np.uint64(1)
                lane = 64 * word + bit
                candidates[lane, noted[lane]] = value
                noted[lane] += 1
                if noted[lane] == candidates.shape[1]:
                    open_lanes[word] &= ~(np.uint64(1) << np.uint64(bit))
            any_open |= open_lanes[word] != 0
        if not any_open:
            break


note_candidates = compiled(_note_candidates)


def _advance(values: Any, known: int, until: int, plan: Any) -> int:
    """Compute values in place, ``LANES`` heaps at a time, and update ``plan``.

    Args:
        values: uint16, with room for ``until + OVERSHOOT``.
        known: how many values are known.
        until: how many are wanted.
        plan: the plan.

    Returns:
        How many values are known now. If less than ``until``, then ``plan.state`` says why.
    """
    common, direct, low, high = plan.common, plan.direct, np.uint64(LOW), np.uint64(32)
    singles, splits = plan.singles, plan.splits
    bound = len(common)
    count, top = plan.state[COUNT], plan.state[TOP]
    most = len(direct) - len(plan.splits) * LANES
    candidates = np.empty((LANES, CANDIDATES), dtype=np.uint16)
    noted = np.empty(LANES, dtype=np.int64)
    last_excluded = np.zeros(
        bound, dtype=np.int64
    )  # the last heap that a direct offset excluded it from
    while known < until:
        if plan.state[CURSOR] + 3 * LANES > 64 * plan.width:
            plan.state[STATUS] = NEEDS_ROOM
            return known
        if count > most:
            plan.state[STATUS] = NEEDS_PLAN
            return known
        plan.excluded[:] = 0
        exclude(plan, known, top)
        note_candidates(plan.excluded, candidates, noted)
        all_known = top  # above it nothing was excluded
        for lane in range(LANES):
            heap = known + lane
            for i in range(plan.near):
                other = np.uint64(heap) - (direct[i] & low)
                last_excluded[direct[i] >> high ^ np.uint64(values[other])] = heap
            for i in range(plan.near, count):
                far = heap - np.int64(direct[i] & low)
                if far >= 1:
                    last_excluded[direct[i] >> high ^ np.uint64(values[far])] = heap
            candidate, value = 0, -1
            while True:
                if candidate < noted[lane]:
                    value = int(candidates[lane, candidate])
                    candidate += 1
                else:
                    value += 1
                    if value == bound:
                        plan.state[STATUS] = NEEDS_BOUND
                        return heap
                    word = plan.excluded[value * WORDS + lane // 64]
                    if word >> np.uint64(lane % 64) & np.uint64(1):
                        continue
                if common[value] and value <= all_known:
                    if last_excluded[value] != heap:
                        break
                elif not is_option(values, heap, value, singles, splits, plan.unequal):
                    break
            values[heap] = value
            if value > top:
                top = value
            if common[value]:
                plan.newest[value] = heap
                bit = plan.state[CURSOR] + lane
                plan.bitmaps[value * plan.width + bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
            else:
                for taken in splits:
                    direct[count] = value << 32 | (heap + taken)
                    count += 1
        known += LANES
        plan.state[CURSOR] += LANES
        plan.state[COUNT], plan.state[TOP] = count, top
    plan.state[STATUS] = DONE
    return known


advance = compiled(_advance)
