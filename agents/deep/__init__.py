"""Networks: values learned by self-play, and policies of other libraries as agents that play."""

from agents.deep.policy import PolicyAgent

__all__ = ["PolicyAgent"]
