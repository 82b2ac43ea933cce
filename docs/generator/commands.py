"""The page of the command lines: each command with an example and what the program prints."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import click

from agents.cli.main import main as agents_main
from agents.cli.main import run as run_agents
from benchmarks.__main__ import PROGRAMS, command
from benchmarks.__main__ import main as list_benchmarks
from docs.generator.markdown import write
from docs.generator.outputs import inside
from nim_envs.cli.main import main as nim_envs_main
from nim_envs.cli.main import run as run_nim_envs

COLUMNS = "88"


class Example(NamedTuple):
    """A command to show, as it is typed.

    Attributes:
        words: everything after ``python -m PROGRAM``.
        typed: lines that a person types while it runs.
    """

    words: str
    typed: tuple[str, ...] = ()


OF_NIM_ENVS = (
    Example("games"),
    Example("solve --game nim --position 3,4,5"),
    Example("solve --heaps 0.77 --misere --position 5,5,3"),
    Example("sequence kayles 60"),
    Example("period 0.77"),
    Example("plot grundy 10000 --output pictures/grundy.png"),
    Example("quotient 0.123 6"),
    Example("nimber multiply 6 11"),
    Example(
        "text --game nim --set heaps=1,2 --seat player_0", ("heap 1: take 1", "heap 1: take 1")
    ),
    Example("diagnose docs.tutorials.my_learner:first_move --game nim --set heaps=3,4,5"),
)

OF_AGENTS = (
    Example("train --game nim --start uniform --output agent.zip"),
    Example("train --game kayles --output kayles.zip"),
    Example("evaluate --player agent.zip"),
    Example("show --player agent.zip --position 3,4,5 --greedy"),
    Example("play --opponent agent.zip --start 1,2,2 --seed 0", ("hint", "0 1", "quit")),
    Example("tournament --player agent.zip --player optimal --player epsilon=0.2 --player random"),
    Example("diagnose docs.tutorials.my_learner:MyLearner --games 2000"),
)

OPTIMALITY = "--boards addition-3-10 --learners q-learning,sarsa,random --quick --jobs 1"


class Typed(io.StringIO):
    """Lines that are typed at a prompt, and so are seen."""

    def readline(self, size: int | None = -1) -> str:
        """Return the next line, and print it."""
        line = super().readline(-1 if size is None else size)
        sys.stdout.write(line)
        return line


@contextlib.contextmanager
def terminal() -> Iterator[None]:
    """Run the block in an empty directory, with lines of :data:`COLUMNS` characters."""
    with (
        tempfile.TemporaryDirectory() as folder,
        inside(folder),
        patch.dict(os.environ, COLUMNS=COLUMNS),
    ):
        yield


def printed(run: Callable[[list[str]], Any], example: Example) -> str:
    """Return what a command prints, without its progress bars.

    Raises:
        RuntimeError: it ends with an error.
    """
    shown, errors = io.StringIO(), io.StringIO()
    typed = Typed("".join(f"{line}\n" for line in example.typed))
    with (
        contextlib.redirect_stdout(shown),
        contextlib.redirect_stderr(errors),
        patch.object(sys, "stdin", typed),
    ):
        code = run(shlex.split(example.words))
    if code:
        raise RuntimeError(f"{example.words} ended with {code}: {errors.getvalue()}")
    return shown.getvalue().strip("\n")


def block(program: str, run: Callable[[list[str]], Any], example: Example) -> str:
    """Return a command and what it prints."""
    command = f"python -m {program} {example.words}".strip()
    return f"```sh\n{command}\n```\n\n```text\n{printed(run, example)}\n```"


def section(
    program: str, group: click.Group, run: Callable[[list[str]], Any], examples: tuple[Example, ...]
) -> str:
    """Return the commands of a program, each with its examples and its options."""
    parts = [f"## python -m {program}", (group.help or "").strip()]
    for name in dict.fromkeys(example.words.split()[0] for example in examples):
        parts.append(f"### {program} {name}")
        parts += [
            block(program, run, example) for example in examples if example.words.split()[0] == name
        ]
        parts += ["All options:", block(program, run, Example(f"{name} --help"))]
    return "\n\n".join(parts)


def benchmarks() -> str:
    """Return the benchmarks: their list, an example, and the options of each."""
    parts = [
        "## python -m benchmarks",
        block("benchmarks", runs(list_benchmarks, "benchmarks"), Example("--help")),
    ]
    for name, module in PROGRAMS.items():
        program = module.removesuffix(".__main__")
        run = runs(command(name), program)
        parts.append(f"### {program}")
        if name == "optimality":
            parts.append(block(program, run, Example(OPTIMALITY)))
        parts.append(block(program, run, Example("--help")))
    return "\n\n".join(parts)


def runs(command: click.Command, program: str) -> Callable[[list[str]], Any]:
    """Return the function that runs a command by its words."""
    return partial(command.main, prog_name=f"python -m {program}", standalone_mode=False)


def pages() -> list[str]:
    """Write the page of the command lines; return the lines of the navigation."""
    with terminal():
        parts = [
            "# Commands",
            "The programs of this project and their outputs, made by running the commands when "
            "this page was built.",
            "```sh\n"
            'python -m pip install ".[solver]"   # python -m nim_envs\n'
            'python -m pip install -e ".[all]"   # in a checkout: agents and benchmarks too\n'
            "```",
            "Ctrl-C stops any of them with a message of one line. The exit code is 0; 1 if the "
            "command found no answer within its limit; 2 after a mistake in the command, which one "
            "line explains; 130 after Ctrl-C. `--version` and `--help` are options of every "
            "program.",
            section("nim_envs", nim_envs_main, run_nim_envs, OF_NIM_ENVS),
            section("agents", agents_main, run_agents, OF_AGENTS),
            benchmarks(),
        ]
    write("commands.md", "\n\n".join(parts) + "\n", boost=2.0)
    return ["* [Commands](commands.md)"]
