"""Networks: learners in single files, and policies of other libraries as agents."""

from agents.deep.policy import PolicyAgent

__all__ = ["PolicyAgent"]
