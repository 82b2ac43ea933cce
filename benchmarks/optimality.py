"""The main benchmark: train each learner on each game and score it exactly.

python -m benchmarks.optimality --help explains every option.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np

from agents import Learner, OptimalAgent, Policy, RandomAgent, registry
from agents.evaluation import SEATS, Optimality, optimality
from agents.training import train
from benchmarks import leaderboard
from benchmarks.command_line import benchmark, invocation, names_option, seeds_option
from benchmarks.parallel import in_parallel, parallel_options
from benchmarks.report import closing_line, machine, table, write_csv, write_text
from benchmarks.tasks import GAMES, SEEDS, VERSION, GameSetting
from nim_envs import GameEnv

__all__ = ["GAMES", "LEARNERS", "GameSetting", "ScoredRun", "matrix", "run", "summary"]

Maker = Callable[[GameEnv], tuple[Any, ...]]
"""Makes the agents for an environment: one for both seats, or one for each."""

UNTRAINED = ("random", "optimal")

LEARNERS: dict[str, Maker] = {
    "random": lambda _: (RandomAgent(),),
    "optimal": lambda env: (OptimalAgent(env.game),),
    **{name: row.make for name, row in registry.LEARNERS.items()},
}
"""By name."""


def maker(name: str) -> Maker:
    """Return the function that makes a learner of this project or of any other.

    Args:
        name: a key of :data:`LEARNERS`; or ``"package.module:Name"``, where ``Name`` is a class or
            a function. Its method ``for_env`` is called with the environment; without that method,
            it is called itself. The result is an :class:`agents.base.Learner` for both seats, or a
            pair of them, one for each.

    Raises:
        click.UsageError: there is no such module, or no such name in it.
    """
    if name in LEARNERS:
        return LEARNERS[name]
    made = _imported(name)
    make = getattr(made, "for_env", made)

    def agents(env: GameEnv) -> tuple[Any, ...]:
        found = make(env)
        return found if isinstance(found, tuple) else (found,)

    return agents


def knows(name: str) -> str:
    """Return a learner's knowledge besides its observations and rewards, in words.

    Args:
        name: as for :func:`maker`; a class of another project has it in an attribute ``knows``.
    """
    if name in UNTRAINED:
        return {"random": "nothing", "optimal": "the solution"}[name]
    if name in registry.LEARNERS:
        return registry.LEARNERS[name].knows
    return str(getattr(_imported(name), "knows", "not said"))


def _imported(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise click.UsageError(f"--learner is given as package.module:Name, not {name!r}")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"--learner {name}: {error}") from error
    except AttributeError as error:
        raise click.UsageError(f"--learner: {module} has no {attribute!r}") from error


def _check(name: str, game: str) -> None:
    """Check, before any training, that a name makes learners.

    Raises:
        click.UsageError: it makes something that lacks a method of a learner.
    """
    agents = maker(name)(GAMES[game].make())
    if len(agents) not in (1, 2) or not all(isinstance(agent, Learner) for agent in agents):
        raise click.UsageError(
            f"--learner {name} must make a learner with act, update and greedy, or a pair of them, "
            f"not {agents if len(agents) > 1 else agents[0]!r}"
        )


@dataclass(frozen=True)
class ScoredRun:
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


def run(game: str, learner: str, seed: int, quick: bool) -> ScoredRun:
    """Train ``learner`` on ``game`` and score its greedy policy.

    Args:
        game: a key of :data:`GAMES`.
        learner: name as for :func:`maker`.
        seed: integer seed.
        quick: whether to play the smaller number of games.
    """
    setting = GAMES[game]
    env = setting.make()
    agents = maker(learner)(env)
    learns = isinstance(agents[0], Learner)
    games = (setting.quick_games if quick else setting.games) if learns else 0
    pair = agents * 2 if len(agents) == 1 else agents
    if learns:
        # Compiled functions are loaded by a copy, so that seconds are of training alone.
        throw_away = maker(learner)(env)
        train(
            env, throw_away * 2 if len(throw_away) == 1 else throw_away, 2, seed=0, progress=False
        )
    log = train(env, pair, games, seed=seed, progress=False)
    scores = _scores(tuple(agent.greedy() if learns else agent for agent in agents), env)
    weights = np.array([score.count for score in scores])
    return ScoredRun(
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
    """Score one policy over all N-positions, or each seat's over those that the seat can face."""
    if len(policies) == 1:
        return [optimality(policies[0], env.game, "all")]
    return [
        optimality(policy, env.game, seat) for policy, seat in zip(policies, SEATS, strict=True)
    ]


HEADER = (
    "game", "starts", "learner", "games", "seconds", "optimality %", "lowest", "highest",
    "random %", "fumbles", "of",
)  # fmt: skip


