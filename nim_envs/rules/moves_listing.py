"""Breadth-first listing of the positions and moves of a game given by a function."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.optional import installed
from nim_envs.progress import progress_bar
from nim_envs.rules.component import NO_MOVE, IntArray
from nim_envs.rules.validation import (
    LARGEST_STATE,
    check_bytes,
    checked_integer,
    integers_of,
    is_listing,
    largest_bytes,
)

Position = tuple[int, ...]
Moves = Callable[[Position], Iterable[tuple[Hashable, Position]]]

LARGEST_LISTING = 2_000_000
"""Default limit on the number of positions of a listing."""

SECONDS_WITHOUT_PROGRESS = 2.0

CHECKED_EVERY = 1024
"""Positions between two checks of the size, and two steps of the progress bar."""

ENTRY_BYTES = np.dtype(np.int64).itemsize


class Listing(NamedTuple):
    """Positions and moves of a game.

    Attributes:
        coordinates: the positions in lexicographic order, int64 ``(states, coordinates)``; with a
            single coordinate all values from 0 to the largest, so that it equals the state number.
        rows: state after each option, int64 ``(states, options)``; ``NO_MOVE`` where not legal.
        labels: label of each option.
        first_seen: first position with each label; ``None`` where no position has it.
    """

    coordinates: IntArray
    rows: IntArray
    labels: tuple[Hashable, ...]
    first_seen: tuple[Position | None, ...]


def listing(
    name: str,
    starts: Sequence[Position],
    moves: Moves,
    actions: Iterable[Hashable] | None,
    limit: int,
) -> Listing:
    """Return all positions reachable from ``starts``.

    Args:
        name: name of the game, for messages.
        starts: checked positions, all of one length.
        moves: the moves at a position, as pairs of a label and the position that it leads to.
        actions: the labels in the order of the options; ``None``: those that occur, in natural
            order.
        limit: most positions to list.

    Raises:
        InvalidGameError: ``moves`` raises, or gives anything but such pairs; the message names the
            position.
        SearchTooLargeError: more than ``limit`` positions, or a table over the limit of bytes.
    """
    given = None if actions is None else _checked_actions(actions)
    options = {label: option for option, label in enumerate(given or ())}
    positions = list(dict.fromkeys(starts))
    places = {position: place for place, position in enumerate(positions)}
    width = len(positions[0])
    first_seen: dict[Hashable, Position] = {}
    taken, targets, counts = array("q"), array("q"), array("q")
    with ExitStack() as stack:
        bar: Any = None
        if installed("tqdm"):
            bar = stack.enter_context(
                progress_bar(
                    desc=f"positions of {name}",
                    unit="position",
                    unit_scale=True,
                    delay=SECONDS_WITHOUT_PROGRESS,
                )
            )
        for place, position in enumerate(positions):  # grows meanwhile
            if place % CHECKED_EVERY == 0:
                most = _check_size(name, len(positions), len(options), limit)
                if bar is not None:
                    bar.update(place - bar.n)
            first = len(taken)
            for label, after in _moves_at(position, moves, most):
                try:
                    option = options[label]
                except KeyError:
                    if given is not None:
                        raise InvalidGameError(
                            f"actions must list every label, and moves({position}) gives {label!r}"
                        ) from None
                    option = options[label] = len(options)
                    first_seen[label] = position
                except TypeError:
                    raise InvalidGameError(
                        f"moves({position}): a label must be hashable, such as a string, an "
                        f"integer or a tuple of them, not {label!r}"
                    ) from None
                try:
                    target = places[after]
                except (KeyError, TypeError):
                    where = f"the position after move {label!r} at {position}"
                    checked = checked_position(where, after, width)
                    target = places.setdefault(checked, len(positions))
                    if target == len(positions):
                        positions.append(checked)
                taken.append(option)
                targets.append(target)
            counts.append(len(taken) - first)
            here = taken[first:]
            if len(set(here)) < len(here):
                label = next(label for label in options if here.count(options[label]) > 1)
                raise InvalidGameError(f"moves({position}) gives the label {label!r} twice")
    if not taken:
        others = "" if len(positions) == 1 else ", nor at any other position"
        raise InvalidGameError(f"there is no move at {positions[0]}{others}: the game is over")
    _check_size(name, len(positions), len(options), limit)
    labels = list(options)
    order = list(range(len(labels)))
    if given is None:
        order.sort(key=lambda option: _natural_key(labels[option]))
    coordinates = np.array(positions, dtype=np.int64).reshape(len(positions), width)
    column = np.empty(len(labels), dtype=np.int64)
    column[order] = np.arange(len(labels))
    if width == 1:
        state = coordinates[:, 0]
        check_bytes(
            f"tables of {name} with coordinates up to {state.max()} and {len(labels)} options",
            (int(state.max()) + 1) * max(1, len(labels)) * ENTRY_BYTES,
        )
        coordinates = np.arange(state.max() + 1, dtype=np.int64)[:, np.newaxis]
    else:
        lexicographic = np.lexsort(coordinates.T[::-1])
        state = np.empty(len(positions), dtype=np.int64)
        state[lexicographic] = np.arange(len(positions))
        coordinates = coordinates[lexicographic]
    rows = np.full((len(coordinates), len(labels)), NO_MOVE, dtype=np.int64)
    before = np.repeat(state, np.array(counts, dtype=np.int64))
    rows[before, column[np.array(taken, dtype=np.int64)]] = state[np.array(targets, np.int64)]
    ordered = tuple(labels[option] for option in order)
    return Listing(coordinates, rows, ordered, tuple(map(first_seen.get, ordered)))


def checked_position(what: str, position: Any, width: int | None = None) -> Position:
    """Return a position as a tuple of ``int``.

    Args:
        what: beginning of messages.
        position: the value given.
        width: number of coordinates; ``None``: any number of at least one.

    Raises:
        InvalidGameError: not integers of at least 0, or of another number.
    """
    values = integers_of(position)
    if not values:
        raise InvalidGameError(
            f"{what} must be a position, a tuple of integers such as (3, 4), not {position!r}"
            f"{_in_place_of_booleans(position)}"
        )
    if width is not None and len(values) != width:
        raise InvalidGameError(
            f"{what} must have {width} coordinate{'s' if width > 1 else ''}, as the start has, "
            f"not {values}"
        )
    if min(values) < 0:
        raise InvalidGameError(f"{what} must not have a negative coordinate, as {values} has")
    for index, value in enumerate(values):
        checked_integer(f"{what}, coordinate {index},", value, 0, LARGEST_STATE)
    return values


def _in_place_of_booleans(position: Any) -> str:
    """Return the end of a message about a position with booleans; empty for one without."""
    if not is_listing(position) or not any(isinstance(v, (bool, np.bool_)) for v in position):
        return ""
    return ": write 1 for True and 0 for False"


def _moves_at(position: Position, moves: Moves, most: int) -> list[tuple[Any, Any]]:
    """Return the moves at ``position``, pairs of a label and a position."""
    try:
        given = moves(position)
        found = list(islice(given, most + 1)) if isinstance(given, Iterable) else None
    except Exception as error:
        raise InvalidGameError(
            f"moves({position}) raised {type(error).__name__}: {error}"
        ) from error
    if found is None:
        raise InvalidGameError(
            f"moves({position}) must give pairs of a label and a position, or nothing where the "
            f"game is over ([]), not {given!r}"
        )
    if len(found) > most:
        raise SearchTooLargeError(f"moves({position}) gives more than {most} moves, the limit")
    for move in found:
        if not (type(move) is tuple or isinstance(move, list)) or len(move) != 2:
            raise InvalidGameError(
                f"moves({position}) must give pairs of a label and a position, not {move!r}"
            )
    return found


def _check_size(name: str, positions: int, options: int, limit: int) -> int:
    """Check the size of a listing; return the most options that the table may have.

    Raises:
        SearchTooLargeError: too many positions, or too large a table.
    """
    if positions > limit:
        raise SearchTooLargeError(
            f"{name} has more than {limit} positions, the limit: is there an end to every play? "
            "A larger limit may be given as limit=..."
        )
    check_bytes(
        f"tables of {name} with {positions} positions and {options} labels",
        positions * max(1, options) * ENTRY_BYTES,
    )
    return largest_bytes() // (positions * ENTRY_BYTES)


def _checked_actions(actions: Iterable[Hashable]) -> list[Hashable]:
    """Return the labels that the caller lists, each once."""
    if not is_listing(actions):
        raise InvalidGameError(f"actions must be a list of labels, not {actions!r}")
    labels = list(actions)
    unhashable = [label for label in labels if not isinstance(label, Hashable)]
    if unhashable:
        raise InvalidGameError(f"actions must list hashable labels, not {unhashable[0]!r}")
    if not labels or len(set(labels)) < len(labels):
        raise InvalidGameError(f"actions must list at least one label and none twice, not {labels}")
    return labels


def _natural_key(label: Hashable) -> tuple[list[Any], str]:
    """Return what sorts labels with the numbers in them by size: ``"left 2", "left 10"``."""
    words = str(label)
    if isinstance(label, (int, np.integer)):
        return ["", int(label), ""], words
    parts: list[Any] = re.split(r"(\d+)", words)
    parts[1::2] = map(int, parts[1::2])
    return parts, words
