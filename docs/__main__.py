"""Serves the manual: ``python -m docs``, with the options of ``mkdocs serve``."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from nim_envs.optional import needed

PORTS = range(8000, 8100)
"""Ports that are tried in turn where no address is given."""


def free_address() -> str:
    """Return an address of this machine with a port that no other program uses.

    Raises:
        SystemExit: all of :data:`PORTS` are in use.
    """
    for port in PORTS:
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return f"127.0.0.1:{port}"
    sys.exit(f"Error: ports {PORTS[0]} to {PORTS[-1]} are in use; --dev-addr HOST:PORT names one")


def main(options: Sequence[str]) -> None:
    """Build the manual and serve it until Ctrl-C, at the first free port.

    ``options`` are those of ``mkdocs serve``, such as ``--open``.
    """
    needed("mkdocs", "the manual", "docs")
    # The manual is built with MkDocs 1; the theme and a plugin warn of what comes after it. Links
    # are checked by ``mkdocs build``.
    os.environ.update(
        NO_MKDOCS_2_WARNING="1", DISABLE_MKDOCS_2_WARNING="true", ENABLED_HTMLPROOFER="false"
    )
    from mkdocs.__main__ import cli

    os.chdir(Path(__file__).resolve().parents[1])
    given = list(options)
    if "--help" not in given:
        if not any(word.startswith(("-a", "--dev-addr")) for word in given):
            given += ["--dev-addr", free_address()]
        print("Building the manual takes about a minute; Ctrl-C stops it.", flush=True)
    cli(["serve", *given], prog_name="python -m docs")


if __name__ == "__main__":
    main(sys.argv[1:])
