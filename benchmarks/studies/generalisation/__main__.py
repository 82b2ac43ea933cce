"""Learners trained on small boards, scored on boards that they have never seen.

python -m benchmarks.studies.generalisation --help explains every option.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from agents import HypothesisError, RandomAgent
from agents.registry import LEARNERS, new_learner
from agents.research.base import GeneralisingLearner
from agents.training import train
from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import (
    folded,
    grouped,
    invocation,
    machine,
    percents,
    table,
    write_report,
)
from benchmarks.runs import Runs
from benchmarks.studies.generalisation.experiments import EXPERIMENTS, LEARNED, Experiment
from benchmarks.studies.generalisation.figures import matrices
from benchmarks.studies.generalisation.tables import KnownOrRandom
from benchmarks.timing import missing_modules
from nim_envs import GameEnv, optimality
from nim_envs.errors import SearchTooLargeError
from nim_envs.scoring import Optimality

SAMPLE = 1_000
"""N-positions drawn from a board that is not enumerated, the same ones for every learner."""

QUICK_GAMES = 60
QUICK_SAMPLE = 50
QUICK_EXPERIMENTS = ("nim-5", "take-3")
QUICK_LARGEST = 1 << 20
"""Most positions of a board that ``--quick`` enumerates; larger boards are sampled."""


@dataclass(frozen=True)
class GeneralisationRun:
    """One learner trained on one board with one seed, and its scores."""

    experiment: str
    contender: str
    seed: int
    given: str
    games: int = 0
    seconds: float = 0.0
    positions_read: int | None = None
    size: str = "-"
    proof: str | None = None
    refused: str = ""
    scores: Mapping[str, Optimality] = field(default_factory=dict)


def run(experiment: str, contender: str, seed: int, quick: bool) -> GeneralisationRun:
    """Train a learner on the small board of an experiment, and score it on all of its boards."""
    plan = EXPERIMENTS[experiment]
    who = plan.contenders[contender]
    env = GameEnv(plan.learned.make())
    games = min(who.games, QUICK_GAMES) if quick else who.games
    if who.learner == "random":
        return GeneralisationRun(
            experiment, contender, seed, "nothing", scores=scores(plan, None, env, quick)
        )
    given = LEARNERS[who.learner].knows if who.learner in LEARNERS else "-"
    try:
        # Compiled functions are loaded before the time is measured.
        train(env, new_learner(who.learner, env, **who.arguments), 2, seed=0, progress=False)
        learner = new_learner(who.learner, env, **who.arguments)
        given = getattr(learner, "given", given)
        began = time.process_time()
        log = train(env, learner, games, seed=seed, progress=False)
        seconds = time.process_time() - began
    except (HypothesisError, SearchTooLargeError) as error:
        return GeneralisationRun(experiment, contender, seed, given, refused=str(error))
    learned: dict[str, Any] = {}
    if isinstance(learner, GeneralisingLearner):
        learned = {name: getattr(learner, name) for name in ("positions_read", "size", "proof")}
    return GeneralisationRun(
        experiment, contender, seed, given, log.games, seconds, **learned,
        scores=scores(plan, learner, env, quick),
    )  # fmt: skip


def scores(plan: Experiment, learner: Any, env: GameEnv, quick: bool) -> dict[str, Optimality]:
    """Return the scores of the greedy policy by board; of random moves if there is no learner."""
    scores_by_board = {}
    for name, board in {LEARNED: plan.learned, **plan.held_out}.items():
        game = board.make()
        if learner is None:
            policy: Any = RandomAgent()
        elif isinstance(learner, GeneralisingLearner):
            try:
                policy = learner.greedy(game)
            except ValueError:  # a plain network reads its own board alone
                continue
        else:
            policy = KnownOrRandom(learner.greedy(), env.game, game)
        positions = game.board.num_positions
        sampled = not board.enumerated or (quick and positions > QUICK_LARGEST)
        sample = (QUICK_SAMPLE if quick else SAMPLE) if sampled else None
        try:
            score = optimality(policy, game, sample=sample, seed=0)
        except SearchTooLargeError:  # the board is too large to solve
            continue
        # Blunders are on no table, and may be half a million positions.
        scores_by_board[name] = replace(score, blunders=score.blunders[:0])
    return scores_by_board


HEADER = (
    "experiment", "learner", "seed", "games", "positions read", "CPU seconds", "size", "proved",
    "board", "optimality %", "low", "high", "N-positions", "random %",
)  # fmt: skip


def rows(runs: Sequence[GeneralisationRun]) -> list[list[Any]]:
    """Return one row for each run and board, and one for a run that was refused."""
    rows: list[list[Any]] = []
    for run in runs:
        shared = [
            run.experiment, run.contender, run.seed, run.games, run.positions_read,
            round(run.seconds, 3), run.size, "refused" if run.refused else bool(run.proof),
        ]  # fmt: skip
        for board, score in run.scores.items():
            interval = score.interval or (None, None)
            cells = (score.percent, *interval, score.count, score.random_percent)
            rows.append([*shared, board, *cells])
        if run.refused:
            rows.append([*shared, *[None] * (len(HEADER) - len(shared))])
    return rows


def groups(runs: Sequence[GeneralisationRun]) -> list[list[GeneralisationRun]]:
    """Return the runs of each experiment and contender, in the order of the experiments."""
    by_contender = grouped(runs, "experiment", "contender")
    return [
        by_contender[name, contender]
        for name, experiment in EXPERIMENTS.items()
        for contender in experiment.contenders
        if (name, contender) in by_contender
    ]


def median_text(values: Sequence[float]) -> str:
    """Return the median of numbers, with the least and the greatest where they differ.

    A dash stands for none.
    """
    if not values:
        return "-"
    low, middle, high = (
        f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"
        for value in np.quantile(values, (0, 0.5, 1))
    )
    return middle if low == high else f"{middle} ({low} to {high})"


LEARNING = (
    "experiment", "learner", "games", "positions read", "CPU seconds", "size", "proved",
)  # fmt: skip


def learning(runs: Sequence[GeneralisationRun]) -> list[list[Any]]:
    """Return the cost of learning: one row for each experiment and learner, over the seeds."""
    return [
        [
            group[0].experiment,
            group[0].contender,
            median_text([run.games for run in done]),
            median_text([run.positions_read for run in done if run.positions_read is not None]),
            median_text([run.seconds for run in done]),
            ", ".join(dict.fromkeys(run.size for run in done)),
            "-"
            if done[0].positions_read is None
            else f"{sum(run.proof is not None for run in done)} of {len(group)}",
        ]
        for group in groups(runs)
        if (done := [run for run in group if not run.refused and run.games])
    ]


def results(name: str, runs: Sequence[GeneralisationRun]) -> tuple[list[str], list[list[Any]]]:
    """Return header and rows of the scores in one experiment, with a column for each board."""
    boards = [LEARNED, *EXPERIMENTS[name].held_out]
    body = []
    for group in groups(runs):
        if group[0].experiment == name:
            cells = [
                percents([run.scores[board].percent for run in group if board in run.scores])
                for board in boards
            ]
            refused = not any(run.scores for run in group)
            body.append([group[0].contender, *(["refused"] * len(boards) if refused else cells)])
    return ["learner", *boards], body


PAGE = """\
# Boards that were not seen

