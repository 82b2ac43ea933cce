"""A game as flat arrays, which compiled code reads instead of calling the rules."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.caches import SharedCache
from nim_envs.encoding import Encoding
from nim_envs.envs.vector.grouping import SLOT_ENTRIES, Grouping
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.rules import Rules
from nim_envs.typing import UInt32Array, WordArray
from nim_envs.validation import check_bytes

CHUNK_ENTRIES = 1 << 18
WORD_BYTES = 8
ENTRY_BYTES = 4

LARGE_BOARD_WORDS = 32
"""Words of a row from which on a board is large: moves are then made game by game, and observations
written in the order of memory, instead of group by group and word by word for all games."""

ILLEGAL_ACTION = np.uint32(2**32 - 1)
"""The entry for an illegal action: the only one whose highest bit is set."""

ColumnArray = npt.NDArray[np.void]
"""An array of rows whose columns have names. Compiled code takes it as fast as a matrix; an array
for each column would take a microsecond more in every call."""

GROUP = np.dtype(
    [
        ("first_action", np.uint32),
        ("actions", np.uint32),  # their number
        ("successors_at", np.uint32),  # the start of its entries in Tables.successors
        ("legal_at", np.uint32),  # the start of its entries in Tables.legal_actions
        ("legal_width", np.uint32),  # their number for each state; 0: all states share a row
        ("states_at", np.uint32),  # the start of its entries in Tables.packed
        ("state_bits", np.uint32),  # the lower bits of a packed state, which hold the state
        ("words_at", np.uint32),  # the start of its entries in Tables.words
        ("words", np.uint32),  # their number for each state
        # 1 where it is a slot of its own whose words are zeros while it is empty; else 0
        ("zeros_if_empty", np.uint32),
    ]
)
"""Columns of :attr:`Tables.groups`."""

WORDS = np.dtype(
    [
        ("column", np.uint32),  # the word of a row
        ("shared", np.uint32),  # 1 where an earlier group writes there too, else 0
    ]
)
"""Columns of :attr:`Tables.columns`."""

SLOTS = np.dtype(
    [
        ("first_slot", np.uint32),
        ("end_slot", np.uint32),  # the group after the last slot
        ("seconds_at", np.uint32),  # the start of its entries in Tables.seconds
    ]
)
"""Columns of :attr:`Tables.slots`."""


class Tables(NamedTuple):
    """The rules as arrays, made by :func:`tabulate`.

    Neighbouring components are merged into *groups*. A group's state is the mixed-radix
    index of its components' states, so that a small game is a single group and a move a
    single look-up. The slots of heaps that split are a group too, whose states are the indices of
    its positions; or, where these are many, each slot is a group, and second parts are looked up
    separately. The rows of all groups are joined in one flat array; equal groups share them.

    A *packed* state has the group's state in its lower bits, and above them the number of legal
    actions of the group there.

    An observation with its action mask is a row of 64-bit words: first the observation, then the
    mask, each padded with zeros. It is the bitwise or of the rows of its groups.
    """

    groups: ColumnArray  # (groups,), of GROUP
    # By group, state and action of the group: the packed next state, or ILLEGAL_ACTION.
    successors: UInt32Array
    # By group and state: the legal actions first, then the others. One row serves all states of a
    # group in which the legal actions always come first.
    legal_actions: UInt32Array
    # By group and state: the packed state.
    packed: UInt32Array
    slots: ColumnArray  # (ranges,), of SLOTS: slots that are groups of their own
    # By state and option of a slot: the packed state of the second part, or 0.
    seconds: UInt32Array
    # By group and state: its words in the row.
    words: WordArray
    columns: ColumnArray  # (groups, most words), of WORDS: where a row has each word of a group
    group_of_action: UInt32Array  # (actions,)
    mask_column: int  # the first word of a row that holds the mask
    is_large: bool  # whether rows have LARGE_BOARD_WORDS or more


class Layout(NamedTuple):
    """Place of the observation and of the action mask in a row.

    Attributes:
        words: number of 64-bit words in a row.
        mask_column: the first word of the action mask.
        features: number of entries of an observation.
        dtype: type of an observation's entries.
        actions: number of actions.
    """

    words: int
    mask_column: int
    features: int
    dtype: np.dtype[Any]
    actions: int

    def observations(self, rows: WordArray) -> npt.NDArray[Any]:
        """Return ``rows`` ``(n, words)`` as observations ``(n, features)``, a view."""
        entries = rows[:, : self.mask_column].view(self.dtype)
        return entries[:, : self.features]

    def action_masks(self, rows: WordArray) -> npt.NDArray[np.int8]:
        """Return ``rows`` ``(n, words)`` as action masks ``(n, actions)``, a view."""
        entries = rows[:, self.mask_column :].view(np.int8)
        return entries[:, : self.actions]


def row_layout(rules: Rules, encoding: Encoding) -> Layout:
    """Return the layout of rows for positions of ``rules`` in ``encoding``."""
    dtype = np.dtype(encoding.space.dtype)
    features = sum(encoding.widths)
    mask_column = _words(features * dtype.itemsize)
    return Layout(
        words=mask_column + _words(rules.num_actions),
        mask_column=mask_column,
        features=features,
        dtype=dtype,
        actions=rules.num_actions,
    )


def _words(size: int) -> int:
    """Number of 64-bit words for ``size`` bytes."""
    return -(-size // WORD_BYTES)


class GameTables:
    """Tables that batches of games with equal rules and encoding share.

    Args:
        rules: components of the game.
        encoding: encoding of observations.
        largest_slots: see :class:`nim_envs.envs.vector.grouping.Grouping`.

    Attributes:
        grouping: the components, merged into groups.
        layout: layout of observations and masks.
        arrays: arguments of the compiled functions.

    Raises:
        SearchTooLargeError: the tables would exceed the memory limit.
    """

    def __init__(self, rules: Rules, encoding: Encoding, largest_slots: int) -> None:
        self.grouping = Grouping(rules, largest_slots=largest_slots)
        self.layout = row_layout(rules, encoding)
        self.arrays = tabulate(self.grouping, encoding, self.layout)


_tables_in_use: SharedCache[tuple[Any, ...], GameTables] = SharedCache()
"""The tables in use."""


def game_tables(rules: Rules, encoding: Encoding, largest_slots: int = SLOT_ENTRIES) -> GameTables:
    """Return the tables of a game: those in use if there are any, else new ones.

    Arguments and errors: :class:`GameTables`.
    """
    key = (rules.components, encoding.name, encoding.space.dtype, largest_slots)
    return _tables_in_use.get_or_create(key, lambda: GameTables(rules, encoding, largest_slots))


def check_tables(rules: Rules, what: str, size: int) -> None:
    """Raise ``SearchTooLargeError`` if tables would exceed the memory limit.

    Args:
        rules: named in the message.
        what: name of the tables in the message.
        size: bytes of the tables.
    """
    check_bytes(
        f"{what} of {rules.name} with components of {rules.shape} states and {rules.num_options} "
        "options",
        size,
    )


def tabulate(grouping: Grouping, encoding: Encoding, layout: Layout) -> Tables:
    """Return the tables of a game.

    Args:
        grouping: components of the game, merged into groups.
        encoding: encoding of observations.
        layout: layout of rows in this encoding.

    Raises:
        SearchTooLargeError: the tables would exceed the memory limit.
    """
    rules, members = grouping.rules, grouping.members
    # Groups of equal components are of one kind, and tabulated once: the first group of each kind.
    kinds: dict[tuple[Component, ...], int] = {}
    for index, group in enumerate(members):
        kinds.setdefault(grouping.components(group), index)
    _check_size(grouping, encoding, layout, list(kinds.values()))
    columns_of = [
        [*itertools.chain(*_columns_of(rules, group, encoding, layout))] for group in members
    ]
    of_kinds = [_tabulate_group(grouping, index) for index in kinds.values()]
    kind_of = [list(kinds).index(grouping.components(group)) for group in members]
    of_groups = [of_kinds[kind] for kind in kind_of]
    legal_actions = [
        own.legal_actions + np.uint32(group.start * rules.num_options)
        for group, own in zip(members, of_groups, strict=True)
    ]
    words = [
        _group_words(grouping, index, of_groups[index], encoding, layout, columns)
        for index, columns in enumerate(columns_of)
    ]
    groups = np.empty(len(members), dtype=GROUP)
    groups["first_action"] = [group.start * rules.num_options for group in members]
    groups["actions"] = [own.successors.shape[1] for own in of_groups]
    groups["successors_at"] = _beginnings([kind.successors.size for kind in of_kinds])[kind_of]
    groups["legal_at"] = _beginnings([rows.size for rows in legal_actions])
    groups["legal_width"] = [rows.shape[1] if len(rows) > 1 else 0 for rows in legal_actions]
    groups["states_at"] = _beginnings([kind.packed.size for kind in of_kinds])[kind_of]
    groups["state_bits"] = [own.state_bits for own in of_groups]
    groups["words"] = [rows.shape[1] for rows in words]
    groups["words_at"] = _beginnings([rows.size for rows in words])
    groups["zeros_if_empty"] = 0
    for slots_range in grouping.slots:
        groups["zeros_if_empty"][slots_range] = not words[slots_range.start][0].any()
    columns = np.zeros((len(members), groups["words"].max()), dtype=WORDS)
    written: set[int] = set()
    for index, own in enumerate(columns_of):
        columns["column"][index, : len(own)] = own
        columns["shared"][index, : len(own)] = [column in written for column in own]
        written.update(own)
    seconds = [
        _second_parts(grouping, slots_range.start, of_groups[slots_range.start].packed)
        for slots_range in grouping.slots
    ]
    slots = np.empty(len(seconds), dtype=SLOTS)
    slots["first_slot"] = [group.start for group in grouping.slots]
    slots["end_slot"] = [group.stop for group in grouping.slots]
    slots["seconds_at"] = _beginnings([rows.size for rows in seconds])
    return Tables(
        groups=groups,
        successors=_joined([kind.successors for kind in of_kinds]),
        legal_actions=_joined(legal_actions),
        packed=_joined([kind.packed for kind in of_kinds]),
        slots=slots,
        seconds=_joined(seconds) if seconds else np.zeros(0, dtype=np.uint32),
        words=_joined(words),
        columns=columns,
        group_of_action=np.repeat(np.arange(len(members), dtype=np.uint32), groups["actions"]),
        mask_column=layout.mask_column,
        is_large=layout.words >= LARGE_BOARD_WORDS,
    )


def packed_states(tables: Tables, states: UInt32Array) -> UInt32Array:
    """Return ``states`` of the groups, ``(groups, n)``, packed."""
    # Compiled code needs a contiguous array, which indexing need not return.
    return np.ascontiguousarray(tables.packed[tables.groups["states_at"][:, np.newaxis] + states])


def unpacked_states(tables: Tables, packed: UInt32Array) -> UInt32Array:
    """Return the states of the groups, ``(groups, n)``, that :func:`packed_states` packed."""
    one = np.uint32(1)
    return packed & ((one << tables.groups["state_bits"][:, np.newaxis]) - one)


def _beginnings(sizes: list[int]) -> npt.NDArray[np.int64]:
    """Return where arrays of these ``sizes`` begin when they are joined."""
    return np.array([0, *itertools.accumulate(sizes)], dtype=np.int64)[: len(sizes)]


def _joined(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return all entries of ``arrays`` in one flat array; of a single one without a copy."""
    return arrays[0].reshape(-1) if len(arrays) == 1 else np.concatenate(arrays, axis=None)


