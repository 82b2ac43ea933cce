"""The command line: python -m nim_envs."""

import sys

from nim_envs.errors import MissingPackageError
from nim_envs.optional import needed

if __name__ == "__main__":
    try:
        main = needed("nim_envs.cli.main", "the command line", "solver").main
    except MissingPackageError as error:
        sys.exit(f"Error: {error}")
    main(prog_name="python -m nim_envs")
