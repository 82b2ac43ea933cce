"""Help, lists and facts that fit the terminal, and break no word."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import click

from nim_envs import __version__
from nim_envs.names import not_among

WIDEST = 100
"""Most characters in a line of help, and in one that no terminal shows."""

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST}
"""Settings of the command lines."""

VERSION = f"nim_envs {__version__}"
"""Output of ``--version``."""

version_option = click.version_option(
    __version__, message=VERSION, help="Show the version and exit."
)
"""Decorator of a program, which adds ``--version``."""

CHOICES = re.compile(r"^(.*--([\w-]+)) \[([^\]]*\|[^\]]*)\]$")
"""An option with the names of its choices, as click writes it."""


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a text of at most ``width`` characters, where words allow."""
    lines = []
    for part in text.split("\n"):
        lines += textwrap.wrap(
            part, max(width, 20), break_long_words=False, break_on_hyphens=False
        ) or [""]
    return lines


def line_width() -> int | None:
    """Return the characters in a line of the terminal; ``None`` in a file or a pipe."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return None


def say(text: str) -> None:
    """Print a text, wrapped on a terminal."""
    width = line_width()
    click.echo(text if width is None else "\n".join(wrapped(text, width)))


def facts(rows: Iterable[Sequence[Any]]) -> str:
    """Return pairs of a name and a text as two columns, the second wrapped on a terminal."""
    pairs = [(str(name), str(text)) for name, text in rows]
    name_width = max(len(name) for name, _ in pairs)
    width = line_width()
    lines = []
    for name, text in pairs:
        parts = text.split("\n") if width is None else wrapped(text, width - name_width - 2)
        lines += [
            f"{label:{name_width}}  {part}".rstrip()
            for label, part in zip([name, *[""] * (len(parts) - 1)], parts, strict=True)
        ]
    return "\n".join(lines)


class Formatter(click.HelpFormatter):
    """Help in two columns that keeps words whole, and lists long choices as text."""

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write pairs of a term and its definition."""
        widest = min(col_max, self.width // 3)
        pairs = [
            _without_choices(term.replace("INTEGER RANGE", "NUMBER"), text, widest)
            for term, text in rows
        ]
        first = max([len(term) for term, _ in pairs if len(term) <= widest] or [widest])
        indent = self.current_indent
        for term, text in pairs:
            lines = wrapped(text, self.width - indent - first - col_spacing)
            if len(term) > first:
                self.write(f"{'':{indent}}{term}\n")
                term = ""
            for line in lines:
                self.write(f"{'':{indent}}{term:{first}}{'':{col_spacing}}{line}".rstrip() + "\n")
                term = ""


def _without_choices(term: str, text: str, widest: int) -> tuple[str, str]:
    """Return an option and its help, with choices that are too long for the term in the help."""
    match = CHOICES.match(term)
    if match is None or len(term) <= widest:
        return term, text
    flags, name, choices = match.groups()
    listed = f"One of {', '.join(choices.split('|'))}."
    extra = re.search(r"(^|  )\[[^\[\]]*\]$", text)
    end = extra[0] if extra else ""
    text = text.removesuffix(end)
    end = end and f"  {end.strip()}"
    return f"{flags} {name.upper()}", f"{text} {listed}{end}".strip()


class Choice(click.Choice[str]):
    """One of several words; the error about another one says which may be meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the choice that ``value`` names."""
        if isinstance(value, str) and value not in self.choices:
            self.fail(not_among(value, self.choices), param, ctx)
        return super().convert(value, param, ctx)


class Context(click.Context):
    """A context whose help is laid out by :class:`Formatter`."""

    formatter_class = Formatter


class Command(click.Command):
    """A command whose help is laid out by :class:`Formatter`."""

    context_class = Context


class Group(click.Group):
    """Commands whose help is laid out by :class:`Formatter`; summaries are not cut."""

    context_class = Context
    command_class = Command

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for command in self.commands.values():
            command.context_class = Context

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with the first paragraph of its help."""
        rows = [
            (name, " ".join((self.commands[name].help or "").partition("\n\n")[0].split()))
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
