"""Datasets for offline learning: games of a known rate of mistakes, in the format of Minari.

python -m benchmarks.datasets --help explains every option.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.command_line import (
    benchmark,
    count_option,
    invocation,
    names_option,
    run_options,
    seeds_option,
)
from benchmarks.datasets.minari_files import (
    NAMESPACE,
    ROOT_VARIABLE,
    make_namespace,
    read_dataset,
    write_dataset,
)
from benchmarks.datasets.mistakes import Counts, make_env, play
from benchmarks.datasets.offline import TablePolicy, imitate, key_of, learn_offline
from benchmarks.parallel import Runner
from benchmarks.report import percents, table, write_report
from nim_envs import Game, __version__, optimality
from nim_envs.cli.layout import Choice
from nim_envs.optional import needed
from nim_envs.starts import ALL_NAMED_STARTS

VERSION = 0
"""Version of the datasets, raised with every change of their contents."""

BOARDS: dict[str, tuple[str, dict[str, Any]]] = {
    "nim-3-4-5": ("nim", {"heaps": (3, 4, 5)}),
    "misere-nim-1-3-5-7": ("misere_nim", {"heaps": (1, 3, 5, 7)}),
    "kayles-7": ("kayles", {"heaps": (7,)}),
    "chomp-4-5": ("chomp", {"rows": 4, "columns": 5}),
}
"""Registered games and their arguments."""

RATES = (0.0, 0.05, 0.2, 0.5)
"""Probabilities of a mistake where one is possible."""

SEEDS = 3
GAMES = 1_000


@dataclass(frozen=True)
class DatasetRun:
    """One dataset, and the scores of learners from it.

    Attributes:
        board: a key of :data:`BOARDS`.
        rate: probability of a mistake where one is possible.
        seed: seed of the games.
        counts: its games, moves and mistakes.
        share_seen: share of the N-positions that occur in it.
        imitated: exact score of imitation, in percent.
        learned: exact score of offline Q-learning, in percent.
        random: exact score of random moves, in percent.
    """

    board: str
    rate: float
    seed: int
    counts: Counts
    share_seen: float
    imitated: float
    learned: float
    random: float


def dataset_id(board: str, rate: float) -> str:
    """Return the id of a dataset.

    Example:
        >>> dataset_id("nim-3-4-5", 0.05)
        'nim_envs/nim-3-4-5-mistakes-5-v0'
    """
    return f"{NAMESPACE}/{board}-mistakes-{rate * 100:g}-v{VERSION}"


def description_of(game: Game, rate: float, counts: Counts) -> str:
    """Return the description of a dataset."""
    return (
        f"{counts.games} games of {game.summary}, in self-play. Wherever the player to move can "
        f"keep or lose a win, it loses it with probability {rate:g}: {counts.mistakes} of "
        f"{counts.decisions} times. infos['winning'] and infos['kept_win'] tell of the move that "
        "led there."
    )


def make_dataset(
    board: str, rate: float, seed: int, games: int, start: str, root: Path
) -> DatasetRun:
    """Play games, write them as a dataset, load it, learn from it, and score exactly.

    Only the games of seed 0 are written and loaded; the others show how much chance matters.

    Args:
        board: a key of :data:`BOARDS`.
        rate: probability of a mistake where one is possible.
        seed: seed of the games.
        games: number of games.
        start: name of the start of games.
        root: folder of datasets.
    """
    registered, arguments = BOARDS[board]
    env = make_env(registered, {**arguments, "start": start})
    game: Game = env.unwrapped.game  # type: ignore[attr-defined]
    episodes, counts = play(env, rate, games, seed)
    recorded: Sequence[Any] = episodes
    if seed == 0:
        name = dataset_id(board, rate)
        metadata = {
            "game": registered, "arguments": arguments, "start": start, "seed": seed,
            "mistake_rate": rate, "optimal_share": counts.optimal_share,
            **{f"num_{key}": value for key, value in counts._asdict().items()},
            "nim_envs_version": __version__,
        }  # fmt: skip
        write_dataset(root, name, env, episodes, description_of(game, rate, counts), metadata)
        recorded = list(read_dataset(root, name).iterate_episodes())
    learned = learn_offline(recorded)
    scores = [optimality(each, game, "reachable") for each in (imitate(recorded), learned)]
    return DatasetRun(
        board, rate, seed, counts, share_seen(learned, game), scores[0].percent, scores[1].percent,
        scores[1].random_percent,
    )  # fmt: skip


def share_seen(policy: TablePolicy, game: Game) -> float:
    """Return the share of reachable N-positions of which a policy has values."""
    is_known: list[bool] = []

    def ask(observations: Any, action_masks: Any) -> Any:
        is_known.extend(key_of(each) in policy.values for each in observations)
        return action_masks.argmax(axis=1)

    optimality(ask, game, "reachable")
    return float(np.mean(is_known))


HEADER = (
    "board", "mistake rate %", "seed", "games", "moves", "decisions", "mistakes",
    "optimal moves %", "N-positions seen %", "imitation %", "offline Q-learning %", "random %",
)  # fmt: skip


def cells(run: DatasetRun) -> list[Any]:
    """Return the row of a dataset in the CSV file."""
    counts = run.counts
    return [
        run.board, 100 * run.rate, run.seed, counts.games, counts.moves, counts.decisions,
        counts.mistakes, 100 * counts.optimal_share, 100 * run.share_seen, run.imitated,
        run.learned, run.random,
    ]  # fmt: skip


def summary(runs: Sequence[DatasetRun]) -> str:
    """Return a table for each board, a row for each rate."""
    parts = []
    for board in dict.fromkeys(run.board for run in runs):
        rows = []
        for rate in sorted({run.rate for run in runs if run.board == board}):
            here = [run for run in runs if (run.board, run.rate) == (board, rate)]
            mistakes = sum(run.counts.mistakes for run in here)
            possible = sum(run.counts.decisions for run in here)
            rows.append(
                [
                    f"{rate:.0%}", f"{mistakes:,} of {possible:,}",
                    percents([100 * run.counts.optimal_share for run in here]),
                    percents([100 * run.share_seen for run in here]),
                    percents([run.imitated for run in here]),
                    percents([run.learned for run in here]),
                ]
            )  # fmt: skip
        header = (
            "mistake rate", "mistakes made", "optimal moves %", "N-positions seen %",
            "imitation %", "offline Q-learning %",
        )  # fmt: skip
        name, arguments = BOARDS[board]
        written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        random = next(run.random for run in runs if run.board == board)
        parts.append(
            f"## {board}\n\n`{name}`, `{written}`; random moves: {random:.1f} %\n\n"
            + table(header, rows, style="github")
        )
    return "\n\n".join(parts)


NOTES = """\
- Both seats play with the same mistake rate. A *mistake* is a move that loses a win which another
  move keeps. If both kinds of moves are legal, a mistake is made with the probability *mistake
  rate*, and the move is drawn uniformly among its kind; otherwise among all legal moves.
