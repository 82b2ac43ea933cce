"""Places for the nodes of a directed acyclic graph, in layers from its sources to its sinks."""

from functools import lru_cache

from nim_envs.graph import Part
from nim_envs.render.geometry import Point

Edge = tuple[int, int]

SWEEPS = 12
"""Number of times that the layers are ordered."""

LINK_SHARE = 0.4
"""Space for an edge that passes a layer, as a share of the space for a node."""


def successors_of(part: Part) -> list[list[int]]:
    """Return for each node those that a move leads to, each once."""
    return [
        list(dict.fromkeys(target for target in row if target >= 0)) for row in part.after.tolist()
    ]


@lru_cache(maxsize=64)
def graph_places(part: Part) -> tuple[list[Point], dict[Edge, list[Point]]]:
    """Lay a graph out: the longer the play to an end, the further to the left.

    The place of each node, and the points on the path of each edge that passes over other
    layers; both within the unit square.

    References:
        K. Sugiyama, S. Tagawa & M. Toda, "Methods for visual understanding of hierarchical
        system structures", *IEEE Transactions on Systems, Man, and Cybernetics* 11 (1981).

    Example:
        >>> from nim_envs.games import graph
        >>> places, bends = graph_places(graph(((), (0,), (0, 1)), tokens=(2,)).parts[0])
        >>> [place.x for place in places], list(bends)
        ([1.0, 0.5, 0.0], [(2, 0)])
    """
    successors, heights = successors_of(part), part.longest_play.tolist()
    top = max(heights)
    layers: list[list[int]] = [[] for _ in range(top + 1)]
    for node in sorted(range(len(successors)), reverse=True):
        layers[top - heights[node]].append(node)
    # Dummy nodes, where a long edge passes a layer.
    links: list[Edge] = []
    passing: dict[Edge, list[int]] = {}
    count = len(successors)
    for node, targets in enumerate(successors):
        for target in targets:
            previous = node
            between = range(top - heights[node] + 1, top - heights[target])
            for layer in between:
                layers[layer].append(count)
                passing.setdefault((node, target), []).append(count)
                links.append((previous, count))
                previous, count = count, count + 1
            links.append((previous, target))
    _order(layers, links, count)
    places = [Point(0.5, 0.5)] * count
    for depth, nodes in enumerate(layers):
        shares = [1.0 if node < len(successors) else LINK_SHARE for node in nodes]
        whole, before = sum(shares), 0.0
        for node, share in zip(nodes, shares, strict=True):
            along = (before + share / 2) / whole
            places[node] = Point(depth / top, along) if top else Point(along, 0.5)
            before += share
    bends = {edge: [places[node] for node in path] for edge, path in passing.items()}
    return places[: len(successors)], bends


def _order(layers: list[list[int]], links: list[Edge], count: int) -> None:
    """Order each layer by the places of neighbours; keep the order with the fewest crossings."""
    neighbours: tuple[list[list[int]], list[list[int]]] = (
        [[] for _ in range(count)],
        [[] for _ in range(count)],
    )
    for start, end in links:
        neighbours[0][end].append(start)
        neighbours[1][start].append(end)
    best, fewest = [list(layer) for layer in layers], _crossings(layers, links)
    for sweep in range(SWEEPS):
        backwards = sweep % 2
        for layer in reversed(layers) if backwards else layers:
            ranks = _ranks(layers)
            weights = {
                node: sum(ranks[other] for other in others) / len(others) if others else ranks[node]
                for node in layer
                for others in [neighbours[backwards][node]]
            }
            layer.sort(key=weights.__getitem__)
        crossings = _crossings(layers, links)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    layers[:] = best


def _ranks(layers: list[list[int]]) -> dict[int, float]:
    """The place of each node in its layer, from 0 to 1."""
    return {node: (rank + 0.5) / len(layer) for layer in layers for rank, node in enumerate(layer)}


def _crossings(layers: list[list[int]], links: list[Edge]) -> int:
    """Number of pairs of links that cross."""
    ranks = _ranks(layers)
    layer_of = {node: depth for depth, layer in enumerate(layers) for node in layer}
    by_layer: dict[int, list[tuple[float, float]]] = {}
    for start, end in links:
        by_layer.setdefault(layer_of[start], []).append((ranks[start], ranks[end]))
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for pairs in by_layer.values()
        for index, one in enumerate(pairs)
        for other in pairs[:index]
    )
