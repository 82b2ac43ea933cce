"""Tables of options: arrays or rows, compared by content, refused where play never ends."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nim_envs.errors import InvalidGameError
from nim_envs.rules import NO_MOVE, Convention, Rules, TableComponent
from nim_envs.rules.acyclic import cycle_among, edges_of, ranks
from nim_envs.rules.component_graph import levels
from nim_envs.theory.search import SearchSolution

ROWS = ((-1, -1), (0, -1), (1, 1))
SECONDS = ((0, 0), (0, 0), (0, 1))


@pytest.mark.parametrize(
    "form",
    [
        np.array,
        list,
        lambda rows: [list(map(np.int16, row)) for row in rows],
    ],
)
def test_all_forms_of_a_table_are_the_same_component(form):
    component = TableComponent(form(ROWS), form(SECONDS))
    assert component == TableComponent(ROWS, SECONDS)
    assert hash(component) == hash(TableComponent(ROWS, SECONDS))
    assert component.splits
    assert component.table.tolist() == [list(row) for row in ROWS]
    assert component.second_table.tolist() == [list(row) for row in SECONDS]
    assert pickle.loads(pickle.dumps(component)) == component


def test_tables_differ_where_any_entry_does():
    assert TableComponent(ROWS) != TableComponent(ROWS, SECONDS)
    assert TableComponent(ROWS) != TableComponent(((-1, -1), (0, -1), (1, 0)))
    assert TableComponent(ROWS) != ROWS
    assert TableComponent(ROWS) != type("Own", (TableComponent,), {})(ROWS)
    # Second parts of which there are none are no second parts.
    assert TableComponent(ROWS, np.zeros((3, 2), int)) == TableComponent(ROWS, ())


def test_later_changes_of_the_array_do_not_change_the_component():
    rows = np.array(ROWS)
    component = TableComponent(rows)
    rows[:] = NO_MOVE
    assert component == TableComponent(ROWS)
    with pytest.raises(ValueError, match="read-only"):
        component.rows[0] = 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.array([[-1.0]]), r"rows must be integers, \(states, options\), .* of dtype float64"),
        (np.array([-1]), r"of dtype int64 and shape \(1,\)"),
        (np.array([[-1, -1], [0, 2]]), r"rows\[1\]\[1\] must be an integer from -1 to 1, not 2"),
        ([[-1, -1], [0, False]], r"rows\[1\]\[1\] must be .*, not the boolean False"),
        ([[-1], b"\0"], "an array, or a sequence of rows, of integers"),
    ],
)
def test_an_invalid_table_is_refused_with_the_entry(rows, message):
    with pytest.raises(InvalidGameError, match=message):
        TableComponent(rows)


def test_second_parts_without_a_first_are_refused():
    with pytest.raises(
        InvalidGameError, match="option 1 of state 1 leaves a second part, 1, but -1"
    ):
        TableComponent(ROWS, np.array([[0, 0], [0, 1], [0, 0]]))
    with pytest.raises(InvalidGameError, match=r"shape of rows, \(3, 2\), not \(2, 2\)"):
        TableComponent(ROWS, SECONDS[:2])
    with pytest.raises(InvalidGameError, match="state 0 is the empty slot"):
        TableComponent(((1, -1), (-1, -1), (1, -1)), ((0, 0), (0, 0), (1, 0)))


CYCLES = {
    "of one state": ([[-1], [1]], (1,), "1 -> 1"),
    "beside the position": ([[-1, -1], [0, -1], [3, -1], [2, 0]], (1,), "2 -> 3 -> 2"),
    "of many": ([[(state + 1) % 50] for state in range(50)], (0,), "11 -> … -> 0"),
}  # fmt: skip


@pytest.mark.parametrize(("rows", "initial", "cycle"), CYCLES.values(), ids=CYCLES)
def test_rules_refuse_a_cycle_and_name_it(rows, initial, cycle):
    component = TableComponent(rows)
    with pytest.raises(InvalidGameError, match=rf"component 0 \(component\): .* cycle: .*{cycle};"):
        Rules("loop", (component,), initial)


def test_rules_refuse_a_cycle_through_a_second_part():
    loop = TableComponent([[-1], [-1], [1], [1]], [[0], [0], [3], [2]])
    with pytest.raises(InvalidGameError, match=r"component 1 \(component\): .*: 2 -> 3 -> 2"):
        Rules("loop", (TableComponent(ROWS), *(loop,) * 4), (2, 2, 0, 0, 0))


@given(
    arrays.arrays(
        np.int64, st.tuples(st.integers(1, 8), st.integers(0, 3)), elements=st.integers(-1, 7)
    )
)
def test_ranks_are_the_longest_plays(rows):
    rows = np.minimum(rows, len(rows) - 1)

    def longest(state, path):
        if state in path:
            return None
        after = [longest(part, {*path, state}) for part in rows[state].tolist() if part >= 0]
        return None if None in after else 1 + max(after, default=-1)

    expected = [longest(state, set()) for state in range(len(rows))]
    if None in expected:
        with pytest.raises(InvalidGameError, match="cycle"):
            ranks(len(rows), *edges_of(rows))
        assert cycle_among(rows)
        return
    assert not cycle_among(rows)
    assert ranks(len(rows), *edges_of(rows)).tolist() == expected
    assert levels(TableComponent(rows)).tolist() == expected


def test_states_in_any_order_are_played_as_in_their_own():
    rng = np.random.default_rng(0)
    rows = np.maximum(np.arange(60)[:, np.newaxis] - rng.integers(1, 60, (60, 4)), NO_MOVE)
    place = rng.permutation(60)
    shuffled = np.empty_like(rows)
    shuffled[place] = np.where(rows == NO_MOVE, NO_MOVE, place[rows])
    ordered, other = (
        SearchSolution(Rules("table", (TableComponent(table),), (int(at),)), Convention.MISERE)
        for table, at in ((rows, 59), (shuffled, place[59]))
    )
    assert (other.winning[place] == ordered.winning).all()
