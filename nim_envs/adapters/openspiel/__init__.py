"""OpenSpiel: its small games of two players as games here, and its agents as players of them."""

from nim_envs.optional import imports_for

with imports_for("the adapter for OpenSpiel", "openspiel"):
    from nim_envs.adapters.openspiel.listing import game_of

__all__ = ["game_of"]
