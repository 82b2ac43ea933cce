"""Networks as agents, and the libraries that train them; each module imports its own library."""

from agents.deep.policy import PolicyAgent

__all__ = ["PolicyAgent"]
