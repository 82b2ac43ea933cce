"""verifiers before 0.4: the exam as an environment of single turns, the older form on the hub.

There an environment is a module with a function ``load_environment``, and so is this one.
"""

from __future__ import annotations

from typing import Any

from nim_envs.errors import MissingPackageError
from nim_envs.text import Verdict
from nim_envs.text.exam import Suite


def load_environment(
    seed: int = 0, only: tuple[str, ...] | list[str] = (), answer: str = "tag", **settings: Any
) -> Any:
    """Return the exam of :mod:`nim_envs.text.exam` as a ``SingleTurnEnv``, one row a position.

    The reward ``kept_win`` is 1 for a reply that keeps the win, else 0; the metric ``held_move`` is
    1 for one that holds a move.

    Args:
        seed: seed of the suite.
        only: names of settings; empty for all.
        answer: form of the answers, as in :func:`nim_envs.text.prompt`.
        settings: those of ``SingleTurnEnv``.

    Raises:
        MissingPackageError: verifiers is not installed, or has no ``SingleTurnEnv``.
    """
    try:
        from datasets import Dataset
        from verifiers import Rubric, SingleTurnEnv
    except (ImportError, AttributeError) as error:
        raise MissingPackageError(
            f"load_environment needs a release before 0.4 ({error}): "
            'python -m pip install "verifiers[all]<0.4"'
        ) from error
    suite = Suite(seed, tuple(only))
    rows = [
        {"question": prompt, "answer": "", "info": {"id": item.id, "setting": setting.name}}
        for setting, item, prompt in suite.prompts(style="sentences", answer=answer)
    ]

    def verdict(completion: Any, info: dict[str, Any]) -> Verdict:
        reply = completion if isinstance(completion, str) else completion[-1]["content"]
        return suite.verdict(info["id"], reply or "", answer=answer)

    def kept_win(completion: Any, info: dict[str, Any]) -> float:
        return float(verdict(completion, info).kept_win)

    def held_move(completion: Any, info: dict[str, Any]) -> float:
        return float(verdict(completion, info).kind != "format")

    rubric = Rubric(funcs=[kept_win, held_move], weights=[1.0, 0.0])
    return SingleTurnEnv(eval_dataset=Dataset.from_list(rows), rubric=rubric, **settings)
