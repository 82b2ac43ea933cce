"""Pictures of a position: as text, as shapes that a web page can draw, or as a board to play on.

Environments draw themselves with a ``render_mode``. ``widget``, for notebooks, is defined in
:mod:`nim_envs.render.notebook` and imported when it is first used.
"""

from typing import Any

from nim_envs.render.picture import position_shapes
from nim_envs.render.text import render_text

__all__ = ["position_shapes", "render_text", "widget"]


def __getattr__(name: str) -> Any:
    """Import ``widget`` when it is first used (PEP 562)."""
    if name != "widget":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nim_envs.render.notebook import widget

    return widget
