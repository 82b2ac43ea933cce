"""A picture as an array that notebooks display."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt


class Frame(np.ndarray[Any, np.dtype[np.uint8]]):
    """A picture, ``(height, width, 3)``, uint8: an array that notebooks display.

    Example:
        >>> frame = np.zeros((2, 3, 3), dtype=np.uint8).view(Frame)
        >>> frame.shape, frame._repr_png_()[1:4]
        ((2, 3, 3), b'PNG')
    """

    def _repr_png_(self) -> bytes | None:
        """Return a PNG file, for IPython; ``None`` if this is only a part of a picture."""
        if self.ndim != 3 or self.shape[2] != 3 or self.dtype != np.uint8 or not self.size:
            return None
        return png(self)


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Return the PNG file of a picture, ``(height, width, 3)``, uint8."""
    from nim_envs.render.canvas import load_pygame  # which makes frames

    pygame = load_pygame()
    file = io.BytesIO()
    # pygame's first axis is across.
    pygame.image.save(pygame.surfarray.make_surface(pixels.swapaxes(0, 1)), file, "png")
    return file.getvalue()
