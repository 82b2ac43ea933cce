"""Pictures of a position: as text, or as shapes that a web page can draw.

Environments draw themselves with a ``render_mode``.
"""

from nim_envs.render.picture import position_shapes
from nim_envs.render.text import render_text

__all__ = ["position_shapes", "render_text"]
