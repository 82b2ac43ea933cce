"""Runs the blocks of a page of the manual, and puts what they print below them.

The tests compare the result with the page; ``python -m tests.docs.blocks docs/tutorials/NAME.md``
rewrites the page, and the pictures that it shows and its programs save. A block with a title is a
file. The programs of a page run in order in one namespace, in a temporary directory; commands that
have an output below run after them, in the same directory.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from tests import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
PICTURES = TUTORIALS / "pictures"

PROGRAM = re.compile(r'^```python(?: title="([^"]+)")?\n(.*?)^```\n', re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"\n```text\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n([^`]*?)```\n(\n```text\n.*?^```\n)", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([^)]+)\)")

# Matplotlib draws without a display and writes no date; TorchRL does not print the time.
ENVIRONMENT = {"MPLBACKEND": "Agg", "RL_LOGGING_LEVEL": "WARNING", "SOURCE_DATE_EPOCH": "0"}


def write_files(text):
    """Writes the files of a page into the current directory."""
    for file, code in PROGRAM.findall(text):
        if file:
            Path(file).write_text(code, encoding="utf-8")


def runs(text, names=None):
    """Runs the programs of a page in order; yields the match of each, and what it printed.

    They share the namespace ``names``; ``None``: each has its own.
    """
    write_files(text)
    for program in PROGRAM.finditer(text):
        if program[1]:
            continue
        # Empty lines before it, so that errors name the page's own lines.
        code = "\n" * (text[: program.start()].count("\n") + 1) + program[2]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "page", "exec"), {} if names is None else names)
        yield program, printed.getvalue()


def block(printed):
    """The block of an output, as it stands below a program; empty for no output."""
    return f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else ""


def with_outputs(text, names=None):
    """The page with what each program prints below it; ``names`` as for :func:`runs`."""
    parts, done = [], 0
    for program, printed in runs(text, names):
        parts += [text[done : program.end()], block(printed)]
        before = OUTPUT.match(text, program.end())
        done = before.end() if before else program.end()
    return "".join(parts) + text[done:]


def printed_by(commands):
    """Output of commands run in the current directory."""
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": paths, "PYTHONPATH": str(ROOT), "COLUMNS": "88"}
    return subprocess.run(
        ["sh", "-e", "-c", commands], env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def with_printed(text):
    """The page with what its commands print below those that have an output."""
    return COMMANDS.sub(lambda found: f"```sh\n{found[1]}```\n{block(printed_by(found[1]))}", text)


@contextlib.contextmanager
def as_program(folder):
    """Runs the block as a program without arguments in a folder, whose pictures have no dates."""
    import matplotlib as mpl

    before, known = Path.cwd(), set(sys.modules)
    os.chdir(folder)
    try:
        with (
            mpl.rc_context({"svg.hashsalt": "nim_envs"}),
            patch.dict(os.environ, ENVIRONMENT),
            patch.object(sys, "argv", ["page"]),
            patch.object(sys, "path", [str(folder), *sys.path]),
        ):
            yield
    finally:
        os.chdir(before)
        for name in set(sys.modules) - known:  # the page's own files
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == Path(folder):
                del sys.modules[name]


def main():
    for path in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            text = path.read_text(encoding="utf-8")
            with as_program(folder):
                text = with_printed(with_outputs(text, {"__name__": "__main__"}))
            path.write_text(text, encoding="utf-8")
            for picture in PICTURE.findall(text):
                if (saved := Path(folder, picture)).exists():
                    shutil.copy(saved, PICTURES / picture)


if __name__ == "__main__":
    main()
