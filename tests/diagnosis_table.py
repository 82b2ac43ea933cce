"""The table of docs/diagnosis.md: ``python -m tests.diagnosis_table``, with the extra ``clients``.

Each fault is put into each learner where it makes sense, with two seeds.
"""

from __future__ import annotations

from tests.faulty_agents import Row
from tests.nim_envs.testing import test_diagnosis as tables

TRIALS = 200


def markdown(rows: list[Row]) -> str:
    """Return one row a fault and one column a learner: how often the fault is named first."""
    learners = list(dict.fromkeys(row.learner for row in rows))
    faults = list(dict.fromkeys(row.fault for row in rows))
    lines = [["fault put in", *learners], ["---"] * (1 + len(learners))]
    for fault in [*faults, None]:
        cells = [fault or "all"]
        for learner in learners:
            here = [row for row in rows if row.learner == learner and fault in (None, row.fault)]
            cell = f"{sum(row.first for row in here)} of {len(here)}" if here else "–"
            others = [(row.named or (row.verdict,))[0] for row in here if not row.first]
            cells.append(f"{cell} ({', '.join(others)})" if fault and others else cell)
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main() -> None:
    """Print the table, and how many right agents are accused."""
    # Their libraries are not installed where this module is only collected.
    from tests.clients import test_diagnosis as ppo
    from tests.clients.jax import test_diagnosis as alphazero

    rows = [*tables.rows("Q-learning"), *tables.rows("Monte Carlo"), *ppo.rows(), *alphazero.rows()]
    print(markdown(rows))
    found, _ = tables.accused(0, TRIALS)
    print(f"\nRight agents, partly trained, that are called faulty: {len(found)} of {TRIALS}.")


if __name__ == "__main__":
    main()
