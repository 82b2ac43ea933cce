"""Policies of networks and other libraries as agents that play; a score needs none."""

from agents.deep.policy import PolicyAgent

__all__ = ["PolicyAgent"]
