"""The tables of docs/diagnosis.md: ``python -m tests.diagnosis_table``, some minutes.

Each fault of :mod:`tests.mutants` is put into each of its learners where it makes sense, at three
discounts. The diagnosis is asked twice: with values and discount, and by the moves alone. The seeds
that are reported were not looked at while building: 0, 1, and those of 100 and above, were. Right
agents are those from 50,000 on. Those from 0 were looked at while building; of 200 from 10,000 on
two were accused of mixed replay, and of 200 from 40,000 on one of a target network never updated.
Since then the diagnosis says of these faults, too, that training may have been too short.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from nim_envs import diagnose
from nim_envs.diagnosis import Diagnosis
from tests import mutants
from tests.nim_envs.diagnosis import test_trained_agents as tables

SEEDS = (2,)
"""Seeds that are reported."""

FIRST_RIGHT = 50_000
"""First seed of the right agents that are reported."""

DISCOUNTS = (1.0, 0.99, 0.9)

RIGHT = 200
"""Right agents that are partly trained."""


class Found(NamedTuple):
    """Diagnoses of a learner with a fault.

    Attributes:
        learner: its name.
        fault: what the diagnosis calls its fault.
        put_in: the fault as :mod:`tests.mutants` calls it.
        discount: γ.
        with_values: the diagnosis of moves and values.
        by_moves: the diagnosis of the moves alone.
    """

    learner: str
    fault: str
    put_in: str
    discount: float
    with_values: Diagnosis
    by_moves: Diagnosis


def named_first(report: Diagnosis, fault: str) -> bool:
    """Whether a fault is the first that is named."""
    return bool(report.faults) and report.faults[0].name == fault


Case = tuple[str, str, float]
"""A learner, the fault put into it, and γ."""


def cases(learners: Iterable[str]) -> list[Case]:
    """Return every learner with each of its faults, at each discount."""
    return [
        (learner, fault, discount)
        for learner in learners
        for fault in mutants.OF_LEARNERS[learner]
        for discount in DISCOUNTS
    ]


def cases_in_turn() -> list[Case]:
    """Return every learner with each of its faults, at one discount each.

    Which is another in each learner, so that nearly every fault is there at each discount.
    """
    return [
        (learner, fault, DISCOUNTS[(number + mutants.ALL_FAULTS.index(fault)) % len(DISCOUNTS)])
        for number, learner in enumerate(mutants.LEARNERS)
        for fault in mutants.OF_LEARNERS[learner]
    ]


def rows(chosen: Sequence[Case], seeds: Iterable[int] = SEEDS) -> list[Found]:
    """Return the diagnoses of learners with faults, with each seed."""
    found = []
    for learner, fault, discount in tqdm(chosen, "faults", unit="fault"):
        for seed in seeds:
            reports = [
                diagnose(
                    mutants.training(learner, fault, discount, seed, values=values),
                    games=mutants.GAMES,
                    discount=discount if values else None,
                    progress=False,
                )
                for values in (True, False)
            ]
            name = mutants.NAME.get(fault, fault)
            found.append(Found(learner, name, fault, discount, *reports))
    return found


def markdown(found: Sequence[Found]) -> str:
    """Return one row a fault and one column a learner.

    A cell says how often the fault is named first, with values and by the moves alone, and in
    brackets what is named, or the verdict, where it is not named with values.
    """
    learners = list(dict.fromkeys(row.learner for row in found))
    lines = [["fault put in", *learners], ["---"] * (1 + len(learners))]
    for fault in [*dict.fromkeys(row.put_in for row in found), None]:
        cells = [fault or "all"]
        for learner in learners:
            here = [row for row in found if row.learner == learner and fault in (None, row.put_in)]
            named = sum(named_first(row.with_values, row.fault) for row in here)
            moves = sum(named_first(row.by_moves, row.fault) for row in here)
            cell = f"{named} / {moves} of {len(here)}" if here else "–"
            missed = Counter(
                row.with_values.faults[0].name
                if row.with_values.faults
                else row.with_values.verdict
                for row in here
                if not named_first(row.with_values, row.fault)
            )
            others = ", ".join(missed)
            cells.append(f"{cell} ({others})" if fault and others else cell)
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def summary(found: Sequence[Found]) -> str:
    """Return the counts by discount."""
    lines = []
    for discount in (*DISCOUNTS, None):
        here = [row for row in found if discount in (None, row.discount)]
        counts = [
            sum(named_first(row.with_values, row.fault) for row in here),
            sum(named_first(row.by_moves, row.fault) for row in here),
            sum(row.fault in row.with_values.excluded for row in here),
            sum(row.fault in row.by_moves.excluded for row in here),
        ]
        lines.append(
            f"{'all' if discount is None else f'discount {discount}'}: of {len(here)}, named first "
            f"{counts[0]} with values, {counts[1]} by the moves alone; excluded though present "
            f"{counts[2]} with values, {counts[3]} by the moves alone"
        )
    return "\n".join(lines)


def accused(first_seed: int, trials: int) -> tuple[list[str], int]:
    """Return which right agents between random + 20 points and 90 % are called faulty.

    They are stopped early; nine in ten have values, half of these tell their discount.

    Returns:
        Their descriptions, and the number of those that were called too little trained.
    """
    found: list[str] = []
    tried = unseen = 0
    seed = first_seed
    while tried < trials:
        rng = np.random.default_rng(seed)
        learner = ("table", "DQN", "PPO", "MCTS")[seed % 4]
        discount = DISCOUNTS[seed // 4 % 3]
        share = float(10 ** rng.uniform(-2.0, -0.3))
        report = diagnose(
            mutants.training(
                learner, None, discount, seed, values=bool(rng.random() < 0.9), share=share
            ),
            games=mutants.GAMES,
            discount=discount if rng.random() < 0.5 else None,
            progress=False,
        )
        percent = np.mean([score.percent for score in report.scores])
        chance = np.mean([score.random_percent for score in report.scores])
        if chance + 20 <= percent <= 90:
            tried += 1
            unseen += report.verdict == "unseen"
            if report.verdict == "faulty":
                found.append(f"{learner}, seed {seed}, γ {discount}, {share:.3f}: {report!r}")
        seed += 1
    return found, unseen


def main(learners: Sequence[str] = ()) -> None:
    """Print the tables, and how many right agents are accused.

    Args:
        learners: some of those of :mod:`tests.mutants`, and ``right`` for right agents; none: all.
    """
    chosen = learners or (*mutants.LEARNERS, "right")
    found = rows(cases(learner for learner in chosen if learner != "right"))
    if found:
        print(markdown(found))
        print(f"\n{summary(found)}")
    if "right" in chosen:
        of_tables, _ = tables.accused(FIRST_RIGHT, RIGHT // 2)
        others, unseen = accused(FIRST_RIGHT, RIGHT - RIGHT // 2)
        print(
            f"\nRight agents, partly trained, that are called faulty: "
            f"{len(of_tables) + len(others)} of {RIGHT}; trained on too little, it says: {unseen}."
        )
        for each in (*of_tables, *others):
            print(each)


if __name__ == "__main__":
    main(sys.argv[1:])
