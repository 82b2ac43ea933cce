"""Sets as integers, a bit for each element, and as rows of booleans."""

import numpy as np

from nim_envs.typing import BoolArray


def bits(rows: BoolArray) -> list[int]:
    """Return each row of a boolean array as an integer, the first entry as the lowest bit."""
    return [
        int.from_bytes(row.tobytes(), "little")
        for row in np.packbits(rows, axis=1, bitorder="little")
    ]


def rows_of(sets: list[int], size: int) -> BoolArray:
    """Return the lowest ``size`` bits of each integer, ``(sets, size)``."""
    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(each.to_bytes(width, "little") for each in sets), np.uint8)
    rows = np.unpackbits(packed.reshape(-1, width), axis=1, bitorder="little", count=size)
    return rows.astype(np.bool_)


def row_of(bits: int, size: int) -> BoolArray:
    """Return the lowest ``size`` bits of an integer, ``(size,)``."""
    return np.asarray(rows_of([bits], size)[0])
