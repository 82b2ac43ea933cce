"""Pictures of a position, as text, shapes, arrays or in a window; apart from the environments."""

from nim_envs.render.picture import position_shapes
from nim_envs.render.text import render_text

__all__ = ["position_shapes", "render_text"]
