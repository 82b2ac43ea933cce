"""Audit of credit: the advantage functions of trainers, called as they are on every group of games.

Small games are enumerated whole, as token sequences: each move of the agent is one token, each
reply of the opponent one token of an observation. The functions are those of the versions in the
extra ``audit``; what is not installed is listed.

python -m benchmarks.credit_audit --help explains every option.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.command_line import benchmark, invocation
from benchmarks.credit_audit.functions import CREDIT_FUNCTIONS
from benchmarks.credit_audit.games import SETTINGS
from benchmarks.credit_audit.measurements import STEPS, measure
from benchmarks.credit_audit.report import DRAWS, HEADER, report, row
from benchmarks.report import table, write_report


@benchmark(
    "credit_audit",
    writes="credit_audit.md",
    quick="One game, one policy of each kind, no ascent: a check, not a result.",
    logged=False,
)
def main(output: Path, quick: bool) -> None:
    """Call the advantage functions of trainers on every group of small games.

    It needs the extra audit; functions that cannot be imported are listed with the reason.
    """
    settings = list(SETTINGS)[: 1 if quick else None]
    draws, steps = (1, 0) if quick else (DRAWS, STEPS)
    measurements = [
        measure(each, settings, draws, steps) for each in CREDIT_FUNCTIONS if not each.absent()
    ]
    print(table(HEADER, [row(each) for each in measurements]))
    write_report(output, "credit_audit", report(measurements, invocation()), {})


if __name__ == "__main__":
    main()
