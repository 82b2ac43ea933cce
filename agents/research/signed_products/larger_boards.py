"""The exam of values: their contradictions on boards larger than the one learned.

It uses no knowledge of who wins: right values satisfy that a position is lost if and only if no
option is lost.
"""

import numpy as np

from agents.research.signed_products.value_state import ValueState
from agents.research.signed_products.visited_positions import NO_MOVE, HeapBoard
from nim_envs.typing import IntArray
from nim_envs.validation import check_bytes

EXAMS = ((3, 60), (6, 12))
"""Stages of the exam: extra bits of the heaps, and number of positions of each kind."""


def examine(state: ValueState, board: HeapBoard, rng: np.random.Generator) -> tuple[float, int]:
    """Return the share of random positions that contradict themselves, and the positions read.

    The boards have twice as many heaps, and larger ones. In half of the positions all sizes of
    heaps are equally likely, in the others small ones more likely; each is examined with the
    position after its best move. The exam ends at the first stage with contradictions.
    """
    if not state.network.other_boards:
        return 0.0, 0
    read = 0
    for more, number in EXAMS:
        options = with_larger_heaps(board.options, 1 << (board.columns + more))
        larger = HeapBoard(options, 2 * board.heaps, state.network)
        sizes, shape = len(options), (number, larger.heaps)
        small = (sizes ** (rng.random(shape) * rng.random((number, 1))) - 1).astype(np.int64)
        drawn = np.concatenate([rng.integers(sizes, size=shape), small])
        positions = _playable(larger, np.sort(drawn, axis=1))
        wrong, best = _contradictions(state, larger, positions)
        after = _playable(larger, larger.positions_after(positions, best))
        wrong_after, _ = _contradictions(state, larger, after)
        read += len(positions) + len(after)
        if wrong + wrong_after:
            return (wrong + wrong_after) / (len(positions) + len(after)), read
    return 0.0, read


def _playable(board: HeapBoard, positions: IntArray) -> IntArray:
    return np.asarray(positions[(board.options[positions] != NO_MOVE).any(axis=(1, 2))])


def _contradictions(
    state: ValueState, board: HeapBoard, positions: IntArray
) -> tuple[int, IntArray]:
    """Number of positions that contradict their options, and the best option of each."""
    keys, legal = board.after(positions)
    every = np.concatenate([board.keys(positions), keys[legal]])
    values = state.logits(every, board.heaps, board.columns)
    own, after = values[: len(positions)], np.full(keys.shape, np.inf)
    after[legal] = values[len(positions) :]
    return int(((own >= 0) != (after.min(axis=1) < 0)).sum()), after.argmin(axis=1)


def check_exam(board: HeapBoard) -> None:
    """Raise ``SearchTooLargeError`` if the options of the largest heaps need too many bytes."""
    sizes = 1 << (board.columns + max(more for more, _ in EXAMS))
    numbers = sizes * len(_amounts(board.options, sizes))
    check_bytes(f"options of heaps of up to {sizes - 1} in the exam", 8 * numbers)


def _amounts(options: IntArray, sizes: int) -> IntArray:
    """Return the amounts that may be taken of heaps of fewer objects than ``sizes``."""
    largest = len(options) - 1
    amounts: IntArray = largest - options[largest][options[largest] != NO_MOVE]
    return np.arange(1, sizes) if len(amounts) == largest else amounts


def with_larger_heaps(options: IntArray, sizes: int) -> IntArray:
    """Extend the options of heaps to larger heaps, if the known ones determine them.

    They do if a move takes any number, or if the same amounts may be taken from every large enough
    heap. Otherwise the options are returned unchanged.
    """
    amounts = _amounts(options, sizes)
    left = np.maximum(np.arange(sizes)[:, np.newaxis] - amounts, NO_MOVE)
    same = left[: len(options), : options.shape[1]]
    known = np.array_equal(same, options) and (left[: len(options), options.shape[1] :] < 0).all()
    return left if known and sizes > len(options) else options
