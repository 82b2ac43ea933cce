"""Grundy values of one component, from its table of options."""

from __future__ import annotations

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.component import NO_MOVE, Component, IntArray


def levels(component: Component) -> IntArray:
    """Return the length of the longest play from each state of ``component``.

    Args:
        component: a component with ``states`` states.

    Returns:
        ``(states,)``: 0 for a terminal state; every move goes to a smaller level.

    Raises:
        InvalidGameError: the moves form a cycle; the message names a state on it.
    """
    sources, slots = np.nonzero(component.table != NO_MOVE)
    targets = component.table[sources, slots]
    order = np.argsort(targets, kind="stable")
    predecessors = sources[order]
    first = np.searchsorted(targets[order], np.arange(component.states + 1))
    unresolved = np.bincount(sources, minlength=component.states)
    level = np.full(component.states, -1, dtype=np.int64)
    frontier = np.flatnonzero(unresolved == 0)
    depth = 0
    while frontier.size:
        level[frontier] = depth
        reached = np.concatenate(
            [predecessors[first[state] : first[state + 1]] for state in frontier]
        )
        np.subtract.at(unresolved, reached, 1)
        candidates = np.unique(reached)
        frontier = candidates[unresolved[candidates] == 0]
        depth += 1
    if (level < 0).any():
        raise InvalidGameError(
            f"the moves form a cycle: {_cycle(component)}; every play must come to an end"
        )
    return level


def _cycle(component: Component) -> str:
    """Return a cycle of states in words; called when there is one."""
    looping = set(range(component.states))
    while True:
        # What has no successor left among the looping states cannot be on a cycle.
        kept = {s for s in looping if looping.intersection(component.table[s].tolist())}
        if kept == looping:
            break
        looping = kept
    path = [min(looping)]
    while path[-1] not in path[:-1]:
        path.append(next(s for s in component.table[path[-1]].tolist() if s in looping))
    return " -> ".join(str(state) for state in path[path.index(path[-1]) :])


def grundy_values(component: Component) -> IntArray:
    """Return the Grundy value of every state: the mex of the values of its options.

    Args:
        component: a component with ``states`` states.

    Returns:
        ``(states,)``.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: the table of options is too large.

    References:
        R. P. Sprague (1935); P. M. Grundy (1939); *Winning Ways*, ch. 4.

    Example:
        >>> from nim_envs.rules import subtraction
        >>> grundy_values(subtraction((7,), (1, 2, 3)).components[0]).tolist()
        [0, 1, 2, 3, 0, 1, 2, 3]
    """
    return _mex_values(component, terminal_value=0)


def misere_grundy_values(component: Component) -> IntArray:
    """Return the misère Grundy value of every state: the same recursion with 1 at terminal states.

    A state is a P-position of misère play of this component alone exactly where its
    value is 0. Unlike Grundy values these do not in general determine sums.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 12.
    """
    return _mex_values(component, terminal_value=1)


def _mex_values(component: Component, terminal_value: int) -> IntArray:
    level = levels(component)
    table = component.table
    values = np.full(component.states, -1, dtype=np.int64)
    values[level == 0] = terminal_value
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(level.max() + 2))
    # A terminal state may have value 1, so a mex can be one above the number of options.
    present = np.empty((component.states, component.options + 2), dtype=np.bool_)
    for depth in range(1, int(level.max()) + 1):
        states = order[bounds[depth] : bounds[depth + 1]]
        rows = present[: len(states)]
        rows[:] = False
        successors = table[states]
        row, slot = np.nonzero(successors != NO_MOVE)
        rows[row, values[successors[row, slot]]] = True
        values[states] = np.argmin(rows, axis=1)
    return values
