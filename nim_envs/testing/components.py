"""The check of a component: its table, and its closed forms.

- Every entry of the table of options is a state, or says that there is no move; there is no cycle.
- Functions of states take arrays of any rank, and leave them as they are.
- ``is_terminal``, ``legal_count`` and ``leads_to`` agree with the table.
- Each Grundy value is the mex of those of the options.
- Coordinates tell states apart and lead back to them; legal options have different descriptions.
- Copies are equal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nim_envs.errors import ConformanceError, InvalidGameError
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.rules.component_graph import levels
from nim_envs.rules.coordinate_system import NO_STATE, inside_box
from nim_envs.testing.positions import SAMPLE, spread
from nim_envs.testing.requirements import (
    check_copies,
    during,
    require,
    require_equal,
    require_values,
)
from nim_envs.theory.nimbers import mex
from nim_envs.theory.values import component_values
from nim_envs.typing import IntArray

SEVERAL_STATES = 64
"""Most states of which all pairs are checked."""


def check_component(component: Component, name: str) -> None:
    """Check one component; see :func:`nim_envs.testing.check_game`.

    Args:
        component: any component that can be tabulated.
        name: its name in messages.

    Raises:
        ConformanceError: it is not as it should be.
        SearchTooLargeError: it is too large to tabulate.
    """
    for what, count, least in (
        ("states", component.states, 1),
        ("options", component.options, 0),
    ):
        require(
            isinstance(count, (int, np.integer)) and count >= least,
            f"{name} has {count!r} {what}",
        )
    if component.has_wide_gaps:
        # A table has a row for every number.
        check_large_component(component, name)
        return
    table, second = _tables(component, name)
    _check_ranks(component, name)
    try:
        levels(component)
    except InvalidGameError as error:
        raise ConformanceError(f"{name}: {error}") from error
    states = _spread_states(component, SAMPLE)
    _check_counts(component, name, np.arange(component.states), table, "its table")
    _check_leads_to(component, name, table, second)
    _check_grundy_values(component, name, states)
    _check_coordinates(component, name)
    for state in _spread_states(component, SEVERAL_STATES).tolist():
        _check_descriptions(component, name, state, np.flatnonzero(table[state] != NO_MOVE))
    check_copies(component, name)


def check_large_component(component: Component, name: str) -> None:
    """Check the functions of a component that is too large for a table, at some states.

    Raises:
        ConformanceError: they disagree, or lead to no state.
    """
    states = _spread_states(component, SAMPLE)
    options = _entries(component, name, "successors", states)
    _check_inside(component, name, states, options, NO_MOVE)
    _check_counts(component, name, states, options, "its successors")


def _spread_states(component: Component, most: int) -> IntArray:
    """Return the states of a component, or ``most`` of them evenly spread, with both ends."""
    listed = component.listed_states
    if listed is None:
        return spread(component.states, most)
    return listed[spread(len(listed), most)]


def _entries(component: Component, name: str, what: str, states: IntArray) -> IntArray:
    """``successors`` or ``second_successors`` of states, of the right shape and type."""
    with during(f"{what} of {name}"):
        entries = np.asarray(getattr(component, what)(states))
    shape = (len(states), component.options)
    require_equal(f"the shape of {what} of {len(states)} states of {name}", entries.shape, shape)
    require(entries.dtype.kind == "i", f"{what} of {name} has dtype {entries.dtype}")
    return entries


def _check_inside(
    component: Component, name: str, states: IntArray, entries: IntArray, least: int
) -> None:
    """Check that the options of states lead to states, of at least ``least``."""
    outside = (entries < least) | (entries >= component.states)
    if outside.any():
        row, option = np.argwhere(outside)[0].tolist()
        raise ConformanceError(
            f"option {option} of state {states[row]} of {name} leads to state "
            f"{entries[row, option]}, and its states are 0 to {component.states - 1}"
        )


def _tables(component: Component, name: str) -> tuple[IntArray, IntArray]:
    """The options of all states, and the second parts that they leave; both checked."""
    with during(f"making the table of {name}"):
        stored, stored_second = component.table, component.second_table
    every = np.arange(component.states)
    table = _entries(component, name, "successors", every)
    second = _entries(component, name, "second_successors", every)
    second = np.where(table == NO_MOVE, 0, second)
    _check_inside(component, name, every, table, NO_MOVE)
    _check_inside(component, name, every, second, 0)
    require_equal(f"table of {name}", stored, table)
    require_equal(f"second_table of {name}", stored_second, second)
    require(
        component.splits or not second.any(),
        f"an option of {name} leaves a second part, and its splits is False",
    )
    if component.splits:
        require((table[0] == NO_MOVE).all(), f"state 0 of {name}, the empty slot, has a move")
        empty = (second > 0) & (table == 0)
        if empty.any():
            state, option = np.argwhere(empty)[0].tolist()
            raise ConformanceError(
                f"option {option} of state {state} of {name} leaves two parts, the first of "
                "which is 0, the empty slot"
            )
    return table, second


def _of_row(
    function: Callable[[IntArray], IntArray], name: str, what: str, row: IntArray
) -> IntArray:
    """A function's result for a row of states, checked to be that for arrays of other ranks."""
    with during(f"{what} of {name}"):
        of_row = np.asarray(function(row))
        of_one = np.asarray(function(np.array(row[-1])))
        of_two = np.asarray(function(row[:, np.newaxis]))
    require_equal(f"{what} of a single state of {name}", of_one, of_row[-1])
    require_equal(f"{what} of states (n, 1) of {name}", of_two, of_row[:, np.newaxis])
    return of_row


