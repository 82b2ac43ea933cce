"""Credit for single turns: bias, cost and reach of estimators that credit turns.

python -m benchmarks.turn_credit --help explains every option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from agents.turn_credit.estimators import ESTIMATORS
from agents.turn_credit.own import find
from benchmarks.command_line import benchmark, invocation, names_option, run_options
from benchmarks.parallel import Runner
from benchmarks.report import table, write_report
from benchmarks.turn_credit.direction import GROUPS_PER_BLOCK, Checks, Direction, measure
from benchmarks.turn_credit.limits import Limit, limit_of
from benchmarks.turn_credit.moves import MovesToLearn, moves_to_learn
from benchmarks.turn_credit.picture import figures
from benchmarks.turn_credit.report import (
    CHECKED,
    SUMMARY,
    checked,
    report,
    rows_of,
    rows_of_moves,
    summary,
)
from benchmarks.turn_credit.settings import ANYWHERE, FULL, POLICIES, QUICK, SETTINGS
from nim_envs.errors import InvalidGameError
from nim_envs.references import resolved

PARTS: dict[str, Callable[..., Any]] = {
    "direction": measure,
    "ends": limit_of,
    "moves": moves_to_learn,
}
"""Functions that do the tasks of each part."""

DRAWS = 3
"""Policies of each kind."""

QUICK_GROUPS = 25
QUICK_ESTIMATORS = ("RLOO", "kept_win", "by turn: result summed")
QUICK_ANYWHERE = "misère 1-3-5, any start"


def work(part: str, task: tuple[Any, ...]) -> Any:
    """Do one task of a part.

    Args:
        part: a key of :data:`PARTS`.
        task: arguments of its function.
    """
    return PARTS[part](*task)


def tasks(
    parts: Iterable[str], quick: bool, own: Sequence[str] = ()
) -> list[tuple[str, tuple[Any, ...]]]:
    """Return the tasks of some parts, in the order of the report.

    Args:
        parts: keys of :data:`PARTS`.
        quick: whether they are few.
        own: more estimators, each ``"module:function"``.
    """
    queue: list[tuple[str, tuple[Any, ...]]] = []
    known = [name for name in ESTIMATORS if name not in own]
    chosen = QUICK_ESTIMATORS if quick else tuple(known)
    for part in parts:
        if part == "direction":
            more = (tuple(own),) if own else ()
            groups, draws = (QUICK_GROUPS, 1) if quick else (GROUPS_PER_BLOCK, DRAWS)
            queue += [
                (part, (setting, kind, draw, groups, *more))
                for setting in ([QUICK] if quick else SETTINGS)
                for kind in POLICIES
                for draw in range(draws)
            ]
        else:
            board_sets = ([QUICK], [QUICK_ANYWHERE]) if quick else (FULL, ANYWHERE)
            settings = board_sets[part == "moves"]
            # Where the expectation of one's own leads is not known.
            names = (*chosen, *own) if part == "moves" else chosen
            queue += [(part, (setting, name, quick)) for setting in settings for name in names]
    return queue


def _weight(task: tuple[str, tuple[Any, ...]]) -> float:
    part, (setting, *_) = task
    return SETTINGS[setting].weight * {"direction": 1, "ends": 2, "moves": 5}[part]


def _check(name: str) -> None:
    """Register an estimator of one's own, before any run."""
    try:
        find(name)
    except (InvalidGameError, ValueError) as error:
        raise click.BadParameter(str(error), param_hint="--estimator") from error


def _place(each: Direction) -> tuple[int, int, str, int]:
    """The place of an estimator at a policy in the tables."""
    setting, estimator = list(SETTINGS).index(each.setting), list(ESTIMATORS).index(each.estimator)
    return setting, estimator, each.policy, each.draw


@benchmark(
    "turn_credit",
    writes="turn_credit.md, and a CSV and a picture of each part",
    quick="All parts on the smallest games, with few estimators and games: a check, not a result.",
)
@click.option("--all", "everything", is_flag=True, help="All parts: up to half an hour.")
@names_option("--parts", PARTS, "Parts", default="direction, a minute; all with --all")
@click.option(
    "--estimator", "own", multiple=True, metavar="MODULE:FUNCTION",
    help="An estimator of your own, in the tables too: a function of rewards, groups, turns, "
    "states, … that returns the credit of each turn. May be given several times.",
)  # fmt: skip
@run_options
def main(
    everything: bool, parts: list[str] | None, own: tuple[str, ...], output: Path, quick: bool,
    runner: Runner,
) -> None:  # fmt: skip
    """Compare ways of crediting the turns of a game with the exact gradient.

    Direction is how far each estimator points from the gradient of the chance of winning, and how
    noisy it is; ends is where its expectation leads; moves is how many sampled moves a learner
    needs with it.
    """
    if everything and parts:
        raise click.UsageError("--all runs every part; leave out --parts, or --all")
    chosen = parts or list(PARTS)[: None if everything or quick else 1]
    for name in own:
        _check(name)
        runner.log.depend_on([Path(inspect.getfile(resolved(name)))])
    queue = tasks(chosen, quick, own)
    weights = [_weight(task) for task in queue]
    finished = runner(work, queue, weights)
    runner.log.end_runs()
    measured = [each for each in finished if isinstance(each, tuple)]
    directions: list[Direction] = [each for of_task, _ in measured for each in of_task]
    directions.sort(key=_place)
    checks: list[Checks] = [each for _, each in measured]
    limits = [each for each in finished if isinstance(each, Limit)]
    moves = [each for each in finished if isinstance(each, MovesToLearn)]
    print(table(SUMMARY, summary(directions, limits, moves)))
    if directions:
        print("\n" + table(CHECKED, checked(directions, checks)))
    tables = {
        f"turn_credit_{part}": rows_of(records)
        for part, records in (("direction", directions), ("ends", limits))
        if records
    }
    if moves:
        tables["turn_credit_moves"] = rows_of_moves(moves)
    write_report(
        output,
        "turn_credit",
        report(directions, checks, limits, moves, invocation()),
        tables,
        figures(directions, limits, moves),
    )


if __name__ == "__main__":
    main()
