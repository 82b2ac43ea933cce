"""A game of one component, solved by a theorem on its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.rules.component import NO_MOVE, BoolArray, IntArray
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.solution import Solution

Theorem = Callable[[IntArray, tuple[int, ...]], Any]
"""Who wins a game of one component under its convention.

A function of the coordinates of ``n`` positions, int64 ``(n, fields)``, and the number of values of
each coordinate. It returns booleans ``(n,)``: where the player to move wins. A component without
coordinates has one, the number of its state.
"""

CHUNK_ENTRIES = 1 << 20
"""Options whose outcome is asked at a time."""


class TheoremSolution(Solution):
    """A game of one component, solved by a theorem: nothing is tabulated or searched.

    Args:
        rules: of one component.
        convention: normal or misère play, under which the theorem says who wins.
        theorem: see :data:`Theorem`.
        method: name of the theorem; by default that of the function.

    Attributes:
        theorem: the function.
    """

    def __init__(
        self, rules: Rules, convention: Convention, theorem: Theorem, method: str | None = None
    ) -> None:
        name = getattr(theorem, "__name__", type(theorem).__name__)
        super().__init__(rules, convention, method or f"the theorem {name}")
        self.theorem = theorem

    def _winning(self, positions: IntArray) -> BoolArray:
        states = positions[..., 0]
        return self._won(states.reshape(-1)).reshape(states.shape)

    def _won(self, states: IntArray) -> BoolArray:
        """Return which states ``(n,)`` are won for the player to move, ``(n,)``."""
        if not len(states):
            return np.zeros(0, dtype=np.bool_)
        coordinates = self.rules.components[0].coordinates(states)
        answer = np.asarray(self.theorem(coordinates, self.rules.fields))
        if answer.shape != states.shape or answer.dtype != np.bool_:
            raise InvalidGameError(
                f"{self.method} must return booleans ({len(states)},) of coordinates "
                f"{coordinates.shape}, not {answer.dtype} {answer.shape}"
            )
        return answer

    def _winning_options(self, positions: IntArray) -> BoolArray:
        states = positions.reshape(-1)
        winning = np.zeros((len(states), self.rules.num_options), dtype=np.bool_)
        step = max(1, CHUNK_ENTRIES // self.rules.num_options)
        for first in range(0, len(states), step):
            options = self.rules.components[0].successors(states[first : first + step])
            legal = options != NO_MOVE
            winning[first : first + step][legal] = ~self._won(options[legal])
        return winning.reshape(*positions.shape, self.rules.num_options)
