"""Plans of the sparse-space method: tables that serve many heaps, made from the values so far.

:mod:`nim_envs.cgt.sequences.sparse_space` describes the method.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.cgt.sequences.covering import LOW, by_group, lacking, most_frequent
from nim_envs.cgt.sequences.lanes import LANES, NONE, SIDE, WORDS
from nim_envs.compilation import compiled
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, HeapGame

Values = npt.NDArray[np.uint16]

ENOUGH = 4096
"""Number of values from which a mask saves time."""

SPAN = 32_000
"""Up to which offset heaps of common value are a sample that shows that rare values are options."""

FULLEST = 40
"""Common values whose bitmaps are used with the sample: those of most heaps."""

AT_ONCE = 16
"""Bitmaps of the sample that are used at once; so few stay in the processor's nearest cache."""

STEP = 8
"""Pairs of the sample have offsets that are multiples of it: lanes that begin at whole bytes."""

FREQUENT = 384
"""Most pairs of the sample for each rare value that are chosen by how full their bitmaps are."""

ROUNDS = np.array([48, 24, 16, 8])
"""Pairs learned at a time for each rare value that had to be searched for."""

SEARCHES = 1 << 14
"""Searches that are remembered at most, to learn pairs from them."""

SEARCHED_SHARE = 16
"""Known values per remembered search, at least: learning takes time."""

HITS = 32
"""Pairs that a search found for a value and that the next searches for it try first."""

LEARN = 1 << 16
"""Number of values from which pairs are learned; before, they would help too few heaps."""

LEFT_SHARE = 0.14
"""Share of the offsets of rare heaps that may be left to be looked up; more leave too many values
to look up."""

LEFT_COST = 60
"""Relative cost of looking up an offset; that of a shifted bitmap of one value is 1."""

RECENT = 1 << 18
"""Most recent values whose frequencies are counted, at most."""

PART = LANES // 2
"""Heaps after which the heaps of a block itself are entered, for offsets from here to ``LANES``."""

NEAR_WINDOW = 2 * WORDS - 1
"""Words of a bitmap before the cursor that these offsets reach into, and more for whole lanes."""

NEAR_SAVING, NEAR_FURTHER, NEAR_COST = 150, 24, 50
"""Nanoseconds for ``LANES`` heaps, measured: to look up an offset with one :func:`note_least` for
``SIDE`` heaps, what every further call adds to that, and to shift a value's bitmap by few words,
beside one for each offset."""

NEW_RARE = 256
"""New heaps of rare value after which the plan is made anew."""

LARGEST_BITMAPS = 1 << 26
"""Bytes that the bitmaps may take."""

LIMIT_COST = 1 / 800
"""Relative cost of bitmaps per offset, value and heap; that of looking up an offset is 1."""


class Groups(NamedTuple):
    """Offsets, which are heaps and the objects taken beside them, in groups of one value.

    Attributes:
        values: the value of the heaps of each group, int64 ``(groups,)``.
        ends: end of each group in ``lanes``, int64 ``(groups,)``.
        lanes: begin of the lanes of each offset in :attr:`Plan.shifted`, in bytes, uint32.
    """

    values: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    lanes: npt.NDArray[np.uint32]


class Moves(NamedTuple):
    """The moves of a game.

    Attributes:
        singles: objects taken by the moves that leave one heap, int64.
        splits: objects taken by the moves that leave two heaps, int64.
        unequal: whether those two must be of different sizes.
    """

    singles: npt.NDArray[np.int64]
    splits: npt.NDArray[np.int64]
    unequal: bool


class Hits(NamedTuple):
    """Pairs that searches found.

    Attributes:
        pairs: for each value the last pairs that had it as an option, as in :attr:`Plan.distant`,
            uint64 ``(bound, HITS)``.
        counts: number of pairs found for each value, int64 ``(bound,)``.
    """

    pairs: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]


