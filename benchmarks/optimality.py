"""The main benchmark: train each learner on each game and score it exactly.

python -m benchmarks.optimality --help explains every option.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pettingzoo

from agents import Learner, OptimalAgent, Policy, RandomAgent, registry
from agents.evaluation import SEATS, Optimality, optimality
from agents.training import train
from benchmarks.command_line import benchmark, invocation, names_option, seeds_option
from benchmarks.parallel import in_parallel, parallel_options
from benchmarks.report import closing_line, machine, table, write_csv, write_text
from nim_envs import GameEnv
from nim_envs.registration import aec_id


@dataclass(frozen=True)
class GameSetting:
    """A game of the benchmark.

    Args:
        name: registered name of the game.
        arguments: of the environment; ``start`` says where games begin.
        games: games that each learner plays.
        quick_games: the same with ``--quick``.
    """

    name: str
    arguments: Mapping[str, Any]
    games: int
    quick_games: int

    def make(self) -> GameEnv:
        """Return a new environment."""
        env = pettingzoo.make("aec", aec_id(self.name), **self.arguments)
        return cast(GameEnv, env)

    @property
    def starts(self) -> str:
        """Where games begin, in words."""
        return str(self.arguments.get("start", "fixed"))


GAMES: dict[str, GameSetting] = {
    "addition-3-10": GameSetting("addition", {"k": 3, "n": 10}, 50_000, 5_000),
    "row-17-take-3": GameSetting(
        "subtraction",
        {"heaps": (17,), "subtraction_set": (1, 2, 3), "misere": True},
        20_000,
        5_000,
    ),
    "nim-3-4-5": GameSetting("nim", {"heaps": (3, 4, 5), "start": "uniform"}, 30_000, 5_000),
    "misere-nim-1-3-5-7": GameSetting(
        "misere_nim", {"heaps": (1, 3, 5, 7), "start": "uniform"}, 50_000, 5_000
    ),
    "bounded-nim-6-7-8": GameSetting(
        "nim", {"heaps": (6, 7, 8), "max_take": 3, "start": "uniform"}, 50_000, 5_000
    ),
    "nim-10-10-10": GameSetting("nim", {"heaps": (10, 10, 10), "start": "uniform"}, 150_000, 5_000),
    "kayles-7": GameSetting("kayles", {"heaps": (7,), "start": "uniform"}, 50_000, 5_000),
    "misere-kayles-7": GameSetting(
        "kayles", {"heaps": (7,), "misere": True, "start": "uniform"}, 50_000, 5_000
    ),
    "graph-11-10": GameSetting("graph", {"tokens": (11, 10), "start": "uniform"}, 30_000, 5_000),
    "kayles-5-nim-4-graph-9": GameSetting(
        "sum",
        {
            "games": (
                ("kayles", {"heaps": (5,)}),
                ("nim", {"heaps": (4,)}),
                ("graph", {"tokens": (9,)}),
            ),
            "start": "uniform",
        },
        150_000,
        5_000,
    ),
}


LEARNERS: dict[str, Callable[[GameEnv], tuple[Any, ...]]] = {
    "random": lambda _: (RandomAgent(),),
    "optimal": lambda env: (OptimalAgent(env.game),),
    **{name: row.make for name, row in registry.LEARNERS.items()},
}
"""By name: agents for an environment, one for both seats or one for each."""


@dataclass(frozen=True)
class Run:
    """One learner trained on one game with one seed, and its score."""

    game: str
    learner: str
    seed: int
    games: int
    seconds: float
    percent: float
    random_percent: float
    blunders: int
    count: int


def run(game: str, learner: str, seed: int, quick: bool) -> Run:
    """Train ``learner`` on ``game`` and score what it learned.

    Args:
        game: a key of :data:`GAMES`.
        learner: a key of :data:`LEARNERS`.
        seed: integer seed.
        quick: whether to play the smaller number of games.
    """
    setting = GAMES[game]
    env = setting.make()
    agents = LEARNERS[learner](env)
    learns = isinstance(agents[0], Learner)
    games = (setting.quick_games if quick else setting.games) if learns else 0
    pair = agents * 2 if len(agents) == 1 else agents
    if learns:
        # Compiled functions are loaded on a throw-away copy, so that seconds are of training.
        throw_away = LEARNERS[learner](env)
        train(
            env, throw_away * 2 if len(throw_away) == 1 else throw_away, 2, seed=0, progress=False
        )
    log = train(env, pair, games, seed=seed, progress=False)
    scores = _scores(tuple(agent.greedy() if learns else agent for agent in agents), env)
    weights = np.array([score.count for score in scores])
    return Run(
        game,
        learner,
        seed,
        games,
        log.seconds,
        float(np.average([score.percent for score in scores], weights=weights)),
        float(np.average([score.random_percent for score in scores], weights=weights)),
        sum(len(score.blunders) for score in scores),
        int(weights.sum()),
    )


def _scores(policies: tuple[Policy, ...], env: GameEnv) -> list[Optimality]:
    """One policy over all N-positions; one for each seat over those at which it can be to move."""
    if len(policies) == 1:
        return [optimality(policies[0], env.game, "all")]
    return [
        optimality(policy, env.game, seat) for policy, seat in zip(policies, SEATS, strict=True)
    ]


HEADER = (
    "game", "starts", "learner", "games", "seconds", "optimality %", "lowest", "highest",
    "random %", "fumbles", "of",
)  # fmt: skip


def summary(runs: list[Run]) -> list[list[Any]]:
    """Return one row for each game and learner, over its seeds, in the order of :data:`GAMES`."""
    rows = []
    for game in GAMES:
        for learner in LEARNERS:
            group = [run for run in runs if (run.game, run.learner) == (game, learner)]
            if not group:
                continue
            percents = [run.percent for run in group]
            rows.append(
                [
                    game,
                    GAMES[game].starts,
                    learner,
                    group[0].games,
                    f"{np.mean([run.seconds for run in group]):.2f}",
                    float(np.mean(percents)),
                    min(percents),
                    max(percents),
                    group[0].random_percent,
                    float(np.mean([run.blunders for run in group])),
                    group[0].count,
                ]
            )
    return rows


def matrix(runs: list[Run]) -> str:
    """Return the mean score of each learner on each game as a table that fits a narrow screen."""
    games = [name for name in GAMES if any(run.game == name for run in runs)]
    learners = [name for name in LEARNERS if any(run.learner == name for run in runs)]
    percents: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        percents.setdefault((run.learner, run.game), []).append(run.percent)
    numbers = [str(number) for number in range(1, len(games) + 1)]
    rows = [
        [learner]
        + [
            f"{np.mean(percents[learner, game]):.1f}" if (learner, game) in percents else "-"
            for game in games
        ]
        for learner in learners
    ]
    key = [
        f"{number:>3} {game}, {max(run.games for run in runs if run.game == game):,} games from "
        f"{GAMES[game].starts} starts"
        for number, game in zip(numbers, games, strict=True)
    ]
    scores = table(("optimality %", *numbers), rows, aligned_right=len(games))
    return "\n".join([scores, "", *key])


NOTES = f"""\
- *optimality %*: mean probability that the greedy policy moves to a P-position, over
  N-positions only; ties count as fractions. Mean, lowest and highest over the seeds.
