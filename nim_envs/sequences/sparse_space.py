"""Grundy values of heap games by the sparse-space method, many heaps at once.

Values are split by a mask: *rare* are those that have an even number of bits in common with it,
*common* the others. The nim-sum of two rare or of two common values is rare, that of a rare and
a common one common. A good mask leaves few rare values, so a heap's common options come from few
pairs of heaps: those with a heap of rare value. The value of a heap is the least common one that
is no option, unless a smaller rare value is no option either; that is checked, and that makes the
method exact whatever the mask.

For each common value a bitmap says which heaps have it. What one heap of rare value excludes from
``LANES`` consecutive heaps at once is then a stretch of a bitmap, and bitmaps are or-ed. The same
with a sample of heaps of common value, whose stretches begin at whole bytes, shows that most rare
values are options; a search among all pairs decides on the rest. Pairs with a heap inside the
stretch are looked up heap by heap.

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
    any_matching,
    any_pair,
    count_clear,
    load,
    or_all,
    store,
    store_shifted,
)

Values = npt.NDArray[np.uint16]

ENOUGH = 4096
"""From so many values on a mask saves time."""

OVERSHOOT = LANES
"""Most values that are computed beyond those wanted."""

SPAN = 32_000
"""Up to which offset heaps of common value are a sample that shows that rare values are options."""

FULLEST = 40
"""Common values whose bitmaps are used with the sample: those of most heaps."""

AT_ONCE = 4
"""Bitmaps of the sample that are used at once; so few stay in the processor's nearest cache."""

FEW = 3
"""So few heaps of which a rare value is not shown to be an option are searched one by one."""

RECENT = 1 << 18
"""Of so many last values at most the frequencies are looked at."""

NEW_RARE = 64
"""New heaps of rare value after which the plan is made anew."""

LARGEST_BITMAPS = 1 << 26
"""Bytes that the bitmaps may take."""

CANDIDATES = 5
"""Values of a heap that are listed as not excluded before the bitmaps are read again."""

LIMIT_COST = 1 / 800
"""How much longer bitmaps take for one offset, value and heap than a look-up for one offset."""

LARGEST_BOUND = 1 << 15
"""Values are smaller: 15 bits."""

HEAP_COST, PAIR_COST, BITMAP_COST, NAIVE_COST = 500, 0.2, 0.0035, 0.35
RARE_COST, LARGEST_RARE_COST = 20_000, 3_000
"""Nanoseconds, measured: for a heap, a pair with a heap of rare value, the same for each bitmap,
a pair of heaps by the naive method; and for rare values, so many times their share."""

FULL = (1 << 64) - 1
"""A word of ones."""

LOW = (1 << 32) - 1
"""Heaps are smaller; so an offset and a value fit in a word."""


class Groups(NamedTuple):
    """Offsets, which are heaps and the objects taken beside them, in groups of one value.

    Attributes:
        values: the value of the heaps of each group, int64 ``(groups,)``.
        ends: where each group ends in ``lanes``, int64 ``(groups,)``.
        lanes: where the lanes of each offset begin in :attr:`Plan.shifted`, in bytes, uint32.
    """

    values: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    lanes: npt.NDArray[np.uint32]


