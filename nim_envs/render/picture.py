"""The picture of a game: who is to move, the components, the last move."""

from __future__ import annotations

from typing import Any

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.render.boards import BoardPanel
from nim_envs.render.canvas import (
    FAINT,
    GREY,
    INK,
    LINE,
    PANEL,
    PLAYER_COLORS,
    WHITE,
    WINNING,
    Canvas,
    Color,
    mixed,
    player_color,
)
from nim_envs.render.frame import Frame
from nim_envs.render.geometry import Area
from nim_envs.render.graphs import MOST_NODES, GraphPanel
from nim_envs.render.heaps import HeapPanel, SplittingHeapPanel
from nim_envs.render.numbers import NumberPanel
from nim_envs.render.panel import Panel
from nim_envs.render.rows import RowPanel, stands_in_a_row
from nim_envs.render.scene import Scene
from nim_envs.render.tracks import TrackPanel
from nim_envs.rules import (
    AdditionTotal,
    Component,
    Convention,
    SplittingHeap,
    SubtractionHeap,
)
from nim_envs.rules.words import titled
from nim_envs.typing import IntArray

SIZE = (640, 480)
"""Default width and height of a picture in pixels."""

SMALLEST_SIZE = (240, 200)
HEADER, FOOTER, MARGIN = 46, 34, 12
NOTE, SMALL_NOTE = 18, 15
"""Letter sizes below a picture, for one line and for two."""

PANELS: dict[type[Component], type[Panel]] = {
    SubtractionHeap: HeapPanel,
    SplittingHeap: SplittingHeapPanel,
    AdditionTotal: TrackPanel,
}
"""The panel of each kind of component.

Others are drawn on boards or as numbers if they have coordinates, else as graphs, or as numbers if
too large.
"""

SHARES: dict[type[Panel], float] = {GraphPanel: 3.0, BoardPanel: 1.6, RowPanel: 1.4}
"""Widths of panels side by side, relative to other panels."""

CONVENTIONS = {
    Convention.NORMAL: "the last mover wins",
    Convention.MISERE: "the last mover loses",
}


