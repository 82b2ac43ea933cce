"""The picture of a game: who is to move, the components, the last move."""

from functools import cached_property
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.games.words import titled
from nim_envs.graph import Part
from nim_envs.render import palette
from nim_envs.render.boards import BOARDS, BoardPanel, NumberPanel
from nim_envs.render.canvas import Canvas
from nim_envs.render.frame import Frame
from nim_envs.render.geometry import Area
from nim_envs.render.graphs import MOST_NODES, GraphPanel
from nim_envs.render.heaps import HeapPanel, RowPanel, SlotPanel
from nim_envs.render.palette import Color, paler, player_color
from nim_envs.render.panels import Panel
from nim_envs.render.scene import Coordinates, Scene, split
from nim_envs.render.shapes import Box, Drawing, Shape, TextWidth, as_json, typical_text_width
from nim_envs.render.tracks import TrackPanel

SIZE = (640, 480)
"""Default width and height of a picture in pixels."""

SMALLEST_SIZE = (240, 200)
HEADER, FOOTER, MARGIN = 46, 34, 12
NOTE, SMALL_NOTE = 18, 15
"""Letter sizes below a picture, for one line and for two."""

PANELS: dict[str | None, type[Panel]] = {
    "heap": HeapPanel,
    "slots": SlotPanel,
    "pins": RowPanel,
    "track": TrackPanel,
    "graph": GraphPanel,
    **dict.fromkeys(BOARDS, BoardPanel),
}
"""The panel of each style of a part's picture; other parts are drawn as numbers."""

ENDINGS = {
    "normal play": "the last mover wins",
    "misère play": "the last mover loses",
    "play by outcome": "the last position decides",
}


def position_shapes(
    game: Game,
    position: Coordinates,
    *,
    mover: int | None = 0,
    previous: Coordinates | None = None,
    last_mover: int | None = None,
    show_winning_moves: bool = False,
    size: tuple[int, int] = SIZE,
) -> list[dict[str, Any]]:
    """Return the shapes of a picture of a position, as data for JSON; pygame is not needed.

    Each shape is a dictionary with ``"shape"``, ``"color"`` as ``"#rrggbb"``, and in pixels from
    the left and from the top:

    - ``"box"``: ``"area"``, ``[x, y, width, height]``; ``"radius"`` of its corners;
      ``"line_width"``, 0 where it is filled;
    - ``"disc"``: ``"area"``, the square around it; ``"line_width"``;
    - ``"line"``: ``"start"`` and ``"end"``, ``[x, y]``; ``"line_width"``;
    - ``"polygon"``, filled: ``"corners"``, a list of ``[x, y]``;
    - ``"words"``: ``"text"``; ``"size"``, the height of its letters; ``"place"``, ``[x, y]``,
      of the point ``"anchor"`` of the line, where ``[0, 0]`` is its left upper corner.

    Lines of text are placed as if their letters had the widths of a common sans-serif font.

    Args:
        game: any game.
        position: its coordinates.
        mover: seat to move, 0 or 1; ``None``: the game is over, and no winner is shown.
        previous: the position before the last move, which is highlighted; ``None``: no move is.
        last_mover: seat that made the last move, 0 or 1; ``None``: unknown.
        show_winning_moves: whether winning moves are marked; at drawn positions those that keep the
            draw.
        size: width and height of the picture, in pixels.

    Returns:
        A dictionary for each shape, in the order of drawing.

    Raises:
        InvalidGameError: a size too small for a picture.
        InvalidPositionError: not a position of the game.
        SearchTooLargeError: winning moves are asked for and the game is too large to solve.

    Example:
        >>> from nim_envs import make_game
        >>> shapes = position_shapes(make_game("wythoff", queens=((3, 2),)), (1, 2))
        >>> sorted({shape["shape"] for shape in shapes})
        ['box', 'disc', 'polygon', 'words']
        >>> shapes[0]
        {'shape': 'box', 'area': [0, 0, 640, 480], 'color': '#faf9f6', 'radius': 0, 'line_width': 0}
    """
    for each in (position, previous):
        if each is not None:
            game.checked_state(each)
    wins = None
    if show_winning_moves and mover is not None:
        wins = game.solution.keeping_actions(np.asarray(position))
    is_draw = mover is None and is_drawn(game, position)
    scene = Scene(position, mover, None, previous, last_mover, winning=wins, drawn=is_draw)
    return as_json([Box(Area(0, 0, *size), palette.PAPER), *Picture(game, size).shapes(scene)])


