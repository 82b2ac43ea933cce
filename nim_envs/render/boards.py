"""Components with coordinates: a piece on a board, cells, rows of squares, stacks of coins."""

from __future__ import annotations

from collections.abc import Mapping

from nim_envs.render.geometry import Area
from nim_envs.render.layouts import Layout, board_layout
from nim_envs.render.numbers import tiles
from nim_envs.render.panel import Panel
from nim_envs.render.scene import ComponentView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.rules.rules import Rules
from nim_envs.typing import IntArray


class LayoutPanel(Panel):
    """Components that are drawn by a layout each.

    Attributes:
        layouts: the layout of each component that is shown.
    """

    layouts: Mapping[int, Layout]

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions between which a click at the point does not decide, best first."""
        component = self.component_at(point)
        if component is None:
            return []
        options = self.layouts[component].options_at(int(position[component]), point)
        return [self.rules.action(component, option) for option in options]

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the move that a click chooses, if it is only one."""
        actions = self.candidates_at(position, point)
        return actions[0] if len(actions) == 1 else None

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
        self.cells = tiles(indices, area)
        self.layouts = {
            index: board_layout(rules.components[index], cell) for index, cell in self.cells.items()
        }
