"""Moves per second of our environments and of others', in one run.

python -m benchmarks.throughput --help explains every option.
"""

import random
from collections.abc import Callable, Mapping
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
from benchmarks.report import Table, page, table, write_report
from benchmarks.runs import Runs
from benchmarks.timing import (
    HEADER,
    RATIO_HEADER,
    Batch,
    Rates,
    Timer,
    as_timer,
    measure_rates,
    ratio_rows,
    rows,
)
from nim_envs.registry import GAMES, make_game


def our_aec_env(name: str, **arguments: Any) -> Any:
    """Return an environment of ``nim_envs``."""
    return pettingzoo.make("aec", GAMES[name].aec_id, **arguments)


def shimmy_nim() -> Any:
    """Return OpenSpiel's Nim with heaps 3, 4, 5 through Shimmy."""
    import pyspiel
    from shimmy import OpenSpielCompatibilityV0

    return OpenSpielCompatibilityV0(env=pyspiel.load_game("nim", {"pile_sizes": "3;4;5"}))


def random_play(make: Callable[[], Any], modules: tuple[str, ...] = ()) -> Batch:
    """Return random play of legal moves, to be timed.

    The code is the same for every environment: ``reset``, ``agent_iter``, ``last``, a legal action
    drawn from the mask, ``step``, and the two final steps of a game, which are timed but not
    counted as moves.
    """

    def timer(_: int) -> Timer:
        env = make()
        uniform = random.Random(0).random

        def run(games: int) -> tuple[int, int]:
            moves = 0
            for _ in range(games):
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
            return moves, moves

        return as_timer(run)

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
    "nim 3-4-5": random_play(partial(our_aec_env, "nim", heaps=(3, 4, 5))),
    "nim 3-4-5, uniform starts": random_play(
        partial(our_aec_env, "nim", heaps=(3, 4, 5), start="uniform")
    ),
    "misere nim 1-3-5-7": random_play(partial(our_aec_env, "misere_nim", heaps=(1, 3, 5, 7))),
    "nim 10-10-10": random_play(partial(our_aec_env, "nim", heaps=(10, 10, 10))),
    "addition 3-10": random_play(partial(our_aec_env, "addition", k=3, n=10)),
    "subtraction 17": random_play(partial(our_aec_env, "subtraction", heaps=(17,))),
    "forward model, nim 3-4-5": forward_model("nim", heaps=(3, 4, 5)),
    "classic/tictactoe-v3": random_play(
        partial(pettingzoo.make, "aec", "classic/tictactoe-v3"), modules=("pygame",)
    ),
    "OpenSpiel nim 3-4-5 (Shimmy)": random_play(shimmy_nim, modules=("pyspiel", "shimmy")),
    "training loop, random agents, nim 3-4-5": training_loop(lambda _: RandomAgent()),
    "training loop, q-learning, nim 3-4-5": training_loop(QLearning.for_env),
}

NOTES = """\
- Environments: one core, one process; moves per second of the masked random loop through
  `reset`, `agent_iter`, `last`, `step`. A timing includes the observation, the mask, drawing
  a legal action from it, resets and the two closing steps of each game; not construction.
- Forward model: random play by `game.moves` alone, which lists all moves of every position.
- Training loops: `agents.training.train`, with choosing an action and, for q-learning,
  learning from every turn; compiled functions are loaded before.
"""

COMMON_NOTES = """\
- Ratios are medians over the rounds of the ratio within a round; every round times all of them.
"""


@dataclass(frozen=True)
class Part:
    """A part of the report: its CSV file, what is timed, the first of it for ratios, and notes."""

    name: str
    batches: Mapping[str, Batch]
    notes: str
    seconds: float = 0.5


PARTS = {
    "turn-based": Part("throughput", ENVIRONMENTS, NOTES, 1.0),
    "batched": Part("batched", batched.BATCHES, batched.NOTES),
    "jax": Part("jax", rollouts.ROLLOUTS, rollouts.NOTES),
}
"""The parts of the report, by name."""


def run(part: str, rounds: int, quick: bool) -> tuple[Rates, list[str]]:
    """Return the rates of a part, and lines that name what is missing and the device of JAX."""
    seconds = PARTS[part].seconds / (10 if quick else 1)
    rates, missing = measure_rates(PARTS[part].batches, rounds, seconds, quick)
    device = [f"Device: {rollouts.device()}"] if part == "jax" else []
    return rates, [*(f"missing: {each}" for each in missing), *device]


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
    tables: dict[str, Table] = {}
    notes = ""
    chosen = [name for name in PARTS if name in parts]
    with Runs(output) as runs:
        calls = [(name, rounds or (3 if quick else 7), quick) for name in chosen]
        measured = runs(run, calls, alone=True)
        for part, (rates, lines) in zip(map(PARTS.__getitem__, chosen), measured, strict=True):
            if rates:
                tables[part.name] = HEADER, rows(rates)
                tables[f"{part.name}_ratios"] = RATIO_HEADER, ratio_rows(rates)
            notes += part.notes + "".join(f"- {line}.\n" for line in lines)
            print("\n".join(lines))
        for header, cells in tables.values():
            print(f"\n{table(header, cells)}")
        text = page("Throughput", tables.values(), notes + COMMON_NOTES)
        write_report(output, "throughput", text, tables)


if __name__ == "__main__":
    main()
