"""Types of arrays and of positions."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
MaskArray = npt.NDArray[np.int8]
UInt32Array = npt.NDArray[np.uint32]
WordArray = npt.NDArray[np.uint64]
ValueArray = npt.NDArray[np.int8]
"""Values of positions to the player to move: 1 for a win, 0 for a draw, -1 for a loss."""

AnyArray = TypeVar("AnyArray", bound=Array)
"""The type of an array that a function returns as it was given."""

Position = tuple[int, ...]
"""One position: the coordinates of all parts, integers."""