- *mistakes made*: percentage of the positions in the data, over all seeds, at which a mistake was
  possible and made. *optimal moves %*: percentage of the moves at N-positions in the data that keep
  the win, including N-positions at which every move does. Both are exact counts.
- *N-positions seen %*: percentage of the N-positions reachable from the start that are in the data.
- *imitation* plays the most frequent move of the data at a position; *offline Q-learning* one of
  the highest value, Q(s, a) = r − max Q(s', b) over the moves b of the data. At positions that are
  not in the data both play random legal moves. Neither plays games in training or knows the rules.
- Scores are exact: the percentage of reachable N-positions at which a win is kept. Mean over seeds,
  with the lowest and the highest.
"""


def page(command: str, runs: Sequence[DatasetRun], games: int, start: str) -> str:
    """Return the page of results.

    Args:
        command: the command, without the name of Python.
        runs: the finished runs, at least one.
        games: games in each dataset.
        start: name of the start of games.
    """
    name = dataset_id(runs[0].board, runs[0].rate)
    return f"""\
# Datasets of known mistakes

Games for offline learning, in the format of [Minari](https://minari.farama.org): {games:,} games in
each dataset, from the start `{start}`. The rate of mistakes and the right moves at every position
are known exactly, so a learner trained on the data is scored exactly, without playing games.

`{command}`, with `python -m pip install -e ".[datasets]"`, makes the datasets and this page.

```python
import os

os.environ["{ROOT_VARIABLE}"] = "results/datasets/minari"
import minari, nim_envs

dataset = minari.load_dataset("{name}")
dataset.storage.metadata["optimal_share"]
env = dataset.recover_environment()
```

{summary(runs)}

{NOTES}"""


@benchmark(
    "datasets",
    writes="datasets.csv, datasets.md and minari, a folder of datasets, each of some 20 MB",
    quick="100 games of one board, one seed: a check, not a result.",
)
@names_option("--boards", BOARDS, "Boards")
@count_option("--games", f"Games in each dataset (default: {GAMES:,})")
@seeds_option(str(SEEDS))
@click.option("--start", type=Choice(list(ALL_NAMED_STARTS)), default="fixed", show_default=True,
              help="Where games begin.")  # fmt: skip
@run_options
def main(
    boards: list[str], games: int | None, seeds: int | None, start: str, output: Path,
    quick: bool, runner: Runner,
) -> None:  # fmt: skip
    """Write games of known mistakes as datasets of Minari, and learn from them offline."""
    needed("minari", "a dataset", "datasets")
    games = games or (100 if quick else GAMES)
    seeds = seeds or (1 if quick else SEEDS)
    root = (output / "minari").absolute()
    root.mkdir(parents=True, exist_ok=True)
    make_namespace(root)
    tasks = [
        (board, rate, seed, games, start, root)
        for board in (boards[:1] if quick else boards)
        for rate in RATES
        for seed in range(seeds)
    ]
    finished = runner(make_dataset, tasks, desc="datasets")
    runner.log.end_runs()
    print(summary(finished))
    write_report(
        output,
        "datasets",
        page(invocation(), finished, games, start),
        {"datasets": (HEADER, [cells(run) for run in finished])},
    )


if __name__ == "__main__":
    main()
