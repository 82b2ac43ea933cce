"""The page of all learners: what each is, its formula, its names, and when to use it."""

from __future__ import annotations

import inspect
import re
from typing import Any

from agents.registry import GENERALISING, LEARNERS, RegisteredLearner, learner_class
from benchmarks.leaderboard import leaderboard, published
from benchmarks.report import percent
from docs.generator.markdown import description, filled, table, write
from docs.generator.mathematics import formula


def by_class() -> dict[Any, dict[str, RegisteredLearner]]:
    """Return the registered names of each class of learners."""
    classes: dict[Any, dict[str, RegisteredLearner]] = {}
    for name, row in LEARNERS.items():
        classes.setdefault(row.learner, {})[name] = row
    return classes


def link(cls: Any) -> str:
    """Return the name of a learner, as a link to its part of the page."""
    return f"[{cls.__name__}](#{cls.__name__.lower()})"


def names(rows: dict[str, RegisteredLearner]) -> list[str]:
    """Return each name of a learner with the arguments that it stands for."""
    return [
        ", ".join([f"`{name}`", *(f"`{key}={value!r}`" for key, value in row.arguments.items())])
        for name, row in rows.items()
    ]


def source(rule: Any) -> str:
    """Return the references of a learning rule, from its docstring; empty if it has none."""
    found = re.search(r"^References:\n((?:    .*\n?)+)", inspect.getdoc(rule) or "", re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def section(cls: Any, rows: dict[str, RegisteredLearner]) -> dict[str, Any]:
    """Return what the page says of a learner that keeps a table."""
    row = next(iter(rows.values()))
    text = [each for each in description(cls) if not each.startswith("Arguments and errors")]
    return {
        "cls": cls,
        "text": text,
        "formula": formula(row.formula),
        "symbols": description(row.update_rule)[1:],
        "source": source(row.update_rule),
        "rule": f"{row.update_rule.__module__}.{row.update_rule.__name__}",
        "names": names(rows),
    }


def pages() -> None:
    """Write the page."""
    means = {each.learner: each.mean for each in leaderboard(published(2), 2)}
    rows = []
    for cls, variants in by_class().items():
        best = max((means[name] for name in variants if name in means), default=None)
        knows = next(iter(variants.values())).knows
        mean = "-" if best is None else percent(best)
        rows.append((link(cls), description(cls)[0], knows, mean))
    generalising = [(name, learner_class(name)) for name in GENERALISING]
    text = filled(
        "learners.md",
        learners=table(("learner", "what it is", "knows", "mean %"), rows),
        generalising=table(
            ("learner", "what it is"),
            [(link(cls), description(cls)[0]) for _, cls in generalising],
        ),
        sections=[section(*each) for each in by_class().items()],
        choosing=[(name, cls, description(cls)) for name, cls in generalising],
    )
    write("learners/index.md", text)
