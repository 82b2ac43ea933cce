"""Grundy values of Node Kayles on paths and cycles, and of Cram on one row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nim_envs.games.octal_codes import heap_game
from nim_envs.rules.component import Component
from nim_envs.rules.cram_game import CramBoard
from nim_envs.rules.heaps import SplittingHeap
from nim_envs.rules.node_kayles_game import NodeSet
from nim_envs.theory.grundy import grundy_values
from nim_envs.typing import BoolArray, IntArray


class Chain(NamedTuple):
    """Cells in a row, each a neighbour of the next.

    Attributes:
        cells: their indices.
        closed: whether the last one is a neighbour of the first.
    """

    cells: list[int]
    closed: bool


class Chains(NamedTuple):
    """The chains of a component, no two of them joined, and Grundy values of runs of free cells.

    Attributes:
        chains: disjoint; together they hold all cells.
        values: Grundy value of a run of *n* free cells at index *n*, ``(cells + 1,)``.
    """

    chains: list[Chain]
    values: IntArray


def chains_of(component: Component) -> Chains | None:
    """Return the chains of a component; ``None`` if its graph has other parts than chains.

    A graph whose nodes have at most two neighbours each is made of chains, and so is a board of one
    row or column. A run of *n* free nodes is a heap of *n* in Dawson's chess; a run of *n* free
    cells of a board is a heap of *n* in Dawson's Kayles.

    Args:
        component: any component.

    References:
        *Winning Ways*, ch. 4.
    """
    if isinstance(component, CramBoard) and min(component.rows, component.columns) == 1:
        heap = SplittingHeap(heap_game("dawsons_kayles"), component.cells)
        return Chains([Chain(list(range(component.cells)), closed=False)], grundy_values(heap))
    if isinstance(component, NodeSet) and component.adjacent.sum(axis=1).max() <= 2:
        heap = SplittingHeap(heap_game("dawsons_chess"), component.cells)
        return Chains(_chains_of_graph(component.adjacent), grundy_values(heap))
    return None


def _chains_of_graph(adjacent: BoolArray) -> list[Chain]:
    """Return paths and cycles as chains; ``adjacent`` ``(nodes, nodes)``."""
    chains: list[Chain] = []
    seen: set[int] = set()
    # Paths first, each from an end; the nodes left over form cycles.
    for node in np.argsort(adjacent.sum(axis=1), kind="stable").tolist():
        if node in seen:
            continue
        cells = [node]
        while cells:
            seen.add(cells[-1])
            onward = [n for n in np.flatnonzero(adjacent[cells[-1]]).tolist() if n not in seen]
            if not onward:
                break
            cells.append(onward[0])
        chains.append(Chain(cells, len(cells) > 2 and bool(adjacent[cells[0], cells[-1]])))
    return chains


def values_of_runs(free: BoolArray, chain: Chain, values: IntArray) -> IntArray:
    """Return the nim-sums of the Grundy values of the runs of free cells of a chain.

    In a closed chain the runs at its two ends join. If all of its *n* cells are free, every move
    leaves a run of *n* − 3, so the value is the mex of that run's alone: 1 if it is 0, else 0.

    Args:
        free: which cells are free, ``(..., cells)``.
        chain: some of the cells; closed only in Node Kayles.
        values: Grundy value of a run by its length.

    Returns:
        ``(...)``.
    """
    total = np.zeros(free.shape[:-1], dtype=np.int64)
    run, at_start = np.zeros_like(total), np.ones_like(total, dtype=np.bool_)
    first = np.zeros_like(total)
    for cell in chain.cells:
        here = free[..., cell]
        ends = ~here & ~(at_start & chain.closed)
        total ^= np.where(ends, values[run], 0)
        first = np.where(~here & at_start, run, first)
        at_start = at_start & here
        run = np.where(here, run + 1, 0)
    if not chain.closed:
        return total ^ values[run]
    whole = int(values[len(chain.cells) - 3] == 0)
    return np.where(at_start, whole, total ^ values[np.where(at_start, 0, first + run)])
