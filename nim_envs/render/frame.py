"""A picture as an array, which a notebook shows as a picture."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt


class Frame(np.ndarray[Any, np.dtype[np.uint8]]):
    """A picture, ``(height, width, 3)``, uint8: an array like any other, and a notebook draws it.

    Example:
        >>> frame = np.zeros((2, 3, 3), dtype=np.uint8).view(Frame)
        >>> frame.shape, frame._repr_png_()[1:4]
        ((2, 3, 3), b'PNG')
    """

    def _repr_png_(self) -> bytes | None:
        """Return the picture as a file, for IPython; nothing if this is a part of one."""
        if self.ndim != 3 or self.shape[2] != 3 or self.dtype != np.uint8 or not self.size:
            return None
        return png(self)


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return the PNG file of a picture, ``(height, width, 3)``, uint8.

    References:
        ISO/IEC 15948, "Portable Network Graphics (PNG): functional specification".
    """
    height, width, _ = pixels.shape
    # Every row begins with the number of its filter: 0, none.
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(
        ">IIBBBBB", width, height, 8, 2, 0, 0, 0
    )  # 8 bits each of red, green, blue
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
