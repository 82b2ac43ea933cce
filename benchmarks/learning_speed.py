"""Learning speed: games and seconds until a learner sustains 100 % optimality.

python -m benchmarks.learning_speed --help explains every option.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from agents import QLearning, registry
from agents.metrics import LearningCurve, learning_curve
from agents.training import TrainingLog, train
from benchmarks.options import count_option, names_option, run_options
from benchmarks.published.q_learner import train_baseline, train_improved
from benchmarks.report import grouped, page, table, write_report
from benchmarks.runs import Runs
from benchmarks.tasks import GAMES, GameSetting
from benchmarks.timing import timed
from nim_envs import GameEnv


@dataclass(frozen=True)
class SpeedTask:
    """A game on which learners are compared, scored at intervals of games."""

    game: GameSetting
    score_interval: int
    max_games: int
    seeds: int


def _uniform(name: str, **arguments: Any) -> GameSetting:
    return GameSetting(name, {**arguments, "start": "uniform"})


BOARDS: dict[str, SpeedTask] = {
    "nim-10-10-10": SpeedTask(GAMES["nim-10-10-10"], 5_000, 3_000_000, 10),
    "addition-10-100": SpeedTask(_uniform("addition", k=10, n=100), 1_000, 1_000_000, 10),
    "misere-nim-1-3-5-7": SpeedTask(GAMES["misere-nim-1-3-5-7"], 1_000, 1_000_000, 10),
    "five-heaps": SpeedTask(_uniform("nim", heaps=(1, 3, 5, 7, 9)), 10_000, 5_000_000, 5),
    "six-heaps": SpeedTask(_uniform("nim", heaps=(1, 3, 5, 7, 9, 11)), 50_000, 20_000_000, 3),
    "seven-heaps": SpeedTask(
        _uniform("nim", heaps=(1, 3, 5, 7, 9, 11, 13)), 500_000, 40_000_000, 1
    ),
}
"""The boards by name."""


EXPLORATION = {"q-learning": 0.5, "double-q-learning": 0.5, "real-time-dynamic-programming": 1.0}
"""Epsilon of learners that learn faster with more exploration than in their registration."""


def new_learner(name: str, env: GameEnv) -> Any:
    """Return a new learner for both seats, by its name in the registry."""
    arguments = {"epsilon": EXPLORATION[name]} if name in EXPLORATION else {}
    return registry.new_learner(name, env, **arguments)


@dataclass(frozen=True)
class LearningSpeedRun:
    """The learning curve of one learner on one board with one seed."""

    board: str
    learner: str
    curve: LearningCurve


def sustained(curve: LearningCurve) -> bool:
    """Return whether 100 % was kept for further games, half the number that it took to reach."""
    reached = curve.games_to_sustained
    return reached is not None and bool(curve.games[-1] >= 1.5 * reached)


def run(board: str, learner: str, seed: int, limit: float, quick: bool) -> LearningSpeedRun:
    """Train a learner until it has sustained 100 %, or for ``limit`` seconds."""
    task = BOARDS[board]
    env = task.game.make()
    # Compiled functions are loaded before the time is measured.
    train(env, new_learner(learner, env), 2, seed=0, progress=False)
    games = 2 * task.score_interval if quick else task.max_games
    curve = learning_curve(
        env, new_learner(learner, env), env.game, games,
        seed=seed, every=task.score_interval, progress=False,
        stop=lambda curve: sustained(curve) or bool(curve.seconds[-1] > limit),
    )  # fmt: skip
    # Up to forty million winners and lengths, which no table needs.
    empty_log = TrainingLog(curve.log.winners[:0], curve.log.lengths[:0], curve.log.seconds)
    return LearningSpeedRun(board, learner, replace(curve, log=empty_log))


HEADER = (
    "board", "learner", "seeds", "reached", "games", "lowest", "highest", "seconds",
    "games/second", "last score %",
)  # fmt: skip


def summary(runs: list[LearningSpeedRun]) -> list[list[Any]]:
    """Return one row for each board and learner over its seeds, fewest games first."""
    rows: list[list[Any]] = []
    for (board, learner), group in grouped(runs, "board", "learner").items():
        curves = [run.curve for run in group]
        games = [each.games_to_sustained for each in curves if each.games_to_sustained is not None]
        seconds = [
            each.seconds_to_sustained for each in curves if each.seconds_to_sustained is not None
        ]
        rows.append(
            [
                board,
                learner,
                len(curves),
                len(games),
                int(np.median(games)) if games else None,
                min(games, default=None),
                max(games, default=None),
                float(np.median(seconds)) if seconds else None,
                int(np.median([each.games[-1] / each.seconds[-1] for each in curves])),
                float(np.mean([each.percent[-1] for each in curves])),
            ]
        )
    boards = list(BOARDS)
    rows.sort(key=lambda row: (boards.index(row[0]), -row[3], row[4] or 0, -row[9]))
    return rows


RATIO_HEADER = ("three heaps of ten", "games", "seconds", "games/second", "ratio")


def against_published(rounds: int, quick: bool) -> list[list[Any]]:
    """Time compiled Q-learning and the published Q-learners, alternating, in one run.

    All start from random positions. The published ones are the plain Python of
    :mod:`benchmarks.published.q_learner`, whose bootstrap has the wrong sign: the first explores
    at random; the second, the baseline of the ratios, moves epsilon-greedily and learns by replay.
    Ours is timed with either exploration.
    """
    plain_games, compiled_games = (1_000, 20_000) if quick else (20_000, 500_000)
    env = BOARDS["nim-10-10-10"].game.make()
    epsilons = {"q-learning, epsilon 0.5": 0.5, "q-learning, epsilon 1": 1.0}
    plain = {"published, improved": train_improved, "published, baseline": train_baseline}
    games = {**dict.fromkeys(plain, plain_games), **dict.fromkeys(epsilons, compiled_games)}
    seconds: dict[str, list[float]] = {name: [] for name in games}
    train(env, QLearning.for_env(env), 2, seed=0, progress=False)
    for seed in range(rounds):
        for name, train_published in plain.items():
            seconds[name].append(timed(partial(train_published, plain_games, seed))[0])
        for name, epsilon in epsilons.items():
            learner = QLearning.for_env(env, epsilon=epsilon)
            log = train(env, learner, compiled_games, seed=seed, progress=False)
            seconds[name].append(log.seconds)
    medians = {name: float(np.median(times)) for name, times in seconds.items()}
    rates = {name: games[name] / median for name, median in medians.items()}
    return [
        [name, games[name], medians[name], int(rate), rate / rates["published, improved"]]
        for name, rate in rates.items()
    ]


NOTES = """\
- *reached*: seeds in which the greedy policy came to play every N-position of the board
  optimally, and did so at every score until half as many games again were played.
