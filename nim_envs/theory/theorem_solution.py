"""Solutions of games of one component, by theorems that do not extend to sums."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from nim_envs.rules.chomp_game import ChocolateBar
from nim_envs.rules.component import NO_MOVE, BoolArray, Component, IntArray
from nim_envs.rules.convention import Convention
from nim_envs.rules.euclid_game import NumberPair
from nim_envs.rules.fibonacci_game import FibonacciHeap
from nim_envs.rules.moores_game import HeapGroup
from nim_envs.rules.rules import Rules
from nim_envs.rules.wythoff_game import Queen
from nim_envs.theory import theorems
from nim_envs.theory.solution import Solution


class Theorem(NamedTuple):
    """A theorem on who wins one component.

    Attributes:
        name: such as ``"Wythoff's theorem"``.
        wins: function from coordinates, int64 ``(n, fields)``, to whether each is an N-position,
            ``(n,)``.
    """

    name: str
    wins: Callable[[IntArray], BoolArray]


class TheoremSolution(Solution):
    """A game of one component, solved by a theorem on its coordinates.

    Args:
        rules: rules of one component.
        convention: normal or misère play.
        theorem: one that holds under ``convention``.
    """

    def __init__(self, rules: Rules, convention: Convention, theorem: Theorem) -> None:
        super().__init__(rules, convention, theorem.name)
        self._wins = theorem.wins

    def _winning(self, positions: IntArray) -> BoolArray:
        coordinates = self.rules.coordinates(positions)
        wins = self._wins(coordinates.reshape(-1, coordinates.shape[-1]))
        return np.asarray(wins, dtype=np.bool_).reshape(positions.shape[:-1])

    def _winning_options(self, positions: IntArray) -> BoolArray:
        after = self.rules.options(positions)
        legal = after != NO_MOVE
        winning = np.zeros(after.shape, dtype=np.bool_)
        winning[legal] = ~self._winning(after[legal][:, np.newaxis])
        return winning


def theorem_on(component: Component, convention: Convention) -> Theorem | None:
    """Return a theorem on who wins a component alone; ``None`` if this package has none.

    Args:
        component: any component.
        convention: normal or misère play.
    """
    normal = convention is Convention.NORMAL
    if isinstance(component, Queen):
        name = "Wythoff's theorem" if normal else "Fraenkel's theorem on misère Wythoff"
        return Theorem(name, partial(theorems.wythoff, convention=convention))
    if isinstance(component, HeapGroup):
        wins = partial(theorems.moore, k=component.k, convention=convention)
        return Theorem("Moore's theorem", wins)
    if isinstance(component, FibonacciHeap):
        return Theorem("Whinihan's theorem", partial(theorems.fibonacci_nim, convention=convention))
    if isinstance(component, NumberPair) and normal:
        return Theorem("theorem of Cole and Davie", theorems.euclid)
    if (
        isinstance(component, ChocolateBar)
        and normal
        and min(component.rows, component.columns) <= 2
    ):
        return Theorem("Gale's theorem on two rows", theorems.chomp)
    return None
