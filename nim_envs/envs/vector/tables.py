"""A game as flat arrays: what compiled code reads instead of calling the rules."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.encoding import Encoding
from nim_envs.rules.component import NO_MOVE, BoolArray, IntArray
from nim_envs.rules.rules import Rules
from nim_envs.rules.validation import LARGEST_STATE
from nim_envs.theory.search import moves

UInt32Array = npt.NDArray[np.uint32]
WordArray = npt.NDArray[np.uint64]

GROUP_ENTRIES = 1 << 16
"""Components are merged as long as their joint states have at most this many options in all: the
tables then stay in a processor's cache."""

LARGEST_PART = 1 << 25
"""Options in all that the joint states of slots may have; their tables take 12 bytes each."""

CHUNK_ENTRIES = 1 << 20
WORD_BYTES = 8


STATE_BITS = 32
"""A packed state is the state of a group in this many low bits, and above them how many of the
group's actions are legal there."""

NO_STATE = np.uint64(2**64 - 1)
"""The entry for an illegal action: the only one whose highest bit is set."""

FIRST_ACTION, ACTIONS, ACTIONS_AT, STATES_AT, WORDS, WORDS_AT = range(6)
"""Columns of :attr:`Tables.groups`."""


class Tables(NamedTuple):
    """The rules as arrays, made by :func:`tabulate`.

    Neighbouring components are merged into *groups*. A group's state is the mixed-radix
    number of its components' states, so that a small game is a single group and a move a
    single look-up. Slots that share what splits are a group too, whose states are the numbers of
    its positions. The rows of all groups are joined in one flat array.

    An observation with its action mask is a row of 64-bit words: first the observation, then the
    mask, each padded with zeros. It is the bitwise or of the rows of its groups.
    """

    # (groups, 6): the first action and the number of actions of a group, where its rows of
    # actions and its states begin, the number of its words, and where its words begin.
    groups: UInt32Array
    # By group, state and action of the group: the packed next state, or NO_STATE.
    successors: WordArray
    # By group and state: the legal actions first, then the others.
    legal_actions: UInt32Array
    # By group and state: the packed state.
    packed: WordArray
    # By group and state: its words in the row.
    words: WordArray
    # (groups, most words): the column of a row in which each word of a group stands, and
    # whether an earlier group writes there too.
    columns: UInt32Array
    shared: BoolArray


class Layout(NamedTuple):
    """Where the observation and the action mask are in a row.

    Attributes:
        words: number of 64-bit words.
        mask_column: the first word of the action mask.
        features: number of entries of an observation.
        dtype: of an observation.
        actions: number of actions.
    """

    words: int
    mask_column: int
    features: int
    dtype: np.dtype[Any]
    actions: int

    def observations(self, rows: WordArray) -> npt.NDArray[Any]:
        """Return ``rows`` ``(n, words)`` as observations ``(n, features)``, a view."""
        shown = rows[:, : self.mask_column].view(self.dtype)
        return shown[:, : self.features]

    def action_masks(self, rows: WordArray) -> npt.NDArray[np.int8]:
        """Return ``rows`` ``(n, words)`` as action masks ``(n, actions)``, a view."""
        shown = rows[:, self.mask_column :].view(np.int8)
        return shown[:, : self.actions]


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
    """Number of words that ``size`` bytes take."""
    return -(-size // WORD_BYTES)


class Grouping:
    """The components of a game merged into groups.

    Args:
        rules: the rules.
        largest: options in all that the joint states of several components may have.

    Attributes:
        members: the components of each group.
        sizes: number of states of each group.
        strides: what the groups' states are multiplied by to number positions; where nothing
            splits that is the position's index. int64 ``(groups,)``; only for games whose
            positions can be numbered.

    Raises:
        SearchTooLargeError: slots that share what splits have too many joint states.
    """

    def __init__(self, rules: Rules, largest: int = GROUP_ENTRIES) -> None:
        self.rules = rules
        self.members: list[range] = []
        slots = {group.start: group for group in rules.slot_groups}
        component = 0
        while component < len(rules.components):
            group = slots.get(component, range(component, component + 1))
            if self.members and component not in slots and self.members[-1].start not in slots:
                wider = range(self.members[-1].start, group.stop)
                if math.prod(self.shape(wider)) * len(wider) * rules.num_options <= largest:
                    group = wider
                    self.members.pop()
            self.members.append(group)
            component = group.stop
        self._parts = {
            group: Part(rules, group) for group in self.members if group in rules.slot_groups
        }
        self.sizes = [
            self._parts[group].size if group in self._parts else math.prod(self.shape(group))
            for group in self.members
        ]

    def part(self, group: range) -> Part | None:
        """Return the slots of ``group`` as a game of their own; ``None`` if it has no slots."""
        return self._parts.get(group)

    def shape(self, group: range) -> tuple[int, ...]:
        """Return the number of states of each component of ``group``."""
        return self.rules.shape[group.start : group.stop]

    @property
    def strides(self) -> IntArray:
        """Mixed-radix strides of the groups."""
        return np.array([math.prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))])

    def states(self, positions: IntArray) -> UInt32Array:
        """Return the groups' states ``(groups, n)`` at positions ``(n, components)``."""
        numbers = []
        for group in self.members:
            columns, part = positions[:, group.start : group.stop], self.part(group)
            numbers.append(
                np.ravel_multi_index(tuple(columns.T), self.shape(group))
                if part is None
                else part.numbers(columns)
            )
        return np.stack(numbers).astype(np.uint32)

    def positions(self, states: UInt32Array) -> IntArray:
        """Return the positions ``(n, components)`` at the groups' states ``(groups, n)``."""
        columns = []
        for group, numbers in zip(self.members, states, strict=True):
            part = self.part(group)
            columns.append(
                np.stack(np.unravel_index(numbers, self.shape(group)), axis=-1)
                if part is None
                else part.positions[numbers]
            )
        return np.concatenate(columns, axis=-1).astype(np.int64)


