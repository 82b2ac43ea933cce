"""The part of a picture that shows components of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from nim_envs.render.canvas import Canvas
from nim_envs.render.geometry import Area
from nim_envs.render.scene import Scene
from nim_envs.rules.component import NO_MOVE
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
    def draw(self, canvas: Canvas, scene: Scene) -> None:
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

    def pointed_successor(self, scene: Scene, component: int) -> int | None:
        """Return the state after the move in ``component`` that is about to be made, if one is."""
        if scene.pointed is None or scene.pointed // self.rules.num_options != component:
            return None
        option = scene.pointed % self.rules.num_options
        return self.successor(component, scene.state(component), option)

    def winning_successors(self, scene: Scene, component: int) -> list[int]:
        """Return the states after the winning options of ``component`` that are to be marked."""
        return [
            self.successor(component, scene.state(component), option)
            for option in scene.winning_options(component, self.rules.num_options)
        ]

    def successor(self, component: int, state: int, option: int) -> int:
        """Return the state after an option, or ``NO_MOVE``."""
        return int(self.rules.state_options[component][state].successors[option])

    def nearest_action(self, component: int, state: int, wanted: float) -> int | None:
        """Return the action that leads to the state nearest to a number, if any is legal."""
        successors = self.rules.state_options[component][state].successors
        (options,) = np.nonzero(successors != NO_MOVE)
        if not len(options):
            return None
        nearest = options[np.argmin(np.abs(successors[options] - wanted))]
        return self.rules.action(component, int(nearest))
