"""Arrays of a game that the compiled functions of a batch read: of one graph, or of a sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.batched import kernels
from nim_envs.envs.batched.kernels import Games, GraphTables, SumTables, Targets
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import LARGEST_TABLE, Graph, Part
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


class Layout:
    """Place of the observation and of the action mask in a row of 64-bit words."""

    def __init__(self, encoding: Encoding, actions: int) -> None:
        self.dtype: np.dtype[Any] = np.dtype(encoding.space.dtype)
        self.features, self.actions = sum(encoding.widths), actions
        self.mask_column = len(words_of(0, self.features * self.dtype.itemsize))
        self.words = self.mask_column + len(words_of(0, actions))

    def observations(self, rows: WordArray) -> Array:
        """Return the observations in rows ``(n, words)``, ``(n, features)``, a view."""
        return rows[:, : self.mask_column].view(self.dtype)[:, : self.features]

    def action_masks(self, rows: WordArray) -> Array:
        """Return the action masks in rows ``(n, words)``, int8 ``(n, actions)``, a view."""
        return rows[:, self.mask_column :].view(np.int8)[:, : self.actions]


def words_of(first: int, end: int) -> range:
    """Return the words that hold the bytes from ``first`` up to ``end``."""
    return range(first // WORD_BYTES, -(-end // WORD_BYTES)) if first < end else range(0)


def pieces(rows: int, width: int) -> Iterator[slice]:
    """Yield slices of the rows of an array, each of few megabytes."""
    step = max(1, ENTRIES_AT_ONCE // max(1, width))
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))


def flat_blocks(games: Games) -> UInt32Array:
    """Return the words of the blocks of all games, ``(blocks, games)``."""
    chunks, blocks, size = games.blocks.shape
    flat = games.blocks.transpose(1, 0, 2).reshape(blocks, chunks * size)
    return np.asarray(flat[:, : len(games.words)])


def blocks_of(parts: Sequence[Part], options: int) -> list[range]:
    """Return the parts of each block of a sum: neighbours merged while their tables are small."""
    slots = {group.start: group for group in Sum(parts).groups}
    blocks: list[range] = []
    index = 0
    while index < len(parts):
        group = slots.get(index)
        if group is not None:
            states = Sum(parts[group.start : group.stop]).num_positions
            fits = states * len(group) * options <= SLOT_ENTRIES
            blocks += [group] if fits else [range(slot, slot + 1) for slot in group]
        else:
            block = range(index, index + 1)
            if blocks and parts[blocks[-1].start].second is None:
                wider = range(blocks[-1].start, index + 1)
                sizes = [parts[part].num_positions for part in wider]
                if np.prod(sizes, dtype=float) * len(wider) * options <= BLOCK_ENTRIES:
                    blocks.pop()
                    block = wider
            blocks.append(block)
        index = blocks[-1].stop
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
        self.game, self._encoding, self._hurry = game, encoding, hurry
        self.layout = Layout(encoding, game.num_actions)
        self._blocks = blocks_of(game.parts, game.options)
        # Searched, misère play takes a graph; else large ones of parts are slower than their sum.
        is_tame = not game.misere or all(misere_values(part) is not None for part in game.parts)
        small = len(self._blocks) > 1 and (is_tame or not is_optimal) and not hurry
        self.board = board_of(game.parts, most=CACHED_ENTRIES if small else LARGEST_TABLE)
        if isinstance(self.board, Graph):
            self._check_size(self.board.num_positions * self.layout.words)
            self.graph = self._graph_tables(self.board, is_optimal)
        else:
            self.total = self._sum_tables()
            if is_optimal:
                self.targets = self._targets()

    def _check_size(self, words: int) -> None:
        """Raise an error if rows of observations and masks would take too much memory."""
        check_bytes(f"observations of all positions of {self.game.name}", words * WORD_BYTES)

    def start_words(self, positions: IntArray) -> tuple[UInt32Array, UInt32Array, UInt32Array]:
        """Return the states at positions ``(n, fields)``, as :class:`kernels.Starts` has them."""
        states = self.board.find(positions)
        if isinstance(self.board, Graph):
            none = np.zeros((0, len(states)), dtype=np.uint32)
            return states.astype(np.uint32), none, np.zeros(len(states), dtype=np.uint32)
        words, legal = [], np.zeros(len(states), dtype=np.uint32)
        for block, graph in zip(self._blocks, self._graphs, strict=True):
            own = states[:, block.start : block.stop]
            if len(block) > 1:
                parts = self.game.parts[block.start : block.stop]
                rows = graph.find(Sum(parts).positions(own))
            else:
                rows = own[:, 0]
            packed, bits = self._packed(graph)
            words.append(packed[rows])
            legal += words[-1] >> np.uint32(bits)
        return np.zeros(len(states), dtype=np.uint32), np.stack(words), legal

    def states(self, games: Games) -> IntArray:
        """Return the states of games on :attr:`board`: ``(games,)`` or ``(games, parts)``."""
        if self.total is None:
            return (games.words & kernels.ROW).astype(np.int64)
        masks = (np.uint32(1) << self.total.blocks["bits"]) - np.uint32(1)
        rows = flat_blocks(games) & masks[:, np.newaxis]
        members = zip(self._members, rows, strict=True)
        return np.concatenate([states[row] for states, row in members], axis=1)

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
        here = np.arange(size, dtype=np.uint32)
        # The result of the player who moved there: the opposite of the value to the next one.
        outcome = self.game.parts[0].outcome
        ends: Any = (1 if self.game.misere else -1) if outcome is None else outcome
        flags = kernels.TERMINATED | np.select(
            [ends == -1, ends == 1], [kernels.WON, kernels.LOST], np.uint32(0)
        )
        word_of = here | np.where(graph.ends, flags, np.uint32(0)).astype(np.uint32)
        after = np.empty((size, actions + 1), dtype=np.uint32)
        after[:, actions] = here
        # First an action for games that are over.
        lists = _Joined(np.uint32, [[self._blocks[-1].start * self.game.options]])
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
        replies = np.where(replies == 0, legal, replies)
        table = np.empty((size, self.layout.words), dtype=np.uint64)
        for rows in pieces(size, self.layout.words * WORD_BYTES):
            positions = graph.positions(np.arange(rows.start, rows.stop))
            table[rows] = 0
            self.layout.observations(table[rows])[:] = self._encoding.encode(positions)
            self.layout.action_masks(table[rows])[:] = graph.after[rows] >= 0
        return GraphTables(
            after=after.reshape(-1),
            stride=np.uint32(actions + 1),
            actions=lists.array,
            legal=legal,
            replies=replies,
            rows=table.reshape(-1),
            mask_column=self.layout.mask_column,
        )

    def _keeping(self, graph: Graph, rows: slice) -> BoolArray:
        """Return among which actions the opponent draws, none where among all."""
        if self._hurry:
            here = graph.positions(np.arange(rows.start, rows.stop))
            return self.game.solution.hurrying_mask(here)
        moves, value = graph.after[rows], self.values[rows, np.newaxis]
        return np.asarray((moves >= 0) & (self.values[moves] == -value) & (value > -1))

    # Sums.

    @cached_property
    def _graphs(self) -> list[Graph]:
        """The graph of each block."""
        graphs: list[Graph] = []
        for block in self._blocks:
            parts = self.game.parts[block.start : block.stop]
            graph = parts[0] if len(parts) == 1 else board_of(parts, most=LARGEST_TABLE)
            assert isinstance(graph, Graph)
            graphs.append(graph)
        return graphs

    @cached_property
    def _members(self) -> list[IntArray]:
        """The states of a block's parts by its row, ``(rows, parts)``, for each block."""
        return [
            Sum(self.game.parts[block.start : block.stop]).find(graph.coordinates)
            if len(block) > 1
            else np.arange(graph.num_positions)[:, np.newaxis]
            for block, graph in zip(self._blocks, self._graphs, strict=True)
        ]

    def _packed(self, graph: Graph) -> tuple[UInt32Array, int]:
        """Return the words of a block's rows, ``(n,)``, and the number of bits of the row."""
        bits = max(1, (graph.num_positions - 1).bit_length())
        counts = (graph.after >= 0).sum(axis=1).astype(np.uint32)
        return np.arange(len(counts), dtype=np.uint32) | (counts << np.uint32(bits)), bits

    def _padded(self, table: Array, count: int, fill: int) -> Array:
        """Return a table ``(n, options of the block)`` with all options of each part."""
        own = table.reshape(len(table), count, -1)
        padded = np.full((len(table), count, self.game.options), fill, dtype=table.dtype)
        padded[:, :, : own.shape[2]] = own
        return padded.reshape(len(table), -1)

    def _sum_tables(self) -> SumTables:
        """Return the arrays of a game on a sum."""
        blocks = np.zeros(len(self._blocks), dtype=kernels.BLOCK)
        after, seconds = _Joined(np.uint32), _Joined(np.uint32)
        legal, rows = _Joined(np.uint32, [[0]]), _Joined(np.uint64)
        slots: list[tuple[int, int, int]] = []
        for index, (block, graph) in enumerate(zip(self._blocks, self._graphs, strict=True)):
            packed, bits = self._packed(graph)
            moves = self._padded(graph.after, len(block), -1)
            own = blocks[index]
            own["first_action"] = block.start * self.game.options
            own["actions"], own["bits"] = moves.shape[1], bits
            kind = graph, len(block)
            own["after_at"] = after.add(kind, np.where(moves >= 0, packed[moves], kernels.ILLEGAL))
            order = np.argsort(moves < 0, axis=1, kind="stable")
            if (order == order[0]).all():
                order = order[:1]
            own["legal_at"] = legal.add(kind, order)
            own["legal_width"] = order.shape[1] if len(order) > 1 else 0
            words = self._block_rows(block, graph, moves >= 0, own)
            own["rows_at"] = rows.add(index, words)
            part = self.game.parts[block.start]
            if len(block) == 1 and part.second is not None:
                own["is_slot"] = not words[0].any()
                second = self._padded(np.where(part.second > 0, packed[part.second], 0), 1, 0)
                at = seconds.add(part, second)
                if slots and slots[-1][1:] == (index, at) and graph is self._graphs[index - 1]:
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
            mask_column=self.layout.mask_column,
            any_action=blocks["first_action"][-1],
            ended=np.uint32(
                kernels.TERMINATED | (kernels.LOST if self.game.misere else kernels.WON)
            ),
        )

    def _block_rows(self, block: range, graph: Graph, legal: BoolArray, own: Any) -> WordArray:
        """Return the words that a block writes, ``(rows, words)``, and set their columns."""
        layout, encoding, parts = self.layout, self._encoding, self.game.parts
        first = sum(len(part.fields) for part in parts[: block.start])
        fields = range(first, first + len(graph.fields))
        at = [*accumulate(encoding.widths, initial=0)]
        features = slice(at[fields.start], at[fields.stop])
        actions = slice(block.start * self.game.options, block.stop * self.game.options)
        size, mask = layout.dtype.itemsize, words_of(actions.start, actions.stop)
        seen = words_of(features.start * size, features.stop * size)
        own["column"], own["words"] = seen.start, len(seen)
        own["mask_column"], own["mask_words"] = layout.mask_column + mask.start, len(mask)
        columns = [*seen, *(layout.mask_column + column for column in mask)]
        self._check_size(graph.num_positions * len(columns))
        words = np.empty((graph.num_positions, len(columns)), dtype=np.uint64)
        for rows in pieces(len(words), layout.words * WORD_BYTES):
            size = rows.stop - rows.start
            positions = np.zeros((size, len(encoding.widths)), dtype=np.int64)
            positions[:, fields.start : fields.stop] = graph.positions(np.arange(size) + rows.start)
            whole = np.zeros((size, layout.words), dtype=np.uint64)
            encoded = encoding.encode(positions)
            layout.observations(whole)[:, features] = encoded[:, features]
            layout.action_masks(whole)[:, actions] = legal[rows]
            words[rows] = whole[:, columns]
        return words

    def _targets(self) -> Targets:
        """Return optimal play of a sum, by the Grundy values of its parts."""
        game, total = self.game, self.total
        assert total is not None
        in_misere = [misere_values(part) for part in game.parts] if game.misere else []
        if any(values is None for values in in_misere):
            size = self.board.num_positions * self.board.num_actions
            raise SearchTooLargeError(
                f"an optimal opponent needs to know who wins at every position of {game.name}, "
                f"which no theorem says: a table of {size} entries; at most {LARGEST_TABLE} are "
                "allowed"
            )
        values, ranges = _Joined(np.uint32), _Joined(np.uint64)
        lists = _Joined(np.uint32, [[0]])
        for index, (block, graph) in enumerate(zip(self._blocks, self._graphs, strict=True)):
            own, kind = total.blocks[index], (graph, len(block))
            normal = np.zeros(graph.num_positions, dtype=np.int64)
            firm = np.zeros(graph.num_positions, dtype=np.bool_)
            for part, states in zip(block, self._members[index].T, strict=True):
                of_part = grundy_values(game.parts[part])
                normal ^= of_part[states]
                if game.misere:
                    firm |= (of_part == in_misere[part])[states]
            is_new = kind not in values.at
            most = int(normal.max())
            if isinstance(graph, Part) and graph.second is not None:
                most = (1 << most.bit_length()) - 1  # nim-sums of two values
            own["values_at"] = values.add(kind, (normal << 1) | firm)
            own["targets"] = most + 4
            if is_new:
                ranges.add(kind, self._ranges(index, normal, firm, most + 4, lists))
            own["ranges_at"] = ranges.at[kind]
        firm_at_first = np.uint32(0 if game.misere else 1)
        return Targets(values.array, ranges.array, lists.array, firm_at_first)

    def _ranges(
        self, index: int, normal: IntArray, firm: BoolArray, targets: int, lists: _Joined
    ) -> WordArray:
        """Append lists of a block's actions by row and target; return their ranges.

        A move has a target for the normal value that it leaves, and in misère play another if the
        misère value that it leaves is 0 or 1.
        """
        graph, count = self._graphs[index], len(self._blocks[index])
        moves = self._padded(graph.after, count, -1)
        second = graph.second if isinstance(graph, Part) else None
        seconds = None if second is None else self._padded(second, 1, 0)
        ranges = np.empty((len(moves), targets), dtype=np.uint64)
        self._check_size(ranges.size)
        for rows in pieces(len(moves), moves.shape[1] + targets):
            state, action = np.nonzero(moves[rows] >= 0)
            after = moves[rows][state, action]
            left, is_firm = normal[after], firm[after]
            if seconds is not None:
                other = seconds[rows][state, action]
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


