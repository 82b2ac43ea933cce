"""Batches of observations: arrays, or dictionaries of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def rows_of(batch: Any, rows: int | slice | npt.NDArray[np.int64]) -> Any:
    """Return copies of some rows of arrays, or of dictionaries of them."""
    if isinstance(batch, Mapping):
        return {key: rows_of(part, rows) for key, part in batch.items()}
    return batch[rows].copy()


def copied(observation: Any) -> Any:
    """Return a copy of an array, a number or a dictionary of them, as arrays."""
    if isinstance(observation, Mapping):
        return {key: copied(part) for key, part in observation.items()}
    return np.array(observation)


def stacked(parts: Sequence[Any]) -> Any:
    """Return arrays, or dictionaries of them, as a batch."""
    if isinstance(parts[0], Mapping):
        return {key: stacked([part[key] for part in parts]) for key in parts[0]}
    return np.stack(parts)


def same(one: Any, other: Any) -> bool:
    """Return whether two observations are equal, NaN to NaN."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    arrays = np.asarray(one), np.asarray(other)
    floats = all(array.dtype.kind in "fc" for array in arrays)
    return np.array_equal(*arrays, equal_nan=floats)
