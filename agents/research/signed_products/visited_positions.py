"""The positions that a learner has visited, with their options, as arrays."""

import numpy as np

from agents.base import HypothesisError
from agents.research.signed_products.value_networks import ValueNetwork
from nim_envs import Game
from nim_envs.typing import BoolArray, IntArray

NO_MOVE = -1
"""Entry for an illegal option."""

NO_OPTION = 0
"""Number of the key that stands for an illegal option."""


def heap_options(game: Game) -> IntArray:
    """Return the options of a heap of each size, ``(sizes, options)``, filled up by ``NO_MOVE``."""
    largest = max(game.parts, key=lambda part: part.num_positions)
    table = np.sort(largest.after, axis=1)[:, ::-1].astype(np.int64)
    for index, part in enumerate(game.parts):
        if part.fields != (part.num_positions,):
            raise HypothesisError(
                f"part {index} of {game.name} is no heap, whose one coordinate is its size"
            )
        if part.second is not None:
            raise HypothesisError(f"heap {index} of {game.name} may split: its bits say too little")
        own = np.sort(part.after, axis=1)[:, ::-1]
        here = table[: part.num_positions]
        width = own.shape[1]
        if not (np.array_equal(own, here[:, :width]) and (here[:, width:] == NO_MOVE).all()):
            raise HypothesisError(
                f"the heaps of {game.name} are not alike: part {index} has other options "
                "than one that is as large"
            )
    if (table[0] != NO_MOVE).any():
        raise HypothesisError(f"an empty heap of {game.name} has a move")
    return table


class HeapBoard:
    """A board of heaps in any order: positions as ascending sizes, their keys and options."""

    def __init__(self, options: IntArray, heaps: int, network: ValueNetwork) -> None:
        self.options = options
        self.heaps = heaps
        self.columns = max(1, (len(options) - 1).bit_length())
        self.network = network
        self.key_table = network.key_table(heaps, self.columns)

    def keys(self, positions: IntArray) -> IntArray:
        """Return the key of each position, ``(n, heaps)`` to ``(n,)``."""
        return np.asarray(self.key_table[np.arange(self.heaps), positions].sum(axis=-1))

    def after(self, positions: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the keys of all options, and whether each is legal, ``(n, heaps * options)``."""
        left = self.options[positions]
        heap = np.arange(self.heaps)[:, np.newaxis]
        change = self.key_table[heap, left] - self.key_table[heap, positions[..., np.newaxis]]
        keys = self.keys(positions)[:, np.newaxis, np.newaxis] + change
        return keys.reshape(len(keys), -1), (left != NO_MOVE).reshape(len(keys), -1)

    def positions_after(self, positions: IntArray, choices: IntArray) -> IntArray:
        """Return the position after one option of each, numbered as in :meth:`after`."""
        heap, option = np.divmod(choices, self.options.shape[1])
        after, rows = positions.copy(), np.arange(len(positions))
        after[rows, heap] = self.options[positions[rows, heap], option]
        after.sort(axis=1)
        return after


class VisitedPositions:
    """The distinct positions visited on a board; keys, also those of options, are numbered.

    Attributes:
        positions: ascending sizes, ``(n, heaps)``, in the order of the first visit.
        own: number of the key of each position, ``(n,)``.
        after: numbers of the keys of its options, ``(n, heaps * options)``; ``NO_OPTION`` where
            illegal.
        keys: every key by its number; that of ``NO_OPTION`` is -1.
        key_counts: number of positions with each key, by the key's number.
    """

    def __init__(self, board: HeapBoard) -> None:
        self.board = board
        width = board.heaps * board.options.shape[1]
        self.positions = np.zeros((0, board.heaps), dtype=np.int64)
        self.own = np.zeros(0, dtype=np.int64)
        self.after = np.zeros((0, width), dtype=np.int64)
        self.keys = np.array([-1])
        self.key_counts = np.zeros(1, dtype=np.int64)
        self._rows: dict[bytes, int] = {}
        self._numbers: dict[int, int] = {}

    def visit(self, positions: IntArray) -> IntArray:
        """Return the index of each position, ``(n, heaps)`` to ``(n,)``; new ones are added."""
        indices, new = np.empty(len(positions), dtype=np.int64), []
        for row, position in enumerate(positions):
            name = position.tobytes()
            if name not in self._rows:
                self._rows[name] = len(self._rows)
                new.append(row)
            indices[row] = self._rows[name]
        if new:
            self._add(positions[new])
        return indices

    def _add(self, positions: IntArray) -> None:
        keys, legal = self.board.after(positions)
        after = np.full(keys.shape, NO_OPTION)
        after[legal] = self._number(keys[legal])
        own = self._number(self.board.keys(positions))
        np.add.at(self.key_counts, own, 1)
        self.positions = np.concatenate([self.positions, positions])
        self.own = np.concatenate([self.own, own])
        self.after = np.concatenate([self.after, after])

    def _number(self, keys: IntArray) -> IntArray:
        """The number of each key; new ones are added."""
        distinct, inverse = np.unique(keys, return_inverse=True)
        numbers = np.array(
            [self._numbers.setdefault(key, len(self._numbers) + 1) for key in distinct.tolist()],
            dtype=np.int64,
        )
        added = distinct[numbers >= len(self.keys)]
        self.keys = np.concatenate([self.keys, added])
        self.key_counts = np.concatenate([self.key_counts, np.zeros(len(added), dtype=np.int64)])
        return numbers[inverse.reshape(-1)]