class Picture:
    """Draws scenes of a game; in memory, no display is needed.

    Args:
        game: decides which panels are used.
        size: width and height in pixels.
        toolbar: free height at the bottom, in pixels.

    Raises:
        InvalidGameError: a size below ``SMALLEST_SIZE``.
        MissingPackageError: pygame is not installed.
    """

    def __init__(self, game: Game, size: tuple[int, int] = SIZE, toolbar: int = 0) -> None:
        if size[0] < SMALLEST_SIZE[0] or size[1] < SMALLEST_SIZE[1]:
            raise InvalidGameError(f"a picture must be at least {SMALLEST_SIZE}, not {size}")
        self.game = game
        self.canvas = Canvas(size)
        self.body = Area(0, 0, *size).shrunk(MARGIN, HEADER, MARGIN, FOOTER + toolbar)
        self.panels = self._panels(self.body.shrunk(10, 6, 10, 6))

    def _panels(self, area: Area) -> list[Panel]:
        """One panel for each kind of component, in the order of first appearance."""
        groups: dict[type[Panel], list[int]] = {}
        for index, component in enumerate(self.game.rules.components):
            groups.setdefault(_panel(component), []).append(index)
        # Tracks are wide and low; all else stands side by side above them.
        low = [kind for kind in groups if kind is TrackPanel]
        beside = [kind for kind in groups if kind is not TrackPanel]
        parts = area.stacked([2.0] * bool(beside) + [1.0] * bool(low))
        widths = [SHARES.get(kind, 1.0) for kind in beside]
        areas = dict(zip(beside, parts[0].side_by_side(widths), strict=True))
        areas.update(zip(low, parts[-1:], strict=True) if low else ())
        return [kind(self.game.rules, indices, areas[kind]) for kind, indices in groups.items()]

    def draw(self, scene: Scene) -> Any:
        """Draw a scene; return the pygame surface, which the next one overwrites."""
        canvas = self.canvas
        canvas.clear()
        self._draw_header(scene)
        canvas.box(self.body, LINE, radius=10)
        canvas.box(self.body.shrunk(1, 1, 1, 1), PANEL, radius=9)
        for panel in self.panels:
            panel.draw(canvas, scene)
        self._draw_footer(scene)
        return canvas.surface

    def frame(self, scene: Scene) -> Frame:
        """Return the picture of a scene, ``(height, width, 3)``, uint8."""
        self.draw(scene)
        return self.canvas.frame()

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the legal action that a click at the point chooses, if it chooses one."""
        panel = self._panel_at(point)
        return panel.action_at(position, point) if panel else None

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions between which a click at the point does not decide, if it does not."""
        panel = self._panel_at(point)
        return panel.candidates_at(position, point) if panel else []

    def component_at(self, point: tuple[float, float]) -> int | None:
        """Return the component that is drawn at the point, if one is."""
        panel = self._panel_at(point)
        return panel.component_at(point) if panel else None

    def _panel_at(self, point: tuple[float, float]) -> Panel | None:
        return next((panel for panel in self.panels if panel.area.contains(point)), None)

    def chooses_moves(self, component: int) -> bool:
        """Return whether a click can choose a move in ``component``."""
        return any(panel.chooses_moves for panel in self.panels if component in panel.indices)

    def _draw_header(self, scene: Scene) -> None:
        """The game on the left, the players on the right; the one to move is coloured."""
        canvas, middle = self.canvas, HEADER / 2
        right = self.body.right
        for seat in (1, 0):
            name = scene.names[seat]
            if scene.winner == seat:
                name += " won"
            active = seat == (scene.winner if scene.mover is None else scene.mover)
            width = canvas.text_width(name, 19) + 38
            pill = Area(right - width, middle - 14, width, 28)
            canvas.box(pill, PLAYER_COLORS[seat] if active else FAINT, radius=14)
            ink = WHITE if active else mixed(GREY, WHITE, 0.1)
            dot = Area(pill.x + 10, middle - 5, 10, 10)
            canvas.disc(dot, WHITE if active else PLAYER_COLORS[seat])
            canvas.text(name, (pill.x + 27, middle + 1), 19, ink, anchor=(0, 0.5))
            right = pill.x - 8
        text = canvas.shortened(titled(self.game.rules.name), right - 20, 24)
        covered = canvas.text(text, (self.body.x + 4, middle + 1), 24, INK, anchor=(0, 0.5))
        convention = CONVENTIONS[self.game.convention]
        if covered.right + 12 + canvas.text_width(convention, 17) < right:
            canvas.text(convention, (covered.right + 12, middle + 2), 17, GREY, anchor=(0, 0.5))

    def _draw_footer(self, scene: Scene) -> None:
        """The last move and, if wanted, the winning moves: on a second line if too long."""
        canvas = self.canvas
        room = Area(self.body.x + 4, self.body.bottom, self.body.width - 8, FOOTER)
        moved, wins = scene.last_move, ""
        color = player_color(scene.last_mover, INK)
        if scene.winning is not None and scene.mover is not None:
            moves = [
                self.game.rules.describe_action(int(action), scene.position)
                for action in scene.winning
            ]
            wins = _wins(moves, len(moves))
            width = canvas.text_width(moved, NOTE) + 20 + canvas.text_width(wins, NOTE)
            win_color = WINNING if moves else GREY
            if width <= room.width:
                self._write_note(wins, room, win_color, anchor=1)
            else:
                room, below = room.shrunk(0, 3, 0, 1).grid(2, 1) if moved else (room, room)
                shown = len(moves)
                while canvas.text_width(_wins(moves, shown), SMALL_NOTE) > room.width and shown > 1:
                    shown -= 1
                self._write_note(_wins(moves, shown), below, win_color)
        self._write_note(moved, room, color)

    def _write_note(self, text: str, line: Area, color: Color, anchor: int = 0) -> None:
        """Write a line, in smaller letters if it is long."""
        size = self.canvas.fitting(text, line.width, NOTE if line.height == FOOTER else SMALL_NOTE)
        text = self.canvas.shortened(text, line.width, size)
        place = line.x + anchor * line.width, line.center.y
        self.canvas.text(text, place, size, color, anchor=(anchor, 0.5))


def _wins(moves: list[str], shown: int) -> str:
    """The winning moves in words, or the first ones and the number of the others."""
    if not moves:
        return "every move loses"
    more = [f"and {len(moves) - shown} more"] if shown < len(moves) else []
    return "wins: " + "; ".join(moves[:shown] + more)


def _panel(component: Component) -> type[Panel]:
    """Return the panel that draws ``component``."""
    if stands_in_a_row(component):
        return RowPanel
    system = component.coordinate_system
    if not system.is_default:
        return BoardPanel if system.picture else NumberPanel
    other = GraphPanel if component.states <= MOST_NODES else NumberPanel
    return PANELS.get(type(component), other)
