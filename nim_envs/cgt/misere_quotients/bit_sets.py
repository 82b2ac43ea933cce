"""Sets as integers, a bit for each element, and as rows of booleans."""

from __future__ import annotations

import numpy as np

from nim_envs.typing import BoolArray


def bits(rows: BoolArray) -> list[int]:
    """Return each row of a boolean array as an integer, the first entry as the lowest bit."""
    return [
        int.from_bytes(row.tobytes(), "little")
        for row in np.packbits(rows, axis=1, bitorder="little")
    ]


def rows_of(numbers: list[int], size: int) -> BoolArray:
    """Return the lowest ``size`` bits of each number, ``(numbers, size)``."""
    width = (size + 7) // 8
    packed = np.frombuffer(
        b"".join(number.to_bytes(width, "little") for number in numbers), np.uint8
    )
    rows = np.unpackbits(packed.reshape(-1, width), axis=1, bitorder="little", count=size)
    return rows.astype(np.bool_)


def row_of(number: int, size: int) -> BoolArray:
    """Return the lowest ``size`` bits of a number, ``(size,)``."""
    return np.asarray(rows_of([number], size)[0])