class Part:
    """Slots that share what splits, as a game of their own whose positions are numbered.

    Args:
        rules: of the whole game.
        group: the slots.

    Attributes:
        rules: of the slots alone.
        positions: by number, ``(size, slots)``.
        size: number of positions.

    Raises:
        SearchTooLargeError: there are too many to tabulate.
    """

    def __init__(self, rules: Rules, group: range) -> None:
        components = rules.components[group.start : group.stop]
        self.rules = Rules(rules.name, components, (0,) * len(components))
        actions = len(components) * rules.num_options
        # Beyond that mixed-radix numbers could not be looked up either.
        self.rules.check_size(LARGEST_STATE)
        self.positions = self.rules.lattice(LARGEST_PART // actions)
        self.size = len(self.positions)
        self._indices = self.rules.indices(self.positions)

    def numbers(self, positions: IntArray) -> IntArray:
        """Return the numbers of ``positions``, ``(n, slots)``."""
        return self.numbers_at(self.rules.indices(positions))

    def numbers_at(self, indices: IntArray) -> IntArray:
        """Return the numbers of the positions at mixed-radix ``indices``."""
        return np.asarray(np.searchsorted(self._indices, indices))

    def successors(self, num_options: int) -> npt.NDArray[np.int32]:
        """Return the number of the position after every action, or ``NO_MOVE``.

        Args:
            num_options: option slots of a component in the whole game.

        Returns:
            ``(size, slots * num_options)``.
        """
        shape = (self.size, len(self.rules.components) * num_options)
        successors = np.full(shape, NO_MOVE, dtype=np.int32)
        for action, legal, after in moves(self.rules, self._indices):
            component, option = divmod(action, self.rules.num_options)
            successors[legal, component * num_options + option] = self.numbers_at(after)
        return successors


def tabulate(grouping: Grouping, encoding: Encoding) -> Tables:
    """Return the tables of a game.

    Args:
        grouping: its components, merged into groups.
        encoding: how positions are observed.

    Raises:
        SearchTooLargeError: a component is too large to tabulate.
    """
    rules = grouping.rules
    rules.check_table()
    layout = row_layout(rules, encoding)
    parts = [_tabulate_group(grouping, group, encoding, layout) for group in grouping.members]
    groups = np.empty((len(parts), 6), dtype=np.uint32)
    groups[:, FIRST_ACTION] = [group.start * rules.num_options for group in grouping.members]
    groups[:, ACTIONS] = [part.successors.shape[1] for part in parts]
    groups[:, ACTIONS_AT] = _beginnings([part.successors.size for part in parts])
    groups[:, STATES_AT] = _beginnings([part.packed.size for part in parts])
    groups[:, WORDS] = [part.words.shape[1] for part in parts]
    groups[:, WORDS_AT] = _beginnings([part.words.size for part in parts])
    columns = np.zeros((len(parts), groups[:, WORDS].max()), dtype=np.uint32)
    shared = np.zeros(columns.shape, dtype=np.bool_)
    written: set[int] = set()
    for index, part in enumerate(parts):
        columns[index, : len(part.columns)] = part.columns
        shared[index, : len(part.columns)] = [column in written for column in part.columns]
        written.update(part.columns)
    return Tables(
        groups=groups,
        successors=np.concatenate([part.successors.reshape(-1) for part in parts]),
        legal_actions=np.concatenate([part.legal_actions.reshape(-1) for part in parts]),
        packed=np.concatenate([part.packed for part in parts]),
        words=np.concatenate([part.words.reshape(-1) for part in parts]),
        columns=columns,
        shared=shared,
    )


def packed_states(tables: Tables, states: UInt32Array) -> WordArray:
    """Return ``states`` of the groups, ``(groups, n)``, packed."""
    # Compiled code takes contiguous arrays, and indexing need not return one.
    return np.ascontiguousarray(tables.packed[tables.groups[:, STATES_AT, np.newaxis] + states])


def unpacked_states(packed: WordArray) -> UInt32Array:
    """Return the states of the groups, ``(groups, n)``, that :func:`packed_states` packed."""
    return packed.astype(np.uint32)


def _beginnings(sizes: list[int]) -> list[int]:
    """Return where arrays of these ``sizes`` begin when they are joined."""
    return [0, *itertools.accumulate(sizes[:-1])]


class _GroupTables(NamedTuple):
    """The rows of one group's states, and the columns of its words."""

    successors: WordArray
    legal_actions: UInt32Array
    packed: WordArray
    words: WordArray
    columns: list[int]


def _tabulate_group(
    grouping: Grouping, group: range, encoding: Encoding, layout: Layout
) -> _GroupTables:
    rules, part = grouping.rules, grouping.part(group)
    shape = grouping.shape(group)
    strides = np.array([math.prod(shape[i + 1 :]) for i in range(len(shape))])
    states = grouping.sizes[grouping.members.index(group)]
    actions = len(group) * rules.num_options
    features_at = np.cumsum([0, *encoding.widths])
    size = layout.dtype.itemsize
    columns = [
        *_columns(int(features_at[group.start]) * size, int(features_at[group.stop]) * size),
        *(
            layout.mask_column + column
            for column in _columns(group.start * rules.num_options, group.stop * rules.num_options)
        ),
    ]
    tables = _GroupTables(
        np.empty((states, actions), dtype=np.uint64),
        np.empty((states, actions), dtype=np.uint32),
        np.empty(states, dtype=np.uint64),
        np.empty((states, len(columns)), dtype=np.uint64),
        columns,
    )
    listed = None if part is None else part.successors(rules.num_options)
    step = max(1, CHUNK_ENTRIES // (actions + layout.words * WORD_BYTES))
    for first in range(0, states, step):
        here = slice(first, min(first + step, states))
        numbers = np.arange(here.start, here.stop)
        if part is None or listed is None:
            parts = np.stack(np.unravel_index(numbers, shape), axis=-1)
            options = rules.table[np.arange(group.start, group.stop), parts]
            after = numbers[:, np.newaxis, np.newaxis] + (
                (options - parts[..., np.newaxis]) * strides[:, np.newaxis]
            )
            successors = np.where(options == NO_MOVE, NO_MOVE, after).reshape(-1, actions)
        else:
            parts, successors = part.positions[here], listed[here]
        legal = successors != NO_MOVE
        # NO_MOVE, which is -1, becomes NO_STATE.
        tables.successors[here] = successors
        tables.legal_actions[here] = np.argsort(~legal, axis=1, kind="stable")
        tables.packed[here] = numbers + (legal.sum(axis=1) << STATE_BITS)
        rows = np.zeros((len(numbers), layout.words), dtype=np.uint64)
        observations, masks = layout.observations(rows), layout.action_masks(rows)
        for component in group:
            observations[:, features_at[component] : features_at[component + 1]] = (
                encoding.features(component, parts[:, component - group.start])
            )
        masks[:, group.start * rules.num_options : group.stop * rules.num_options] = legal
        tables.words[here] = rows[:, columns]
    # Now that all packed states are known, look up those of the next states.
    for first in range(0, states, step):
        after = tables.successors[first : first + step]
        after[...] = np.where(after == NO_STATE, NO_STATE, tables.packed[after.astype(np.int64)])
    np.add(tables.legal_actions, group.start * rules.num_options, out=tables.legal_actions)
    return tables


def _columns(first_byte: int, end_byte: int) -> range:
    """The words that hold the bytes from ``first_byte`` up to ``end_byte``."""
    if first_byte == end_byte:
        return range(0)
    return range(first_byte // WORD_BYTES, _words(end_byte))
