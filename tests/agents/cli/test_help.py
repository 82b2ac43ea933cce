"""The help of all command lines fits the terminal, with every name whole."""

from __future__ import annotations

import re

import click
import pytest

import agents.cli.main
import benchmarks.optimality
import nim_envs.cli.main
from agents.registry import GENERALISING, LEARNERS
from nim_envs.registration import GAMES

PROGRAMS = {
    "nim_envs": nim_envs.cli.main.main,
    "agents": agents.cli.main.main,
    "benchmarks.optimality": benchmarks.optimality.main,
}


def helps(command, columns, name, parent=None):
    """The help of a command and of all commands in it."""
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=columns, **command.context_settings
    )
    yield command.get_help(context)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from helps(inner, columns, inner.name, context)


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("program", PROGRAMS)
def test_help_fits_the_terminal(program, columns):
    for text in helps(PROGRAMS[program], columns, f"python -m {program}"):
        assert max(map(len, text.splitlines())) <= columns, text
        for flag in re.findall(r"^  (--.*)$", text, flags=re.MULTILINE):
            assert "|" not in flag or flag.count("[") == flag.count("]")


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("program", ["nim_envs", "agents"])
def test_summaries_of_commands_are_whole(program, columns):
    group = PROGRAMS[program]
    shown = " ".join(next(helps(group, columns, program)).split())
    for command in group.commands.values():
        first = command.help.partition("\n\n")[0]
        assert f" {command.name} {' '.join(first.split())}" in shown


@pytest.mark.parametrize("columns", [60, 100])
def test_names_to_choose_from_are_not_broken(columns):
    train = agents.cli.main.main.commands["train"]
    (shown,) = helps(train, columns, "train")
    words = set(re.findall(r"[\w-]+", shown))
    assert {*LEARNERS, *GENERALISING, *GAMES} <= words
