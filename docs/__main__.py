"""Serves the manual: ``python -m docs``, with the options of ``mkdocs serve``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from nim_envs.optional import needed


def main(options: Sequence[str]) -> None:
    """Build the manual and serve it until Ctrl-C.

    Args:
        options: of ``mkdocs serve``, such as ``--open``.
    """
    needed("mkdocs", "the manual", "docs")
    # The manual is built with MkDocs 1; the theme and a plugin warn of what comes after it.
    os.environ.update(NO_MKDOCS_2_WARNING="1", DISABLE_MKDOCS_2_WARNING="true")
    from mkdocs.__main__ import cli

    os.chdir(Path(__file__).resolve().parents[1])
    if "--help" not in options:
        print("Building the manual takes one to three minutes; Ctrl-C stops it.", flush=True)
    cli(["serve", *options], prog_name="python -m docs")


if __name__ == "__main__":
    main(sys.argv[1:])
