"""Runs the programs of tutorials, and writes below each what it prints.

``python -m docs.generator.outputs NAME ...`` rewrites ``docs/tutorials/NAME.md``, or the notebook
of that name. The programs of a page run in order in one namespace, in a temporary directory; a
block with a title is a file, written there. Commands in a block of a shell that has an output below
run after them, in the same directory. A picture that the page shows, and that a program saves
under its name, is kept in ``docs/tutorials/pictures``. The last line of a page is a digest of its
programs, outputs and pictures, by which a test finds changes that were made by hand.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
PICTURES = TUTORIALS / "pictures"

PROGRAM = re.compile(
    r'^```python(?: title="(?P<file>[^"]+)")?\n(?P<code>.*?)^```\n', flags=re.DOTALL | re.MULTILINE
)
OUTPUT = re.compile(r"\n```text\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(
    r"^```sh\n(?P<typed>[^`]*?)```\n\n```text\n(?P<printed>.*?)^```\n",
    flags=re.DOTALL | re.MULTILINE,
)
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([^)]+)\)")
END = re.compile(
    r"\n(?:\*Outputs [^\n]*\*\n\n)?<!-- made by docs\.generator\.outputs: (\w+) -->\n$"
)

OF_ONE_RUN = {
    "alphazero": ("jax", "pgx"),
    "openspiel": ("open_spiel", "numpy"),
    "pgx": ("jax", "pgx"),
    "ppo_from_scratch": ("torch",),
    "rllib": ("ray", "torch"),
    "stable_baselines3": ("stable_baselines3", "torch"),
    "tianshou": ("tianshou", "torch"),
    "torchrl": ("torchrl", "torch"),
    "trl": ("trl", "torch"),
}
"""Pages whose figures depend on versions and processors, which sum floats in other orders."""

COLUMNS = "88"
"""Width of what commands print."""

ENVIRONMENT = {"MPLBACKEND": "Agg", "RL_LOGGING_LEVEL": "WARNING", "SOURCE_DATE_EPOCH": "0"}
"""Matplotlib draws without a display and writes no date; TorchRL does not print the time."""


def runs(text: str, names: dict[str, Any]) -> Iterator[tuple[re.Match[str], str]]:
    """Run the programs of a page in order, in the current directory.

    Args:
        text: the page.
        names: the namespace that they share.

    Yields:
        The match of each program, and what it printed.
    """
    for program in PROGRAM.finditer(text):
        if program["file"]:
            Path(program["file"]).write_text(program["code"], encoding="utf-8")
            continue
        # Empty lines before it, so that errors name the page's own lines.
        before = "\n" * (text[: program.start()].count("\n") + 1)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(before + program["code"], "tutorial", "exec"), names)
        yield program, printed.getvalue()


def printed_by(commands: str) -> str:
    """Return what commands print on standard output in the current directory.

    Raises:
        CalledProcessError: one of them fails.
    """
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": paths, "PYTHONPATH": str(ROOT), "COLUMNS": COLUMNS}
    done = subprocess.run(
        ["sh", "-e", "-c", commands], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def with_outputs(text: str) -> str:
    """Return a page with what each program prints below it, in place of what stood there."""
    parts, done = [], 0
    for program, printed in runs(text, {"__name__": "__main__"}):
        parts.append(text[done : program.end()])
        done = program.end()
        if before := OUTPUT.match(text, done):
            done = before.end()
        if printed.strip():
            parts.append(f"\n```text\n{printed.rstrip()}\n```\n")
    return COMMANDS.sub(
        lambda block: (
            f"```sh\n{block['typed']}```\n\n```text\n{printed_by(block['typed']).rstrip()}\n```\n"
        ),
        "".join(parts) + text[done:],
    )


def digest(text: str) -> str:
    """Return a digest of a page's programs and commands, their outputs, and its pictures."""
    found = hashlib.sha256()
    for program in PROGRAM.finditer(text):
        below = OUTPUT.match(text, program.end())
        found.update(f"{program[0]}{below[1] if below else ''}".encode())
    for block in COMMANDS.finditer(text):
        found.update(block[0].encode())
    for picture in PICTURE.findall(text):
        found.update((PICTURES / picture).read_bytes())
    return found.hexdigest()[:16]


def signed(name: str, text: str) -> str:
    """Return a page with its digest at the end; pages of one run say so, with the versions."""
    text = END.sub("", text)
    said = ""
    if name in OF_ONE_RUN:
        versions = " and ".join(
            f"{package} {importlib.metadata.version(package).partition('+')[0]}"
            for package in OF_ONE_RUN[name]
        )
        said = (
            f"*Outputs and pictures on this page are of one run, with {versions}; other versions "
            "and processors may give other figures.*\n\n"
        )
    return f"{text}\n{said}<!-- made by docs.generator.outputs: {digest(text)} -->\n"


@contextlib.contextmanager
def inside(folder: str | Path) -> Iterator[None]:
    """Run the block with ``folder`` as the current directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def as_program(name: str, folder: Path) -> Iterator[None]:
    """Run the block as a program without arguments in a folder, whose pictures have no dates."""
    import matplotlib as mpl

    with (
        inside(folder),
        mpl.rc_context({"svg.hashsalt": "nim_envs"}),
        patch.dict(os.environ, ENVIRONMENT),
        patch.object(sys, "argv", [name]),
        patch.object(sys, "path", [str(folder), *sys.path]),
    ):
        yield


def rewrite(name: str) -> None:
    """Run a tutorial, and write its page with outputs and pictures."""
    path = TUTORIALS / f"{name}.md"
    with tempfile.TemporaryDirectory() as folder:
        with as_program(name, Path(folder)):
            text = with_outputs(path.read_text(encoding="utf-8"))
        for picture in PICTURE.findall(text):
            if (saved := Path(folder, picture)).exists():
                shutil.copy(saved, PICTURES / picture)
    path.write_text(signed(name, text), encoding="utf-8")


def main(names: list[str]) -> None:
    """Rewrite tutorials."""
    for name in names:
        if (path := TUTORIALS / f"{name}.ipynb").exists():
            from docs.generator import notebooks

            notebooks.rewrite(path)
        else:
            rewrite(name)


if __name__ == "__main__":
    main(sys.argv[1:])
