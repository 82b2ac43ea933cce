"""Components of any other kind, as labelled numbers."""

from __future__ import annotations

import numpy as np

from nim_envs.render import palette
from nim_envs.render.geometry import Area
from nim_envs.render.palette import paler
from nim_envs.render.scene import ComponentView
from nim_envs.render.shapes import Drawing
from nim_envs.rules.component import Component

BOX = 96.0
"""Largest width of a coordinate's box, in pixels."""


def tile(component: Component, cell: Area) -> Area:
    """Return the place of a component's tile in its cell: wider the more coordinates it has."""
    boxes = len(component.coordinate_system.fields)
    width = min(max(180.0, boxes * BOX), cell.width - 8)
    height = min(120.0, cell.height - 8)
    return Area(cell.center.x - width / 2, cell.center.y - height / 2, width, height)


def draw_tile(drawing: Drawing, view: ComponentView, place: Area) -> None:
    """Draw a component as a tile: its state, or each of its coordinates in a box, and its name.

    Args:
        drawing: where to draw.
        view: the component; if the last move changed it, it has the mover's colour.
        place: place of the tile.
    """
    system, state, before = view.component.coordinate_system, view.state, view.before
    color = palette.FAINT
    if before != state and view.last_mover is not None:
        color = paler(palette.PLAYERS[view.last_mover], 0.75)
    drawing.box(place, color, radius=8)
    if view.winning:
        drawing.box(place, palette.WINNING, radius=8, line_width=3)
    values, previous = system.of(np.array([state, before], dtype=np.int64)).tolist()
    boxes = place.shrunk(6, 0.1 * place.height, 6, 0.34 * place.height).grid(1, len(values))
    names = system.names or ("",) * len(values)
    for name, value, box in zip(names, values, boxes, strict=True):
        if len(values) > 1:
            drawing.box(box.shrunk(2, 0, 2, 0), palette.PANEL, radius=5)
        text = str(value)
        number = box.shrunk(0, 0, 0, 0.3 * box.height) if name and box.height >= 40 else box
        size = drawing.fitting(text, 0.9 * box.width, 0.42 * place.height)
        drawing.text(text, number.center, min(size, 0.9 * number.height), palette.INK)
        if number is not box:
            drawing.text(name, (box.center.x, box.bottom - 0.16 * box.height), 13, palette.GREY)
    if place.height >= 50:
        label = view.name
        if before != state:
            label += f", was {', '.join(map(str, previous))}"
        small = drawing.fitting(label, 0.9 * place.width, 17)
        drawing.text(label, (place.center.x, place.y + 0.83 * place.height), small, palette.GREY)