class Plan(NamedTuple):
    """Tables for a part of the computation, made from the values so far.

    Attributes:
        moves: the moves of the game.
        common: whether a value is common, uint8 ``(bound,)``; values are below ``bound``.
        limit: up to which value bitmaps say what is excluded; few values are larger.
        newest: the last heap with each common value, or a negative number, int64 ``(bound,)``.
        bitmaps: for each value a bitmap of ``width`` words, one after the other, uint64.
        width: words of one bitmap.
        window: words of a bitmap before the cursor that offsets of ``rare`` reach into.
        history: the same for those of ``sample``.
        rare: the offsets of heaps of rare value, from ``LANES`` on.
        near: those from ``PART`` to ``LANES``, if it pays to use bitmaps for them.
        sample: lanes that show that rare values, which are those of the groups, are options; their
            bytes are counted from where the history begins in the bitmap of value 0.
        learned_pairs: pairs of the sample that were learned, int64, see :func:`_sample`.
        past_searches: heaps that a rare value was searched for, the value above the low 32 bits,
            int64; with room for more.
        hits: the pairs that searches found.
        distant: the offsets of ``rare`` and ``near`` in the low 32 bits, the value of the heap of
            each above them, uint64.
        others: the other offsets in the same form, which are looked up; with room for more.
        shifted: buffer for a bitmap shifted by 0 to 7 bits, ``(8, window + WORDS + 1)``
            words, one after the other, uint64.
        near_shifted: the same for the offsets of ``near``.
        excluded: buffer for the lanes of each value, uint64 ``(bound * WORDS,)``.
        state: the bit of the bitmaps that is the next heap's, the number of ``others``, the last
            heap of rare value, why :func:`advance` returned, the number of searches remembered,
            how often :func:`note_least` was called, and the number of blocks, int64 ``(7,)``.
    """

    moves: Moves
    common: npt.NDArray[np.uint8]
    limit: int
    newest: npt.NDArray[np.int64]
    bitmaps: npt.NDArray[np.uint64]
    width: int
    window: int
    history: int
    rare: Groups
    near: Groups
    sample: Groups
    learned_pairs: npt.NDArray[np.int64]
    past_searches: npt.NDArray[np.int64]
    hits: Hits
    others: npt.NDArray[np.uint64]
    distant: npt.NDArray[np.uint64]
    shifted: npt.NDArray[np.uint64]
    near_shifted: npt.NDArray[np.uint64]
    excluded: npt.NDArray[np.uint64]
    state: npt.NDArray[np.int64]


CURSOR, COUNT, LAST_RARE, STATUS, SEARCHED, NOTED, BLOCKS = range(7)
"""Places of :attr:`Plan.state`."""

DONE, NEEDS_PLAN, NEEDS_BOUND, NEEDS_ROOM = range(4)
"""Why :func:`advance` returned."""


def taken_by(game: HeapGame, bit: int) -> npt.NDArray[np.int64]:
    """Return the numbers of objects that moves take whose digit has this bit, ascending."""
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
    """Return 1 for each integer with an odd number of bits, else 0."""
    folded = numbers.copy()
    for shift in (32, 16, 8, 4, 2, 1):
        folded ^= folded >> shift
    return (folded & 1).astype(np.uint8)


