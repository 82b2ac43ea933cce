"""Deep learners beside the tabular one, scored exactly.

MaskablePPO of sb3-contrib, the program of the tutorial "PPO from scratch", and AlphaZero.

python -m benchmarks.studies.alphazero --help explains every option.
"""

import io
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, astuple, dataclass, fields, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from agents import Policy, QLearning, RandomAgent
from agents.training import train
from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import (
    grouped,
    page,
    score_cells,
    table,
    write_report,
)
from benchmarks.runs import Runs
from benchmarks.studies.alphazero.figures import alphazero_curves
from benchmarks.studies.alphazero.settings import (
    ALPHAZERO,
    ALPHAZERO_BOARDS,
    ALPHAZERO_GAMES,
    BOARDS,
    FIRST_BOARD,
    FROM_SCRATCH,
    FROM_SCRATCH_BOARDS,
    FROM_SCRATCH_GAMES,
    LEARNERS,
    MAIN_ENCODING,
    MOST_SEARCHED,
    OPPONENTS,
    PUBLISHED_STEPS,
    RECIPES,
    SAMPLE,
    UNTRAINED,
    TrainingTask,
)
from nim_envs.encoding import ENCODINGS
from nim_envs.optional import needed
from nim_envs.registry import GAMES
from nim_envs.scoring import optimality


@dataclass(frozen=True)
class Run(TrainingTask):
    """The score of one learner trained with one seed."""

    games: int
    steps: int
    seconds: float
    percent: float
    random_percent: float
    blunders: int
    count: int
    curve: tuple[tuple[int, float], ...]

    @property
    def games_to_sustained(self) -> int | None:
        """Games from which the score of the curve stays 100 %; ``None`` if there are none."""
        sustained = list(takewhile(lambda point: point[1] == 100, reversed(self.curve)))
        return sustained[-1][0] if sustained else None


class Training(NamedTuple):
    """The result of training: policies by the suffix of the learner's name, games and moves."""

    policies: Mapping[str, Policy]
    games: int = 0
    steps: int = 0
    curve: tuple[tuple[int, float], ...] = ()


def training(task: TrainingTask, quick: bool, log: Path | None) -> Training:
    """Train a learner; ``log`` is the directory of its TensorBoard log, if any."""
    setting = BOARDS[task.board]
    games = setting.quick_games if quick else setting.games
    if task.learner == "random":
        return Training({"": RandomAgent()})
    if task.learner == "q-learning":
        env = setting.make()
        learner = QLearning.for_env(env, epsilon=0.5)
        train(env, learner, games, seed=task.seed, progress=False)
        return Training({"": learner.greedy()}, games)
    # JAX and PyTorch take seconds to import, and are not installed everywhere.
    if task.learner in ALPHAZERO:
        from benchmarks.studies.alphazero.alphazero import train_alphazero

        if setting is FIRST_BOARD and not quick:
            games = ALPHAZERO_GAMES
        policies, curve = train_alphazero(task, games, log)
        return Training(policies, games, curve=curve)
    if task.learner == UNTRAINED:
        from benchmarks.studies.alphazero.alphazero import untrained

        return Training({"": untrained(task)})
    if task.learner in FROM_SCRATCH:
        return ppo_from_scratch(task, games if quick else FROM_SCRATCH_GAMES)
    from benchmarks.studies.alphazero.training import train_ppo, train_recipe

    if task.learner in RECIPES:
        steps = 2_048 if quick else PUBLISHED_STEPS
        policy, games, steps, curve = train_recipe(task, steps, log)
    else:
        policy, games, steps, curve = train_ppo(task, games, log)
    return Training({"": policy}, games, steps, curve)


def ppo_from_scratch(task: TrainingTask, games: int) -> Training:
    """Train by the program of the tutorial, whose output is not shown."""
    from agents.research.policy import PolicyAgent
    from agents.research.ppo_from_scratch import train as train_from_scratch
    from benchmarks.studies.network_policy import network_policy

    setting = BOARDS[task.board]
    board = {"id": GAMES[setting.name].gymnasium_id, **setting.arguments}
    with redirect_stdout(io.StringIO()):
        actor, points = train_from_scratch(task.seed, games, board, FROM_SCRATCH[task.learner])
    most_likely = network_policy(actor, greedy=True)
    policy = PolicyAgent(most_likely, setting.make().game, encoding=task.encoding)
    return Training({"": policy}, points[-1][0], curve=tuple(points))


