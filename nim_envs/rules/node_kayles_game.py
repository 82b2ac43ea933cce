"""Node Kayles: a move takes a node of a graph, and its neighbours with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.cell_sets import CellSets
from nim_envs.rules.move_words import MoveWords
from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray
from nim_envs.validation import checked_integer, checked_pairs


@dataclass(frozen=True)
class NodeSet(CellSets):
    """The nodes of a graph; option ``j`` takes node ``j`` and its neighbours.

    The coordinates are the nodes, 1 where one is taken; see
    :class:`nim_envs.rules.cell_sets.CellSets`.

    Args:
        nodes: number of nodes; at least 1.
        edges: pairs of nodes, the smaller one first, in ascending order, each once.

    Raises:
        InvalidGameError: too many nodes to number sets of them.
    """

    nodes: int
    edges: tuple[tuple[int, int], ...]

    kind = "graph"

    def __post_init__(self) -> None:
        self._check_cells()

    def __repr__(self) -> str:
        """Return the size of the graph."""
        return f"NodeSet({self.nodes} nodes, {len(self.edges)} edges)"

    @property
    def cells(self) -> int:
        """Number of nodes."""
        return self.nodes

    @cached_property
    def words(self) -> NodeWords:
        """Nodes to take."""
        return NodeWords()

    @cached_property
    def adjacent(self) -> BoolArray:
        """Adjacency matrix, ``(nodes, nodes)``."""
        adjacent = np.zeros((self.nodes, self.nodes), dtype=np.bool_)
        for one, other in self.edges:
            adjacent[one, other] = adjacent[other, one] = True
        return adjacent

    @cached_property
    def cells_of_options(self) -> tuple[BoolArray, BoolArray]:
        """For each option its node, which must be free, and this node with its neighbours."""
        node = np.eye(self.nodes, dtype=np.bool_)
        return node, node | self.adjacent


class NodeWords(MoveWords):
    """Moves in words, by the node that they take."""

    move = (
        "take a free node and all of its neighbours; a graph is given node by node, 0 for a "
        "free node and 1 for any other"
    )

    def describe(self, option: int, state: int | None = None) -> str:
        """Return a description of the move ``option``."""
        return f"take node {option}"


def node_kayles(nodes: int, edges: Sequence[Sequence[int]]) -> Rules:
    """Rules of Node Kayles: take a node of a graph, with all of its neighbours.

    Play goes on until no node is left.

    A path of *n* nodes has the Grundy value of a heap of *n* in Dawson's chess, or of *n* + 1 in
    Dawson's Kayles. Every move on a cycle of *n* nodes leaves a path of *n* − 3, so the Grundy
    value of the cycle is 1 if that of the path is 0, else 0. To decide who wins on a given graph is
    PSPACE-complete.

    Args:
        nodes: number of nodes, which are numbered from 0; at least 1, at most 61.
        edges: pairs of different nodes; a pair in either order is the same edge.

    Raises:
        InvalidGameError: ``nodes`` out of range; edges that are not pairs of different nodes.

    References:
        T. J. Schaefer, "On the complexity of some two-person perfect-information games", *Journal
        of Computer and System Sciences* 16 (1978), 185-225; H. L. Bodlaender and D. Kratsch,
        "Kayles and nimbers", *Journal of Algorithms* 43 (2002), 106-119; *Winning Ways*, ch. 4.

    Example:
        >>> rules = node_kayles(nodes=4, edges=((0, 1), (1, 2), (2, 3)))
        >>> after = rules.step(np.array(rules.initial), np.array(0))
        >>> rules.describe_action(0), rules.coordinates(after).tolist()
        ('graph 0: take node 0', [1, 1, 0, 0])
        >>> np.flatnonzero(rules.action_mask(after)).tolist()
        [2, 3]
    """
    count = checked_integer("nodes", nodes, minimum=1)
    pairs = checked_pairs("edges", edges, min_pairs=0)
    for index, pair in enumerate(pairs):
        if max(pair) >= count or pair[0] == pair[1]:
            raise InvalidGameError(
                f"edges[{index}] must be two different nodes from 0 to {count - 1}, not {pair}"
            )
    graph = NodeSet(count, tuple(sorted({(min(pair), max(pair)) for pair in pairs})))
    return Rules("node_kayles", (graph,), initial=(0,))
