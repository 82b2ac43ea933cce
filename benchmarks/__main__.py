"""The benchmarks: their list, one by its name, and the tables of finished shards."""

from __future__ import annotations

import ast
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from benchmarks.shards import Plan
from nim_envs.cli.layout import SETTINGS, VERSION, Command
from nim_envs.cli.running import run
from nim_envs.interrupts import MISTAKEN
from nim_envs.names import not_among

FOLDER = Path(__file__).parent


def programs() -> dict[str, str]:
    """Return the description of each benchmark, by the name of its module."""
    descriptions = {}
    for path in sorted(FOLDER.rglob("*.py")):
        name = path.parent.name if path.name == "__main__.py" else path.stem
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = ast.get_docstring(tree)
        # No benchmark is imported for the list: some need packages that may be missing.
        if path != Path(__file__) and text and f"python -m {module_of(path)}" in text:
            descriptions[name] = text.partition("\n\n")[0].replace("\n", " ")
    return descriptions


def module_of(path: Path) -> str:
    """Return the name of the module or package that ``python -m`` runs for a file here."""
    parts = path.relative_to(FOLDER.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__main__" else parts)


def command(name: str) -> Any:
    """Return the command of a benchmark, a :class:`benchmarks.command_line.Benchmark`."""
    path = next(FOLDER.rglob(f"{name}.py"), None) or next(FOLDER.rglob(f"{name}/__main__.py"))
    package = module_of(path)
    return import_module(f"{package}.__main__" if path.stem == "__main__" else package).main


def catalogue() -> str:
    """Return the list of the benchmarks."""
    descriptions = programs()
    width = max(map(len, descriptions))
    columns = min(100, shutil.get_terminal_size().columns)
    lines = [
        textwrap.fill(
            text, columns, initial_indent=f"  {name:{width}}  ",
            subsequent_indent=" " * (width + 4),
        )
        for name, text in descriptions.items()
    ]  # fmt: skip
    about = (
        "python -m benchmarks NAME runs one; with --help it explains it, --quick is for a look.\n"
        "python -m benchmarks merge DIRECTORY makes the tables of shards.\n"
    )
    return "\n".join([about, *lines])


@click.command("merge", cls=Command, context_settings=SETTINGS)
@click.argument("directory", type=click.Path(path_type=Path))
def merge(directory: Path) -> None:
    """Make the tables of a benchmark whose shards have all finished in DIRECTORY."""
    plan = Plan.read(directory)
    command(plan.benchmark)(plan.arguments, merged=directory)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the list, run a benchmark, or merge its shards.

    Args:
        arguments: command-line arguments; ``None``: those of the process.

    Raises:
        SystemExit: the command was stopped, or is wrong; the error is one line on standard error.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    name, others = words[0] if words else "--help", words[1:]
    if name in SETTINGS["help_option_names"]:
        print(catalogue())
    elif name == "--version":
        print(VERSION)
    elif name == merge.name:
        code = run(merge, others, "python -m benchmarks merge")
        if code:
            raise SystemExit(code)
    elif name in programs():
        command(name)(others)
    else:
        names = [*programs(), "merge"]
        print(f"error: {not_among(name, names)}", file=sys.stderr)
        raise SystemExit(MISTAKEN)


if __name__ == "__main__":
    main()