def make_plan(values: Values, game: HeapGame, bound: int = 2, earlier: Plan | None = None) -> Plan:
    """Return the plan for the heaps after those whose ``values`` are known.

    Args:
        values: the values so far, at least :func:`least_known`.
        game: the game.
        bound: least bound of the values to plan for.
        earlier: a plan for smaller heaps of the game, if there was one.
    """
    known = len(values)
    splits = taken_by(game, LEAVE_TWO)
    while bound <= values.max():
        bound *= 2
    mask = sparse_mask(values, bound)
    common = parities(np.arange(bound, dtype=np.int64) & mask)
    is_common = common[values].astype(np.bool_)

    rare = np.flatnonzero(~is_common[1:]) + 1
    # A heap of rare value counts once for each number of objects that a splitting move takes.
    packed = np.unique(
        np.concatenate([values[rare].astype(np.int64) << 32 | rare + taken for taken in splits])
    )
    offsets, offset_values = packed & LOW, packed >> 32
    lately = max(known // 2, known - RECENT)
    used = int(np.count_nonzero(np.bincount(values[lately:][is_common[lately:]])))
    largest = min(LARGEST_BITMAPS * 8 // (2 * bound), known - LANES)
    reach = _best_reach(offsets, used, largest)
    far = (offsets >= LANES) & (offsets <= reach)
    noted = LANES / SIDE
    if earlier is not None and earlier.state[BLOCKS]:
        noted = earlier.state[NOTED] / earlier.state[BLOCKS]
    near = _near(offsets, used, noted)
    grouped = far | near

    span = max(reach, min(SPAN, largest))
    recent = np.arange(max(1, known - span), known)
    recent = recent[is_common[recent]]
    counts = np.bincount(values[recent], minlength=bound)
    # So that the lanes from every word up to the cursor's are a whole number of vectors.
    window = -(-(reach // 64 + 2) // WORDS) * WORDS - 1
    stride = window + 1 + WORDS

    small = _small_values(values, is_common, splits, span)
    frequent, learned = _sample(values, small, counts, common, span, earlier)
    history = span // 64 + 2
    width = 2 * history + 64 * WORDS
    cursor = 64 * (history + 1)
    bitmaps = _aligned(bound * width)
    newest = np.full(bound, -LARGEST_BITMAPS * 8, dtype=np.int64)
    first = int(max(1, known - span))
    enter(values, first, known, common, newest, bitmaps, width, cursor - known)

    room_for_searches = min(SEARCHES, known // SEARCHED_SHARE) if known >= LEARN else 0
    hits = Hits(np.zeros((bound, HITS), dtype=np.uint64), np.zeros(bound, dtype=np.int64))
    if earlier is not None:
        for hits_of_kind, before in zip(hits, earlier.hits, strict=True):
            hits_of_kind[: len(before)] = before[:bound]
    singles = taken_by(game, LEAVE_ONE)
    # To leave one heap is as to split off an empty one, of value 0.
    others = np.concatenate([singles, packed[~grouped]])
    room = np.zeros(NEW_RARE + len(offsets) // 8 + len(splits) * LANES, dtype=np.int64)
    return Plan(
        moves=Moves(singles, splits, game.unequal),
        common=common,
        limit=_best_limit(values[lately:], used, bound),
        newest=newest,
        bitmaps=bitmaps,
        width=width,
        window=window,
        history=history,
        rare=_grouped(offsets[far], offset_values[far], window),
        near=_grouped(offsets[near], offset_values[near], NEAR_WINDOW),
        sample=_sample_lanes(np.concatenate([frequent, learned]), small, counts, width, history),
        learned_pairs=learned,
        past_searches=np.zeros(room_for_searches, dtype=np.int64),
        hits=hits,
        others=np.concatenate([others, room]).astype(np.uint64),
        distant=packed[grouped].astype(np.uint64),
        shifted=_aligned(8 * stride),
        near_shifted=_aligned(8 * (NEAR_WINDOW + 1 + WORDS)),
        excluded=_aligned(bound * WORDS),
        state=np.array([cursor, len(others), rare[-1] if len(rare) else 0, DONE, 0, 0, 0]),
    )


def _best_reach(offsets: npt.NDArray[np.int64], used: int, largest: int) -> int:
    """Return up to which offset bitmaps save time.

    Every 64 heaps further cost work for each of the ``used`` bitmaps, every offset that is left
    costs work for each heap; the factors were measured.
    """
    reaches = np.append(offsets[(offsets > ENOUGH) & (offsets <= largest)], min(ENOUGH, largest))
    reaches.sort()
    beyond = len(offsets) - np.searchsorted(np.sort(offsets), reaches, side="right")
    few = beyond <= max(beyond[-1], LEFT_SHARE * len(offsets), 50)
    reaches, beyond = reaches[few], beyond[few]
    return int(reaches[np.argmin(used * (reaches / 70 - beyond) + LEFT_COST * beyond)])


def _near(offsets: npt.NDArray[np.int64], used: int, noted: float) -> npt.NDArray[np.bool_]:
    """Return which offsets are worth reading the bitmaps of ``used`` values after every ``PART``.

    All from ``PART`` to ``LANES``, or none; ``noted`` is how often :func:`note_least` is called for
    ``LANES`` heaps.
    """
    near = (offsets >= PART) & (offsets < LANES)
    count = np.count_nonzero(near)
    saving = NEAR_SAVING + NEAR_FURTHER * (noted - LANES / SIDE)
    if saving * count < LANES // PART * used * (NEAR_COST + count):
        near[:] = False
    return near


def _best_limit(values: Values, used: int, bound: int) -> int:
    """Return up to which value bitmaps save time; for a larger one all offsets are looked up.

    Every further value costs ``LANES`` bits of all bitmaps, every heap of a larger value one
    look-up for each offset; the factor was measured.
    """
    larger = 1 - np.cumsum(np.bincount(values, minlength=bound)) / len(values)
    return int(np.argmin(larger + LIMIT_COST * used / bound * np.arange(bound)))


def _small_values(
    values: Values, is_common: npt.NDArray[np.bool_], splits: npt.NDArray[np.int64], span: int
) -> Values:
    """Return the value of the smaller heap of each pair of the sample, ``NONE`` if it is rare.

    The larger heap of pair ``k`` is ``STEP * k`` below the heap that has the option.
    """
    offsets = np.arange(0, span, STEP)
    heaps = offsets - splits[np.arange(len(offsets)) % len(splits)]
    small = np.full(len(offsets), NONE, dtype=np.uint16)
    # Where the larger heap is among those to come, its bit is not set yet.
    used = (heaps >= 1) & is_common[heaps]
    small[used] = values[heaps[used]]
    return small


def _sample(
    values: Values,
    small: Values,
    counts: npt.NDArray[np.int64],
    common: npt.NDArray[np.uint8],
    span: int,
    earlier: Plan | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return pairs of heaps of common value that show that rare values are options.

    The larger heap of a pair is a multiple of ``STEP`` below the heap that has the option, so its
    lanes begin at whole bytes. A pair is that multiple, with the option above its 32 bits.

    Returns:
        Pairs with the fullest bitmaps, and those that were learned: the ones of the ``earlier``
        plan, and the best for the options that had to be searched for since.
    """
    known = len(values)
    rare = np.flatnonzero(common[: values[known // 2 :].max()] == 0)
    fullest = np.argsort(-counts, kind="stable")[: min(FULLEST, np.count_nonzero(counts))]
    learned = np.empty(0, dtype=np.int64)
    searched = learned
    if earlier is not None:
        learned = earlier.learned_pairs[earlier.learned_pairs & LOW < len(small)]
        learned = learned[(common[learned >> 32] == 0) & (small[learned & LOW] != NONE)]
        searched = earlier.past_searches[: earlier.state[SEARCHED]]
        searched = np.sort(searched[searched & LOW >= len(small) * STEP])
    if len(searched):
        targets, heaps = searched >> 32, searched & LOW
        first = int(heaps.min()) - len(small) * STEP
        columns = -(-(known - first) // STEP)
        backwards = np.zeros(columns * STEP, dtype=np.uint16)
        backwards[: known - first] = values[first:][::-1]
        back = known - 1 - heaps
        places = back % STEP * columns + back // STEP
        backwards = backwards.reshape(columns, STEP).T.reshape(-1)
        larger = np.append(common, np.zeros(NONE + 1 - len(common), dtype=np.uint8))
        chosen = lacking(small, larger, backwards, places, targets, ROUNDS)
        learned = np.concatenate([learned, chosen[0] << 32 | chosen[1]])
    recent = np.arange(max(1, known - span), known)
    by_residue = np.bincount(values[recent].astype(np.int64) * STEP + recent % STEP)
    by_residue = np.append(by_residue, np.zeros(len(counts) * STEP - len(by_residue)))
    shares = by_residue.reshape(-1, STEP)[fullest].T / (len(recent) / STEP)
    frequent = most_frequent(small, fullest, np.ascontiguousarray(shares), rare, FREQUENT)
    return frequent, learned


def _sample_lanes(
    pairs: npt.NDArray[np.int64],
    small: Values,
    counts: npt.NDArray[np.int64],
    width: int,
    history: int,
) -> Groups:
    """Return the lanes of pairs, in groups of one rare value.

    The groups with the same few bitmaps follow each other, the fullest first.
    """
    blocks = np.empty(len(counts), dtype=np.int64)
    blocks[np.argsort(-counts, kind="stable")] = np.arange(len(counts)) // AT_ONCE
    targets, ends, ordered = by_group(pairs, small, blocks)
    lanes = 8 * ((ordered >> 32) * width + history) - STEP // 8 * (ordered & LOW)
    return Groups(targets, ends, lanes.astype(np.uint32))


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


def _aligned(words: int) -> npt.NDArray[np.uint64]:
    """Return zeros that begin at a cache line."""
    memory = np.zeros(words + 8, dtype=np.uint64)
    first = -(memory.ctypes.data // 8) % 8
    return memory[first : first + words]


def make_room(plan: Plan) -> None:
    """Move the bits that are still needed to the front of the bitmaps."""
    bitmaps = plan.bitmaps.reshape(-1, plan.width)
    end, words = plan.state[CURSOR] // 64, plan.history + 1
    bitmaps[:, :words] = bitmaps[:, end - words : end].copy()
    bitmaps[:, words:] = 0
    plan.state[CURSOR] = 64 * words


@compiled
def enter(
    values: Any, begin: int, end: int, common: Any, newest: Any, bitmaps: Any, width: int, bit: int
) -> None:
    """Enter heaps of common value in the bitmaps, where heap 0 would have the place ``bit``."""
    for heap in range(begin, end):
        value = values[heap]
        if common[value]:
            newest[value] = heap
            place = bit + heap
            bitmaps[value * width + place // 64] |= np.uint64(1) << np.uint64(place % 64)
