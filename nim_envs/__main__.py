"""The command line: python -m nim_envs, with the commands that nim_envs.cli.main puts together."""

from __future__ import annotations

import sys

from nim_envs.cli.starting import start

if __name__ == "__main__":
    sys.exit(start("nim_envs.cli.main", "solver"))
