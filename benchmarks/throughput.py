"""Steps per second of the turn-based environments, beside those of others, in one run.

python -m benchmarks.throughput --help explains every option.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pettingzoo
from tqdm import tqdm

from agents import QLearning, RandomAgent
from agents.training import train
from benchmarks.report import machine, positive, table, write_csv, write_text
from nim_envs.registration import aec_id

BASE = "nim 3-4-5"
"""The environment that ratios are of."""


def our_env(name: str, **arguments: Any) -> Callable[[], Any]:
    """Return a maker of one of this package's environments."""
    return lambda: pettingzoo.make("aec", aec_id(name), **arguments)


def tictactoe() -> Any:
    """Return PettingZoo's tic-tac-toe, with its three wrappers, as users get it."""
    return pettingzoo.make("aec", "classic/tictactoe-v3")


def openspiel_nim() -> Any:
    """Return OpenSpiel's Nim with heaps 3, 4, 5 through Shimmy."""
    import pyspiel
    from shimmy import OpenSpielCompatibilityV0

    return OpenSpielCompatibilityV0(env=pyspiel.load_game("nim", {"pile_sizes": "3;4;5"}))


@dataclass(frozen=True)
class Contestant:
    """An environment to time, and the modules that it needs."""

    make: Callable[[], Any]
    modules: tuple[str, ...] = ()


ENVIRONMENTS: dict[str, Contestant] = {
    BASE: Contestant(our_env("nim", heaps=(3, 4, 5))),
    "nim 3-4-5, uniform starts": Contestant(our_env("nim", heaps=(3, 4, 5), start="uniform")),
    "misere nim 1-3-5-7": Contestant(our_env("misere_nim", heaps=(1, 3, 5, 7))),
    "nim 10-10-10": Contestant(our_env("nim", heaps=(10, 10, 10))),
    "addition 3-10": Contestant(our_env("addition", k=3, n=10)),
    "subtraction 17": Contestant(our_env("subtraction", heaps=(17,))),
    "classic/tictactoe-v3": Contestant(tictactoe, modules=("pygame",)),
    "OpenSpiel nim 3-4-5 (Shimmy)": Contestant(openspiel_nim, modules=("pyspiel", "shimmy")),
}


def masked_random_loop(env: Any, seconds: float) -> float:
    """Play random legal moves for about ``seconds``; return moves per second.

    The same lines for every environment: reset, ``agent_iter``, ``last``, a legal action
    drawn from the mask, ``step``, and the two closing steps of a game, which are in the
    time but are not counted as moves.
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
    return moves / elapsed


def training_loop(agent: Callable[[Any], Any]) -> Callable[[float], float]:
    """Return a timer of the training loop on the base environment with ``agent`` in both seats."""
    env = ENVIRONMENTS[BASE].make()
    player = agent(env)
    train(env, player, 2, seed=0, progress=False)

    def moves_per_second(seconds: float) -> float:
        moves = 0
        began = time.perf_counter()
        while (elapsed := time.perf_counter() - began) < seconds:
            moves += int(train(env, player, 200, seed=0, progress=False).lengths.sum())
        return moves / elapsed

    return moves_per_second


@dataclass
class Timing:
    """Moves per second in every round."""

    name: str
    rounds: list[float] = field(default_factory=list)


def missing_modules(contestant: Contestant) -> list[str]:
    """Return the modules that ``contestant`` needs and that are not installed."""
    return [name for name in contestant.modules if importlib.util.find_spec(name) is None]


def measure(rounds: int, seconds: float) -> tuple[list[Timing], list[str]]:
    """Time every environment in turn, ``rounds`` times over; return timings and who is missing."""
    missing = []
    timers: dict[str, Callable[[float], float]] = {}
    for name, contestant in ENVIRONMENTS.items():
        lacking = missing_modules(contestant)
        if lacking:
            missing.append(f"{name}: not installed: {', '.join(lacking)}")
            continue
        timers[name] = partial(masked_random_loop, contestant.make())
        timers[name](0.01)
    timers["training loop, random agents, nim 3-4-5"] = training_loop(lambda _: RandomAgent())
    timers["training loop, q-learning, nim 3-4-5"] = training_loop(
        lambda env: QLearning(env.observation_space("player_0"), env.action_space("player_0"))
    )
    timings = {name: Timing(name) for name in timers}
    # Rounds go through all of them, so that a slow spell of the machine hits all alike.
    schedule = [name for _ in range(rounds) for name in timers]
    for name in tqdm(schedule, desc="timing", unit="run"):
        timings[name].rounds.append(timers[name](seconds))
    return list(timings.values()), missing


HEADER = ("environment", "moves/s (median)", "lowest", "highest", f"{BASE} is faster by")


def rows(timings: list[Timing]) -> list[list[Any]]:
    """Return one row an environment; the ratio is the median of the rounds' ratios."""
    base = np.array(next(timing.rounds for timing in timings if timing.name == BASE))
    return [
        [
            timing.name,
            round(float(np.median(timing.rounds))),
            round(min(timing.rounds)),
            round(max(timing.rounds)),
            round(float(np.median(base / np.array(timing.rounds))), 2),
        ]
        for timing in timings
    ]


NOTES = f"""\
- Environments: one core, one process; moves per second of the masked random loop through
  `reset`, `agent_iter`, `last`, `step`. A timing includes the observation, the mask, drawing
  a legal action from it, resets and the two closing steps of each game; not construction.
- Training loops: `agents.training.train`, with choosing an action and, for q-learning,
  learning from every turn; compiled functions are loaded before.
- The last column is the median over the rounds of the ratio within a round.
- Machine: {machine()}.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark and write its report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.throughput",
        description="Moves per second of the environments beside PettingZoo's tic-tac-toe and "
        "OpenSpiel's Nim (pip install -e '.[peers]'), as ratios in one run.",
    )
    parser.add_argument(
        "--rounds", type=positive, metavar="N",
        help="rounds through all environments (default: 7; quick: 3)",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, default=Path("results/throughput"), metavar="DIRECTORY",
        help="where to write throughput.csv and throughput.md (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="short rounds: a check, not a result")
    options = parser.parse_args(arguments)
    number = options.rounds or (3 if options.quick else 7)
    timings, missing = measure(number, 0.1 if options.quick else 1.0)
    result = rows(timings)
    print(table(HEADER, result))
    for line in missing:
        print(f"missing: {line}")
    write_csv(options.output / "throughput.csv", HEADER, result)
    absent = "".join(f"- Missing in this run: {line}.\n" for line in missing)
    report = f"# Throughput\n\n{table(HEADER, result, style='github')}\n\n{NOTES}{absent}"
    write_text(options.output / "throughput.md", report)
    print(f"\nwritten to {options.output}")


if __name__ == "__main__":
    main()
