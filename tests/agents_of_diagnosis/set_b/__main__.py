"""Lists the agents; with ``--check [WORD ...]`` trains them on small games and scores them."""

from __future__ import annotations

import argparse
from collections import Counter

from . import ENTRIES, FAULTS, NOT_LISTED, RIGHT
from .check import check


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="agents_b", description=__doc__)
    parser.add_argument("--check", nargs="*", metavar="WORD", help="agents to train; none: all")
    parser.add_argument("--seeds", type=int, default=1, help="seeds of each game")
    arguments = parser.parse_args()
    if arguments.check is not None:
        failures = check(arguments.check, arguments.seeds)
        print(f"{failures} failures")
        return int(failures > 0)
    faults = Counter(entry.fault for entry in ENTRIES)
    kinds = Counter((entry.kind, entry.fault == RIGHT) for entry in ENTRIES)
    for kind in dict.fromkeys(entry.kind for entry in ENTRIES):
        print(f"{kind:42} right {kinds[kind, True]:3}  faulty {kinds[kind, False]:3}")
    for fault in (RIGHT, *FAULTS, NOT_LISTED):
        learners = {entry.kind for entry in ENTRIES if entry.fault == fault}
        print(f"{fault:42} {faults[fault]:3} in {len(learners)} kinds")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