def _columns_of(
    rules: Rules, group: range, encoding: Encoding, layout: Layout
) -> tuple[range, range]:
    """The columns of a row in which a group writes: of the observation, and of the mask."""
    size, options = layout.dtype.itemsize, layout.actions // len(rules.components)
    slices = rules.field_slices
    ends = slices[group.start].start, slices[group.stop - 1].stop
    first, end = (sum(encoding.widths[:at]) * size for at in ends)
    mask = _columns(group.start * options, group.stop * options)
    mask_columns = range(layout.mask_column + mask.start, layout.mask_column + mask.stop)
    return _columns(first, end), mask_columns


def _columns(first_byte: int, end_byte: int) -> range:
    """The words that hold the bytes from ``first_byte`` up to ``end_byte``."""
    if first_byte == end_byte:
        return range(0)
    return range(first_byte // WORD_BYTES, _words(end_byte))


def _check_size(grouping: Grouping, encoding: Encoding, layout: Layout, kinds: list[int]) -> None:
    """Raise an error if the tables would be too large, before any is made."""
    rules, sizes, members = grouping.rules, grouping.sizes, grouping.members
    entries = sum(sizes[index] * (len(members[index]) * rules.num_options + 1) for index in kinds)
    words = 0
    for group, size in zip(members, sizes, strict=True):
        words += size * sum(map(len, _columns_of(rules, group, encoding, layout)))
    check_tables(rules, "the tables", entries * ENTRY_BYTES + words * WORD_BYTES)


class _GroupTables(NamedTuple):
    """The rules of one kind of group; actions are numbered from 0."""

    successors: UInt32Array
    legal_actions: UInt32Array
    packed: UInt32Array
    state_bits: int


def chunks(rows: int, width: int) -> list[tuple[int, int]]:
    """Return the first row of each piece, and the one after its last, of arrays of ``width``.

    A piece takes a few megabytes.
    """
    step = max(1, CHUNK_ENTRIES // width)
    return [(first, min(first + step, rows)) for first in range(0, rows, step)]


def _tabulate_group(grouping: Grouping, index: int) -> _GroupTables:
    group, states = grouping.members[index], grouping.sizes[index]
    actions = len(group) * grouping.rules.num_options
    state_bits = max(1, (states - 1).bit_length())
    successors = np.empty((states, actions), dtype=np.uint32)
    counts = np.empty(states, dtype=np.uint32)
    legal_come_first = True
    for first, last in chunks(states, actions):
        after = grouping.successors(group, first, last)
        legal = after != NO_MOVE
        counts[first:last] = legal.sum(axis=1)
        legal_come_first &= bool(
            (legal == (np.arange(actions) < counts[first:last, np.newaxis])).all()
        )
        successors[first:last] = after  # NO_MOVE, which is -1, becomes ILLEGAL_ACTION.
    packed = np.arange(states, dtype=np.uint32) + (counts << np.uint32(state_bits))
    rows = 1 if legal_come_first else states
    check_tables(
        grouping.rules, "the tables", (2 if rows > 1 else 1) * successors.size * ENTRY_BYTES
    )
    legal_actions = np.empty((rows, actions), dtype=np.uint32)
    legal_actions[:] = np.arange(actions, dtype=np.uint32)
    for first, last in chunks(states, actions):
        here = successors[first:last]
        legal = here != ILLEGAL_ACTION
        if not legal_come_first:
            legal_actions[first:last] = np.argsort(~legal, axis=1, kind="stable")
        np.copyto(here, packed.take(here, mode="clip"), where=legal)
    return _GroupTables(successors, legal_actions, packed, state_bits)


def _group_words(
    grouping: Grouping,
    index: int,
    tables: _GroupTables,
    encoding: Encoding,
    layout: Layout,
    columns: list[int],
) -> WordArray:
    """The words of one group, by state."""
    group, states = grouping.members[index], grouping.sizes[index]
    rules, widths_before = grouping.rules, np.cumsum([0, *encoding.widths])
    first_action, actions = group.start * rules.num_options, tables.successors.shape[1]
    words = np.empty((states, len(columns)), dtype=np.uint64)
    for first, last in chunks(states, actions + layout.words * WORD_BYTES):
        rows = np.zeros((last - first, layout.words), dtype=np.uint64)
        observations, masks = layout.observations(rows), layout.action_masks(rows)
        member_states = grouping.member_states(group, np.arange(first, last))
        for member, component in enumerate(group):
            fields = rules.field_slices[component]
            own = Encoding(encoding.name, rules.fields[fields])
            here = rules.components[component].coordinate_system.of(member_states[:, member])
            columns_of = slice(widths_before[fields.start], widths_before[fields.stop])
            observations[:, columns_of] = own.encode(here)
        masks[:, first_action : first_action + actions] = (
            tables.successors[first:last] != ILLEGAL_ACTION
        )
        words[first:last] = rows[:, columns]
    return words


def _second_parts(grouping: Grouping, index: int, packed: UInt32Array) -> UInt32Array:
    """Return the packed states that a slot's options split off, ``(states, options)``; 0: none."""
    component = grouping.rules.components[grouping.members[index].start]
    seconds = np.zeros((component.states, grouping.rules.num_options), dtype=np.uint32)
    # The empty slot, state 0, has no move: packed it is 0.
    seconds[:, : component.options] = packed[component.second_table]
    return seconds
