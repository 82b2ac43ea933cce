"""The command line: python -m nim_envs games, solve, sequence, period, plot, quotient, nimber."""

from __future__ import annotations

import sys

from nim_envs.errors import MissingPackageError
from nim_envs.optional import needed


def main() -> int:
    """Run the command line, or say what it needs; return the exit code."""
    try:
        for package in ("click", "tabulate"):
            needed(package, "the command line")
    except MissingPackageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    from nim_envs.cli.commands import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