def add_lists(lists: _Joined, size: int, keys: IntArray, actions: IntArray) -> WordArray:
    """Append lists of actions by their keys, 0 to ``size - 1``; return ranges, 0 for an empty one.

    Both ``keys`` and ``actions`` are ``(n,)``.
    """
    first = lists.add(object(), actions[np.argsort(keys, kind="stable")])
    counts = np.bincount(keys, minlength=size).astype(np.uint64)
    starts = np.cumsum(counts, dtype=np.uint64) - counts + np.uint64(first)
    return np.where(counts == 0, np.uint64(0), starts | counts << np.uint64(32))


class _Joined:
    """Arrays of one dtype, one after the other, those of one key once; where each begins."""

    def __init__(self, dtype: Any, first: Sequence[Any] = ()) -> None:
        self._arrays = [np.asarray(each, dtype=dtype).reshape(-1) for each in first]
        self._dtype, self._length = dtype, sum(map(len, self._arrays))
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
        return np.concatenate([np.zeros(0, dtype=self._dtype), *self._arrays])


_shared: SharedCache[tuple[Any, ...], Tables] = SharedCache()


def tables_of(game: Game, encoding: Encoding, is_optimal: bool, hurry: bool) -> Tables:
    """Return the tables of a game: those in use if there are any, else new ones."""
    theorem = game.theorem and game.theorem.name
    of_encoding = encoding.name, encoding.space.dtype
    key = game.parts, game.misere, theorem, of_encoding, is_optimal, hurry
    return _shared.get_or_create(key, lambda: Tables(game, encoding, is_optimal, hurry))
