"""Pictures of a position; apart from the rules and the environments."""

from nim_envs.render.text import render_text

__all__ = ["render_text"]