- A learner with one table for both seats is scored over all N-positions of the game. One
  with a table for each seat (gradient-bandit) is scored over those at which each seat can
  be to move, and *of* counts both seats' together.
- *starts*: `fixed` plays every game from the initial position; `uniform` draws any
  position with a legal move (exploring starts), for every learner alike.
- *seconds*: training alone, mean over seeds, environment included, compilation not; runs
  share the machine's cores.
- *fumbles*: blunders, N-positions where a most likely move does not win; mean over the seeds.
- `random` and `optimal` are not trained: they bound what a score can mean.
- Machine: {machine()}.
"""


def report(runs: list[Run], seeds: int, command: str) -> str:
    """Return the whole report as Markdown."""
    return (
        f"# Optimality\n\n`{command}`, {seeds} seeds.\n\n"
        f"{table(HEADER, summary(runs), style='github')}\n\n{NOTES}"
    )


@benchmark(
    "optimality",
    writes="optimality.csv, runs.csv and optimality.md",
    quick="Few games and two seeds: a check, not a result.",
)
@names_option("--games", GAMES, "Games to run")
@names_option("--learners", LEARNERS, "Learners to train")
@seeds_option("3; quick: 2")
@parallel_options
def main(
    games: list[str], learners: list[str], seeds: int | None, jobs: int | None, backend: str,
    output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train each learner on each game and report how much it plays optimally.

    That is the share of positions at which it does, over several seeds.
    """
    seeds = seeds or (2 if quick else 3)
    tasks = [
        (game, learner, seed)
        for game in sorted(games, key=lambda name: -GAMES[name].games)
        for learner in learners
        # Nothing to train, so the seed changes nothing.
        for seed in range(1 if learner in ("random", "optimal") else seeds)
    ]
    began = time.perf_counter()
    finished = in_parallel(
        run,
        [(*task, quick) for task in tasks],
        jobs,
        backend,
        # Nothing is as long as playing games; whoever does not learn is scored all the same.
        weights=[
            1 if learner in ("random", "optimal") else GAMES[game].games / 10_000
            for game, learner, _ in tasks
        ],
    )
    runs = sorted(finished, key=lambda run: (run.game, run.learner, run.seed))
    rows = summary(runs)
    print(matrix(runs))
    write_csv(output / "optimality.csv", HEADER, rows)
    write_csv(
        output / "runs.csv",
        tuple(Run.__dataclass_fields__),
        [tuple(vars(run).values()) for run in runs],
    )
    write_text(output / "optimality.md", report(runs, seeds, invocation()))
    closing_line(began, output, finished.complete)


if __name__ == "__main__":
    main()
