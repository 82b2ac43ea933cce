"""Pictures of automata show every state and every transition."""

from __future__ import annotations

from matplotlib.patches import Circle, FancyArrowPatch

from agents.research.column_automata import ColumnAutomaton
from agents.research.column_automata.diagram import automaton_diagram


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
