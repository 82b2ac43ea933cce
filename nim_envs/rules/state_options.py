"""Cache of the options of single states, shared by equal components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.caches import SharedCache
from nim_envs.rules.component import NO_MOVE, Component
from nim_envs.typing import MaskArray

MOST_BYTES = 2**26
"""Most bytes of options cached for one component; beyond it the cache is emptied."""


@dataclass(frozen=True, slots=True)
class StateOptions:
    """The options of one state of a component, padded to the number of options of the game."""

    successors: npt.NDArray[Any]  # (options,): the next state, or NO_MOVE; the smallest integers
    seconds: npt.NDArray[Any] | None  # the states put into an empty slot; None if none ever
    mask: MaskArray  # (options,): which are legal
    legal_count: int  # number of legal options

    def after(self, option: int) -> tuple[int, int]:
        """Return the state after an option, or ``NO_MOVE``, and the second part; 0 for none."""
        seconds = self.seconds
        return self.successors.item(option), 0 if seconds is None else seconds.item(option)


class StateOptionsCache(dict[int, StateOptions]):
    """The options of a component by state; ``cache[state]`` computes missing ones.

    Args:
        component: owner of the states.
        options: length of the arrays.
    """

    def __init__(self, component: Component, options: int) -> None:
        super().__init__()
        self._component = component
        self._options = options
        # A signed type that holds -states holds states - 1 and NO_MOVE.
        self._dtype = np.min_scalar_type(-component.states)
        size = options * (self._dtype.itemsize * (1 + component.splits) + 1)
        self._most = max(1, MOST_BYTES // max(1, size))

    def __missing__(self, state: int) -> StateOptions:
        if len(self) >= self._most:
            self.clear()
        states = np.array([state], dtype=np.int64)
        own = self._component.options
        successors = np.full(self._options, NO_MOVE, dtype=self._dtype)
        successors[:own] = self._component.successors(states)[0]
        seconds = None
        if self._component.splits:
            seconds = np.zeros(self._options, dtype=self._dtype)
            seconds[:own] = self._component.second_successors(states)[0]
            seconds.setflags(write=False)
        mask = (successors != NO_MOVE).astype(np.int8)
        for array in (successors, mask):
            array.setflags(write=False)
        row = self[state] = StateOptions(successors, seconds, mask, int(np.count_nonzero(mask)))
        return row

    def __reduce__(self) -> Any:
        """Return the call that finds the shared cache again, for pickles and copies."""
        return shared_state_options, (self._component, self._options)


_shared: SharedCache[tuple[Component, int], StateOptionsCache] = SharedCache()


def shared_state_options(component: Component, options: int) -> StateOptionsCache:
    """Return the cache of ``component``, which equal components share while it is in use.

    Args:
        component: owner of the states.
        options: length of the arrays; at least the component's number of options.
    """
    key = component, options
    return _shared.get_or_create(key, lambda: StateOptionsCache(*key))
