"""Numbers of observations, and spaces for which no table can be made."""

from __future__ import annotations

import numpy as np
import pytest
from agents.tabular.index import ObservationIndex, check_memory, num_actions
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from agents import QLearning


@given(bounds=st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=4))
def test_every_observation_has_a_number_of_its_own(bounds):
    low = np.array([bottom for bottom, _ in bounds])
    high = np.array([bottom + more for bottom, more in bounds])
    index = ObservationIndex(spaces.Box(low=low, high=high, dtype=np.int64))
    everything = np.stack(
        np.meshgrid(*[np.arange(a, b + 1) for a, b in zip(low, high, strict=True)], indexing="ij"),
        axis=-1,
    ).reshape(-1, len(bounds))
    assert index.many(everything).tolist() == list(range(index.size))
    assert [index(observation) for observation in everything] == list(range(index.size))


def test_spaces_without_a_table_are_refused():
    with pytest.raises(TypeError, match="integer"):
        ObservationIndex(spaces.Box(0.0, 1.0, (3,)))
    with pytest.raises(TypeError, match="Discrete"):
        num_actions(spaces.Box(0, 1, (3,), dtype=np.int64))
    with pytest.raises(MemoryError, match="GiB"):
        check_memory((10**9, 100))
    with pytest.raises(MemoryError, match="GiB"):
        QLearning(spaces.Box(0, 10**6, (2,), dtype=np.int64), spaces.Discrete(9))