def run(task: TrainingTask, quick: bool, log: Path | None) -> list[Run]:
    """Train a learner and score its greedy policy over the N-positions that games can reach.

    AlphaZero's is scored twice, without search and with it.
    """
    name = "-".join(map(str, astuple(task))).replace(", ", "-").replace(" ", "-")
    began = time.process_time()
    result = training(task, quick, None if log is None else log / name)
    seconds = time.process_time() - began
    game = BOARDS[task.board].make().game
    runs: list[Run] = []
    for suffix, policy in result.policies.items():
        large = bool(suffix) and runs[0].count > MOST_SEARCHED
        which = {"sample": SAMPLE} if large else {"positions": "reachable"}
        score = optimality(policy, game, **which)
        runs.append(
            Run(
                **asdict(replace(task, learner=task.learner + suffix)),
                games=result.games,
                steps=result.steps,
                seconds=seconds,
                percent=score.percent,
                random_percent=score.random_percent,
                blunders=len(score.blunders),
                count=score.count,
                # What is scored as it learns is the network without search.
                curve=() if suffix else result.curve,
            )
        )
    return runs


HEADER = (
    "board", "learner", "encoding", "opponent", "seeds", "games", "CPU seconds", "optimality %",
    "lowest", "highest", "random %", "blunders", "of", "games to 100 %",
)  # fmt: skip


def summary(runs: list[Run]) -> list[list[Any]]:
    """Return one row for each board and learner over its seeds, in the order of the runs."""
    rows = []
    for key, group in grouped(runs, "board", "learner", "encoding", "opponent").items():
        reached = [games for run in group if (games := run.games_to_sustained) is not None]
        rows.append(
            [
                *key,
                len(group),
                int(np.mean([run.games for run in group])),
                float(np.mean([run.seconds for run in group])),
                *score_cells(group),
                max(reached) if len(reached) == len(group) else None,
            ]
        )
    return rows


NOTES = f"""\
- *optimality %*: share of the N-positions that games can reach at which the greedy policy moves to
  a P-position, ties as fractions: mean, lowest and highest over the seeds. *blunders*: N-positions
  where a most likely move does not win, mean over the seeds, out of *of*.
- *q-learning* and *maskable-ppo* play the same number of games, from uniformly drawn
  positions. *q-learning* is tabular with the negamax bootstrap, ε = 0.5; its games are compiled.
- *maskable-ppo* in self-play: the two players' moves in turn, discount −1, so that the
  opponent's value counts negatively. Against an opponent: a step is the agent's move and the
  reply, discount 1, the seat drawn for each game.
- *published*: the PettingZoo recipe for MaskablePPO, all settings at their defaults,
  {PUBLISHED_STEPS:,} steps of single games from the full board. Its reward is the mover's, but the
  value of the next observation, which is the opponent's, is added to it as if it were the
  mover's own; and as the player who makes the last move wins, every reward is 0 or +1, and
  every move of both players is credited with it. With the discount negative and nothing else
  changed, a loss counts as a loss.
- *ppo-from-scratch*: the program of the tutorial of that name, {FROM_SCRATCH_GAMES:,} games.
  *discount 1* is the same with the value of the next observation, which is the opponent's, added
  to the mover's reward instead of subtracted.
- *alphazero*: `agents.research.alphazero`, its last network, never one chosen by its score, and its
  most probable action; *with search*: 32 simulations at evaluation too, on boards with more than
  {MOST_SEARCHED:,} N-positions at {SAMPLE:,} of them, drawn. Of signed products even random weights
  score anything from under 1 to 99 %, by seed (`curves.csv`, 0 games): they can tell odd from
  even, and what is learned is what that means. *unsigned products* are the same network with
  factors from 0 to 1, whose products fall with the number of ones: to tell odd from even it has
  to learn to count. *symmetry*: each move is learned from with equal heaps in a random order.
- On the boards named after AlphaZero games start from the full board, as published by Zhou & Riis
  (arXiv:2205.12787), and so they do on those with equal heaps. What differs: an MLP on the bits of
  the heaps, or signed products on their columns, in place of a recurrent network on the row of all
  objects; Gumbel MuZero's search with 32 simulations in place of PUCT with 50 to 100; learning
  rate, memory, number of updates; two CPU cores in place of an A100.
- *games to 100 %*: how many a learner that is scored as it learns had played when every N-position
  was played right for good; the highest over the seeds, nothing where a seed did not come to it.
  `curves.csv` has the scores.
- *CPU seconds*: of one run, imports, compilation and scores as it learns included, mean.
"""


def encoding_of(name: str) -> str:
    """Return the encoding of a setting of AlphaZero: that which its network reads."""
    return "binary" if ALPHAZERO[name]["network"] == "mlp" else "integer"


