"""Components of any other kind, as labelled numbers."""

from __future__ import annotations

import math

from nim_envs.render.canvas import FAINT, GREY, INK, PLAYER_COLORS, WINNING, Canvas, mixed
from nim_envs.render.geometry import Area
from nim_envs.render.panel import Panel
from nim_envs.render.scene import Scene
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules


class NumberPanel(Panel):
    """A tile for each component: its name, its state, and the number of states.

    Args:
        rules: rules of the whole game.
        indices: components of any kind.
        area: place in the picture.
    """

    chooses_moves = False

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        # Tiles a little wider than high, as far as the area allows.
        rows = max(1, round(math.sqrt(len(indices) * area.height * 1.3 / area.width)))
        cells = area.grid(rows, math.ceil(len(indices) / rows))
        self.cells = dict(zip(indices, cells, strict=False))

    def tile(self, component: int) -> Area:
        """Return the place of a component's tile."""
        cell = self.cells[component]
        width, height = min(180.0, cell.width - 8), min(120.0, cell.height - 8)
        return Area(cell.center.x - width / 2, cell.center.y - height / 2, width, height)

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the component whose tile is there."""
        return next((index for index in self.cells if self.tile(index).contains(point)), None)

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return ``None``: a tile does not show its options."""
        return None

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the tiles; the one that the last move changed has the mover's colour."""
        for component in self.cells:
            tile = self.tile(component)
            state, before = scene.state(component), scene.state_before(component)
            color = FAINT
            if before != state and scene.last_mover is not None:
                color = mixed(PLAYER_COLORS[scene.last_mover], (255, 255, 255), 0.75)
            canvas.box(tile, color, radius=8)
            options = scene.winning_options(component, self.rules.num_options)
            if options:
                canvas.box(tile, WINNING, radius=8, width=3)
            size = canvas.fitting(str(state), 0.9 * tile.width, 0.42 * tile.height)
            canvas.text(str(state), (tile.center.x, tile.y + 0.42 * tile.height), size, INK)
            if tile.height >= 50:
                name = f"{self.rules.components[component].kind} {component}"
                if before != state:
                    name += f", was {before}"
                small = canvas.fitting(name, 0.9 * tile.width, 17)
                canvas.text(name, (tile.center.x, tile.y + 0.76 * tile.height), small, GREY)