def _check_ranks(component: Component, name: str) -> None:
    """Check that functions of states take arrays of any rank, and leave them as they are."""
    size = min(component.states, SEVERAL_STATES) // 2 * 2
    row = np.arange(max(size, 1))
    for what in ("successors", "second_successors", "legal_count", "is_terminal"):
        _of_row(getattr(component, what), name, what, row)
        require((row == np.arange(len(row))).all(), f"{what} of {name} changes what it is given")


def _check_counts(
    component: Component, name: str, states: IntArray, options: IntArray, source: str
) -> None:
    """Check ``is_terminal`` and ``legal_count`` against the options of states."""
    legal = options != NO_MOVE
    for what, expected in (
        ("is_terminal", ~legal.any(axis=1)),
        ("legal_count", legal.sum(axis=1)),
    ):
        with during(f"{what} of {name}"):
            actual = np.asarray(getattr(component, what)(states))
        require_values(what, states, actual, expected, source, of=f" of {name}")


def _check_leads_to(component: Component, name: str, table: IntArray, second: IntArray) -> None:
    """Check ``leads_to`` against the table."""
    several = _spread_states(component, SEVERAL_STATES)
    with during(f"leads_to of {name}"):
        leads = np.asarray(component.leads_to(several[:, np.newaxis], several))
    alone = table[several][:, np.newaxis] == several[:, np.newaxis]
    expected = (alone & (second[several] == 0)[:, np.newaxis]).any(axis=-1)
    pairs = np.stack(np.meshgrid(several, several, indexing="ij"), axis=-1).reshape(-1, 2)
    require_values("leads_to", pairs, leads.reshape(-1), expected.reshape(-1), "its table",
                   of=f" of {name}")  # fmt: skip


def _check_coordinates(component: Component, name: str) -> None:
    """Check that coordinates tell states apart and lead back to them."""
    system = component.coordinate_system
    if system.is_default:
        return
    every, fields = component.states_between(0, component.states - 1), system.fields
    coordinates = _of_row(system.of, name, "coordinates", every)
    require_equal(
        f"the shape of coordinates of {name}", coordinates.shape, (len(every), len(fields))
    )
    require(
        coordinates.dtype == np.int64,
        f"coordinates of {name} have dtype {coordinates.dtype}, not int64",
    )
    outside = ~inside_box(coordinates, fields)
    if outside.any():
        state = int(outside.argmax())
        raise ConformanceError(
            f"state {state} of {name} has the coordinates {coordinates[state].tolist()}, which are "
            f"not below its fields {fields}"
        )
    with during(f"states_at of {name}"):
        back = np.asarray(system.states_at(coordinates))
        beyond = np.asarray(system.states_at(np.array(fields)))
        negative = np.asarray(system.states_at(np.full((1, len(fields)), -1)))
    require_equal(f"states_at(coordinates(states)) of {name}", back, every)
    require_equal(f"states_at({fields}) of {name}, which no state has", beyond, np.array(NO_STATE))
    require_equal(f"states_at of negative coordinates of {name}", negative, np.array([NO_STATE]))


def _check_grundy_values(component: Component, name: str, states: IntArray) -> None:
    """Check that each Grundy value is the mex of those of the options."""
    with during(f"Grundy values of {name}"):
        values = component_values(component).normal(np.arange(component.states))
    for state in states.tolist():
        options = zip(component.table[state], component.second_table[state], strict=True)
        reached = {
            int(values[a] ^ values[b]) if b else int(values[a]) for a, b in options if a >= 0
        }
        require(
            values[state] == mex(reached),
            f"the Grundy value of state {state} of {name} is {values[state]}, and the mex of the "
            f"values of its options, {sorted(reached)}, is {mex(reached)}",
        )


def _check_descriptions(component: Component, name: str, state: int, options: IntArray) -> None:
    """Check that a person can tell the legal options of a state apart."""
    for what, describe in (
        ("words.describe", component.words.describe),
        ("words.numbers", component.words.numbers),
    ):
        seen: dict[object, int] = {}
        for option in options.tolist():
            with during(f"{what}({option}, {state}) of {name}"):
                words = describe(option, state)
                other = seen.setdefault(words, option)
            require(
                other == option,
                f"{what} of {name} says {words!r} of both option {other} and option {option} of "
                f"state {state}",
            )
