"""The part of a picture that shows components of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod

from nim_envs.render.geometry import Area
from nim_envs.render.scene import Scene
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

    @abstractmethod
    def draw(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the components in the states of ``scene``."""

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the legal action that a click at the point chooses, if it chooses one."""
        return None

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions between which a click at the point does not decide, if it does not."""
        return []

    chooses_moves = True
    """Whether a click can choose a move."""

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the component whose cell holds the point, if one does."""
        return next((index for index, cell in self.cells.items() if cell.contains(point)), None)