def _in_order(learners: Iterable[str]) -> list[str]:
    """Return each learner once, those of this project first, in their order."""
    there = dict.fromkeys(learners)
    return [name for name in LEARNERS if name in there] + [
        name for name in there if name not in LEARNERS
    ]


def summary(runs: list[ScoredRun]) -> list[list[Any]]:
    """Return one row for each game and learner, over its seeds, in the order of :data:`GAMES`."""
    learners = _in_order(run.learner for run in runs)
    rows = []
    for game in GAMES:
        for learner in learners:
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


def matrix(rows: list[list[Any]]) -> str:
    """Return the mean scores in rows of :func:`summary` as a table that fits a narrow screen."""
    by_name = [dict(zip(HEADER, row, strict=True)) for row in rows]
    means = {(row["learner"], row["game"]): f"{row['optimality %']:.1f}" for row in by_name}
    # A player that does not learn plays no games.
    games: dict[str, int] = {}
    for row in by_name:
        games[row["game"]] = max(row["games"], games.get(row["game"], 0))
    scores = table(
        ("optimality %", *map(str, range(1, len(games) + 1))),
        [
            [learner, *(means.get((learner, game), "-") for game in games)]
            for learner in _in_order(learner for learner, _ in means)
        ],
        aligned_right=len(games),
    )
    key = [
        f"{number:>3} {game}, {games[game]:,} games from {GAMES[game].starts} starts"
        for number, game in enumerate(games, start=1)
    ]
    return "\n".join([scores, "", *key])


def run_rows(runs: list[ScoredRun]) -> list[tuple[Any, ...]]:
    """Return a row for each run, under :data:`benchmarks.leaderboard.RUN_HEADER`."""
    return [
        (
            VERSION, run.game, run.learner, knows(run.learner), run.seed, run.games,
            f"{run.seconds:.2f}", run.percent, run.random_percent, run.blunders, run.count,
        )
        for run in runs
    ]  # fmt: skip


def standings(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows of the leaderboard from those of :func:`run_rows`."""
    as_text = [dict(zip(leaderboard.RUN_HEADER, map(str, row), strict=True)) for row in rows]
    return [each.row for each in leaderboard.leaderboard(as_text)]


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


def report(runs: list[ScoredRun], seeds: int, command: str) -> str:
    """Return the whole report as Markdown."""
    return (
        f"# Optimality\n\n`{command}`, {seeds} seeds.\n\n"
        f"{table(HEADER, summary(runs), style='github')}\n\n{NOTES}"
    )


@benchmark(
    "optimality",
    writes="optimality.csv, runs.csv, leaderboard.csv and optimality.md",
    quick="Few games and two seeds: a check, not a result.",
)
@names_option("--games", GAMES, "Games to run")
@names_option("--learners", LEARNERS, "Learners to train", default="all, with --learner none")
@click.option(
    "--learner",
    "own",
    multiple=True,
    metavar="PACKAGE.MODULE:NAME",
    help="Train a learner of your own: a class or function that makes it for an environment, by "
    "its method for_env or else by calling it. May be given several times.",
)
@seeds_option(f"{len(SEEDS)}; quick: 2")
@parallel_options
def main(
    games: list[str], learners: list[str] | None, own: tuple[str, ...], seeds: int | None,
    jobs: int | None, backend: str, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train each learner on each game and report how much it plays optimally.

    That is the share of positions at which it does, over several seeds.
    """
    for name in own:
        _check(name, games[0])
    learners = [*(learners or ([] if own else LEARNERS)), *own]
    seeds = seeds or (2 if quick else len(SEEDS))
    tasks = [
        (game, learner, seed)
        # Neighbouring tasks have different learners, so workers compile different functions.
        for seed in range(seeds)
        for game in sorted(games, key=lambda name: -GAMES[name].games)
        for learner in learners
        # Nothing to train, so the seed changes nothing.
        if seed == 0 or learner not in UNTRAINED
    ]
    began = time.perf_counter()
    finished = in_parallel(
        run,
        [(*task, quick) for task in tasks],
        jobs,
        backend,
        # Playing games takes longest; a player that does not learn is still scored.
        weights=[
            1 if learner in UNTRAINED else GAMES[game].games / 10_000 for game, learner, _ in tasks
        ],
    )
    runs = sorted(finished, key=lambda run: (run.game, run.learner, run.seed))
    rows = summary(runs)
    print(matrix(rows))
    write_csv(output / "optimality.csv", HEADER, rows)
    each = run_rows(runs)
    write_csv(output / "runs.csv", leaderboard.RUN_HEADER, each)
    write_csv(output / "leaderboard.csv", leaderboard.HEADER, standings(each))
    write_text(output / "optimality.md", report(runs, seeds, invocation()))
    closing_line(began, output, finished.complete)


if __name__ == "__main__":
    main()
