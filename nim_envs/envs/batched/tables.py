"""Arrays of a game that the compiled functions of a batch read: of one graph, or of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.batched import kernels
from nim_envs.envs.batched.kernels import Games, GraphTables, SumTables, Targets
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import LARGEST_TABLE, Graph, Part
from nim_envs.index import Index
from nim_envs.solution import grundy_values, misere_values
from nim_envs.sums import Sum, board_of
from nim_envs.typing import Array, BoolArray, IntArray, UInt32Array, ValueArray, WordArray
from nim_envs.validation import check_bytes

BLOCK_ENTRIES = 2**16
"""Most entries of the table of moves of neighbours that are merged into a block, so that it stays
in the processor's cache."""

SLOT_ENTRIES = LARGEST_TABLE
"""The same for the slots of one group, which are slower apart; beyond it each slot is a block."""

CACHED_ENTRIES = 2**19
"""Most entries of the table of moves of a sum of several blocks that is one graph all the same."""

ENTRIES_AT_ONCE = 2**18
WORD_BYTES = 8


def words_of(first: int, end: int) -> range:
    """Return the words that hold the bytes from ``first`` up to ``end``."""
    return range(first // WORD_BYTES, -(-end // WORD_BYTES)) if first < end else range(0)


def pieces(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of the rows of an array, each of few megabytes."""
    step = max(1, ENTRIES_AT_ONCE // max(1, width))
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))


class Block(NamedTuple):
    """Neighbouring parts of a sum with one table of moves, or one part."""

    parts: range
    graph: Graph
    states: IntArray  # of the parts by row of the graph, (rows, parts)
    rows: Index  # rows of the graph by states of the parts
    bits: int  # lower bits of a word, which hold the row
    words: UInt32Array  # of the rows, (rows,)


def blocks_of(parts: Sequence[Part], options: int) -> list[range]:
    """Return the parts of each block of a sum: neighbours merged while their tables are small."""
    group_of, blocks = Sum(parts).group_of, list[range]()
    for index in range(len(parts)):
        group = group_of.get(index)
        wider = range(blocks[-1].start if blocks else index, index + 1)
        sizes = [parts[part].num_positions for part in wider]
        if group is not None:
            if index == group.start:
                states = Sum(parts[index : group.stop]).count(most=SLOT_ENTRIES)
                fits = states * len(group) * options <= SLOT_ENTRIES
                blocks += [group] if fits else [range(slot, slot + 1) for slot in group]
        elif (
            wider.start not in group_of
            and np.prod(sizes, dtype=float) * len(wider) * options <= BLOCK_ENTRIES
        ):
            blocks[-1:] = [wider]
        else:
            blocks.append(range(index, index + 1))
    return blocks


class Tables:
    """Arrays that batches of equal games share, of one graph or of a sum.

    Args:
        game: the game.
        encoding: encoding of observations.
        is_optimal: whether the compiled opponent needs to know the optimal moves.
        hurry: whether these are the moves that hurry, on one graph.
    """

    graph: GraphTables | None = None
    total: SumTables | None = None
    targets: Targets | None = None  # of a sum, where optimal play is needed

    def __init__(self, game: Game, encoding: Encoding, is_optimal: bool, hurry: bool) -> None:
        self._arguments = game, encoding, is_optimal, hurry
        self.game, self._encoding, self._hurry = game, encoding, hurry
        self._dtype: np.dtype[Any] = np.dtype(encoding.space.dtype)
        # A row of 64-bit words has the observation, and then the action mask.
        self._features = sum(encoding.widths)
        self.mask_column = len(words_of(0, self._features * self._dtype.itemsize))
        self.words = self.mask_column + len(words_of(0, game.num_actions))
        blocks = blocks_of(game.parts, game.options)
        self._any_action = blocks[-1].start * game.options  # of games without a legal one
        # Searched, misère play takes a graph; else large ones of parts are slower than their sum.
        is_tame = not game.misere or all(misere_values(part) is not None for part in game.parts)
        small = len(blocks) > 1 and (is_tame or not is_optimal) and not hurry
        self.board = board_of(game.parts, most=CACHED_ENTRIES if small else LARGEST_TABLE)
        if isinstance(self.board, Graph):
            self.graph = self._graph_tables(self.board, is_optimal)
        else:
            self._blocks = [self._block(parts) for parts in blocks]
            self.total = self._sum_tables()
            if is_optimal:
                self.targets = self._targets(self.total)

    def __reduce__(self) -> Any:
        """Leave the arrays out of pickles and copies, which share them."""
        return tables_of, self._arguments

    def observations(self, rows: WordArray) -> Array:
        """Return the observations in rows ``(n, words)``, ``(n, features)``, a view."""
        return rows[:, : self.mask_column].view(self._dtype)[:, : self._features]

    def action_masks(self, rows: WordArray) -> Array:
        """Return the action masks in rows ``(n, words)``, int8 ``(n, actions)``, a view."""
        return rows[:, self.mask_column :].view(np.int8)[:, : self.game.num_actions]

    def _check_size(self, words: int) -> None:
        """Raise an error if rows of observations and masks would take too much memory."""
        check_bytes(f"observations of all positions of {self.game.name}", words * WORD_BYTES)

    def start_words(self, positions: IntArray) -> tuple[UInt32Array, UInt32Array]:
        """Return the states at positions ``(n, fields)``, as :class:`kernels.Starts` has them."""
        states = self.board.find(positions)
        if isinstance(self.board, Graph):
            return states.astype(np.uint32), np.zeros((0, len(states)), dtype=np.uint32)
        words, legal = [], np.zeros(len(states), dtype=np.uint32)
        for block in self._blocks:
            rows = block.rows.rows(states[:, block.parts.start : block.parts.stop])
            words.append(block.words[rows])
            legal += words[-1] >> np.uint32(block.bits)
        return np.zeros(len(states), dtype=np.uint32), np.stack([*words, legal])

    def states(self, games: Games) -> IntArray:
        """Return the states of games on :attr:`board`: ``(games,)`` or ``(games, parts)``."""
        if self.total is None:
            return (games.words & kernels.ROW).astype(np.int64)
        chunks, rows, size = games.blocks.shape
        words = games.blocks.transpose(1, 0, 2).reshape(rows, chunks * size)
        of_blocks = zip(self._blocks, words[:-1, : len(games.words)], strict=True)
        states = [block.states[here & ((1 << block.bits) - 1)] for block, here in of_blocks]
        return np.concatenate(states, axis=1)

    @cached_property
    def values(self) -> ValueArray:
        """Value of every row of a graph to the player to move, int8 ``(n,)``."""
        board, solution = self.board, self.game.solution
        if board is solution.board:
            return solution.table
        values = np.empty(board.num_positions, dtype=np.int8)
        for rows in pieces(len(values), board.num_actions):
            values[rows] = solution.value(board.positions(np.arange(rows.start, rows.stop)))
        return values

    def _graph_tables(self, graph: Graph, is_optimal: bool) -> GraphTables:
        """Return the arrays of a game on one graph."""
        size, actions = graph.after.shape
        _, _, observed = self._rows(range(len(self.game.parts)), graph)
        here = np.arange(size, dtype=np.uint32)
        # The result of the player who moved there: the opposite of the value to the next one.
        ends = self.game.final_values
        flags = kernels.TERMINATED | np.select(
            [ends == -1, ends == 1], [kernels.WON, kernels.LOST], np.uint32(0)
        )
        word_of = here | np.where(graph.ends, flags, np.uint32(0)).astype(np.uint32)
        after = np.empty((size, actions + 1), dtype=np.uint32)
        after[:, actions] = here
        lists = Joined(np.uint32, self._any_action)
        legal = np.zeros(size, dtype=np.uint64)
        replies = np.zeros(size, dtype=np.uint64) if is_optimal else legal
        for rows in pieces(size, actions):
            moves = graph.after[rows]
            is_legal = moves >= 0
            illegal = here[rows, np.newaxis] | kernels.FORFEIT
            after[rows, :actions] = np.where(is_legal, word_of[moves], illegal)
            legal[rows] = add_lists(lists, len(moves), *np.nonzero(is_legal))
            if is_optimal:
                keeping = self._keeping(graph, rows)
                replies[rows] = add_lists(lists, len(moves), *np.nonzero(keeping))
        return GraphTables(
            after=after.reshape(-1),
            stride=np.uint32(actions + 1),
            actions=lists.array,
            legal=legal,
            replies=np.where(replies == 0, legal, replies),
            rows=observed.reshape(-1),
        )

    def _keeping(self, graph: Graph, rows: slice) -> BoolArray:
        """Return among which actions the opponent draws, none where among all."""
        if self._hurry:
            here = graph.positions(np.arange(rows.start, rows.stop))
            return self.game.solution.hurrying_mask(here)
        moves, value = graph.after[rows], self.values[rows, np.newaxis]
        return np.asarray((moves >= 0) & (self.values[moves] == -value) & (value > -1))

    def _rows(self, parts: range, graph: Graph) -> tuple[range, range, WordArray]:
        """Return what some parts, whose states are the rows of a graph, write of rows of a batch.

        These are the columns of the observation and of the action mask, and the words there,
        ``(rows of the graph, columns)``.
        """
        encoding, options = self._encoding, self.game.options
        first = sum(len(part.fields) for part in self.game.parts[: parts.start])
        fields = slice(first, first + len(graph.fields))
        at = [*accumulate(encoding.widths, initial=0)]
        features = slice(at[fields.start], at[fields.stop])
        actions = slice(parts.start * options, parts.stop * options)
        bytes_of_feature = self._dtype.itemsize
        seen = words_of(features.start * bytes_of_feature, features.stop * bytes_of_feature)
        in_mask = words_of(actions.start, actions.stop)
        mask = range(self.mask_column + in_mask.start, self.mask_column + in_mask.stop)
        self._check_size(graph.num_positions * (len(seen) + len(mask)))
        words = np.empty((graph.num_positions, len(seen) + len(mask)), dtype=np.uint64)
        for rows in pieces(len(words), self.words * WORD_BYTES):
            here = np.arange(rows.start, rows.stop)
            positions = np.zeros((len(here), len(encoding.widths)), dtype=np.int64)
            positions[:, fields] = graph.positions(here)
            whole = np.zeros((len(here), self.words), dtype=np.uint64)
            self.observations(whole)[:, features] = encoding.encode(positions)[:, features]
            legal = self._padded(graph.after[rows], parts, -1) >= 0
            self.action_masks(whole)[:, actions] = legal
            words[rows] = whole[:, [*seen, *mask]]
        return seen, mask, words

    # Sums.

    def _block(self, parts: range) -> Block:
        """Return the block of some parts."""
        own = self.game.parts[parts.start : parts.stop]
        graph = own[0] if len(own) == 1 else board_of(own, most=LARGEST_TABLE)
        assert isinstance(graph, Graph)
        rows = np.arange(graph.num_positions, dtype=np.uint32)
        states = rows.astype(np.int64)[:, np.newaxis]
        if len(own) > 1:
            states = Sum(own).find(graph.coordinates)
        index = Index([part.num_positions for part in own], states)
        bits = max(1, (len(rows) - 1).bit_length())
        legal = (graph.after >= 0).sum(axis=1).astype(np.uint32)
        return Block(parts, graph, states, index, bits, rows | (legal << np.uint32(bits)))

    def _padded(self, table: Array, parts: range, fill: int) -> Array:
        """Return a table ``(n, options)`` with all options of each part."""
        own = table.reshape(len(table), len(parts), -1)
        padded = np.full((len(table), len(parts), self.game.options), fill, dtype=table.dtype)
        padded[:, :, : own.shape[2]] = own
        return padded.reshape(len(table), -1)

    def _sum_tables(self) -> SumTables:
        """Return the arrays of a game on a sum."""
        blocks = np.zeros(len(self._blocks), dtype=kernels.BLOCK)
        after, seconds = Joined(np.uint32), Joined(np.uint32)
        legal, rows = Joined(np.uint32, 0), Joined(np.uint64)
        slots: list[tuple[int, int, int]] = []
        for index, block in enumerate(self._blocks):
            parts, graph, own = block.parts, block.graph, blocks[index]
            kind = graph, len(parts)
            moves = self._padded(graph.after, parts, -1)
            words = np.where(moves >= 0, block.words[moves], kernels.ILLEGAL)
            own["first_action"] = parts.start * self.game.options
            own["actions"], own["bits"] = moves.shape[1], block.bits
            own["after_at"] = after.add(kind, words)
            order = np.argsort(moves < 0, axis=1, kind="stable")
            if (order == order[0]).all():
                order = order[:1]
            own["legal_at"] = legal.add(kind, order)
            own["legal_width"] = order.shape[1] if len(order) > 1 else 0
            seen, mask, shown = self._rows(parts, graph)
            own["column"], own["words"] = seen.start, len(seen)
            own["mask_column"], own["mask_words"] = mask.start, len(mask)
            own["rows_at"] = rows.add(index, shown)
            part = self.game.parts[parts.start]
            if len(parts) == 1 and part.second is not None:
                own["is_slot"] = not shown[0].any()
                second = np.where(part.second > 0, block.words[part.second], 0)
                at = seconds.add(part, self._padded(second, parts, 0))
                goes_on = slots and slots[-1][1:] == (index, at)
                if goes_on and graph is self._blocks[index - 1].graph:
                    slots[-1] = slots[-1][0], index + 1, at
                else:
                    slots.append((index, index + 1, at))
        return SumTables(
            blocks=blocks,
            block_of=np.repeat(np.arange(len(blocks), dtype=np.uint32), blocks["actions"]),
            after=after.array,
            legal=legal.array,
            slots=np.array(slots, dtype=kernels.SLOTS),
            seconds=seconds.array,
            rows=rows.array,
            any_action=np.uint32(self._any_action),
            ended=np.uint32(
                kernels.TERMINATED | (kernels.LOST if self.game.misere else kernels.WON)
            ),
        )

    def _targets(self, total: SumTables) -> Targets:
        """Return optimal play of a sum, by the Grundy values of its parts."""
        game = self.game
        in_misere = [misere_values(part) for part in game.parts] if game.misere else []
        if any(values is None for values in in_misere):
            size = self.board.num_positions * self.board.num_actions
            raise SearchTooLargeError(
                f"an optimal opponent needs to know who wins at every position of {game.name}, "
                f"which no theorem says: a table of {size} entries; at most {LARGEST_TABLE} are "
                "allowed"
            )
        values, ranges, lists = Joined(np.uint32), Joined(np.uint64), Joined(np.uint32, 0)
        for index, block in enumerate(self._blocks):
            graph, own, kind = block.graph, total.blocks[index], (block.graph, len(block.parts))
            normal = np.zeros(graph.num_positions, dtype=np.int64)
            firm = np.zeros(graph.num_positions, dtype=np.bool_)
            for part, states in zip(block.parts, block.states.T, strict=True):
                of_part = grundy_values(game.parts[part])
                normal ^= of_part[states]
                if game.misere:
                    firm |= (of_part == in_misere[part])[states]
            most = int(normal.max())
            if isinstance(graph, Part) and graph.second is not None:
                most = (1 << most.bit_length()) - 1  # nim-sums of two values
            own["values_at"] = values.add(kind, (normal << 1) | firm)
            own["targets"] = most + 4
            if kind not in ranges.at:
                ranges.add(kind, self._ranges(block, normal, firm, most + 4, lists))
            own["ranges_at"] = ranges.at[kind]
        firm_at_first = np.uint32(0 if game.misere else 1)
        return Targets(values.array, ranges.array, lists.array, firm_at_first)

    def _ranges(
        self, block: Block, normal: IntArray, firm: BoolArray, targets: int, lists: Joined
    ) -> WordArray:
        """Append lists of a block's actions by row and target; return their ranges.

        A move has a target for the normal value that it leaves, and in misère play another if the
        misère value that it leaves is 0 or 1.
        """
        moves, second = self._padded(block.graph.after, block.parts, -1), None
        if isinstance(block.graph, Part) and block.graph.second is not None:
            second = self._padded(block.graph.second, block.parts, 0)
        ranges = np.empty((len(moves), targets), dtype=np.uint64)
        self._check_size(ranges.size)
        for rows in pieces(len(moves), moves.shape[1] + targets):
            state, action = np.nonzero(moves[rows] >= 0)
            after = moves[rows][state, action]
            left, is_firm = normal[after], firm[after]
            if second is not None:
                other = second[rows][state, action]
                left, is_firm = left ^ normal[other], is_firm | firm[other]
            keys = state * targets + left + 2
            if self.game.misere:
                # The two values of a firm row are equal; those of another are 0 and 1.
                misere = np.where(is_firm, left, left ^ 1)
                low = np.flatnonzero(misere < 2)
                keys = np.concatenate([keys, state[low] * targets + misere[low]])
                action = np.concatenate([action, action[low]])
            ranges[rows] = add_lists(lists, ranges[rows].size, keys, action).reshape(-1, targets)
        return ranges


def add_lists(lists: Joined, size: int, keys: IntArray, actions: IntArray) -> WordArray:
    """Append lists of actions by their keys, 0 to ``size - 1``; return ranges, 0 for an empty one.

    Both ``keys`` and ``actions`` are ``(n,)``.
    """
    first = lists.add(object(), actions[np.argsort(keys, kind="stable")])
    counts = np.bincount(keys, minlength=size).astype(np.uint64)
    starts = np.cumsum(counts, dtype=np.uint64) - counts + np.uint64(first)
    return np.where(counts == 0, np.uint64(0), starts | counts << np.uint64(32))


class Joined:
    """Arrays of one dtype, one after the other behind some ``first`` entries; equal ones once.

    ``at``: where the array of each key begins.
    """

    def __init__(self, dtype: Any, *first: int) -> None:
        self._arrays = [np.array(first, dtype=dtype)]
        self._dtype, self._length = dtype, len(first)
        self.at: dict[Any, int] = {}

    def add(self, key: Any, array: Array) -> int:
        """Return the index of the first entry of ``array``, which is appended if its key is new."""
        if key not in self.at:
            self.at[key] = self._length
            self._arrays.append(array.reshape(-1).astype(self._dtype))
            self._length += array.size
        return self.at[key]

    @property
    def array(self) -> Any:
        """All of them."""
        return np.concatenate(self._arrays)


_shared: SharedCache[tuple[Any, ...], Tables] = SharedCache()


def tables_of(game: Game, encoding: Encoding, is_optimal: bool, hurry: bool) -> Tables:
    """Return the tables of a game: those in use if there are any, else new ones."""
    theorem = game.theorem and game.theorem.name
    of_encoding = encoding.name, encoding.space.dtype
    key = game.parts, game.misere, theorem, of_encoding, is_optimal, hurry
    return _shared.get_or_create(key, lambda: Tables(game, encoding, is_optimal, hurry))
