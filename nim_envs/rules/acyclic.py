"""Cycles of moves, and ranks of states where there are none: a topological sort, linear in time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.typing import Array, IntArray

MOST_NAMED = 12
"""Most states of a cycle that a message names."""


def cycle_among(parts: IntArray) -> str:
    """Return a description of a cycle of moves, empty where every play comes to an end.

    Args:
        parts: states that the moves from each state leave, ``(states, n)``; negative for none.
    """
    states = np.arange(len(parts))[:, np.newaxis]
    if (parts < states).all():  # as in most tables, and faster than to look along the moves
        return ""
    return cycle_along(len(parts), *edges_of(parts))


def cycle_along(
    states: int, sources: Array, targets: Array, named: Callable[[int], str] = str
) -> str:
    """Return a description of a cycle of moves, empty where there is none.

    Args:
        states: number of states.
        sources: state before each move, ``(moves,)``.
        targets: state after each move, ``(moves,)``.
        named: function from a state to its name in the description.
    """
    # Moves to smaller numbers alone form no cycle, nor do moves to larger ones.
    if (targets < sources).all() or (targets > sources).all():
        return ""
    _, waiting = _swept(states, sources, targets)
    return _cycle(sources, targets, waiting, named) if any(waiting) else ""


def cycle_error(cycle: str, of: str = "") -> InvalidGameError:
    """Return the error that names a cycle.

    Args:
        cycle: its description.
        of: beginning of the message, which names the component or game.
    """
    return InvalidGameError(f"{of}the moves form a cycle: {cycle}; every play must come to an end")


def ranks(states: int, sources: Array, targets: Array) -> IntArray:
    """Return the length of the longest chain of moves from each state.

    Each move of a chain is made in one of the parts that the move before it left.

    Args:
        states: number of states.
        sources: state before each move, ``(moves,)``.
        targets: a part that the move leaves, ``(moves,)``.

    Returns:
        ``(states,)``: 0 for a state without a move; every part that a move leaves has a smaller
        rank.

    Raises:
        InvalidGameError: the moves form a cycle; the message names the states on it.
    """
    rank, waiting = _swept(states, sources, targets)
    if any(waiting):
        raise cycle_error(_cycle(sources, targets, waiting))
    return np.array(rank, dtype=np.int64)


def edges_of(parts: IntArray) -> tuple[IntArray, IntArray]:
    """Return the state before each move, and each part that it leaves; both ``(edges,)``.

    Args:
        parts: as in :func:`cycle_among`.
    """
    sources, slots = np.nonzero(parts >= 0)
    return sources, parts[sources, slots]


def _swept(size: int, sources: Array, targets: Array) -> tuple[list[int], list[int]]:
    """Return the ranks, and for each state the number of its parts from which play reaches a cycle.

    References:
        A. B. Kahn, "Topological sorting of large networks", *Communications of the ACM* 5 (1962).
    """
    predecessors = sources[_stable_order(targets)]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=size))]).tolist()
    unresolved = np.bincount(sources, minlength=size)
    resolved = np.flatnonzero(unresolved == 0).tolist()
    waiting, rank = unresolved.tolist(), [0] * size
    for state in resolved:  # grows meanwhile
        for before in predecessors[bounds[state] : bounds[state + 1]].tolist():
            waiting[before] -= 1
            if not waiting[before]:
                # States are resolved by rank, so the last part to be resolved has the largest.
                rank[before] = rank[state] + 1
                resolved.append(before)
    return rank, waiting


def by_rank(rank: IntArray) -> Iterator[IntArray]:
    """Yield the states of rank 1, of rank 2, and so on; ``rank`` as :func:`ranks` returns it."""
    order = np.argsort(rank, kind="stable")
    bounds = np.searchsorted(rank[order], np.arange(rank.max() + 2))
    for first, last in itertools.pairwise(bounds[1:].tolist()):
        yield order[first:last]


def _stable_order(values: Array) -> IntArray:
    """Return the indices that sort values below 2**32: a stable radix sort, in linear time."""
    order = np.argsort((values & 0xFFFF).astype(np.uint16), kind="stable")
    if values.max(initial=0) > 0xFFFF:
        order = order[np.argsort((values >> 16).astype(np.uint16)[order], kind="stable")]
    return order


def _cycle(
    sources: Array, targets: Array, waiting: list[int], named: Callable[[int], str] = str
) -> str:
    """Describe a cycle; ``waiting`` is positive exactly at the states that lead to one."""
    # Each of these states has a move to another, or to itself. Backwards: the first one is kept.
    onward = np.flatnonzero(np.array(waiting)[targets])[::-1]
    following = dict(zip(sources[onward].tolist(), targets[onward].tolist(), strict=True))
    state, places = min(following), dict[int, int]()
    while state not in places:
        places[state] = len(places)
        state = following[state]
    cycle = [named(each) for each in [*places][places[state] :]]
    states = cycle if len(cycle) <= MOST_NAMED else [*cycle[:MOST_NAMED], "…"]
    return " -> ".join([*states, cycle[0]])
