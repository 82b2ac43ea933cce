"""The check of a component: its table, and its closed forms."""

from __future__ import annotations

import numpy as np

from nim_envs.errors import ConformanceError, InvalidGameError
from nim_envs.rules.component import NO_MOVE, NO_STATE, Component, IntArray, inside_box
from nim_envs.testing.positions import SAMPLE
from nim_envs.testing.requirements import check_copies, during, require, require_equal
from nim_envs.theory.grundy import levels
from nim_envs.theory.nimbers import mex
from nim_envs.theory.values import component_values

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
    for what, number, least in (
        ("states", component.states, 1),
        ("options", component.options, 0),
    ):
        require(
            isinstance(number, (int, np.integer)) and number >= least,
            f"{name} has {number!r} {what}",
        )
    table, second = _tables(component, name)
    _check_ranks(component, name)
    try:
        levels(component)
    except InvalidGameError as error:
        raise ConformanceError(f"{name}: {error}") from error
    states = _some(component.states, SAMPLE)
    _check_closed_forms(component, name, table, second)
    _check_grundy_values(component, name, states)
    _check_coordinates(component, name)
    for state in _some(component.states, SEVERAL_STATES).tolist():
        _check_descriptions(component, name, state, np.flatnonzero(table[state] != NO_MOVE))
    check_copies(component, name)


def _some(states: int, number: int) -> IntArray:
    """All states, or ``number`` of them evenly spread, including the first and the last."""
    return np.unique(np.linspace(0, states - 1, min(states, number)).astype(np.int64))


def _tables(component: Component, name: str) -> tuple[IntArray, IntArray]:
    """The options of all states, and the second parts that they leave; both checked."""
    with during(f"making the table of {name}"):
        kept, kept_second = component.table, component.second_table
    every = np.arange(component.states)
    shape = (component.states, component.options)
    with during(f"successors of all states of {name}"):
        table = np.asarray(component.successors(every))
        second = np.asarray(component.second_successors(every))
    for what, entries in (("successors", table), ("second_successors", second)):
        require_equal(f"the shape of {what} of all states of {name}", entries.shape, shape)
        require(entries.dtype.kind == "i", f"{what} of {name} has dtype {entries.dtype}")
    second = np.where(table == NO_MOVE, 0, second)
    for entries, least in ((table, NO_MOVE), (second, 0)):
        outside = (entries < least) | (entries >= component.states)
        if outside.any():
            state, option = np.argwhere(outside)[0].tolist()
            raise ConformanceError(
                f"option {option} of state {state} of {name} leads to state "
                f"{entries[state, option]}, and its states are 0 to {component.states - 1}"
            )
    require_equal(f"table of {name}", kept, table)
    require_equal(f"second_table of {name}", kept_second, second)
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


def _check_ranks(component: Component, name: str) -> None:
    """Check that functions of states take arrays of any rank, and leave them as they are."""
    number = min(component.states, SEVERAL_STATES) // 2 * 2
    row = np.arange(max(number, 1))
    for what in ("successors", "second_successors", "legal_count", "is_terminal"):
        function = getattr(component, what)
        with during(f"{what} of {name}"):
            of_row = np.asarray(function(row))
            of_one = np.asarray(function(np.array(row[-1])))
            of_two = np.asarray(function(row.reshape(-1, 1)))
        require_equal(f"{what} of a single state of {name}", of_one, of_row[-1])
        require_equal(f"{what} of states (n, 1) of {name}", of_two, of_row[:, np.newaxis])
        require((row == np.arange(len(row))).all(), f"{what} of {name} changes what it is given")


def _check_closed_forms(component: Component, name: str, table: IntArray, second: IntArray) -> None:
    """Check a component's closed forms against its table."""
    legal = table != NO_MOVE
    every = np.arange(component.states)
    for what, expected in (
        ("is_terminal", ~legal.any(axis=1)),
        ("legal_count", legal.sum(axis=1)),
    ):
        with during(f"{what} of {name}"):
            found = np.asarray(getattr(component, what)(every))
        wrong = found != expected
        if wrong.any():
            state = int(wrong.argmax())
            raise ConformanceError(
                f"{what}({state}) of {name} is {found[state]}, and its table says {expected[state]}"
            )
    several = _some(component.states, SEVERAL_STATES)
    with during(f"leads_to of {name}"):
        leads = np.asarray(component.leads_to(several[:, np.newaxis], several))
    alone = table[several][:, np.newaxis] == several[:, np.newaxis]
    expected = (alone & (second[several] == 0)[:, np.newaxis]).any(axis=-1)
    wrong = leads != expected
    if wrong.any():
        before, after = np.argwhere(wrong)[0].tolist()
        raise ConformanceError(
            f"leads_to({several[before]}, {several[after]}) of {name} is {leads[before, after]}, "
            f"and its table says {expected[before, after]}"
        )


def _check_coordinates(component: Component, name: str) -> None:
    """Check that coordinates tell states apart and lead back to them."""
    if component.fields is None:
        return
    every, fields = np.arange(component.states), component.fields
    with during(f"coordinates of {name}"):
        found = np.asarray(component.coordinates(every))
        of_one = np.asarray(component.coordinates(np.array(every[-1])))
        of_two = np.asarray(component.coordinates(every[:, np.newaxis]))
    require_equal(
        f"the shape of coordinates of {name}", found.shape, (component.states, len(fields))
    )
    require(found.dtype == np.int64, f"coordinates of {name} have dtype {found.dtype}, not int64")
    require_equal(f"coordinates of a single state of {name}", of_one, found[-1])
    require_equal(f"coordinates of states (n, 1) of {name}", of_two, found[:, np.newaxis])
    outside = ~inside_box(found, fields)
    if outside.any():
        state = int(outside.argmax())
        raise ConformanceError(
            f"state {state} of {name} has the coordinates {found[state].tolist()}, which are not "
            f"below its fields {fields}"
        )
    with during(f"states_at of {name}"):
        back = np.asarray(component.states_at(found))
        beyond = np.asarray(component.states_at(np.array(fields)))
        negative = np.asarray(component.states_at(np.full((1, len(fields)), -1)))
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
        ("describe_option", component.describe_option),
        ("option_numbers", component.option_numbers),
    ):
        seen: dict[object, int] = {}
        for option in options.tolist():
            with during(f"{what}({option}, {state}) of {name}"):
                said = describe(option, state)
                other = seen.setdefault(said, option)
            require(
                other == option,
                f"{what} of {name} says {said!r} of both option {other} and option {option} of "
                f"state {state}",
            )
