"""The parts of a picture, each of which shows the components of one kind."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping

from nim_envs.render.geometry import Area
from nim_envs.render.layouts import Layout, board_layout
from nim_envs.render.numbers import draw_tile, tile
from nim_envs.render.scene import ComponentView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray


class Panel(ABC):
    """Draws some components of a game in an area, and maps clicks to moves.

    Args:
        rules: rules of the whole game.
        indices: the components to show.
        area: place in the picture.

    Attributes:
        cells: place of each component, where each has one of its own.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        self.rules = rules
        self.indices = indices
        self.area = area
        self.cells: dict[int, Area] = {}

    chooses_moves = True
    """Whether a click can choose a move."""

    @abstractmethod
    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the components in the states of ``scene``."""

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions that a click at the point may mean, best first."""
        return []

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the component whose cell holds the point, if one does."""
        return next((index for index, cell in self.cells.items() if cell.contains(point)), None)


class LayoutPanel(Panel):
    """Components that are drawn by a layout each.

    Attributes:
        layouts: the layout of each component that is shown.
    """

    layouts: Mapping[int, Layout]

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions that a click at the point may mean, best first."""
        component = self.component_at(point)
        if component is None:
            return []
        options = self.layouts[component].options_at(int(position[component]), point)
        return [self.rules.action(component, option) for option in options]

    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the components; what the last move changed has the colour of its player."""
        views = self.views(scene)
        for component, layout in self.layouts.items():
            layout.draw(drawing, views[component])

    def views(self, scene: Scene) -> dict[int, ComponentView]:
        """Return the components in a scene."""
        return {index: scene.view(self.rules, index) for index in self.indices}


class BoardPanel(LayoutPanel):
    """Boards beside each other; as tiles of numbers where their squares would be too small.

    Args:
        rules: rules of the whole game.
        indices: components with coordinates.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.cells = _wide_cells(indices, area)
        self.layouts = {
            index: board_layout(rules.components[index], cell) for index, cell in self.cells.items()
        }


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
        self.cells = {
            index: tile(rules.components[index], cell)
            for index, cell in _wide_cells(indices, area).items()
        }

    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the tiles; the one that the last move changed has the mover's colour."""
        for component, place in self.cells.items():
            draw_tile(drawing, scene.view(self.rules, component), place)


def _wide_cells(indices: list[int], area: Area) -> dict[int, Area]:
    """A cell for each component, a little wider than high as far as the area allows."""
    rows = max(1, round(math.sqrt(len(indices) * area.height * 1.3 / area.width)))
    cells = area.grid(rows, math.ceil(len(indices) / rows))
    return dict(zip(indices, cells, strict=False))
