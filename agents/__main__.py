"""The command line: python -m agents train, evaluate, show, play, tournament, diagnose."""

import sys

from nim_envs.errors import MissingPackageError
from nim_envs.optional import needed

if __name__ == "__main__":
    try:
        main = needed("agents.cli.main", "the command line", "all").main
    except MissingPackageError as error:
        sys.exit(f"Error: {error}")
    main(prog_name="python -m agents")
