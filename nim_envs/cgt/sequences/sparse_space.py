"""Grundy values of heap games by the sparse-space method, many heaps at once.

Values are split by a mask: *rare* are those that have an even number of bits in common with it,
*common* the others. The nim-sum of two rare or of two common values is rare, that of a rare and
a common one common. A good mask leaves few rare values, so a heap's common options come from few
pairs of heaps: those with a heap of rare value. The value of a heap is the least common one that
is no option, unless a smaller rare value is no option either; that is checked, and that makes the
method exact whatever the mask.

In 0.6 a move takes one object from a heap and may split what is left. A heap's value from those of
smaller heaps:

    >>> from nim_envs.cgt.sequences import grundy_sequence
    >>> values, heap = grundy_sequence("0.6", 8192).astype(int), 8191
    >>> bound = 1 << int(values.max()).bit_length()  # all values are smaller
    >>> common = parities(np.arange(bound) & sparse_mask(values, bound)) == 1  # by value
    >>> rare_heaps = np.flatnonzero(~common[values])
    >>> len(rare_heaps), rare_heaps[rare_heaps < 16].tolist()
    (1321, [0, 1, 2, 4, 5, 8, 12])
    >>> excluded = np.zeros(bound, dtype=bool)  # whether each value is that of an option
    >>> left = heap - 1  # objects in the two heaps of a *pair*; heap 0 is no heap
    >>> excluded[values[rare_heaps] ^ values[left - rare_heaps]] = True
    >>> value = int(np.flatnonzero(common & ~excluded)[0])  # if all smaller rare values are options
    >>> heaps = np.arange(left + 1)
    >>> all_options = values[heaps] ^ values[left - heaps]
    >>> smaller_rare = np.flatnonzero(~common[:value])
    >>> bool(np.isin(smaller_rare, all_options).all()), value == int(values[heap])
    (True, True)

This module does that for ``LANES`` heaps at once, a *block*. The *offset* of a rare heap is what it
takes off the heaps of the block: its own objects and those that the move takes. For each common
value a *bitmap* says which heaps have it, a bit each; what a rare heap excludes from the block is
then a stretch of a bitmap that begins at its offset before the block (its *lanes*), and stretches
are or-ed (:func:`exclude`). The same with a *sample* of heaps of common value, whose stretches
begin at whole bytes, shows that most rare values are options (:func:`cover`); a *search* among all
pairs decides on the rest (:func:`first_without`), and from what had to be searched for the sample
is improved. Pairs with a heap inside the block, and a few others, are looked up for the few values
that are left (:func:`note_least`). A *plan* holds all tables, the *cursor* is the bit of the
block's first heap in the bitmaps.

Importing this module imports Numba.

References:
    Berlekamp, Conway & Guy, *Winning Ways*, ch. 4 "Sparse spaces"; A. Gangolli and T. Plambeck, "A
    note on periodicity in some octal games", *International Journal of Game Theory* 18 (1989),
    311-320; A. Flammenkamp, "Lange Perioden in Subtraktions-Spielen" (1997) and his tables of
    octal games.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from nim_envs.cgt.sequences.covering import LOW
from nim_envs.cgt.sequences.lanes import (
    CANDIDATES,
    LANES,
    NONE,
    PAIRS,
    SIDE,
    WORDS,
    any_pair,
    count_clear,
    load,
    lowest_bit,
    note_least,
    or_all,
    store,
    store_shifted,
)
from nim_envs.cgt.sequences.sparse_plan import (
    BLOCKS,
    COUNT,
    CURSOR,
    DONE,
    ENOUGH,
    HITS,
    LAST_RARE,
    NEAR_WINDOW,
    NEEDS_BOUND,
    NEEDS_PLAN,
    NEEDS_ROOM,
    NOTED,
    PART,
    RECENT,
    SEARCHED,
    SEARCHES,
    STATUS,
    Plan,
    Values,
    enter,
    make_plan,
    make_room,
    parities,
    sparse_mask,
    taken_by,
)
from nim_envs.compilation import compiled
from nim_envs.rules.octal_codes import LEAVE_TWO, HeapGame

OVERSHOOT = LANES
"""Most values that are computed beyond those wanted."""

ROWS = 4 * CANDIDATES
"""Values of each heap that are looked at side by side, at most."""

FEW_FURTHER = 16
"""If at most this many of ``LANES`` heaps need more than ``CANDIDATES`` values, those of the next
``LANES`` heaps that do are looked at one by one; otherwise side by side again."""

SEARCH_PAIRS = 20
"""Pairs of a heap whose options are entered in the time of one search."""

AT_ONE_TIME = 64
"""Pairs of each heap whose options are entered before their use is measured."""

FIRST = 1 + 32 * PAIRS
"""Pairs with a smaller heap than this are tried first in a search: one of them has most values as
an option, and they take no more time than those found lately. What is left of a heap that is
searched for is more than twice as large, see :func:`least_known`."""

RARE_LATELY = 2 * LANES
"""Heaps after one of rare value for each of which rare values are searched for at once; beyond,
they are for a whole block, which is computed again if that shows a value to be rare."""

FEW = 3
"""So few heaps of which a rare value is not shown to be an option are searched one by one."""

LARGEST_BOUND = 1 << 15
"""Values are smaller: 15 bits."""

HEAP_COST, PAIR_COST, BITMAP_COST, NAIVE_COST = 500, 0.2, 0.0035, 0.35
RARE_COST, LARGEST_RARE_COST = 10_000, 2_000
"""Nanoseconds, measured: for a heap, a pair with a heap of rare value, the same for each bitmap,
a pair of heaps by the naive method; and for rare values, times their share."""

MANY = 16
"""Slowdown, as a factor, at which the method is chosen again."""


def least_known(game: HeapGame) -> int:
    """Return the number of values of ``game`` that the method needs to begin."""
    return max(ENOUGH, 2 * len(game.digits))


def saves_time(values: Values, game: HeapGame, measured: float = 0.0) -> bool:
    """Return whether the method should be faster than trying all options, for the next heaps.

    The share of rare values decides. The time for a heap is the sum of that for its pairs with
    heaps of rare value, which grows with the number of common values, and of that for values that
    may be rare. The naive method tries as many pairs as half the heap for each splitting move.

    Args:
        values: the values so far, at least :func:`least_known`.
        game: the game.
        measured: nanoseconds per heap, as measured last; 0: not measured.
    """
    known = len(values)
    bound = 1 << int(values.max()).bit_length()
    if bound >= LARGEST_BOUND:
        return False
    mask = sparse_mask(values, bound)
    is_common = parities(np.arange(bound, dtype=np.int64) & mask)[values].astype(np.bool_)
    lately = max(known // 2, known - RECENT)
    bitmaps = int(np.count_nonzero(np.bincount(values[lately:][is_common[lately:]])))
    splits = len(taken_by(game, LEAVE_TWO))
    rare_lately = 1 - is_common[known * 3 // 4 :].mean()
    cost = (
        HEAP_COST
        + splits * (~is_common).sum() * (PAIR_COST + BITMAP_COST * bitmaps)
        + min(rare_lately * RARE_COST, LARGEST_RARE_COST)
    )
    return bool(max(cost, measured) < splits * known * NAIVE_COST)


class SparseSpace:
    """The method for one game; what was learned from some values helps with the next.

    Args:
        game: a game whose digits do not repeat and that has a splitting move.

    Attributes:
        cost: nanoseconds of processor time for each of the last heaps; 0: not measured yet.
    """

    def __init__(self, game: HeapGame) -> None:
        self._game = game
        self._plan: Plan | None = None
        self.cost = 0.0
        self._usual = float("inf")

    def extend(self, values: Values, known: int, size: int, piece: int) -> Iterator[int]:
        """Compute Grundy values in place, after those that are known.

        Fewer are computed where one takes ``MANY`` times as long as usual: then another method may
        be faster, or another plan.

        Args:
            values: array of at least ``size + OVERSHOOT`` entries, the first ``known`` filled.
            known: at least :func:`least_known`.
            size: number of values wanted.
            piece: about how many values to compute between two yields.

        Yields:
            How many values are known by now.

        Raises:
            OverflowError: a value does not fit in 16 bits.
        """
        bound = 2
        while known < size:
            until = min(size, 2 * known)
            plan = self._plan = make_plan(values[:known], self._game, bound, self._plan)
            while known < until:
                # Until the function is loaded, its time says nothing of the heaps.
                loaded, before = bool(getattr(advance, "signatures", True)), known
                began = time.thread_time_ns()
                known = advance(values, known, min(until, known + piece), plan)
                spent = time.thread_time_ns() - began
                yield known
                if loaded and known > before:
                    self.cost = spent / (known - before)
                    self._usual = min(self._usual, self.cost)
                    if self.cost > MANY * self._usual:
                        return
                if plan.state[STATUS] == NEEDS_ROOM:
                    make_room(plan)
                elif plan.state[STATUS] != DONE:
                    break
            bound = len(plan.common) * (2 if plan.state[STATUS] == NEEDS_BOUND else 1)
            if bound > LARGEST_BOUND:
                raise OverflowError(f"a Grundy value of {self._game.name} does not fit in 15 bits")


@compiled(inner=True)
def shift(shifted: Any, bitmaps: Any, source: int) -> None:
    """Store in ``shifted`` the bits from ``bitmaps[source]`` on, shifted by 0 to 7 bits."""
    stride = len(shifted) // 8
    for word in range(0, stride, WORDS):
        store_shifted(shifted, word, stride, bitmaps, source + word)


@compiled(inner=True)
def or_groups(
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


@compiled(inner=True)
def exclude(plan: Any, groups: Any, shifted: Any, window: int, known: int) -> None:
    """Set in ``plan.excluded`` the bits of common values that heaps at offsets of groups exclude.

    Heaps of rare value are at these offsets, which reach ``window`` words back.
    """
    first = plan.state[CURSOR] // 64 - window
    for value in range(len(plan.common)):
        if plan.newest[value] >= known - 64 * window:
            shift(shifted, plan.bitmaps, value * plan.width + first)
            or_groups(plan.excluded, groups, shifted, 0, value, plan.limit, -1)


@compiled(inner=True)
def forget(plan: Any) -> None:
    """Remove from the bitmaps the heaps from the cursor on."""
    first = plan.state[CURSOR] // 64
    for value in range(len(plan.common)):
        plan.bitmaps[value * plan.width + first : value * plan.width + first + WORDS] = 0


@compiled(inner=True)
def cover(plan: Any, last: int) -> None:
    """Set in ``plan.excluded`` the bits of rare values up to ``last`` that the sample excludes."""
    first = plan.state[CURSOR] // 64 - plan.history
    or_groups(plan.excluded, plan.sample, plan.bitmaps, first, 0, last, FEW)


@compiled(inner=True)
def count_left(plan: Any, last: int) -> int:
    """Return how many bits of rare values up to ``last`` are not set in ``plan.excluded``."""
    left = 0
    for option in range(last + 1):
        if not plan.common[option]:
            left += count_clear(load(plan.excluded, option * WORDS))
    return left


@compiled(inner=True)
def cover_near(values: Any, known: int, plan: Any, last: int) -> None:
    """Set in ``plan.excluded`` the bits of options by pairs with small heaps, while that pays.

    The small heaps begin at ``LANES``, so that the others are known.
    """
    excluded, splits = plan.excluded, plan.moves.splits
    options = np.zeros(len(plan.common), dtype=np.uint64)
    # At first as many are expected as if all values were equally frequent.
    left, begin, turn = count_left(plan, last), LANES, 0
    gain = 2 * AT_ONE_TIME * left // (last + 1)
    while gain * SEARCH_PAIRS > AT_ONE_TIME * LANES and 2 * (begin + AT_ONE_TIME) < known - LANES:
        taken = splits[turn % len(splits)]
        for word in range(WORDS):
            for bit in range(64):
                total, lane = known + 64 * word + bit - taken, np.uint64(1) << np.uint64(bit)
                for small in range(begin, begin + AT_ONE_TIME):
                    options[np.uint64(values[small] ^ values[total - small])] |= lane
            for option in range(last + 1):
                excluded[option * WORDS + word] |= options[option]
            options[:] = 0
        before, left = left, count_left(plan, last)
        gain, begin, turn = before - left, begin + AT_ONE_TIME, turn + 1


@compiled(inner=True)
def first_without(values: Any, searches: Any, moves: Any, hits: Any) -> int:
    """Return the number of ``searches`` that find an option, up to the first that finds none.

    A search is a heap, with the value that an option must have above its low 32 bits. All pairs
    are tried: those with the smallest heaps, then those that had the value as an option lately,
    then the others. Many searches in one call, and few arrays: a call costs the counting of
    references.
    """
    low, high = np.uint64(LOW), np.uint64(32)
    for k in range(len(searches)):
        value, heap = searches[k] >> 32, searches[k] & LOW
        target, found, one = np.uint16(value), False, 1
        while one < FIRST and not any_pair(values, one, heap - moves.splits[0] - one, target):
            one += PAIRS
        if one < FIRST:
            continue
        for i in range(min(hits.counts[value], HITS)):
            hit = hits.pairs[value, i]
            if values[np.uint64(heap) - (hit & low)] ^ np.uint16(hit >> high) == target:
                found = True
                break
        if found:
            continue
        for split in range(len(moves.splits)):
            taken = moves.splits[split]
            total = heap - taken
            last = (total - 1) // 2 if moves.unequal else total // 2
            while not found and one + PAIRS <= last:
                found = any_pair(values, one, total - one, target)
                one += PAIRS
            if found:
                one -= PAIRS
                while values[one] ^ values[total - one] != target:
                    one += 1
                # For any heap that may come the other part is larger than this one.
                if total - one > one + LANES:
                    hit = np.uint64(values[one]) << high | np.uint64(one + taken)
                    hits.pairs[value, hits.counts[value] % HITS] = hit
                    hits.counts[value] += 1
            found = found or any_pair(values, last - PAIRS + 1, total - last + PAIRS - 1, target)
            if found:
                break
            one = 1
        for single in range(len(moves.singles)):
            found = found or values[heap - moves.singles[single]] == target
        if not found:
            return k
    return len(searches)


@compiled(inner=True)
def list_open(excluded: Any, word: int, rare: Any, last: int, listed: Any, counts: Any) -> None:
    """List for each lane of a word the ``rare`` values up to ``last`` not excluded, ascending."""
    counts[:] = 0
    for option in rare:
        if option > last:
            break
        left = ~excluded[option * WORDS + word]
        while left:
            bit = lowest_bit(left)
            left &= left - np.uint64(1)
            listed[bit, counts[bit]] = option
            counts[bit] += 1


@compiled(inner=True)
def mark_options(values: Any, heap: int, pairs: Any, marks: Any, mark: Any) -> None:
    """Set to ``mark`` the place in ``marks`` of each option of ``heap`` by one of ``pairs``."""
    for pair in pairs:
        other = np.uint64(heap) - (pair & np.uint64(LOW))
        marks[pair >> np.uint64(32) ^ np.uint64(values[other])] = mark


@compiled(inner=True)
def verified(values: Any, known: int, plan: Any, searches: Any) -> bool:
    """Return whether all rare values below those of the next ``LANES`` heaps are options.

    ``searches`` is a buffer of ``SEARCHES`` entries: making one takes longer than some searches.
    """
    excluded, searched, last, count = plan.excluded, plan.past_searches, 0, 0
    excluded[:] = 0
    for lane in range(LANES):
        value = int(values[known + lane])
        last = max(last, value)
        excluded[value * WORDS + lane // 64] |= np.uint64(1) << np.uint64(lane % 64)
    # No value from its own on is in question for a heap.
    for word in range(WORDS, (last + 1) * WORDS):
        excluded[word] |= excluded[word - WORDS]
    cover(plan, last)
    cover_near(values, known, plan, last)
    for value in range(last + 1):
        if not plan.common[value] and value < last:
            for word in range(WORDS):
                left = ~excluded[value * WORDS + word]
                while left:
                    searches[count] = value << 32 | (known + 64 * word + lowest_bit(left))
                    left &= left - np.uint64(1)
                    count += 1
        if value == last or count > SEARCHES - LANES:
            if first_without(values, searches[:count], plan.moves, plan.hits) < count:
                return False
            for search in searches[: min(count, len(searched) - plan.state[SEARCHED])]:
                searched[plan.state[SEARCHED]] = search
                plan.state[SEARCHED] += 1
            count = 0
    return True


@compiled
def advance(values: Any, known: int, until: int, plan: Any) -> int:
    """Compute values in place, ``LANES`` heaps at a time, and update ``plan``.

    Args:
        values: uint16, with room for ``until + OVERSHOOT``.
        known: number of known values.
        until: number of values wanted.
        plan: the plan.

    Returns:
        Number of known values. If less than ``until``, then ``plan.state`` says why.
    """
    common, excluded, moves, hits = plan.common, plan.excluded, plan.moves, plan.hits
    others, distant = plan.others, plan.distant
    low, high = np.uint64(LOW), np.uint64(32)
    bound = len(common)
    part = PART if len(plan.near.values) else LANES
    most = len(others) - len(moves.splits) * LANES
    least = np.empty(ROWS * SIDE, dtype=np.uint16)
    reached = np.empty(SIDE, dtype=np.uint16)
    # The last lane, counted from 1, that a value was found to be excluded from heap by heap.
    marks = np.empty(bound, dtype=np.uint16)
    choices = np.flatnonzero(common[: plan.limit + 1])[::-1].astype(np.uint16)
    rare = np.flatnonzero(common == 0)
    top = int(values[known // 2 : known].max())
    searches = np.empty(SIDE * len(rare), dtype=np.int64)
    searches_of_block = np.empty(SEARCHES, dtype=np.int64)
    # For each lane of a word, the rare values that are not shown to be options.
    listed, counts = np.empty((64, len(rare)), dtype=np.uint16), np.empty(64, dtype=np.int64)
    # Heaps that are searched for together; fewer where a value has just been found to be rare.
    together = SIDE
    # Offsets of ``others`` that :func:`note_least` looks up; the rest are looked up heap by heap.
    side_by_side = 0
    # Values of each heap that are looked at side by side in the next block, at most.
    most_rows = ROWS
    # The last heap of which all rare values up to the limit were found to be options.
    passed_limit = -1
    while known < until:
        count = plan.state[COUNT]
        if plan.state[CURSOR] + 3 * LANES > 64 * plan.width:
            plan.state[STATUS] = NEEDS_ROOM
            return known
        if count > most:
            plan.state[STATUS] = NEEDS_PLAN
            return known
        at_once = known - plan.state[LAST_RARE] <= RARE_LATELY
        excluded[:] = 0
        exclude(plan, plan.rare, plan.shifted, plan.window, known)
        if at_once:
            cover(plan, top)
            cover_near(values, known, plan, top)
        marks[:] = 0
        # All heaps at the offsets that come first are known, for ``SIDE`` heaps at once.
        for i in range(side_by_side, count):
            if SIDE <= others[i] & low < known:
                others[side_by_side], others[i] = others[i], others[side_by_side]
                side_by_side += 1
        # Two arrays: an index from another start than 0 would be checked for being negative.
        left, singly = others[:side_by_side], others[side_by_side:]
        lane = total = begin = noted = further = 0
        while lane < LANES:
            heap, mark = known + lane, np.uint16(lane + 1)
            if lane % SIDE == 0:
                if part < LANES and lane % part == 0:
                    if lane > 0:
                        enter(
                            values, heap - part, heap, common, plan.newest, plan.bitmaps,
                            plan.width, plan.state[CURSOR] - known,
                        )  # fmt: skip
                    exclude(plan, plan.near, plan.near_shifted, NEAR_WINDOW, known)
                reached[:] = rows = 0
            for i in range(count - side_by_side):
                far = heap - np.int64(singly[i] & low)
                if far >= 1:
                    marks[singly[i] >> high ^ np.uint64(values[far])] = mark
            # The values to try come from three sources, one after the other. While ``place`` is
            # below ``rows``, they are those that ``note_least`` found; at ``rows + 1`` the next up
            # to the limit, one by one; at ``rows + 2`` those above it, all offsets looked up.
            side, place, value = lane % SIDE, 0, -1
            while True:
                if place == rows and rows > 0:
                    further += 1
                if place == rows and rows < most_rows and reached[side] != NONE:
                    note_least(
                        values, heap - side, left, excluded, lane - side, choices, reached, least,
                        rows,
                    )  # fmt: skip
                    rows += CANDIDATES
                    noted += 1
                if place < rows:
                    value = int(least[place * SIDE + side])
                    place += 1
                    if value == NONE:
                        continue
                else:
                    if place == rows:
                        place, value = rows + 1, min(int(reached[side]), plan.limit)
                        mark_options(values, heap, left, marks, mark)
                    value += 1
                    if value > plan.limit and place == rows + 1:
                        # All offsets are many; a search for smaller rare values may spare them.
                        if at_once and heap != passed_limit:
                            break
                        place = rows + 2
                        mark_options(values, heap, distant, marks, mark)
                    if value == bound:
                        break
                    word = excluded[value * WORDS + lane // 64]
                    if not common[value] or word >> np.uint64(lane % 64) & np.uint64(1):
                        continue
                if marks[value] != mark:
                    break
            if at_once:
                if lane % 64 == 0 or value > top:
                    top = min(max(top, value), bound - 1)
                    list_open(excluded, lane // 64, rare, top, listed, counts)
                for i in range(counts[lane % 64]):
                    option = np.int64(listed[lane % 64, i])
                    if option > value:
                        break
                    searches[total] = option << 32 | heap
                    total += 1
                after = lane + 1
                if after == begin + together or after % SIDE == 0 or value > plan.limit:
                    passed = first_without(values, searches[:total], moves, hits)
                    together = min(2 * together, SIDE)
                    if passed < total:
                        # The heaps after this one are computed again.
                        heap, value = searches[passed] & LOW, searches[passed] >> 32
                        lane = heap - known
                        together = 1
                        marks[:] = 0
                    elif value > plan.limit and heap != passed_limit:
                        # This heap is looked at once more, beyond the limit.
                        passed_limit = heap
                        begin, total = lane, 0
                        continue
                    begin, total = lane + 1, 0
            if value == bound:
                plan.state[STATUS] = NEEDS_BOUND
                return known
            values[heap] = value
            if not common[value]:
                plan.state[LAST_RARE] = heap
                for taken in moves.splits:
                    others[count] = value << 32 | (heap + taken)
                    count += 1
            lane += 1
        if not at_once and not verified(values, known, plan, searches_of_block):
            plan.state[LAST_RARE] = known
            forget(plan)
            continue
        after = known + LANES
        enter(
            values, after - part, after, common, plan.newest, plan.bitmaps, plan.width,
            plan.state[CURSOR] - known,
        )  # fmt: skip
        known += LANES
        most_rows = CANDIDATES if further <= FEW_FURTHER else ROWS
        plan.state[CURSOR] += LANES
        plan.state[COUNT] = count
        plan.state[NOTED] += noted
        plan.state[BLOCKS] += 1
    plan.state[STATUS] = DONE
    return known