{finding}

![Percent of N-positions played right, by learner and board](generalisation.png)

Percent, mean over the seeds, on four of the games below; boards from the training board, on the
left, to the largest. A cell is empty if the learner cannot read the board.

`{command}`, {seeds} seeds, prints the scores on every board, with what each learner needed;
[generalisation.csv](generalisation.csv) has them by seed.

{lists}

## Notes

{notes}"""

NOTES = f"""\
- Scores are optimality in percent: the mean probability of a winning move over N-positions, ties as
  fractions. Each score is the mean over the seeds, with the lowest and the highest where they
  differ. The training board is scored at all N-positions, other boards at {SAMPLE:,} drawn at
  random, the same for all learners; the CSV has the 95 % intervals.
- *positions read*: positions at which a learner has looked up the options in the rules, in games,
  in its own tests and to choose moves. Learners that only observe look up none.
- *proved*: the number of seeds in which the learner has proved, without being told who wins, that
  it is right for all numbers of heaps of all sizes (an automaton) or of heaps up to the largest
  that it has learned (classes). The proof is made by code separate from the learner.
- No learner is given a theorem, a Grundy value or the winner of a position, to learn or to decide
  when to stop.
- Table learners play at random at positions outside their table. A look-up ignores empty heaps and
  the order of heaps.