- *games*, *seconds*: to the first of those scores, median over the seeds that reached it, with
  the fewest and most games. Scores are taken at intervals, so games are exact to one interval.
- *seconds* are of training alone, in compiled games: not the scoring, nor compilation. Runs share
  the machine's cores.
- *last score %*: mean over all seeds, when they stopped; training stops after a number of
  games or of seconds.
- Every game starts from a uniformly drawn position (exploring starts).
- Real-time dynamic programming and sampled afterstate TD know the rules; all others know their
  observations alone.
- The published Q-learners are timed in the same run, in turns with compiled Q-learning, in plain
  Python; *ratio* is to the improved one.
"""


@click.command()
@names_option("--boards", BOARDS, "Boards to play on", default="all; quick: the first three")
@names_option("--learners", registry.LEARNERS, "Learners to train")
@count_option("--seeds", "Seeds 0 to N-1 (default: 10 on small boards, 1 on the largest; quick: 1)")
@count_option(
    "--limit", "Training seconds after which a learner is stopped", default=10, show_default=True
)
@run_options("results/learning_speed")
def main(
    boards: list[str] | None, learners: list[str], seeds: int | None, limit: int,
    jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Measure games and seconds until each learner plays every position optimally."""
    boards = boards or list(BOARDS)[: 3 if quick else None]
    tasks = [
        (board, learner, seed, float(limit), quick)
        for board in reversed(boards)
        for learner in learners
        for seed in range(seeds or (1 if quick else BOARDS[board].seeds))
    ]
    with Runs(output, jobs) as runs:
        # Alone, as its times are compared.
        (ratio,) = runs(against_published, [(1 if quick else 5, quick)], alone=True)
        measured = runs(run, tasks)
        rows = summary(measured)
        print(table(RATIO_HEADER, ratio), end="\n\n")
        print(table(HEADER, rows))
        tables = {"ratio": (RATIO_HEADER, ratio), "learning_speed": (HEADER, rows)}
        text = page("Learning speed", tables.values(), NOTES)
        write_report(output, "learning_speed", text, tables)


if __name__ == "__main__":
    main()
