"""Layouts, which draw one part each, and panels, which hold those of all parts of a kind."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from nim_envs.graph import Part
from nim_envs.render.geometry import Area
from nim_envs.render.scene import PartView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.typing import IntArray, Position


class Layout(ABC):
    """Draws one part in its cell, its label included, and maps places to its moves."""

    def __init__(self, part: Part, cell: Area) -> None:
        self.part, self.cell, self.fields = part, cell, part.fields

    @abstractmethod
    def draw(self, drawing: Drawing, view: PartView) -> None:
        """Draw the part."""

    @abstractmethod
    def options_at(self, here: Position, point: tuple[float, float]) -> list[int]:
        """Return the legal options between which a click at a point does not decide, best first."""

    def legal_options(self, here: Position) -> tuple[IntArray, IntArray]:
        """Return the legal options, ``(n,)``, and the coordinates after each, ``(n, fields)``."""
        after = self.part.after[self.part.state(here)]
        options = np.flatnonzero(after >= 0)
        return options, self.part.coordinates[after[options]].astype(np.int64)

    def nearest_option(self, here: Position, number: float) -> list[int]:
        """Return the legal option that leads nearest to a number, if there is one."""
        options, after = self.legal_options(here)
        return [int(options[np.argmin(abs(after[:, 0] - number))])] if len(options) else []


class Panel:
    """Those parts of a game that are of one kind, with a layout each, in an area of a picture."""

    share = 1.0
    """Width beside other panels, in proportion to theirs."""

    def __init__(self, parts: Sequence[Part], indices: list[int], area: Area) -> None:
        self.parts, self.indices, self.area = parts, indices, area
        self.layouts: dict[int, Layout] = {}

    def draw(self, drawing: Drawing, scene: Scene, views: list[PartView]) -> None:
        """Draw the parts, of which ``views`` are those of all; the last move has its colour."""
        for index, layout in self.layouts.items():
            layout.draw(drawing, views[index])

    def part_at(self, point: tuple[float, float]) -> int | None:
        """Return the index of the part whose cell holds a point, if one does."""
        cells = ((index, layout.cell) for index, layout in self.layouts.items())
        return next((index for index, cell in cells if cell.contains(point)), None)

    def moves_at(
        self, position: list[Position], point: tuple[float, float]
    ) -> list[tuple[int, int]]:
        """Return the moves that a click may mean, best first: indices of parts and options."""
        index = self.part_at(point)
        if index is None:
            return []
        return [(index, each) for each in self.layouts[index].options_at(position[index], point)]