class Picture:
    """Pictures of scenes of a game: as shapes, or drawn in memory by pygame, without a display.

    A toolbar is free height at the bottom, in pixels; a scale of 2 makes pictures twice as
    sharp.

    Raises:
        InvalidGameError: a size below ``SMALLEST_SIZE``.
    """

    def __init__(
        self, game: Game, size: tuple[int, int] = SIZE, toolbar: int = 0, scale: int = 1
    ) -> None:
        if size[0] < SMALLEST_SIZE[0] or size[1] < SMALLEST_SIZE[1]:
            raise InvalidGameError(f"a picture must be at least {SMALLEST_SIZE}, not {size}")
        self.game = game
        self.size = size
        self.scale = scale
        self.body = Area(0, 0, *size).shrunk(MARGIN, HEADER, MARGIN, FOOTER + toolbar)
        self.panels = self._panels(self.body.shrunk(10, 6, 10, 6))

    def _panels(self, area: Area) -> list[Panel]:
        """One panel for each kind of part, in the order of first appearance."""
        groups: dict[type[Panel], list[int]] = {}
        for index, part in enumerate(self.game.parts):
            groups.setdefault(_panel(part), []).append(index)
        # Tracks are wide and low; all else stands side by side above them.
        beside = [kind for kind in groups if kind is not TrackPanel]
        above = below = area
        if TrackPanel in groups and beside:
            high = area.height * 2 / 3
            above = area._replace(height=high)
            below = area._replace(y=area.y + high, height=area.height / 3)
        shares = above.side_by_side([kind.share for kind in beside])
        areas = dict(zip(beside, shares, strict=True))
        return [
            kind(self.game.parts, indices, areas.get(kind, below))
            for kind, indices in groups.items()
        ]

    @cached_property
    def canvas(self) -> Canvas:
        """The canvas on which the picture is drawn; it needs pygame."""
        return Canvas(self.size, self.scale)

    def shapes(self, scene: Scene, text_width: TextWidth = typical_text_width) -> list[Shape]:
        """Return the shapes of a scene; ``text_width`` measures lines in the font of the canvas."""
        drawing = Drawing(text_width)
        self._draw_header(drawing, scene)
        drawing.box(self.body, palette.LINE, radius=10)
        drawing.box(self.body.inset(1), palette.PANEL, radius=9)
        self.draw_panels(drawing, scene)
        self._draw_footer(drawing, scene)
        return drawing.shapes

    def draw_panels(self, drawing: Drawing, scene: Scene) -> None:
        """Draw the parts alone."""
        views = scene.views(self.game)
        for panel in self.panels:
            panel.draw(drawing, scene, views)

    def draw(self, scene: Scene) -> Any:
        """Draw a scene; return the pygame surface, which the next one overwrites."""
        self.canvas.clear()
        self.canvas.draw(self.shapes(scene, self.canvas.text_width))
        return self.canvas.surface

    def frame(self, scene: Scene) -> Frame:
        """Return the picture of a scene, ``(scale * height, scale * width, 3)``, uint8."""
        self.draw(scene)
        return self.canvas.frame()

    def action_at(self, position: Coordinates, point: tuple[float, float]) -> int | None:
        """Return the legal action that a click at the point chooses, if it chooses one."""
        actions = self.candidates_at(position, point)
        return actions[0] if len(actions) == 1 else None

    def candidates_at(self, position: Coordinates, point: tuple[float, float]) -> list[int]:
        """Return the actions that a click at the point may mean, best first."""
        panel = self._panel_at(point)
        moves = panel.moves_at(split(self.game, position), point) if panel else []
        options = self.game.num_actions // len(self.game.parts)
        return [index * options + option for index, option in moves]

    def part_at(self, point: tuple[float, float]) -> int | None:
        """Return the index of the part that is drawn at the point, if one is."""
        panel = self._panel_at(point)
        return panel.part_at(point) if panel else None

    def _panel_at(self, point: tuple[float, float]) -> Panel | None:
        return next((panel for panel in self.panels if panel.area.contains(point)), None)

    def _draw_header(self, drawing: Drawing, scene: Scene) -> None:
        """The game on the left, the players on the right; the one to move is coloured."""
        middle, right = HEADER / 2, self.body.right
        for seat in (1, 0):
            name = scene.names[seat]
            if scene.winner == seat:
                name += " won"
            active = seat == (scene.winner if scene.mover is None else scene.mover)
            width = drawing.text_width(name, 19) + 38
            pill = Area(right - width, middle - 14, width, 28)
            drawing.box(pill, palette.PLAYERS[seat] if active else palette.FAINT, radius=14)
            ink = palette.WHITE if active else paler(palette.GREY, 0.1)
            dot = Area(pill.x + 10, middle - 5, 10, 10)
            drawing.disc(dot, palette.WHITE if active else palette.PLAYERS[seat])
            drawing.text(name, (pill.x + 27, middle + 1), 19, ink, anchor=(0, 0.5))
            right = pill.x - 8
        text = drawing.shortened(titled(self.game.name), right - 20, 24)
        drawing.text(text, (self.body.x + 4, middle + 1), 24, palette.INK, anchor=(0, 0.5))
        place = self.body.x + 16 + drawing.text_width(text, 24), middle + 2
        ending = ENDINGS[self.game.kind_of_play]
        if place[0] + drawing.text_width(ending, 17) < right:
            drawing.text(ending, place, 17, palette.GREY, anchor=(0, 0.5))

    def _draw_footer(self, drawing: Drawing, scene: Scene) -> None:
        """The last move and, if wanted, the winning moves: on a second line if too long."""
        room = Area(self.body.x + 4, self.body.bottom, self.body.width - 8, FOOTER)
        moved = scene.last_move
        if scene.drawn:
            moved = "; ".join(filter(None, (scene.status, moved)))
        color = player_color(scene.last_mover, palette.INK)
        if scene.winning is not None and scene.mover is not None:
            game, width_of = self.game, drawing.text_width
            moves = [game.describe(int(each), scene.position) for each in scene.winning]
            drawn = game.has_outcome and game.solution.value(np.asarray(scene.position)) == 0
            label, count = "keeps the draw" if drawn else "wins", len(moves)
            wins = _wins(label, moves, count)
            win_color = palette.WINNING if moves else palette.GREY
            if width_of(moved, NOTE) + 20 + width_of(wins, NOTE) <= room.width:
                self._write_note(drawing, wins, room, win_color, anchor=1)
            else:
                room, below = room.shrunk(0, 3, 0, 1).grid(2, 1) if moved else (room, room)
                while count > 1 and width_of(wins, SMALL_NOTE) > room.width:
                    count -= 1
                    wins = _wins(label, moves, count)
                self._write_note(drawing, wins, below, win_color)
        self._write_note(drawing, moved, room, color)

    def _write_note(
        self, drawing: Drawing, text: str, line: Area, color: Color, anchor: int = 0
    ) -> None:
        """Write a line, in smaller letters if it is long."""
        size = drawing.fitting(text, line.width, NOTE if line.height == FOOTER else SMALL_NOTE)
        text = drawing.shortened(text, line.width, size)
        place = line.x + anchor * line.width, line.center.y
        drawing.text(text, place, size, color, anchor=(anchor, 0.5))


def is_drawn(game: Game, position: Coordinates) -> bool:
    """Return whether a position is one in which play ends with a draw."""
    return game.has_outcome and game.is_over(position) and game.end_value(position) == 0


def _wins(label: str, moves: list[str], count: int) -> str:
    """The right moves in words, or the first ones and the number of the others."""
    if not moves:
        return "every move loses"
    more = [f"and {len(moves) - count} more"] if count < len(moves) else []
    return f"{label}: " + "; ".join(moves[:count] + more)


def _panel(part: Part) -> type[Panel]:
    """Return the panel that draws a part."""
    kind = PANELS.get(part.picture.style, NumberPanel)
    return NumberPanel if kind is GraphPanel and part.num_positions > MOST_NODES else kind
