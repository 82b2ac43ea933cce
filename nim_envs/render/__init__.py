"""Pictures of a position: as text, as shapes that a web page can draw, or as a board to play on.

Environments draw themselves with a ``render_mode``. ``widget``, for notebooks, is defined in
:mod:`nim_envs.render.notebook` and imported when it is first used.
"""

from nim_envs.lazy import lazy_names
from nim_envs.render.picture import position_shapes
from nim_envs.render.text import render_text

__getattr__, __dir__ = lazy_names(__name__, {"widget": "nim_envs.render.notebook"})

__all__ = ["position_shapes", "render_text", "widget"]
