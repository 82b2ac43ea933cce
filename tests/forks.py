"""Programs in processes of their own, forked from one that has imported what takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests import ROOT

SERVER = """
import json, os, sys, tempfile
import {modules}

# What the first compilation of a process takes longer is spent once, here.
if "numba" in sys.modules:
    sys.modules["numba"].njit(lambda number: number + 1)(1)

for line in sys.stdin:
    folder, code = json.loads(line)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.chdir(folder)
            sys.path.insert(0, folder)
            status = 0
            try:
                exec(code, {{"__name__": "__main__"}})
            except SystemExit as ended:
                status = ended.code or 0
                if isinstance(status, str):
                    print(status, file=sys.stderr)
                    status = 1
            except BaseException:
                sys.excepthook(*sys.exc_info())
                status = 1
            # To tear down all that was imported takes longer than most programs.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        _, status = os.waitpid(child, 0)
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read())
        print(json.dumps([os.waitstatus_to_exitcode(status), *said]), flush=True)
"""


class Finished(NamedTuple):
    """A program that has ended."""

    code: int
    out: str
    err: str


class Forks:
    """Runs programs one after the other, each in a new process; use it in a ``with`` block.

    Args:
        modules: names of modules that every program finds imported, separated by commas.
    """

    def __init__(self, modules: str) -> None:
        # Programs say themselves where compiled functions are kept.
        environment = {name: it for name, it in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        # Bytecode is known by the second and the length of its source: a test that writes a module
        # again at once, as long as before, would be given the old one.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        # Else processes that print at the same time would mix their words.
        environment.pop("PYTHONUNBUFFERED", None)
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(modules=modules)],
            env={**environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Forks:
        return self

    def __exit__(self, *error: object) -> None:
        self._server.communicate()

    def run(self, code: str, folder: Path = ROOT) -> Finished:
        """Run a program in a folder, from which it can import; return what it has printed."""
        server = self._server
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps([str(folder), code]) + "\n")
        server.stdin.flush()
        return Finished(*json.loads(server.stdout.readline()))

    def output(self, code: str, folder: Path = ROOT) -> list[str]:
        """Run a program that must not fail; return the words that it has printed."""
        finished = self.run(code, folder)
        assert finished.code == 0, finished.err
        return finished.out.split()