class Plan(NamedTuple):
    """Tables for a part of the computation, made from the values so far.

    Attributes:
        singles: objects taken by the moves that leave one heap, int64.
        splits: objects taken by the moves that leave two heaps, int64.
        unequal: whether those two must be of different sizes.
        common: whether a value is common, uint8 ``(bound,)``; values are below ``bound``.
        limit: up to which value bitmaps say what is excluded; few values are larger.
        newest: the last heap with each common value, or a negative number, int64 ``(bound,)``.
        bitmaps: for each value a bitmap of ``width`` words, one after the other, uint64.
        width: words of one bitmap.
        window: words of a bitmap before the cursor that offsets of ``rare`` reach into.
        history: the same for those of ``sample``.
        rare: the offsets of heaps of rare value.
        sample: lanes that show that rare values, which are those of the groups, are options; their
            bytes are counted from where the history begins in the bitmap of value 0.
        near: for ``LANES`` consecutive heaps the value of the other heap that each makes a pair
            with to give an option of the next heap, or ``bound``, uint16; perhaps several rows.
        distant: the offsets of ``rare`` in the low 32 bits, the value of the heap of each above
            them, uint64.
        direct: further offsets, to be looked up heap by heap, in the same form; with room for more.
        shifted: buffer for a bitmap shifted by 0 to 7 bits, ``(8, window + WORDS + 1)``
            words, one after the other, uint64.
        excluded: buffer for the lanes of each value, uint64 ``(bound * WORDS,)``.
        state: the bit of the bitmaps that is the next heap's, the number of direct offsets, how
            many of the last ``LANES`` values are rare, and why :func:`advance` returned, int64
            ``(4,)``.
    """

    singles: npt.NDArray[np.int64]
    splits: npt.NDArray[np.int64]
    unequal: bool
    common: npt.NDArray[np.uint8]
    limit: int
    newest: npt.NDArray[np.int64]
    bitmaps: npt.NDArray[np.uint64]
    width: int
    window: int
    history: int
    rare: Groups
    sample: Groups
    direct: npt.NDArray[np.uint64]
    near: npt.NDArray[np.uint16]
    distant: npt.NDArray[np.uint64]
    shifted: npt.NDArray[np.uint64]
    excluded: npt.NDArray[np.uint64]
    state: npt.NDArray[np.int64]


CURSOR, COUNT, RARE_LATELY, STATUS = range(4)
"""Places of :attr:`Plan.state`."""

DONE, NEEDS_PLAN, NEEDS_BOUND, NEEDS_ROOM = range(4)
"""Why :func:`advance` returned."""


def least_known(game: HeapGame) -> int:
    """Return how many values of ``game`` must be known before the method can begin."""
    return max(ENOUGH, 2 * len(game.digits))


