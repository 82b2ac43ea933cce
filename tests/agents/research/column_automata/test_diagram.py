"""Pictures of automata show every state and every transition."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Circle, FancyArrowPatch

from agents.research.column_automata import ColumnAutomaton
from agents.research.column_automata.diagram import LARGEST, automaton_diagram


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


def test_automata_that_are_too_large_to_be_told_apart_are_refused():
    states = LARGEST + 1
    chain = np.minimum(np.arange(states) + 1, states - 1)[:, np.newaxis].repeat(2, axis=1)
    with pytest.raises(ValueError, match=f"at most {LARGEST} states can be drawn, not one of 7"):
        automaton_diagram(ColumnAutomaton(chain, np.zeros(states, dtype=bool), True))
