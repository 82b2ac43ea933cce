"""The command line: python -m agents train, evaluate, show, play, tournament."""

from __future__ import annotations

import sys

from agents.cli.commands import run

if __name__ == "__main__":
    sys.exit(run())
