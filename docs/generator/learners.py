"""A page for each learner: formula, knowledge, use, and results."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from agents.registry import GENERALISING, LEARNERS, RegisteredLearner, generalising_class
from benchmarks.leaderboard import published
from benchmarks.report import percent
from benchmarks.tasks import GAMES
from docs.generator import results
from docs.generator.markdown import (
    about,
    filled,
    linked,
    paragraphs,
    references,
    table,
    words,
    write,
)
from docs.generator.mathematics import formula, prose
from nim_envs import make_game
from nim_envs.cli.games import as_word

TASK = "nim-3-4-5"
"""The task of the leaderboard whose command every learner's page has."""

KNOWLEDGE = {
    True: "The rules: before it chooses, it looks at the position after each legal move. It knows "
    "no theorem, and not who wins.",
    False: "Only its observations and rewards: neither the rules nor any theorem.",
}


def by_class() -> dict[Any, dict[str, RegisteredLearner]]:
    """Return the registered names of each class of learners."""
    classes: dict[Any, dict[str, RegisteredLearner]] = {}
    for name, row in LEARNERS.items():
        classes.setdefault(row.learner, {})[name] = row
    return classes


def command(name: str) -> str:
    """Return the command that trains a learner as the leaderboard's task :data:`TASK` does."""
    task = GAMES[TASK]
    words = ["--game", task.name]
    for key, value in task.arguments.items():
        words += ["--start", value] if key == "start" else ["--set", f"{key}={as_word(value)}"]
    words += ["--learner", name, "--games", str(task.games), "--output", "agent.zip"]
    return " ".join(["python -m agents train", *words])


def reached_by(name: str) -> str:
    """Return the command of a learner with the score that it ends with, with the same seed."""
    (row,) = (
        row for row in published()
        if (row["game"], row["learner"], row["seed"]) == (TASK, name, "0")
    )  # fmt: skip
    lines = command(name).replace(" --learner", " \\\n    --learner")
    return (
        f"```sh\n{lines}\n```\n\nThe result: "
        f"{percent(float(row['optimality %']))} % of {row['of']} N-positions played optimally."
    )


def page(cls: Any, rows: Mapping[str, RegisteredLearner]) -> None:
    """Write the page of a learner."""
    rule = next(iter(rows.values())).update_rule
    summary, use, rest = about(cls, cls.__module__)
    conditions = [prose(linked(text, rule.__module__)) for text in words(rule)[1:]]
    names = []
    for name, row in rows.items():
        arguments = ", ".join(f"{key}={value!r}" for key, value in row.arguments.items())
        each = "one for each player" if row.one_for_each_seat else "one for both players"
        names.append((f"`{name}`", f"`{arguments}`" if arguments else "the defaults", each))
    parts = [
        f"# {cls.__name__}",
        summary,
        "## The learning rule",
        formula(next(iter(rows.values())).formula),
        *conditions,
        "*s* is a position and *a* a move; *s′* is the position from which the update bootstraps, "
        "*r* the reward, *γ* the discount and *α* the learning rate.",
        *rest,
        "## Prior knowledge",
        KNOWLEDGE[cls.uses_rules],
        "## When to use it",
        *use,
        "## Names",
        "On the command line and in the benchmarks:",
        table(("name", "made with", "learners"), names),
        *(reached_by(name) for name, row in rows.items() if not row.one_for_each_seat),
        "This command makes all figures below:\n\n```sh\npython -m benchmarks.optimality "
        f"--learners {','.join(rows)}\n```",
        f'In Python: <autoref identifier="{cls.__module__}.{cls.__name__}">'
        f"<code>agents.{cls.__name__}</code></autoref>, "
        f"`{cls.__name__}.for_env(env)`. Its rule is one function of "
        f"`{inspect.getmodule(cls).__name__.replace('.', '/')}.py`.",
        "## Results",
        results.of_learners(rows),
        "## References",
        references(rule),
    ]
    write(f"learners/{cls.__name__}.md", paragraphs(parts))


def page_of_generalising(name: str) -> None:
    """Write the page of a learner that chooses its own games."""
    cls = generalising_class(name)
    summary, use, rest = about(cls, cls.__module__)
    parts = [
        f"# {cls.__name__}",
        summary,
        *rest,
        "## Prior knowledge",
        f"On a board of Nim: {cls(make_game('nim')).given}.",
        "It uses no theorem, no Grundy value, and not who wins, neither to learn nor to decide "
        "when to stop.",
        "## When to use it",
        *use,
        "## Names",
        f"On the command line `{name}`; `show` prints its result and proof:",
        f"```sh\npython -m agents train --game nim --learner {name} --output agent.zip\n"
        "python -m agents show --player agent.zip\n```",
        f'In Python: <autoref identifier="{cls.__module__}.{cls.__name__}">'
        f"<code>agents.{cls.__name__}</code></autoref>. `{cls.__name__}.for_env(env)` learns in "
        "`train`; `greedy(game)` is its policy on another board of the same game, and "
        "`greedy().move(position)` plays heaps that are too large for an environment.",
        "## Results",
        "See [Boards that were not seen](../results/generalisation.md). This command makes its "
        f"figures:\n\n```sh\npython -m benchmarks.studies.generalisation --learners {name}\n```",
        "## References",
        references(cls),
    ]
    write(f"learners/{cls.__name__}.md", paragraphs(parts))


def pages(first: Sequence[str] = ()) -> list[str]:
    """Write the pages of all learners; return the lines of the navigation.

    Args:
        first: lines of pages that come before those of the learners.
    """
    ranked = {each.learner: each for each in results.standings()}
    rows = []
    for cls, variants in by_class().items():
        page(cls, variants)
        best = max((ranked[name] for name in variants if name in ranked),
                   key=lambda each: each.mean, default=None)  # fmt: skip
        summary = linked(words(cls)[0], cls.__module__)
        rows.append(
            (
                f"[{cls.__name__}]({cls.__name__}.md)", summary,
                next(iter(variants.values())).knows,
                percent(best.mean) if best else "-",
            )
        )  # fmt: skip
    header = ("learner", "what it is", "knows", "mean %")
    generalising = []
    for name in GENERALISING:
        each = generalising_class(name)
        page_of_generalising(name)
        summary = linked(words(each)[0], each.__module__)
        generalising.append((f"[{each.__name__}]({each.__name__}.md)", summary))
    text = filled(
        "learners",
        learners=table(header, rows),
        generalising=table(("learner", "what it is"), generalising),
    )
    write("learners/index.md", text)
    return [
        "* [Learners](learners/index.md)",
        *first,
        *(
            f"    * [{cls.__name__}](learners/{cls.__name__}.md)"
            for cls in (*by_class(), *map(generalising_class, GENERALISING))
        ),
    ]
