"""Breadth-first listing of the positions and moves of a game given by a function."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.listing.array_moves import moves_of_one
from nim_envs.rules.listing.end_values import end_values
from nim_envs.rules.listing.labels import Labels
from nim_envs.rules.listing.readers import (
    ArrayReader,
    OneByOneReader,
    RawListing,
    read_breadth_first,
)
from nim_envs.rules.listing.second_calls import check_second_calls
from nim_envs.rules.move_rows import MoveRows
from nim_envs.typing import Array, Int32Array, IntArray, Position, ValueArray

LARGEST_LISTING = 2_000_000
"""Default limit on the number of positions of a listing."""


class Listing(NamedTuple):
    """Positions and moves of a game.

    Attributes:
        coordinates: the positions in lexicographic order, ``(positions, coordinates)``, of a type
            of integers that holds them.
        moves: the moves, with the indices of positions in this order as states.
        labels: label of each option.
        first_seen: first position with each label; ``None`` where no position has it.
        values: value of each position without moves, int8 ``(positions,)``, and 0 at the others;
            ``None`` where the last move decides.
    """

    coordinates: Array
    moves: MoveRows
    labels: tuple[Hashable, ...]
    first_seen: tuple[Position | None, ...]
    values: ValueArray | None


def list_positions(
    name: str,
    starts: Sequence[Position],
    moves: Any,
    actions: Iterable[Hashable] | None,
    limit: int,
    outcome: Any = None,
    *,
    vectorized: bool = False,
) -> Listing:
    """Return all positions reachable from ``starts``.

    Limits are checked while moves are read, so that a function without an end is refused at once.

    Args:
        name: name of the game, for messages.
        starts: checked positions, all of one length.
        moves: the moves at a position, as pairs of a label and the position that it leads to.
        actions: the labels in the order of the options; ``None``: those that occur, in natural
            order.
        limit: most positions to list.
        outcome: the value of a position without moves to the player to move; ``None``: the last
            move decides who wins.
        vectorized: whether both are functions of arrays of positions.

    Raises:
        InvalidGameError: ``moves`` raises, or gives anything but such pairs; ``outcome`` raises, or
            gives anything but 1, 0 or -1; or a second call of either gives another result. The
            message names the position.
        SearchTooLargeError: more than ``limit`` positions, more than ``MOST_LABELS`` labels, or
            positions and moves over the limit of bytes.
    """
    reader_type = ArrayReader if vectorized else OneByOneReader
    reader = reader_type(name, starts, moves, actions, limit)
    read_breadth_first(reader)
    raw = reader.take()
    if not len(raw.options):
        others = "" if len(raw.coordinates) == 1 else ", nor at any other position"
        raise InvalidGameError(f"there is no move at {raw.position(0)}{others}: the game is over")
    check_second_calls(raw, moves_of_one(moves) if vectorized else moves)
    values = None if outcome is None else end_values(raw, outcome, vectorized=vectorized)
    return _in_order(raw, reader.labels, values)


def _in_order(raw: RawListing, labels: Labels, values: ValueArray | None) -> Listing:
    """Return the listing, with positions and labels in order."""
    options = labels.in_order()
    option_of = _inverse(np.array(options, dtype=np.int64))
    lexicographic = np.lexsort(raw.coordinates.T[::-1])
    state_of = _inverse(lexicographic)
    moves = MoveRows.of(
        len(raw.coordinates), state_of[raw.sources], option_of[raw.options], state_of[raw.targets]
    )
    ordered = tuple(raw.labels[option] for option in options)
    return Listing(
        raw.coordinates[lexicographic],
        moves,
        ordered,
        tuple(map(labels.first_seen.get, ordered)),
        None if values is None else values[lexicographic],
    )


def _inverse(order: IntArray) -> Int32Array:
    """Return the inverse of a permutation."""
    inverse = np.empty(len(order), dtype=np.int32)
    inverse[order] = np.arange(len(order))
    return inverse
