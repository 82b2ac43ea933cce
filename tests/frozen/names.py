"""Public names that no ``__all__`` of a package lists at its top: if one moves, edit it here."""

from nim_envs.scoring import best_response, expected_scores
from nim_envs.text.exam import Suite

__all__ = ["action_values", "best_response", "exam_prompts", "expected_scores"]


def exam_prompts(seed):
    """Yield the id of each item of the exam's suite, and its prompt."""
    for _, item, prompt in Suite(seed).prompts(style="sentences", answer="tag"):
        yield item.id, prompt


def action_values(learner, observations, masks):
    """Return what a learner has learned of each legal action: its value or its preference."""
    return learner.greedy().action_values(observations, masks)
