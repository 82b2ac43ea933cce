"""Inspect: the exam as a task, with the exact verdict as its scorer.

``inspect eval nim_envs/exam --model openai/NAME -T seed=0`` runs it.
"""

from collections.abc import Sequence
from typing import Any

from nim_envs.optional import imports_for
from nim_envs.text.exam import Suite

with imports_for("the task for Inspect", "inspect-ai"):
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, scorer, stderr
    from inspect_ai.solver import TaskState, generate


@task
def exam(seed: int = 0, only: Sequence[str] = (), answer: str = "tag") -> Task:
    """Return the exam as a task.

    Args:
        seed: seed of the suite.
        only: names of settings; empty for all.
        answer: form of the answers, as in :func:`nim_envs.text.prompt`.
    """
    suite = Suite(seed, (only,) if isinstance(only, str) else tuple(only))
    samples = [
        Sample(
            id=item.id,
            input=prompt,
            metadata={"setting": setting.name, "group": setting.group, "band": item.band},
        )
        for setting, item, prompt in suite.prompts(style="sentences", answer=answer)
    ]
    return Task(dataset=samples, solver=generate(), scorer=exact_verdict(suite, answer))


@scorer(metrics=[accuracy(), stderr(), grouped(accuracy(), "group", all=False)])
def exact_verdict(suite: Suite, answer: str) -> Scorer:
    """Return a scorer that is 1 for a reply that keeps the win, else 0.

    Args:
        suite: the suite, by whose ids samples are found.
        answer: form of the answers.
    """

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        truth = suite.verdict(str(state.sample_id), reply, answer=answer)
        facts: dict[str, Any] = {"kind": truth.kind, "why": truth.why}
        return Score(
            value=float(truth.kept_win), answer=reply, explanation=truth.kind, metadata=facts
        )

    return score
