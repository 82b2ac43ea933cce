"""Deep learners beside the tabular one: MaskablePPO of sb3-contrib, scored exactly.

python -m benchmarks.deep --help explains every option.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents import Policy, QLearning, RandomAgent
from agents.evaluation import optimality
from agents.training import train
from benchmarks.deep.settings import (
    BOARDS,
    MAIN_ENCODING,
    OPPONENTS,
    PUBLISHED_STEPS,
    RECIPES,
    Task,
)
from benchmarks.parallel import add_options, in_parallel
from benchmarks.report import machine, positive, table, write_csv, write_text
from nim_envs.encoding import ENCODINGS


@dataclass(frozen=True)
class Run:
    """One learner trained with one seed, and its score."""

    board: str
    learner: str
    encoding: str
    opponent: str
    seed: int
    games: int
    steps: int
    seconds: float
    percent: float
    random_percent: float
    blunders: int
    count: int
    curve: tuple[tuple[int, float], ...]


def run(task: Task, quick: bool, log: Path | None) -> Run:
    """Train a learner and score its greedy policy over all N-positions.

    Args:
        task: what is to be trained.
        quick: whether to play few games.
        log: directory of TensorBoard logs, if any.
    """
    setting = BOARDS[task.board]
    games = setting.quick_episodes if quick else setting.episodes
    steps = 0
    curve: tuple[tuple[int, float], ...] = ()
    game = setting.make().game
    policy: Policy = RandomAgent()
    began = time.perf_counter()
    seconds = 0.0
    if task.learner == "random":
        games = 0
    elif task.learner == "q-learning":
        env = setting.make()
        spaces = (env.observation_space("player_0"), env.action_space("player_0"))
        # Compiled functions are loaded before the clock starts.
        train(env, QLearning(*spaces, epsilon=0.5), 2, seed=0, progress=False)
        learner = QLearning(*spaces, epsilon=0.5)
        seconds = train(env, learner, games, seed=task.seed, progress=False).seconds
        policy = learner.greedy()
    else:
        # PyTorch takes seconds to import, and is not there everywhere.
        from benchmarks.deep import training

        began = time.perf_counter()
        name = f"{task.board}-{task.learner}-{task.encoding}-{task.opponent}-{task.seed}"
        where = None if log is None else (str(log), name.replace(" ", "-"))
        if task.learner in RECIPES:
            trained = training.train_recipe(
                task, 2_048 if quick else PUBLISHED_STEPS, RECIPES[task.learner], where
            )
        else:
            trained = training.train_ppo(task, games, where)
        seconds = time.perf_counter() - began
        policy, games, steps, curve = trained
    score = optimality(policy, game)
    return Run(
        task.board,
        task.learner,
        task.encoding,
        task.opponent,
        task.seed,
        games,
        steps,
        seconds,
        score.percent,
        score.random_percent,
        len(score.blunders),
        score.count,
        curve,
    )


HEADER = (
    "board", "learner", "encoding", "opponent", "seeds", "games", "seconds", "optimality %",
    "lowest", "highest", "random %", "blunders", "of",
)  # fmt: skip


def summary(runs: list[Run]) -> list[list[Any]]:
    """Return one row a board and learner over its seeds, in the order of the runs."""
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.board, run.learner, run.encoding, run.opponent), []).append(run)
    rows = []
    for key, group in groups.items():
        percents = [run.percent for run in group]
        rows.append(
            [
                *key,
                len(group),
                int(np.mean([run.games for run in group])),
                float(np.mean([run.seconds for run in group])),
                float(np.mean(percents)),
                min(percents),
                max(percents),
                group[0].random_percent,
                float(np.mean([run.blunders for run in group])),
                group[0].count,
            ]
        )
    return rows


def verdicts(rows: list[list[Any]]) -> list[str]:
    """Return for each board by how much its best deep learner is above or below the table.

    Args:
        rows: as :func:`summary` returns them.
    """
    named = [dict(zip(HEADER, row, strict=True)) for row in rows]
    lines = []
    for board in dict.fromkeys(row["board"] for row in named):
        here = [row for row in named if row["board"] == board]
        deep = [row for row in here if row["learner"] == "maskable-ppo"]
        tabular = [row["optimality %"] for row in here if row["learner"] == "q-learning"]
        if not deep or not tabular:
            continue
        best = max(deep, key=lambda row: row["optimality %"])
        difference = best["optimality %"] - tabular[0]
        side = "above" if difference > 0 else "below"
        compared = "the same as" if difference == 0 else f"{abs(difference):.1f} points {side}"
        lines.append(
            f"{board}: the best of maskable-ppo ({best['encoding']}, {best['opponent']}) has "
            f"{best['optimality %']:.1f} %, {compared} the {tabular[0]:.1f} % of q-learning in as "
            "many games"
        )
    return lines


NOTES = f"""\
- *optimality %*: share of all N-positions at which the greedy policy moves to a P-position, ties
  as fractions: mean, lowest and highest over the seeds. *blunders*: N-positions where a most
  likely move does not win, mean over the seeds, out of *of*.
- Every learner but the published recipe plays the same number of games, from uniformly drawn
  positions. *q-learning* is the table with the sign right, ε = 0.5; its games are compiled.
- *maskable-ppo* in self-play: the two players' moves in turn, discount −1, so that the
  opponent's value counts negatively. Against an opponent: a step is the agent's move and the
  reply, discount 1, the seat drawn for each game.
