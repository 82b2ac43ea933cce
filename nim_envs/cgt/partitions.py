"""Partitions of points that moves respect."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.typing import IntArray


def coarsest_congruence(
    labels: npt.NDArray[Any], moves: Sequence[npt.NDArray[np.integer]]
) -> IntArray:
    """Return the coarsest partition into blocks that refines the labels and that moves respect.

    ``labels`` and, for each kind of move, the next point of each point are ``(n,)``. So is the
    index of each point's block, from 0 without a gap: two points are in one block exactly if
    the same sequences of moves lead from both to the same labels.

    References:
        E. F. Moore, "Gedanken-experiments on sequential machines", *Automata Studies* (1956),
        129-153.
    """
    block = np.unique(labels, return_inverse=True)[1].reshape(-1)
    count = int(block.max()) + 1
    while True:
        finer = block
        for move in moves:
            finer = np.unique(finer * count + block[move], return_inverse=True)[1].reshape(-1)
        finer_count = int(finer.max()) + 1
        if finer_count == count:
            return np.asarray(block)
        block, count = finer, finer_count


def by_shortest(block: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Return an example of each block, and for each point the index of its block's example.

    The examples are points of shortest play in their blocks, sorted by length of play, so that
    the empty position comes first.
    """
    by_length = np.argsort(lengths, kind="stable")
    examples = by_length[np.sort(np.unique(block[by_length], return_index=True)[1])]
    index_of_block = np.empty(len(examples), dtype=np.int64)
    index_of_block[block[examples]] = np.arange(len(examples))
    return examples, index_of_block[block]
