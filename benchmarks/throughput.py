"""Moves per second of our environments and of others', in one run.

python -m benchmarks.throughput --help explains every option.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import pettingzoo

from agents import QLearning, RandomAgent
from agents.training import train
from benchmarks import batched, rollouts
from benchmarks.options import count_option, names_option, run_options
from benchmarks.report import (
    Table,
    machine,
    middle_and_range,
    table,
    write_report,
)
from benchmarks.runs import Runs
from benchmarks.timing import Batch, Rate, Rates, Timer, as_timer, measure_rates, ratios
from nim_envs.registry import GAMES, make_game

BASE = "nim 3-4-5"
"""Environment in the numerator of the ratios."""


def our_aec_env(name: str, **arguments: Any) -> Any:
    """Return an environment of ``nim_envs``."""
    return pettingzoo.make("aec", GAMES[name].aec_id, **arguments)


def tictactoe() -> Any:
    """Return PettingZoo's tic-tac-toe with its three usual wrappers."""
    return pettingzoo.make("aec", "classic/tictactoe-v3")


def shimmy_nim() -> Any:
    """Return OpenSpiel's Nim with heaps 3, 4, 5 through Shimmy."""
    import pyspiel
    from shimmy import OpenSpielCompatibilityV0

    return OpenSpielCompatibilityV0(env=pyspiel.load_game("nim", {"pile_sizes": "3;4;5"}))


def masked_random_loop(env: Any, seconds: float) -> Rate:
    """Play random legal moves for about ``seconds``.

    The code is the same for every environment: ``reset``, ``agent_iter``, ``last``, a legal action
    drawn from the mask, ``step``, and the two final steps of a game, which are timed but not
    counted as moves.
    """
    moves = 0
    uniform = random.Random(0).random
    began = time.perf_counter()
    while (elapsed := time.perf_counter() - began) < seconds:
        for _ in range(20):
            env.reset()
            for _agent in env.agent_iter():
                observation, _, termination, truncation, info = env.last()
                if termination or truncation:
                    action = None
                else:
                    # OpenSpiel's wrapper has the mask in the info.
                    mask = observation if isinstance(observation, dict) else info
                    legal = mask["action_mask"].nonzero()[0]
                    action = legal.item(int(uniform() * legal.size))
                    moves += 1
                env.step(action)
    return Rate(moves / elapsed, moves / elapsed)


def random_play(make: Callable[[], Any], modules: tuple[str, ...] = ()) -> Batch:
    """Return the masked random loop of an environment, to be timed.

    Args:
        make: makes the environment.
        modules: packages that it needs.
    """

    def timer(_: int) -> Timer:
        loop = partial(masked_random_loop, make())
        loop(0.01)
        return loop

    return Batch(timer, (1,), modules)


def forward_model(name: str, **arguments: Any) -> Batch:
    """Return random play of a game by its forward model, without an environment, to be timed."""

    def timer(_: int) -> Timer:
        game = make_game(name, **arguments)
        start = game.start
        uniform = random.Random(0).random

        def run(games: int) -> tuple[int, int]:
            moves_made = 0
            for _ in range(games):
                moves = game.moves(start)
                while moves:
                    _, position = moves[int(uniform() * len(moves))]
                    moves = game.moves(position)
                    moves_made += 1
            return moves_made, moves_made

        return as_timer(run)

    return Batch(timer, (1,))


def training_loop(agent: Callable[[Any], Any]) -> Batch:
    """Return the training loop of Nim with the agent in both seats, to be timed."""

    def timer(_: int) -> Timer:
        env = our_aec_env("nim", heaps=(3, 4, 5))
        player = agent(env)
        train(env, player, 2, seed=0, progress=False)

        def run(calls: int) -> tuple[int, int]:
            moves = int(train(env, player, 200 * calls, seed=0, progress=False).lengths.sum())
            return moves, moves

        return as_timer(run)

    return Batch(timer, (1,))


ENVIRONMENTS: dict[str, Batch] = {
    BASE: random_play(partial(our_aec_env, "nim", heaps=(3, 4, 5))),
    "nim 3-4-5, uniform starts": random_play(
        partial(our_aec_env, "nim", heaps=(3, 4, 5), start="uniform")
    ),
    "misere nim 1-3-5-7": random_play(partial(our_aec_env, "misere_nim", heaps=(1, 3, 5, 7))),
    "nim 10-10-10": random_play(partial(our_aec_env, "nim", heaps=(10, 10, 10))),
    "addition 3-10": random_play(partial(our_aec_env, "addition", k=3, n=10)),
    "subtraction 17": random_play(partial(our_aec_env, "subtraction", heaps=(17,))),
    "forward model, nim 3-4-5": forward_model("nim", heaps=(3, 4, 5)),
    "classic/tictactoe-v3": random_play(tictactoe, modules=("pygame",)),
    "OpenSpiel nim 3-4-5 (Shimmy)": random_play(shimmy_nim, modules=("pyspiel", "shimmy")),
    "training loop, random agents, nim 3-4-5": training_loop(lambda _: RandomAgent()),
    "training loop, q-learning, nim 3-4-5": training_loop(QLearning.for_env),
}