def pays(values: Values, game: HeapGame) -> bool:
    """Return whether the method should be faster than trying all options, for the next heaps.

    The share of rare values decides: the time for a heap is made of that for each pair with a heap
    of rare value, which is more the more common values there are, and of that for values that may
    be rare. The naive method tries as many pairs as half the heap for each splitting move.

    Args:
        values: the values so far, at least :func:`least_known`.
        game: the game.
    """
    known = len(values)
    bound = 1 << int(values.max()).bit_length()
    if bound >= LARGEST_BOUND:
        return False
    mask = sparse_mask(values[max(known // 4, known - RECENT) :], bound)
    is_common = parities(np.arange(bound, dtype=np.int64) & mask)[values].astype(np.bool_)
    lately = max(known // 2, known - RECENT)
    bitmaps = np.unique(values[lately:][is_common[lately:]]).size
    splits = len(_taken(game, LEAVE_TWO))
    rare_lately = 1 - is_common[known * 3 // 4 :].mean()
    cost = (
        HEAP_COST
        + splits * (~is_common).sum() * (PAIR_COST + BITMAP_COST * bitmaps)
        + min(rare_lately * RARE_COST, LARGEST_RARE_COST)
    )
    return bool(cost < splits * known * NAIVE_COST)


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
        if bound > LARGEST_BOUND:
            raise OverflowError(f"a Grundy value of {game.name} does not fit in 15 bits")


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
    mask = sparse_mask(values[max(known // 4, known - RECENT) :], bound)
    common = parities(np.arange(bound, dtype=np.int64) & mask)
    is_common = common[values].astype(np.bool_)

    rare = np.flatnonzero(~is_common[1:]) + 1
    # A heap of rare value counts once for each number of objects that a splitting move takes.
    pairs = np.unique(
        np.concatenate([np.stack([rare + taken, values[rare]], axis=1) for taken in splits]), axis=0
    )
    offsets, offset_values = pairs[:, 0], pairs[:, 1]
    lately = max(known // 2, known - RECENT)
    used = np.unique(values[lately:][is_common[lately:]]).size
    largest = min(LARGEST_BITMAPS * 8 // (2 * bound), known - LANES)
    reach = _best_reach(offsets, used, largest)
    grouped = (offsets >= LANES) & (offsets <= reach)

    span = max(reach, min(SPAN, largest))
    recent = np.arange(max(1, known - span), known)
    recent = recent[is_common[recent]]
    counts = np.bincount(values[recent], minlength=bound)
    # So that the lanes from every word up to the cursor's are a whole number of vectors.
    window = -(-(reach // 64 + 2) // WORDS) * WORDS - 1
    stride = window + 1 + WORDS

    history = span // 64 + 2
    width = 2 * history + 64 * WORDS
    cursor = 64 * (history + 1)
    bitmaps = _aligned(bound * width)
    bits = recent - known + cursor
    words = values[recent].astype(np.int64) * width + (bits >> 6)
    np.bitwise_or.at(bitmaps, words, np.uint64(1) << (bits & 63).astype(np.uint64))
    newest = np.full(bound, -LARGEST_BITMAPS * 8, dtype=np.int64)
    newest[values[recent]] = recent

    singles = _taken(game, LEAVE_ONE)
    packed = offsets | offset_values << 32
    # To leave one heap is as to split off an empty one, of value 0.
    others = np.concatenate([singles, packed[~grouped]])
    near = others & LOW < LANES
    direct = others[~near]
    room = np.zeros(NEW_RARE + len(offsets) // 8 + len(splits) * LANES, dtype=np.int64)
    return Plan(
        singles=singles,
        splits=splits,
        unequal=game.unequal,
        common=common,
        limit=_best_limit(values[lately:], used, bound),
        newest=newest,
        bitmaps=bitmaps,
        width=width,
        window=window,
        history=history,
        rare=_grouped(offsets[grouped], offset_values[grouped], window),
        sample=_sample(values, is_common, counts, splits, width, history),
        direct=np.concatenate([direct, room]).astype(np.uint64),
        near=_near(others[near] & LOW, others[near] >> 32, bound),
        distant=packed[grouped].astype(np.uint64),
        shifted=_aligned(8 * stride),
        excluded=_aligned(bound * WORDS),
        state=np.array([cursor, len(direct), (~is_common[-LANES:]).sum(), DONE]),
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


def _best_limit(values: Values, used: int, bound: int) -> int:
    """Return up to which value bitmaps save time; for a larger one all offsets are looked up.

    Every further value costs ``LANES`` bits of all bitmaps, every heap of a larger value one
    look-up for each offset; the factor was measured.
    """
    larger = 1 - np.cumsum(np.bincount(values, minlength=bound)) / len(values)
    return int(np.argmin(larger + LIMIT_COST * used / bound * np.arange(bound)))


def _sample(
    values: Values,
    is_common: npt.NDArray[np.bool_],
    counts: npt.NDArray[np.int64],
    splits: npt.NDArray[np.int64],
    width: int,
    history: int,
) -> Groups:
    """Return the lanes that show that rare values are options, in groups of one such value.

    They are those of the fullest bitmaps at the offsets of heaps of common value that are whole
    bytes; all these heaps are so small that the other heap of the pair is larger. The groups with
    the same few bitmaps follow each other.
    """
    most_taken = int(splits.max())
    heaps = np.arange(LANES, min(64 * (history - 2), len(values) // 2) - most_taken)
    heaps = heaps[is_common[heaps]]
    offsets = heaps[:, None] + splits
    chosen = offsets % 8 == 0
    sample = np.repeat(values[heaps], chosen.sum(axis=1)).astype(np.int64)
    fullest = np.argsort(-counts, kind="stable")[: min(FULLEST, np.count_nonzero(counts))]
    options = fullest[:, None] ^ sample
    bound = len(counts)
    keys = (np.arange(len(fullest))[:, None] // AT_ONCE * bound + options).reshape(-1)
    lanes = (8 * (fullest[:, None] * width + history) - offsets[chosen] // 8).reshape(-1)
    order = np.argsort(
        keys.astype(np.uint16 if keys.max(initial=0) < 1 << 16 else np.int64), kind="stable"
    )
    groups, counted = np.unique(keys, return_counts=True)
    return Groups(groups % bound, np.cumsum(counted), lanes[order].astype(np.uint32))


def _grouped(offsets: npt.NDArray[np.int64], values: npt.NDArray[np.int64], window: int) -> Groups:
    """Return offsets in groups of equal ``values``, the smallest groups first.

    So loops over one group and the next are of about the same length, which processors predict.
    """
    groups, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    offsets = offsets[np.lexsort((offsets, group, counts[group]))]
    by_size = np.argsort(counts, kind="stable")
    stride = window + 1 + WORDS
    lanes = 8 * ((-offsets & 7) * stride + window) - (offsets + 7 >> 3)
    return Groups(groups[by_size], np.cumsum(counts[by_size]), lanes.astype(np.uint32))


def _near(
    offsets: npt.NDArray[np.int64], values: npt.NDArray[np.int64], bound: int
) -> npt.NDArray[np.uint16]:
    """Return the values of the heaps of offsets below ``LANES``, by offset.

    Several rows if an offset has several values. The nim-sum of the filling, which is ``bound``,
    and a value is no value.
    """
    order = np.argsort(offsets, kind="stable")
    offsets, values = offsets[order], values[order]
    row = np.arange(len(offsets)) - np.searchsorted(offsets, offsets)
    near = np.full((row.max(initial=0) + 1, LANES), bound, dtype=np.uint16)
    near[row, LANES - offsets] = values
    return near.reshape(-1)


def _aligned(words: int) -> npt.NDArray[np.uint64]:
    """Return zeros that begin at a cache line."""
    memory = np.zeros(words + 8, dtype=np.uint64)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + words]


def _make_room(plan: Plan) -> None:
    """Move the bits that are still needed to the front of the bitmaps."""
    bitmaps = plan.bitmaps.reshape(-1, plan.width)
    end, kept = plan.state[CURSOR] // 64, plan.history + 1
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


def _shift(shifted: Any, bitmaps: Any, source: int) -> None:
    """Store in ``shifted`` the bits from ``bitmaps[source]`` on, shifted by 0 to 7 bits."""
    stride = len(shifted) // 8
    for word in range(0, stride, WORDS):
        store_shifted(shifted, word, stride, bitmaps, source + word)


shift = compiled(inner=True)(_shift)


def _or_groups(
    excluded: Any, groups: Any, words: Any, start: int, value: int, last: int, few: int
) -> None:
    """Or lanes of ``value``, at the offsets of groups, to those of the options up to ``last``.

    The lanes are in ``words``; bytes are counted from ``words[start]``. No option of which at most
    ``few`` bits are left is looked at.
    """
    begin = 0
    for group in range(len(groups.values)):
        end = groups.ends[group]
        option = value ^ groups.values[group]
        if option <= last:
            found = load(excluded, option * WORDS)
            if few < 0 or count_clear(found) > few:
                found = or_all(found, words, start, groups.lanes, begin, end)
                store(excluded, option * WORDS, found)
        begin = end


or_groups = compiled(inner=True)(_or_groups)


def _exclude(plan: Any, known: int) -> None:
    """Set in ``plan.excluded`` the bits of the common values that heaps of rare value exclude."""
    first = plan.state[CURSOR] // 64 - plan.window
    for value in range(len(plan.common)):
        if plan.newest[value] >= known - 64 * plan.window:
            shift(plan.shifted, plan.bitmaps, value * plan.width + first)
            or_groups(plan.excluded, plan.rare, plan.shifted, 0, value, plan.limit, -1)


exclude = compiled(inner=True)(_exclude)


def _cover(plan: Any, last: int) -> None:
    """Set in ``plan.excluded`` the bits of rare values up to ``last`` that the sample excludes."""
    first = plan.state[CURSOR] // 64 - plan.history
    or_groups(plan.excluded, plan.sample, plan.bitmaps, first, 0, last, FEW)


cover = compiled(inner=True)(_cover)


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


is_option = compiled(inner=True)(_is_option)


def _near_option(near: Any, values: Any, heap: int, value: int) -> bool:
    """Return whether a heap of an offset below ``LANES`` makes ``value`` an option of ``heap``."""
    for row in range(0, len(near), LANES):
        if any_matching(values, heap - LANES, near, row, np.uint16(value)):
            return True
    return False


near_option = compiled(inner=True)(_near_option)


def _note_candidates(excluded: Any, limit: int, candidates: Any, noted: Any) -> None:
    """List for each lane the least values up to ``limit`` that are not excluded, ascending."""
    open_lanes = np.full(WORDS, np.uint64(FULL))
    noted[:] = 0
    for value in range(limit + 1):
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


note_candidates = compiled(inner=True)(_note_candidates)


def _verified(values: Any, known: int, plan: Any) -> bool:
    """Return whether all rare values below those of the next ``LANES`` heaps are options."""
    excluded, last = plan.excluded, 0
    excluded[:] = 0
    for lane in range(LANES):
        value = int(values[known + lane])
        last = max(last, value)
        excluded[value * WORDS + lane // 64] |= np.uint64(1) << np.uint64(lane % 64)
    # No value from its own on is in question for a heap.
    for word in range(WORDS, (last + 1) * WORDS):
        excluded[word] |= excluded[word - WORDS]
    cover(plan, last)
    for value in range(last):
        if not plan.common[value]:
            for word in range(WORDS):
                left = ~excluded[value * WORDS + word]
                while left:
                    heap = known + 64 * word + lowest_bit(left)
                    left &= left - np.uint64(1)
                    if not is_option(values, heap, value, plan.singles, plan.splits, plan.unequal):
                        return False
    return True


verified = compiled(inner=True)(_verified)


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
    bound = len(common)
    most = len(direct) - len(plan.splits) * LANES
    candidates = np.empty((LANES, CANDIDATES), dtype=np.uint16)
    noted = np.empty(LANES, dtype=np.int64)
    # The last lane, counted from 1, that a value was found to be excluded from heap by heap.
    marks = np.empty(bound, dtype=np.uint16)
    while known < until:
        count = plan.state[COUNT]
        if plan.state[CURSOR] + 3 * LANES > 64 * plan.width:
            plan.state[STATUS] = NEEDS_ROOM
            return known
        if count > most:
            plan.state[STATUS] = NEEDS_PLAN
            return known
        at_once = plan.state[RARE_LATELY] > 0
        plan.excluded[:] = 0
        exclude(plan, known)
        if at_once:
            cover(plan, bound - 1)
        else:
            for value in range(bound):
                if not common[value]:
                    plan.excluded[value * WORDS : (value + 1) * WORDS] = np.uint64(FULL)
        note_candidates(plan.excluded, plan.limit, candidates, noted)
        marks[:] = 0
        new_rare = 0
        for lane in range(LANES):
            heap, mark = known + lane, np.uint16(lane + 1)
            for i in range(count):
                far = heap - np.int64(direct[i] & low)
                if far >= 1:
                    marks[direct[i] >> high ^ np.uint64(values[far])] = mark
            candidate, value, looked_up = 0, -1, False
            while True:
                if candidate < noted[lane]:
                    value = int(candidates[lane, candidate])
                    candidate += 1
                else:
                    value += 1
                    if value > plan.limit and not looked_up:
                        looked_up = True
                        for pair in plan.distant:
                            other = np.uint64(heap) - (pair & low)
                            marks[pair >> high ^ np.uint64(values[other])] = mark
                    if value == bound:
                        plan.state[STATUS] = NEEDS_BOUND
                        return known
                    word = plan.excluded[value * WORDS + lane // 64]
                    if word >> np.uint64(lane % 64) & np.uint64(1):
                        continue
                if common[value]:
                    if marks[value] != mark and not near_option(plan.near, values, heap, value):
                        break
                elif not is_option(values, heap, value, plan.singles, plan.splits, plan.unequal):
                    break
            values[heap] = value
            if not common[value]:
                new_rare += 1
                for taken in plan.splits:
                    direct[count] = value << 32 | (heap + taken)
                    count += 1
        if not at_once and not verified(values, known, plan):
            plan.state[RARE_LATELY] = 1
            continue
        for heap in range(known, known + LANES):
            value = values[heap]
            if common[value]:
                plan.newest[value] = heap
                bit = plan.state[CURSOR] + heap - known
                plan.bitmaps[value * plan.width + bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
        known += LANES
        plan.state[CURSOR] += LANES
        plan.state[COUNT], plan.state[RARE_LATELY] = count, new_rare
    plan.state[STATUS] = DONE
    return known


advance = compiled(_advance)