- *CPU seconds* are those of the process while it learns, without compilation.
- Machine: {machine()}.
"""


def finding(runs: Sequence[GeneralisationRun]) -> str:
    """Return a sentence: how many learners play all unseen boards right, and which."""
    worst: dict[str, float] = {}
    for run in runs:
        unseen = [score.percent for board, score in run.scores.items() if board != LEARNED]
        if run.games:
            worst[run.contender] = min([worst.get(run.contender, 100.0), *(unseen or [0.0])])
    right = [f"`{who}`" for who, percent in worst.items() if percent == 100]
    return (
        f"Of {len(worst)} learners that were trained on small boards, {len(right)} made no mistake "
        f"on unseen ones{': ' if right else ''}{', '.join(right)}."
    )


def report(runs: Sequence[GeneralisationRun], seeds: int, command: str) -> str:
    """Return the whole report as Markdown."""
    boards = [
        f"- {name}: "
        + "; ".join(
            f"*{title}*, {board.make().summary}"
            for title, board in {LEARNED: plan.learned, **plan.held_out}.items()
        )
        for name, plan in EXPERIMENTS.items()
        if any(run.experiment == name for run in runs)
    ]
    given = {run.contender: run.given for run in runs}
    refused = {(run.experiment, run.contender): run.refused for run in runs if run.refused}
    proofs = {run.proof: (run.experiment, run.contender) for run in runs if run.proof}
    lists = {
        "Boards": boards,
        "Prior knowledge": [f"- {who}: {what}" for who, what in given.items()],
        "Refused": [f"- {name}, {who}: {why}" for (name, who), why in refused.items()],
        "Proofs": [f"- {name}, {who}: {what}" for what, (name, who) in proofs.items()],
    }
    parts = [folded(title, "\n".join(lines)) for title, lines in lists.items() if lines]
    return PAGE.format(
        finding=finding(runs), command=command, seeds=seeds, lists="\n\n".join(parts), notes=NOTES
    )


CONTENDERS = {name: who for plan in EXPERIMENTS.values() for name, who in plan.contenders.items()}
"""All contenders by name."""


@click.command()
@names_option(
    "--experiments", EXPERIMENTS, "Experiments",
    default=f"all; quick: {' and '.join(QUICK_EXPERIMENTS)}",
)  # fmt: skip
@names_option(
    "--learners", CONTENDERS, "Learners",
    default="all; those of PyTorch only where it is installed",
)  # fmt: skip
@count_option("--seeds", "Seeds 0 to N-1 (default: 5; quick: 1)")
@run_options("results/generalisation")
def main(
    experiments: list[str] | None, learners: list[str] | None, seeds: int | None,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train learners on small boards, and score them on boards that they have never seen."""
    experiments = experiments or list(QUICK_EXPERIMENTS if quick else EXPERIMENTS)
    seeds = seeds or (1 if quick else 5)
    missing = set(missing_modules({who.needs for who in CONTENDERS.values() if who.needs}))
    chosen = learners or [n for n, who in CONTENDERS.items() if who.needs not in missing]
    left_out = [name for name in CONTENDERS if name not in chosen and not learners]
    if left_out:
        click.echo(f"left out, as PyTorch is not installed: {', '.join(left_out)}", err=True)
    tasks = [
        (name, who, seed)
        for name in experiments
        for who in EXPERIMENTS[name].contenders
        for seed in range(1 if who == "random" else seeds)
        if who in chosen
    ]
    # The longest first, so that no core is idle at the end.
    tasks.sort(key=lambda task: -EXPERIMENTS[task[0]].contenders[task[1]].weight)
    with Runs(output, jobs) as runs:
        finished = runs(run, [(*task, quick) for task in tasks])
        for name in experiments:
            header, body = results(name, finished)
            print(f"{name}\n\n{table(header, body)}\n")
        print(table(LEARNING, learning(finished)))
        write_report(
            output,
            "generalisation",
            report(finished, seeds, invocation()),
            {"generalisation": (HEADER, rows(finished))},
            {"generalisation": matrices(finished)},
        )


if __name__ == "__main__":
    main()
