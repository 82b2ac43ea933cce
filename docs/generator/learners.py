"""The page of all learners: what each is, its formula, its names, and when to use it."""

import inspect
import re
from typing import Any

from agents.registry import GENERALISING, LEARNERS, RegisteredLearner, learner_class
from benchmarks.leaderboard import leaderboard, published
from docs.generator.markdown import description, filled, write
from docs.generator.mathematics import formula


def source(rule: Any) -> str:
    """Return the references of a learning rule, from its docstring; empty if it has none."""
    found = re.search(r"^References:\n((?:    .*\n?)+)", inspect.getdoc(rule) or "", re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def pages() -> None:
    """Write the page."""
    classes: dict[Any, dict[str, RegisteredLearner]] = {}
    for name, row in LEARNERS.items():
        classes.setdefault(row.learner, {})[name] = row
    means = {each.learner: each.mean for each in leaderboard(published(2), 2)}
    text = filled(
        "learners.md",
        classes=classes,
        best={
            cls: max((means[name] for name in names if name in means), default=None)
            for cls, names in classes.items()
        },
        generalising={name: learner_class(name) for name in GENERALISING},
        description=description,
        formula=formula,
        source=source,
    )
    write("learners/index.md", text)
