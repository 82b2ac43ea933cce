"""Tokens on a graph: nodes and edges, laid out in layers."""

import itertools
import math
from collections.abc import Sequence

from nim_envs.graph import Part
from nim_envs.render import palette
from nim_envs.render.geometry import Area, Point, square
from nim_envs.render.graph_layout import Edge, graph_places, successors_of
from nim_envs.render.palette import Color, mixed, player_color
from nim_envs.render.panels import Panel
from nim_envs.render.scene import PartView, Scene
from nim_envs.render.shapes import Drawing
from nim_envs.typing import Position

MOST_NODES = 80
"""Most nodes of a graph that is drawn."""

SMALLEST_NODE, LARGEST_NODE = 15.0, 0.115
"""Sides of nodes, in pixels and as a share of the graph's height; the smallest holds a number."""
OUTLINE = mixed(palette.LINE, palette.GREY, 0.8)


class GraphPanel(Panel):
    """Graphs side by side; parts with the same graph are tokens on one drawing of it.

    A click on a node moves to it the token that can move there.
    """

    share = 3.0

    def __init__(self, parts: Sequence[Part], indices: list[int], area: Area) -> None:
        super().__init__(parts, indices, area)
        groups: dict[Part, list[int]] = {}
        for index in indices:
            groups.setdefault(parts[index], []).append(index)
        columns = max(1, min(len(groups), round(math.sqrt(len(groups) * area.width / area.height))))
        cells = area.grid(math.ceil(len(groups) / columns), columns)
        self.graphs = [
            GraphDrawing(part, tokens, cell, named=len(parts) > 1)
            for (part, tokens), cell in zip(groups.items(), cells, strict=False)
        ]

    def moves_at(
        self, position: list[Position], point: tuple[float, float]
    ) -> list[tuple[int, int]]:
        """Return the move of a token to the node at the point: of the nearest that can."""
        moves = []
        for graph in self.graphs:
            node = next((n for n in graph.nodes if graph.node(n).contains(point)), None)
            for token in graph.tokens:
                (here,) = position[token]
                row: list[int] = self.parts[token].after[here].tolist()
                if node in row:
                    distance = math.dist(graph.places[here], graph.places[node])
                    moves.append((distance, token, row.index(node)))
        return [(token, option) for _, token, option in sorted(moves)[:1]]

    def draw(self, drawing: Drawing, scene: Scene, views: list[PartView]) -> None:
        """Draw graphs and tokens; the edge of the last move has the mover's colour."""
        for graph in self.graphs:
            winning, moved, pointed = [], [], []
            for token in graph.tokens:
                view = views[token]
                (here,), (before,) = view.here, view.before
                winning += [(here, end) for (end,) in view.wins]
                moved += [(before, here)] * (before != here)
                pointed += [(here, view.pointed[0])] if view.pointed else []
            colors = dict.fromkeys(winning, palette.WINNING)
            last = player_color(scene.last_mover, palette.INK)
            colors |= dict.fromkeys(moved, last)
            colors |= dict.fromkeys(pointed, player_color(scene.mover))
            graph.draw_edges(drawing, dict.fromkeys(graph.edges, OUTLINE), width=1.8)
            graph.draw_nodes(drawing, {})
            graph.draw_edges(drawing, colors)
            if winning:
                ends = dict.fromkeys((end for _, end in winning), palette.WINNING)
                graph.draw_nodes(drawing, ends)
            graph.draw_tokens(drawing, [views[token].here[0] for token in graph.tokens])


