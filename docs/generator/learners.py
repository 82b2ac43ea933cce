"""A page for each learner: formula, knowledge, use, and results."""

from __future__ import annotations

from typing import Any

from agents.registry import GENERALISING, LEARNERS, RegisteredLearner, generalising_class
from benchmarks.leaderboard import leaderboard, published
from benchmarks.report import percent
from docs.generator import results
from docs.generator.markdown import description, filled, table, write
from docs.generator.mathematics import formula


def by_class() -> dict[Any, dict[str, RegisteredLearner]]:
    """Return the registered names of each class of learners."""
    classes: dict[Any, dict[str, RegisteredLearner]] = {}
    for name, row in LEARNERS.items():
        classes.setdefault(row.learner, {})[name] = row
    return classes


def page(cls: Any, rows: dict[str, RegisteredLearner]) -> str:
    """Return the page of a learner."""
    first = next(iter(rows.values()))
    names = [
        (
            f"`{name}`",
            ", ".join(f"`{key}={value!r}`" for key, value in row.arguments.items()) or "defaults",
            "one for each player" if row.one_for_each_seat else "one for both players",
        )
        for name, row in rows.items()
    ]
    return filled(
        "learner.md",
        cls=cls,
        formula=formula(first.formula),
        rule=f"{first.update_rule.__module__}.{first.update_rule.__name__}",
        names=names,
        table=table(("name", "arguments", "learners"), names),
        train=next((name for name, row in rows.items() if not row.one_for_each_seat), None),
        registered=list(rows),
        results=results.scores(learners=list(rows)),
    )


def row(cls: Any) -> tuple[str, str]:
    """Return the name of a learner, as a link to its page, and what it is."""
    return f"[{cls.__name__}]({cls.__name__}.md)", description(cls)[0]


def pages() -> None:
    """Write the pages of all learners."""
    means = {each.learner: each.mean for each in leaderboard(published())}
    rows = []
    for cls, variants in by_class().items():
        write(f"learners/{cls.__name__}.md", page(cls, variants))
        best = max((means[name] for name in variants if name in means), default=None)
        knows = next(iter(variants.values())).knows
        rows.append((*row(cls), knows, "-" if best is None else percent(best)))
    for name in GENERALISING:
        cls = generalising_class(name)
        text = filled("generalising.md", cls=cls, name=name)
        write(f"learners/{cls.__name__}.md", text)
    text = filled(
        "learners.md",
        learners=table(("learner", "what it is", "knows", "mean %"), rows),
        generalising=table(
            ("learner", "what it is"), [row(generalising_class(name)) for name in GENERALISING]
        ),
    )
    write("learners/index.md", text)