- *published*: the PettingZoo recipe for MaskablePPO, all settings at their defaults,
  {PUBLISHED_STEPS:,} steps of single games from the full board. Its reward is the mover's, but the
  value of the next observation, which is the opponent's, is added to it as if it were the
  mover's own; and as the one who makes the last move wins, the only reward there ever is is +1:
  every move of both players is credited with it. With the discount's sign turned alone, a loss
  is a loss.
- What else it takes: games from all positions, many at a time; features instead of numbers; an
  entropy bonus that begins large and falls. With a small one throughout the policy settles on
  wrong moves and does not try the right ones again, although its own values tell them; with a
  large one throughout it learns the values of a random player.
- *seconds*: wall clock of one run with its scores on the way, mean; runs share the cores.
- Machine: {machine()}.
"""


def tasks_of(options: argparse.Namespace) -> list[Task]:
    """Return all that is to be trained, in the order of the report."""
    seeds = range(options.seeds or (1 if options.quick else 3))
    pairs = [
        (encoding, opponent)
        for opponent in options.opponents
        for encoding in options.encodings
        if options.full or opponent == "self-play" or encoding == options.encodings[0]
    ]
    tasks = []
    for board in options.boards:
        # Nothing to train, so nothing that a seed could change.
        tasks.append(Task(board, "random", "-", "-", 0))
        tasks += [Task(board, "q-learning", "integer", "self-play", seed) for seed in seeds]
        if board == next(iter(BOARDS)) and not options.no_published:
            tasks += [
                Task(board, name, "integer", "self-play", seed)
                for name in RECIPES
                for seed in seeds
            ]
        tasks += [
            Task(board, "maskable-ppo", encoding, opponent, seed)
            for encoding, opponent in pairs
            for seed in seeds
        ]
    return tasks


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the command line's options; exits with code 2 on bad ones."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.deep",
        description="Train MaskablePPO in self-play and against opponents, and score it exactly "
        "beside tabular Q-learning with as many games. Needs the extra sb3.",
    )
    parser.add_argument(
        "--boards", nargs="+", choices=BOARDS, metavar="BOARD",
        help=f"out of: {', '.join(BOARDS)} (default: all; quick: the first)",
    )  # fmt: skip
    parser.add_argument(
        "--encodings", nargs="+", choices=ENCODINGS, metavar="ENCODING",
        help=f"out of: {', '.join(ENCODINGS)} (default: all, {MAIN_ENCODING} first; quick: that)",
    )  # fmt: skip
    parser.add_argument(
        "--opponents", nargs="+", choices=OPPONENTS, metavar="OPPONENT",
        help=f"out of: {', '.join(OPPONENTS)} (default: all; quick: the first two)",
    )  # fmt: skip
    parser.add_argument(
        "--full", action="store_true",
        help="every encoding with every opponent; without it only the first encoding meets "
        "opponents, and all play themselves",
    )  # fmt: skip
    parser.add_argument(
        "--no-published", action="store_true", help="leave the published recipe out"
    )
    parser.add_argument(
        "--seeds", type=positive, metavar="N", help="seeds 0 to N-1 (default: 3; quick: 1)"
    )
    add_options(parser)
    parser.add_argument(
        "--output", type=Path, default=Path("results/deep"), metavar="DIRECTORY",
        help="where to write deep.csv, runs.csv, deep.md and TensorBoard's logs "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="few games: a check, not a result")
    options = parser.parse_args(arguments)
    others = [name for name in ENCODINGS if name != MAIN_ENCODING]
    options.boards = options.boards or list(BOARDS)[: 1 if options.quick else None]
    options.encodings = options.encodings or [MAIN_ENCODING, *([] if options.quick else others)]
    options.opponents = options.opponents or list(OPPONENTS)[: 2 if options.quick else None]
    return options


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark and write its report."""
    options = parse(arguments)
    if importlib.util.find_spec("sb3_contrib") is None:
        raise SystemExit("benchmarks.deep needs sb3-contrib: pip install -e '.[sb3]'")
    tasks = tasks_of(options)
    # What is logged is the machine's that runs it.
    log = options.output.resolve() / "tensorboard"
    began = time.perf_counter()
    order = {task: number for number, task in enumerate(tasks)}
    # The longest first, so that no core is left waiting at the end.
    first = sorted(tasks, key=lambda task: (task.learner in ("random", "q-learning"), task.seed))
    finished = in_parallel(run, [(task, options.quick, log) for task in first], options)
    runs = sorted(
        finished,
        key=lambda run: order[Task(run.board, run.learner, run.encoding, run.opponent, run.seed)],
    )
    rows = summary(runs)
    compared = verdicts(rows)
    print("\n".join([table(HEADER, rows), "", *compared]))
    command = " ".join(["python -m benchmarks.deep", *(arguments or sys.argv[1:])])
    write_csv(options.output / "deep.csv", HEADER, rows)
    write_csv(
        options.output / "runs.csv",
        tuple(Run.__dataclass_fields__),
        [tuple(vars(run).values()) for run in runs],
    )
    write_text(
        options.output / "deep.md",
        f"# Deep learners\n\n`{command}`\n\n{table(HEADER, rows, style='github')}\n\n"
        + "".join(f"- {line}.\n" for line in compared)
        + f"\n## Notes\n\n{NOTES}",
    )
    print(f"\n{time.perf_counter() - began:.0f} s in all; written to {options.output}")


if __name__ == "__main__":
    main()
