"""A language model from nothing that learns to play by text, paid in six ways, scored exactly.

python -m benchmarks.text --help explains every option.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.command_line import benchmark, invocation, names_option, run_options, seeds_option
from benchmarks.parallel import Runner
from benchmarks.report import table, write_report
from benchmarks.text.picture import figure
from benchmarks.text.report import (
    CURVES,
    HEADER,
    SPEECH,
    SUMMARY,
    curves,
    floors,
    report,
    runs,
    speech,
    summary,
)
from benchmarks.text.settings import (
    BOARDS,
    DEFAULT_ROWS,
    EVERYTHING,
    LAST,
    ROWS,
    SEEDS,
    WEIGHTS,
)
from nim_envs.optional import needed


def tasks(
    rows: Sequence[str] | None, boards: Sequence[str] | None, everything: bool, seeds: int,
    quick: bool,
) -> list[tuple[str, str, int]]:  # fmt: skip
    """Return board, row and seed of each run, in the order of the report.

    Args:
        rows: keys of :data:`ROWS`, or the default.
        boards: keys of :data:`BOARDS`, or the default.
        everything: whether all that ``--all`` names is run.
        seeds: number of seeds.
        quick: whether the default is the smallest one.
    """
    chosen = rows or ((LAST,) if quick else DEFAULT_ROWS)
    plan = EVERYTHING if everything else dict.fromkeys(boards or list(BOARDS)[:1], tuple(chosen))
    return [
        (board, row, seed)
        for board in BOARDS
        for row in ROWS
        for seed in range(seeds)
        if row in plan.get(board, ())
    ]


@benchmark(
    "text",
    writes="text.md, text.png and .svg, text.csv and text_curves.csv",
    quick="One seed of the last row, a hundredth of the moves: a check, not a result.",
)
@click.option("--all", "everything", is_flag=True, help="All rows and boards: forty minutes.")
@names_option("--rows", ROWS, "Ways of paying replies", default=f"{', '.join(DEFAULT_ROWS)}")
@names_option("--boards", BOARDS, "Boards", default="the first; all with --all")
@seeds_option(f"{SEEDS}; quick: 1")
@run_options
def main(
    everything: bool, rows: list[str] | None, boards: list[str] | None, seeds: int | None,
    output: Path, quick: bool, runner: Runner,
) -> None:  # fmt: skip
    """Teach a new language model to speak, then to play by policy gradient on its own replies.

    A row is a way of paying replies, with the same number of sampled moves for all. Needs the
    extra language.
    """
    if everything and (rows or boards):
        raise click.UsageError("--all runs every row; leave out --rows and --boards, or --all")
    work = needed("benchmarks.text.runs", "benchmarks.text", "language")
    queue = tasks(rows, boards, everything, seeds or (1 if quick else SEEDS), quick)
    starts = list(dict.fromkeys((board, seed) for board, _, seed in queue))
    spoken = runner(work.speak, [(*start, quick) for start in starts], shared=True)
    weights = {(each.board, each.seed): each.weights for each in spoken}
    calls = [(*task, weights[task[::2]], quick) for task in queue if task[::2] in weights]
    times = [WEIGHTS.get(row, 1.0) for _, row, *_ in calls]
    # After Ctrl-C nothing is begun.
    learned = runner(work.learn, calls if runner.complete else [], times)
    runner.log.end_runs()
    print(table(SPEECH, speech(spoken)))
    for board in dict.fromkeys(board for board, _ in starts):
        print(f"\n{board}\n\n{table(SUMMARY, summary(board, spoken, learned))}")
    print("\n" + "\n".join(floors(spoken, learned)))
    write_report(
        output,
        "text",
        report(spoken, learned, invocation()),
        {"text": (HEADER, runs(spoken, learned)), "text_curves": (CURVES, curves(learned))},
        {"text": figure(spoken, learned)},
    )


if __name__ == "__main__":
    main()