def tasks_of(
    boards: Sequence[str] | None = None,
    encodings: Sequence[str] | None = None,
    opponents: Sequence[str] | None = None,
    seeds: int | None = None,
    learners: Sequence[str] = LEARNERS,
    quick: bool = False,
) -> list[TrainingTask]:
    """Return all that is to be trained, in the order of the report; arguments are the options."""
    others = [name for name in ENCODINGS if name != MAIN_ENCODING]
    boards = boards or list(BOARDS)[: 1 if quick else None]
    encodings = encodings or [MAIN_ENCODING, *([] if quick else others)]
    opponents = opponents or list(OPPONENTS)[: 2 if quick else None]
    every_seed = range(seeds or (1 if quick else 3))
    pairs = [
        (encoding, opponent)
        for opponent in opponents
        for encoding in encodings
        if opponent == "self-play" or encoding == encodings[0]
    ]
    tasks = []
    for board in boards:
        first = board == next(iter(BOARDS))
        rows = {
            "random": [("random", "-", "-")],
            "q-learning": [("q-learning", "integer", "self-play")],
            "ppo-from-scratch": [
                (name, "one_hot", "self-play") for name in FROM_SCRATCH_BOARDS.get(board, ())
            ],
            "published": [(name, "integer", "self-play") for name in RECIPES if first],
            "maskable-ppo": [
                ("maskable-ppo", encoding, opponent)
                for encoding, opponent in pairs
                if first or board not in ALPHAZERO_BOARDS
            ],
            "alphazero": [
                (name, encoding_of(name), "self-play") for name in ALPHAZERO_BOARDS.get(board, ())
            ],
            "untrained": [
                (UNTRAINED, encoding_of(name), "-")
                for name in ALPHAZERO_BOARDS.get(board, ())
                if ALPHAZERO[name] == {"network": "signed-products"}
            ],
        }
        tasks += [
            TrainingTask(board, *row, seed)
            for learner in LEARNERS
            if learner in learners
            for row in rows[learner]
            # Nothing to train, so the seed changes nothing.
            for seed in (every_seed if learner != "random" else [0])
        ]
    return tasks


@click.command()
@names_option("--boards", BOARDS, "Boards to play on", default="all; quick: the first")
@names_option(
    "--encodings", ENCODINGS, "Encodings of positions",
    default=f"all, {MAIN_ENCODING} first; quick: that",
)  # fmt: skip
@names_option(
    "--opponents", OPPONENTS, "Opponents; all but self-play meet the first encoding alone",
    default="all; quick: the first two",
)  # fmt: skip
@names_option(
    "--learners",
    LEARNERS,
    "Learners; published plays on the first board alone, ppo-from-scratch on that and the "
    "leaderboard's, alphazero on these and its own, untrained where it has signed products, "
    "maskable-ppo not on those",
)
@count_option("--seeds", "Seeds 0 to N-1 (default: 3; quick: 1)")
@run_options("results/alphazero")
def main(
    boards: list[str] | None, encodings: list[str] | None, opponents: list[str] | None,
    learners: list[str], seeds: int | None, jobs: int | None, output: Path, quick: bool,
) -> None:  # fmt: skip
    """Train PPO and AlphaZero in self-play, MaskablePPO against opponents too; score them exactly.

    Beside them stands tabular Q-learning with as many games as MaskablePPO. Needs the extras sb3
    and alphazero; ppo-from-scratch alone needs PyTorch.
    """
    others = (encodings, opponents, seeds, learners, quick)
    tasks = tasks_of(boards, *others)
    if not tasks:
        every = [board for board in BOARDS if tasks_of([board], *others)]
        raise click.UsageError(f"{' and '.join(learners)}: on {' and '.join(every)} alone")
    with Runs(output, jobs) as runs:
        check_installed({*learners})
        # Logs are written on the machine that trains.
        log = output.resolve() / "tensorboard"
        finished = [
            each for scored in runs(run, [(task, quick, log) for task in tasks]) for each in scored
        ]
        rows = summary(finished)
        print(table(HEADER, rows))
        *columns, _ = (field.name for field in fields(Run))
        cells = [astuple(run)[:-1] for run in finished]
        task_columns = columns[: len(fields(TrainingTask))]
        points = [
            (*cell[: len(task_columns)], *point)
            for run, cell in zip(finished, cells, strict=True)
            for point in run.curve
        ]
        has_curves = any(run.learner in ALPHAZERO for run in finished)
        write_report(
            output,
            "alphazero",
            page("Deep learners", [(HEADER, rows)], NOTES),
            {
                "alphazero": (HEADER, rows),
                "runs": (columns, cells),
                "curves": ((*task_columns, "games", "optimality %"), points),
            },
            {"alphazero": alphazero_curves(finished) if has_curves else None},
        )


def check_installed(learners: set[str]) -> None:
    """Check that the packages of some learners are installed.

    Raises:
        MissingPackageError: one is not.
    """
    if {"published", "maskable-ppo"} & learners:
        needed("sb3_contrib", "benchmarks.studies.alphazero", "sb3")
    elif "ppo-from-scratch" in learners:
        needed("torch", "benchmarks.studies.alphazero")
    if {"alphazero", "untrained"} & learners:
        needed("agents.research.alphazero", "benchmarks.studies.alphazero", "alphazero")
    if "alphazero" in learners:
        needed("tensorboardX", "benchmarks.studies.alphazero", "alphazero")


if __name__ == "__main__":
    main()
