"""A position as text."""

from __future__ import annotations

import numpy as np

from nim_envs.render.text_boards import arrows_below, arrows_from, board_lines
from nim_envs.rules.addition_game import AdditionTotal
from nim_envs.rules.component import Component
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.typing import IntArray

WIDEST_BAR = 40
"""Most objects drawn one by one; larger heaps are drawn to scale."""

BARS = (SubtractionHeap, SplittingHeap, AdditionTotal)
"""Components that are drawn as bars."""


def render_text(rules: Rules, position: IntArray, headline: str = "") -> str:
    """Return ``position`` as text: heaps as bars, boards as grids, graphs by their arrows.

    Args:
        rules: names and sizes of the components.
        position: ``(components,)``.
        headline: first line, such as the player to move.

    Example:
        >>> import numpy as np
        >>> from nim_envs.rules import nim
        >>> print(render_text(nim(heaps=(3, 5)), np.array([1, 5]), "player_0 to move"))
        player_0 to move
        heap 0  1  o..
        heap 1  5  ooooo
    """
    labels = [f"{component.kind} {index}" for index, component in enumerate(rules.components)]
    numbers = [
        str(int(state)) if not component.has_coordinates else _coordinates(component, state)
        for component, state in zip(rules.components, position, strict=True)
    ]
    label_width, number_width = max(map(len, labels)), max(map(len, numbers))
    indent = "\n" + " " * (label_width + number_width + 4)
    lines = [
        f"{label:<{label_width}}  {number:>{number_width}}  "
        + _picture(component, int(state)).replace("\n", indent)
        for label, number, component, state in zip(
            labels, numbers, rules.components, position, strict=True
        )
    ]
    graphs: dict[Component, list[int]] = {}
    for component, state in zip(rules.components, position, strict=True):
        if not isinstance(component, BARS) and not component.has_coordinates:
            graphs.setdefault(component, []).append(int(state))
    for component, states in graphs.items():
        for number, line in enumerate(arrows_below(component, states)):
            lines.append(f"{'' if number else 'arrows':<{label_width}}  {line}")
    return "\n".join([headline, *lines] if headline else lines).rstrip()


def _picture(component: Component, state: int) -> str:
    if isinstance(component, (SubtractionHeap, SplittingHeap)):
        return _bar(state, component.size)
    if isinstance(component, AdditionTotal):
        return f"{_bar(min(state, component.n), component.n)} limit {component.n}" + (
            " exceeded" if state > component.n else ""
        )
    if component.has_coordinates:
        return "\n".join(board_lines(component, state))
    return arrows_from(component, state)


def _coordinates(component: Component, state: int) -> str:
    """The coordinates of a state on one line; of a board those beyond it, as it is shown."""
    system = component.coordinate_system
    # Only boards of two players' pieces leave any.
    return " ".join(map(str, system.of(np.array(state))[system.num_cells :].tolist()))


def _bar(filled: int, size: int) -> str:
    """A bar of ``size`` places, or of ``WIDEST_BAR`` to scale."""
    if size > WIDEST_BAR:
        filled = -(-filled * WIDEST_BAR // size)
        size = WIDEST_BAR
    return "o" * filled + "." * (size - filled)
