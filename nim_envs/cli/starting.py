"""Start of a command line whose packages may be missing; imports none of them."""

from __future__ import annotations

import sys

from nim_envs.errors import MissingPackageError
from nim_envs.optional import needed


def start(module: str, extra: str) -> int:
    """Run a command line, or print the name of a missing package.

    Args:
        module: has the function ``run``, which returns the exit code.
        extra: extra of this project that has all optional packages of the command line.

    Returns:
        The exit code; 2 where a package is missing.
    """
    try:
        run = needed(module, "the command line", extra).run
    except MissingPackageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return int(run())
