"""The command line: python -m agents train, evaluate, show, play, tournament, diagnose."""

from __future__ import annotations

import sys

from nim_envs.cli.starting import start

if __name__ == "__main__":
    sys.exit(start("agents.cli.main", "all"))
