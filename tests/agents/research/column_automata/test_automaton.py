import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import Circle, FancyArrowPatch

from agents.research.column_automata import (
    ONE,
    SEPARATOR,
    ZERO,
    ColumnAutomaton,
    MoveRelation,
    move_to_lost,
)
from agents.research.column_automata.diagram import automaton_diagram
from nim_envs.errors import InvalidAutomatonError, InvalidPositionError
from tests.agents.research.column_automata.claims import options, right_claim
from tests.pairwise import pairwise


@st.composite
def automata(draw):
    states = draw(st.integers(1, 5))
    letters = draw(st.integers(2, 3))
    state = st.integers(0, states - 1)
    rows = st.lists(state, min_size=letters, max_size=letters)
    return ColumnAutomaton(
        draw(st.lists(rows, min_size=states, max_size=states)),
        draw(st.lists(st.booleans(), min_size=states, max_size=states)),
        draw(st.booleans()),
    )


positions = st.lists(st.integers(0, 40), min_size=1, max_size=4)


def read(automaton, position, empty_columns=0):
    """The claim of a position, letter by letter."""
    width = max(1, max(position).bit_length()) + empty_columns
    rows = [[heap >> column & 1 for heap in position] for column in range(width)]
    state = 0
    for row in reversed(rows) if automaton.most_significant_first else rows:
        for bit in row:
            if bit:
                state = automaton.transitions[state, ONE]
            elif automaton.letters == "0 1 |":
                state = automaton.transitions[state, ZERO]
        state = automaton.transitions[state, SEPARATOR]
    return bool(automaton.lost[state])


@given(automata(), st.lists(positions, min_size=1, max_size=3))
def test_positions_are_read_column_by_column(automaton, some):
    for position in some:
        assert automaton.is_lost(position) == read(automaton, position)
        huge = [heap << 70 for heap in position] + [1]
        assert automaton.is_lost(huge) == read(automaton, huge)
    padded = [position + [0] * (4 - len(position)) for position in some]
    assert automaton.is_lost(padded).tolist() == [read(automaton, p) for p in padded]
    assert automaton.is_lost(np.array([padded], dtype=np.uint8)).shape == (1, len(some))


@given(automata(), positions)
def test_the_smallest_automaton_makes_the_same_claim(automaton, position):
    smallest = automaton.minimal()
    assert smallest.states <= automaton.states
    assert read(smallest, position) == read(automaton, position)
    again = smallest.minimal()
    assert np.array_equal(again.transitions, smallest.transitions)
    assert np.array_equal(again.lost, smallest.lost)


@pytest.mark.parametrize(
    ("transitions", "lost", "first", "message"),
    [
        ([], [], True, "at least one state"),
        ([[0, 1]], [True], True, "from 0 to 0, not to 1"),
        ([[0, 0]], [True, False], True, "1 booleans"),
    ],
)
def test_arrays_of_no_automaton_are_refused(transitions, lost, first, message):
    with pytest.raises(InvalidAutomatonError, match=message.replace("|", r"\|")):
        ColumnAutomaton(transitions, lost, first)


@pytest.mark.parametrize("positions", [3, [[1.5]], [[2**70, -1]]])
def test_an_invalid_position_is_refused(positions):
    with pytest.raises(InvalidPositionError, match="integers of at least 0"):
        right_claim(None, False, True).is_lost(positions)


def test_a_diagram_has_every_transition():
    automaton = right_claim(7, True, True, letters=3)
    heading, columns, *lines = automaton.diagram().splitlines()
    assert heading == automaton.reading == "letters 0 1 |, most significant bits first"
    assert columns.split() == ["state", "0", "1", "|"]
    for state, line in enumerate(lines):
        *name, zero, one, end = line.split()
        assert name == [">"] * (state == 0) + [str(state)] + ["P"] * bool(automaton.lost[state])
        assert [int(end), int(one), int(zero)] == automaton.transitions[state].tolist()
    assert len(lines) == automaton.states


def test_states_and_transitions_are_drawn_with_their_letters(tmp_path):
    even = ColumnAutomaton([[0, 1], [2, 0], [2, 2]], [True, False, False], True)
    figure = automaton_diagram(even)
    (axes,) = figure.axes
    texts = [text.get_text() for text in axes.texts]
    assert texts[:3] == ["0 P", "1", "2"]
    # Two letters lead from state 2 to itself, one arrow for both.
    assert sorted(texts[3:]) == ["1", "1", "|", "|", "|, 1"]
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(circles) == 3 + 1
    assert len(arrows) == 5 + 1
    figure.savefig(tmp_path / "even.svg")


CLAIMS = pairwise((None, 1, 3), (False, True), (False, True), (2, 3))


@pytest.mark.parametrize(("max_take", "misere", "first", "letters"), CLAIMS)
def test_a_move_to_a_lost_position_is_found_wherever_there_is_one(max_take, misere, first, letters):
    automaton = right_claim(max_take, misere, first, letters)
    for position in itertools.product(range(6), repeat=3):
        found = move_to_lost(automaton, MoveRelation(max_take), position)
        lost = [after for after in options(position, max_take) if automaton.is_lost(after)]
        assert found in lost if lost else found is None


@pytest.mark.parametrize("position", [[[1, 2]], 3, (1, -2), (0.5,)])
def test_a_move_from_an_invalid_position_is_refused(position):
    with pytest.raises(InvalidPositionError):
        move_to_lost(right_claim(None, True, True), MoveRelation(), position)