class GraphDrawing:
    """A graph in a cell, with the parts that move on it, its tokens, by their names if asked."""

    def __init__(self, part: Part, tokens: list[int], cell: Area, named: bool) -> None:
        self.kind, self.tokens, self.named, self.cell = part.words.kind, tokens, named, cell
        self.edges = [
            (node, target) for node, targets in enumerate(successors_of(part)) for target in targets
        ]
        places, bends = graph_places(part)
        # Nodes are as large as their nearest neighbours allow.
        largest = LARGEST_NODE * cell.height
        margin = 0.55 * largest + 8
        room = cell.shrunk(margin, margin / 2, margin, margin / 2)
        self.nodes = range(len(places))
        self.places = [_within(room, place) for place in places]
        self.bends = {
            edge: _rounded(
                [_within(room, place) for place in (places[edge[0]], *path, places[edge[1]])]
            )[1:-1]
            for edge, path in bends.items()
        }
        nearest = min(
            (
                math.dist(one, other)
                for index, one in enumerate(self.places)
                for other in self.places[:index]
            ),
            default=largest * 2,
        )
        self.side = max(SMALLEST_NODE, min(largest, 0.64 * nearest))

    def node(self, state: int) -> Area:
        """Return the place of a node."""
        return square(self.places[state], self.side)

    def draw_edges(self, drawing: Drawing, colors: dict[Edge, Color], width: float = 4.0) -> None:
        """Draw the edges in ``colors``."""
        for edge, color in colors.items():
            path = [self.places[edge[0]], *self.bends.get(edge, []), self.places[edge[1]]]
            ends = _shortened(path, 0.5 * self.side, 0.5 * self.side + 3)
            for start, end in itertools.pairwise(ends[:-1]):
                drawing.line(start, end, color, width)
                drawing.disc(square(end, width), color)
            drawing.arrow(ends[-2], ends[-1], color, width)

    def draw_nodes(self, drawing: Drawing, colors: dict[int, Color]) -> None:
        """Draw the nodes in ``colors`` with their numbers; all of them, in grey, if it is empty."""
        for state in colors or self.nodes:
            place = self.node(state)
            drawing.disc(place, colors.get(state, palette.FAINT))
            drawing.disc(place, colors.get(state, OUTLINE), 1.8)
            self._draw_number(drawing, state, palette.WHITE if state in colors else palette.GREY)

    def draw_tokens(self, drawing: Drawing, states: list[int]) -> None:
        """Draw the tokens, with their names where the game has several parts."""
        for state in set(states):
            here = [t for t, at in zip(self.tokens, states, strict=True) if at == state]
            place = self.node(state)
            drawing.disc(square(place.center, round(self.side + 4)), palette.OBJECT)
            if self.named:
                text = f"{self.kind} {','.join(map(str, here))}"
                tag = self._free_place(state, drawing.text_width(text, 14) + 10, 18)
                drawing.box(tag, palette.WHITE, radius=6)
                drawing.text(text, tag.center, 14, palette.INK)
            self._draw_number(drawing, state, palette.WHITE)

    def _free_place(self, state: int, width: float, height: float) -> Area:
        """Return a free place beside a node, or above it if there is none."""
        node = self.node(state)
        x, y, side = *node.center, self.side / 2 + 3
        places = [
            Area(x - width / 2, y - side - height + 2, width, height),
            Area(x - width / 2, y + side - 2, width, height),
            Area(x - side - width, y - height / 2, width, height),
            Area(x + side, y - height / 2, width, height),
        ]
        others = [self.node(other) for other in self.nodes if other != state]
        free = [
            place
            for place in places
            if place.within(self.cell) and not any(place.overlaps(other) for other in others)
        ]
        return (free or places)[0]

    def _draw_number(self, drawing: Drawing, state: int, ink: Color) -> None:
        size = drawing.fitting(str(state), 0.86 * self.side, min(20, max(11, 0.55 * self.side)))
        drawing.text(str(state), self.node(state).center, size, ink)


def _within(room: Area, place: Point) -> Point:
    return Point(room.x + place.x * room.width, room.y + place.y * room.height)


def _rounded(path: list[Point]) -> list[Point]:
    """A path with its corners cut twice, each time at a quarter of the lines that meet there.

    References:
        G. M. Chaikin, "An algorithm for high-speed curve generation", *Computer Graphics and
        Image Processing* 3 (1974).
    """
    for _ in range(2):
        cut = [
            Point(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y))
            for one, other in itertools.pairwise(path)
            for share in (0.25, 0.75)
        ]
        path = [path[0], *cut[1:-1], path[-1]]
    return path


def _shortened(path: list[Point], start: float, end: float) -> list[tuple[float, float]]:
    """Return a path without the ends that nodes cover."""

    def towards(place: Point, other: Point, pixels: float) -> tuple[float, float]:
        length = math.dist(place, other) or 1.0
        share = min(pixels / length, 0.5)
        return place.x + share * (other.x - place.x), place.y + share * (other.y - place.y)

    first, last = towards(path[0], path[1], start), towards(path[-1], path[-2], end)
    return [first, *path[1:-1], last]