HEADER = ("environment", "moves/s (median)", "lowest", "highest", f"{BASE} is faster by")


def rows(rates: Rates) -> list[list[Any]]:
    """Return one row for each environment; the ratio is the median of the rounds' ratios."""
    faster = {name: round(by.moves, 2) for name, _, by in ratios(rates, BASE)}
    return [
        [name, *middle_and_range([rate.moves for rate in measurements]), faster[name]]
        for (name, _), measurements in rates.items()
    ]


NOTES = """\
- Environments: one core, one process; moves per second of the masked random loop through
  `reset`, `agent_iter`, `last`, `step`. A timing includes the observation, the mask, drawing
  a legal action from it, resets and the two closing steps of each game; not construction.
- Forward model: random play by `game.moves` alone, which lists all moves of every position.
- Training loops: `agents.training.train`, with choosing an action and, for q-learning,
  learning from every turn; compiled functions are loaded before.
"""

COMMON_NOTES = f"""\
- Ratios are medians over the rounds of the ratio within a round; every round times all of them.
- Machine: {machine()}.
"""


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Args:
        title: heading.
        tables: header and rows of each table, by the name of its CSV file.
        notes: explanation of the figures.
        missing: environments that could not be timed, with the reasons.
    """

    title: str
    tables: dict[str, Table]
    notes: str
    missing: list[str]

    def markdown(self) -> str:
        """Return the section as Markdown."""
        sections = [table(header, rows, style="github") for header, rows in self.tables.values()]
        absent = "".join(f"- Missing in this run: {line}.\n" for line in self.missing)
        return f"## {self.title}\n\n" + "\n\n".join([*sections, self.notes + absent])


def turn_based(rounds: int, quick: bool) -> Section:
    """Time the turn-based environments."""
    rates, missing = measure_rates(ENVIRONMENTS, rounds, 0.1 if quick else 1.0)
    return Section("Turn-based", {"throughput": (HEADER, rows(rates))}, NOTES, missing)


def many_at_a_time(rounds: int, quick: bool) -> Section:
    """Time the batched environments."""
    size = batched.SIZES[0] if quick else None
    seconds = 0.05 if quick else 0.5
    rates, missing = measure_rates(batched.BATCHES, rounds, seconds, size)
    tables: dict[str, Table] = {
        "batched": (batched.HEADER, batched.rows(rates)),
        "batched_ratios": (batched.RATIO_HEADER, batched.ratio_rows(rates)),
    }
    return Section("Batched", tables, batched.NOTES, missing)


def on_device(rounds: int, quick: bool) -> Section:
    """Time random play in JAX."""
    batches = {name: rollouts.batch(*of) for name, of in rollouts.ROLLOUTS.items()}
    size = rollouts.SIZES[0] if quick else None
    rates, missing = measure_rates(batches, rounds, 0.05 if quick else 0.5, size)
    tables: dict[str, Table] = {}
    if rates:
        tables = {
            "jax": (rollouts.HEADER, rollouts.rows(rates)),
            "jax_ratios": (rollouts.RATIO_HEADER, rollouts.ratio_rows(rates)),
        }
    notes = f"{rollouts.NOTES}- Device: {rollouts.device()}.\n"
    return Section("In JAX", tables, notes, missing)


PARTS = {"turn-based": turn_based, "batched": many_at_a_time, "jax": on_device}
"""Functions of the number of rounds and ``--quick``, by the part of the report that they make."""


@click.command()
@count_option("--rounds", "Rounds through all environments (default: 7; quick: 3)")
@names_option("--parts", PARTS, "Parts of the report")
@run_options(
    "results/throughput", "Short rounds, of one size of batch: a check, not a result.", jobs=False
)
def main(rounds: int | None, parts: list[str], output: Path, quick: bool) -> None:
    """Time the environments beside those of others, as ratios in one run.

    Moves per second of the turn-based and the batched environments, and of random play in JAX on
    whatever device it finds. The others need python -m pip install -e ".[peers]".
    """
    task = (rounds or (3 if quick else 7), quick)
    with Runs(output) as runs:
        sections = [runs(PARTS[part], [task], alone=True)[0] for part in PARTS if part in parts]
        tables = {name: each for part in sections for name, each in part.tables.items()}
        for header, lines in tables.values():
            print(f"\n{table(header, lines)}")
        for line in (line for part in sections for line in part.missing):
            print(f"missing: {line}")
        text = "\n".join(part.markdown() for part in sections)
        write_report(output, "throughput", f"# Throughput\n\n{text}\n{COMMON_NOTES}", tables)


if __name__ == "__main__":
    main()
