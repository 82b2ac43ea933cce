"""lm-eval: the functions that ``nim_exam.yaml`` names, the rows of the exam and their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from nim_envs.optional import imports_for
from nim_envs.text.exam import Suite

with imports_for("the task for lm-eval", "lm-eval"):
    from datasets import Dataset


@lru_cache(maxsize=4)
def _suite(seed: int, only: tuple[str, ...]) -> Suite:
    return Suite(seed, only)


def positions(
    seed: int = 0, only: Sequence[str] = (), answer: str = "tag", **_: Any
) -> dict[str, Dataset]:
    """Return the positions of the exam as split ``test``.

    Args:
        seed: seed of the suite.
        only: names of settings; empty for all.
        answer: form of the answers, as in :func:`nim_envs.text.prompt`.
    """
    suite = _suite(seed, tuple(only))
    rows = [
        {"prompt": prompt, "id": item.id, "seed": seed, "only": list(only), "answer": answer}
        for _, item, prompt in suite.prompts(style="sentences", answer=answer)
    ]
    return {"test": Dataset.from_list(rows)}


def judge(row: dict[str, Any], replies: Sequence[str]) -> dict[str, float]:
    """Return 1 or 0 for whether the reply to a row keeps the win, and whether it holds a move."""
    suite = _suite(row["seed"], tuple(row["only"]))
    truth = suite.verdict(row["id"], replies[0], answer=row["answer"])
    return {"kept_win": float(truth.kept_win), "held_move": float(truth.kind != "format")}
