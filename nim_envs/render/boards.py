"""Components with coordinates: a piece on a board, cells, rows of squares, stacks of coins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nim_envs.render.board_layouts import BoardLayout, board_layout
from nim_envs.render.canvas import (
    GREY,
    INK,
    LIMIT,
    LINE,
    OBJECT,
    PLAYER_COLORS,
    WHITE,
    Canvas,
    Color,
    mixed,
    player_color,
)
from nim_envs.render.geometry import Area
from nim_envs.render.numbers import draw_tile, tiles
from nim_envs.render.panel import Panel
from nim_envs.render.scene import Scene
from nim_envs.rules.component import NO_MOVE
from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray, IntArray

LABEL = 26.0
"""Height of the line below a board."""
UNCLEAR = 0.15
"""Moves whose middles are as near to a click, to this share of a square, are listed."""


class BoardMoves(NamedTuple):
    """The legal moves of a component in a state.

    Attributes:
        options: the legal options, ``(n,)``.
        after: coordinates after each, ``(n, fields)``.
        squares: squares by which each is chosen, ``(n, squares)``.
    """

    options: IntArray
    after: IntArray
    squares: BoolArray


class BoardPanel(Panel):
    """Boards beside each other; as tiles of numbers where their squares would be too small.

    A click on a square chooses the move that leads to it or that takes it and as little else as
    possible.

    Args:
        rules: rules of the whole game.
        indices: components with coordinates.
        area: place in the picture.
    """

    def __init__(self, rules: Rules, indices: list[int], area: Area) -> None:
        super().__init__(rules, indices, area)
        self.cells = tiles(indices, area)
        self.layouts = {
            index: board_layout(rules.components[index], cell.shrunk(8, 8, 8, 8 + LABEL))
            for index, cell in self.cells.items()
        }
        self._moves: dict[tuple[int, int], BoardMoves] = {}

    def moves(self, component: int, state: int) -> BoardMoves:
        """Return the legal moves of a component."""
        key = component, state
        if key not in self._moves:
            rules, layout = self.rules.components[component], self.layouts[component]
            assert layout is not None
            successors = rules.successors(np.array(state, dtype=np.int64))
            (options,) = np.nonzero(successors != NO_MOVE)
            after = rules.coordinate_system.of(successors[options])
            before = rules.coordinate_system.of(np.array(state, dtype=np.int64))
            # Only of the latest states: a game has many.
            self._moves = dict(list(self._moves.items())[-8:])
            self._moves[key] = BoardMoves(options, after, layout.pointed_at(options, before, after))
        return self._moves[key]

    def candidates_at(self, position: IntArray, point: tuple[float, float]) -> list[int]:
        """Return the actions between which a click at the point does not decide, best first."""
        component = self.component_at(point)
        if component is None:
            return []
        layout = self.layouts[component]
        if layout is None:
            mask = self.rules.state_options[component][int(position[component])].mask
            legal = np.nonzero(mask)[0].tolist()
            return [self.rules.action(component, option) for option in legal]
        places = [number for number, each in enumerate(layout.squares) if each.contains(point)]
        if not places:
            return []
        options = self._chosen(component, int(position[component]), places[0], point)
        return [self.rules.action(component, option) for option in options]

    def action_at(self, position: IntArray, point: tuple[float, float]) -> int | None:
        """Return the move that a click chooses, if it is only one."""
        actions = self.candidates_at(position, point)
        return actions[0] if len(actions) == 1 else None

    def _chosen(
        self, component: int, state: int, place: int, point: tuple[float, float]
    ) -> list[int]:
        """Return the options that a click on a square chooses between; one where it decides."""
        layout, moves = self.layouts[component], self.moves(component, state)
        assert layout is not None
        (found,) = np.nonzero(moves.squares[:, place])
        if not len(found):
            return []
        sizes = moves.squares[found].sum(axis=1)
        found = found[sizes == sizes.min()]
        centers = np.array([each.center for each in layout.squares])
        middles = np.array([centers[moves.squares[move]].mean(axis=0) for move in found])
        distances = np.hypot(*(middles - point).T)
        near = found[distances <= distances.min() + UNCLEAR * layout.side]
        return [int(moves.options[move]) for move in near]

    def draw(self, canvas: Canvas, scene: Scene) -> None:
        """Draw the boards; what the last move changed has the colour of its player."""
        for component, cell in self.cells.items():
            layout = self.layouts[component]
            if layout is None:
                draw_tile(canvas, scene, self.rules, component, cell)
            else:
                self._draw_board(canvas, scene, component, layout)

    def _draw_board(
        self, canvas: Canvas, scene: Scene, component: int, layout: BoardLayout
    ) -> None:
        rules, state = self.rules.components[component], scene.state(component)

        def coordinates(number: int) -> IntArray:
            return rules.coordinate_system.of(np.array(number, dtype=np.int64))

        now = coordinates(state)
        filled = layout.filled(now)
        before = layout.filled(coordinates(scene.state_before(component)))
        pointed = self.pointed_successor(scene, component)
        after = filled if pointed is None else layout.filled(coordinates(pointed))
        last = player_color(scene.last_mover)
        mover = player_color(scene.mover)
        # What play never takes, such as the poisoned square of a bar of chocolate.
        kept = layout.filled(coordinates(0)) & bool(rules.is_terminal(np.array(0)))
        pale = layout.pale(now)
        for one, other in layout.edges:
            canvas.line(layout.squares[one].center, layout.squares[other].center, LINE, 2)
        for number, place in enumerate(layout.squares):
            layout.draw_ground(canvas, number, place)
            if filled[number]:
                color = mixed(OBJECT, WHITE, 0.55) if pale[number] else OBJECT
                if kept[number] and not layout.moves_piece:
                    color = mixed(PLAYER_COLORS[1], LIMIT, 0.4)
                elif not before[number] and not layout.moves_piece:
                    color = mixed(last, WHITE, 0.3)
                if not after[number]:
                    color = mixed(mover, WHITE, 0.6 if layout.moves_piece else 0.25)
                layout.draw_filled(canvas, place, color)
            elif after[number]:
                layout.draw_filled(canvas, place, mixed(mover, WHITE, 0.25))
            elif before[number]:
                self._draw_gone(canvas, layout, place, last)
            if layout.numbered:
                ink = WHITE if filled[number] else GREY
                canvas.text(str(number), place.center, min(22, 0.5 * layout.side), ink)
        for winning in scene.winning_options(component, self.rules.num_options):
            self._mark(canvas, layout, component, state, winning)
        self._draw_label(canvas, scene, component, layout, now)

    def _draw_gone(self, canvas: Canvas, layout: BoardLayout, place: Area, color: Color) -> None:
        """Draw where something stood before the last move."""
        gap = max(1.5, 0.08 * layout.side)
        inside = place.shrunk(gap, gap, gap, gap)
        width = max(1.5, 0.05 * layout.side)
        if layout.round:
            canvas.ring(inside, mixed(color, WHITE, 0.2), width)
        else:
            canvas.box(inside, mixed(color, WHITE, 0.2), 0.12 * layout.side, width)

    def _mark(
        self, canvas: Canvas, layout: BoardLayout, component: int, state: int, option: int
    ) -> None:
        """Mark a winning move: where a click chooses it, or else on all squares that it changes."""
        moves = self.moves(component, state)
        (row,) = np.nonzero(moves.options == option)[0].tolist()
        places = np.nonzero(moves.squares[row])[0].tolist()
        for place in places:
            center = layout.squares[place].center
            if self._chosen(component, state, place, center) == [option]:
                layout.mark(canvas, [place])
                return
        layout.mark(canvas, places)

    def _draw_label(
        self, canvas: Canvas, scene: Scene, component: int, layout: BoardLayout, now: IntArray
    ) -> None:
        """Write the name below a board and, but of cells, its coordinates."""
        cell = self.cells[component]
        rules = self.rules.components[component]
        text = f"{rules.kind} {component}"
        if layout.writes_coordinates:
            names = rules.coordinate_system.names or ("",) * len(now)
            values = [f"{name} {value}".strip() for name, value in zip(names, now, strict=True)]
            text += f": {', '.join(values)}"
        moved = scene.state(component) != scene.state_before(component)
        color = player_color(scene.last_mover, INK) if moved else INK
        size = canvas.fitting(text, cell.width - 8, 19)
        text = canvas.shortened(text, cell.width - 8, size)
        canvas.text(text, (cell.center.x, cell.bottom - LABEL / 2), size, color)
