"""Scaling of learning with the board: games, seconds and bytes, 3,840 to 645,120 positions.

python -m benchmarks.scaling --help explains every option.
"""

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from tqdm import tqdm

from agents import RealTimeDynamicProgramming
from agents.training import train
from benchmarks.options import names_option, run_options
from benchmarks.report import page, table, write_report
from benchmarks.runs import Runs
from nim_envs import GameEnv, make_game, optimality


@dataclass(frozen=True)
class ScalingBoard:
    """A board with the heaps 1, 3, 5 and so on, and limits of games with exploring starts."""

    heaps: int
    score_interval: int
    max_games: int

    def env(self, start: str) -> GameEnv:
        """Return an environment of the board."""
        return GameEnv(make_game("nim", heaps=tuple(range(1, 2 * self.heaps, 2)), start=start))


BOARDS = {
    board.heaps: board
    for board in (
        ScalingBoard(5, 2_000, 1_000_000),
        ScalingBoard(6, 10_000, 10_000_000),
        ScalingBoard(7, 100_000, 100_000_000),
    )
}
"""The boards by number of heaps."""


HEADER = (
    "heaps", "positions", "starts", "games", "seconds", "optimality %", "bytes",
    "games/position", "games/second", "peak MB",
)  # fmt: skip

STARTS = {"uniform": "exploring", "fixed": "full board"}
"""The starts of games as the table names them."""


def run(board: ScalingBoard, start: str, seed: int, games: int | None = None) -> list[Any]:
    """Train on a board until every N-position is played optimally, or for a number of games.

    It returns the row of the training, under :data:`HEADER`.
    """
    env = board.env(start)
    # Compiled functions are loaded before the time is measured.
    small = BOARDS[5].env(start)
    train(small, _learner(small), 2, seed=0, progress=False)
    learner = _learner(env)
    played, seconds, percent = 0, 0.0, 0.0
    # Blocks with a seed each, so that only the log of one block is in memory.
    for block in itertools.count():
        block_seed = int(np.random.SeedSequence([seed, block]).generate_state(1)[0])
        size = min(board.score_interval, (games or board.max_games) - played)
        log = train(env, learner, size, seed=block_seed, progress=size >= 100_000)
        played += log.games
        seconds += log.seconds
        if games is None or played >= games:
            percent = optimality(learner.greedy(), env.game).percent
            tqdm.write(f"{board.heaps} heaps, {played:,} games: {percent:.4f} %", file=sys.stderr)
        if played >= (games or board.max_games) or (games is None and percent == 100):
            break
    positions = env.game.board.num_positions
    # A score below 100 is not rounded up to it.
    shown = f"{np.floor(percent * 1e4) / 1e4:.4f}"
    return [
        board.heaps, positions, STARTS[start], played, seconds, shown, learner.values.nbytes,
        played / positions, int(played / seconds), peak_megabytes(),
    ]  # fmt: skip


def peak_megabytes() -> int | None:
    """Return the peak memory of this process, in 10**6 bytes; ``None`` if unknown."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit // 10**6


def _learner(env: GameEnv) -> RealTimeDynamicProgramming:
    return RealTimeDynamicProgramming(env.game, epsilon=0.1, sweeping=True)


def from_both_starts(heaps: int, seed: int) -> list[list[Any]]:
    """Train with exploring starts, then from the full board for as many games."""
    board = BOARDS[heaps]
    exploring = run(board, "uniform", seed)
    return [exploring, run(board, "fixed", seed, exploring[HEADER.index("games")])]


NOTES = """\
- The learner is `RealTimeDynamicProgramming` with sweeping, learning rate 1, epsilon 0.1, in
  compiled self-play on one core. It knows the rules, and no theorem.
- *exploring*: games start from uniformly drawn positions, and go on until every N-position is
  played optimally. *full board*: the same number of games, all of them from the full board.
- *seconds* are of training alone, without scoring and compilation.
- *optimality %* is over all N-positions, exact, rounded down.
- *bytes* are those of the table of values; *peak MB* is the most memory that the whole process has
  used until then, in millions of bytes, with Python, compiler and scoring.
"""


@click.command()
@names_option(
    "--heaps",
    map(str, BOARDS),
    "Numbers of heaps",
    default="5 to 7; quick: 5 and 6",
)
@click.option("--seed", type=int, default=0, show_default=True)
@run_options("results/scaling", "The two smallest boards: a check, not a result.", jobs=False)
def main(heaps: list[str] | None, seed: int, output: Path, quick: bool) -> None:
    """Train on larger and larger boards until every N-position is played optimally."""
    counts = map(int, heaps or (("5", "6") if quick else ("5", "6", "7")))
    with Runs(output) as runs:
        # One after the other, as times and memory are compared.
        pairs = runs(from_both_starts, [(count, seed) for count in counts], alone=True)
        rows = [each for pair in pairs for each in pair]
        print(table(HEADER, rows))
        text = page("Scaling", [(HEADER, rows)], NOTES)
        write_report(output, "scaling", text, {"scaling": (HEADER, rows)})


if __name__ == "__main__":
    main()
