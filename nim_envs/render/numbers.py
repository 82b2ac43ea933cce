"""Components of any other kind, as labelled numbers."""

from __future__ import annotations

import math

import numpy as np

from nim_envs.render.geometry import Area
from nim_envs.render.panel import Panel
from nim_envs.render.scene import ComponentView, Scene
from nim_envs.render.shapes import (
    FAINT,
    GREY,
    INK,
    PANEL,
    PLAYER_COLORS,
    WHITE,
    WINNING,
    Drawing,
    mixed,
)
from nim_envs.rules.component import Component
from nim_envs.rules.rules import Rules

BOX = 96.0
"""Largest width of a coordinate's box, in pixels."""


def tiles(indices: list[int], area: Area) -> dict[int, Area]:
    """Return a cell for each component, a little wider than high as far as the area allows."""
    rows = max(1, round(math.sqrt(len(indices) * area.height * 1.3 / area.width)))
    cells = area.grid(rows, math.ceil(len(indices) / rows))
    return dict(zip(indices, cells, strict=False))


def tile(component: Component, cell: Area) -> Area:
    """Return the place of a component's tile in its cell: wider the more coordinates it has."""
    boxes = len(component.coordinate_system.fields)
    width = min(max(180.0, boxes * BOX), cell.width - 8)
    height = min(120.0, cell.height - 8)
    return Area(cell.center.x - width / 2, cell.center.y - height / 2, width, height)


def draw_tile(drawing: Drawing, view: ComponentView, cell: Area) -> None:
    """Draw a component as a tile: its state, or each of its coordinates in a box, and its name.

    Args:
        drawing: where to draw.
        view: the component; if the last move changed it, it has the mover's colour.
        cell: place of the tile and its margin.
    """
    component, state, before = view.component, view.state, view.before
    place = tile(component, cell)
    color = FAINT
    if before != state and view.last_mover is not None:
        color = mixed(PLAYER_COLORS[view.last_mover], WHITE, 0.75)
    drawing.box(place, color, radius=8)
    if view.winning:
        drawing.box(place, WINNING, radius=8, line_width=3)
    values, previous = (_values(component, each) for each in (state, before))
    boxes = place.shrunk(6, 0.1 * place.height, 6, 0.34 * place.height).grid(1, len(values))
    names = component.coordinate_system.names or ("",) * len(values)
    for name, value, box in zip(names, values, boxes, strict=True):
        if len(values) > 1:
            drawing.box(box.shrunk(2, 0, 2, 0), PANEL, radius=5)
        text = str(value)
        number = box.shrunk(0, 0, 0, 0.3 * box.height) if name and box.height >= 40 else box
        size = drawing.fitting(text, 0.9 * box.width, 0.42 * place.height)
        drawing.text(text, number.center, min(size, 0.9 * number.height), INK)
        if number is not box:
            drawing.text(name, (box.center.x, box.bottom - 0.16 * box.height), 13, GREY)
    if place.height >= 50:
        label = view.name
        if before != state:
            label += f", was {', '.join(map(str, previous))}"
        small = drawing.fitting(label, 0.9 * place.width, 17)
        drawing.text(label, (place.center.x, place.y + 0.83 * place.height), small, GREY)


def _values(component: Component, state: int) -> list[int]:
    """Return the coordinates of a state, or the state itself where it has none."""
    coordinates: list[int] = component.coordinate_system.of(
        np.array(state, dtype=np.int64)
    ).tolist()
    return coordinates


class NumberPanel(Panel):
    """A tile for each component: its name, and its coordinates or its state.

    Args:
        rules: rules of the whole game.
        indices: components of any kind.
        area: place in the picture.
    """

    chooses_moves = False

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.cells = tiles(indices, area)

    def tile(self, component: int) -> Area:
        """Return the place of a component's tile."""
        return tile(self.rules.components[component], self.cells[component])

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the component whose tile is there."""
        return next((index for index in self.cells if self.tile(index).contains(point)), None)

    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the tiles; the one that the last move changed has the mover's colour."""
        for component, cell in self.cells.items():
            draw_tile(drawing, scene.view(self.rules, component), cell)
