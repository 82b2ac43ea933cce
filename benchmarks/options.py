"""Options that the command lines of the benchmarks share."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click


class Names(click.ParamType):  # type: ignore[type-arg]
    """Names separated by commas, as a list; with ``own``, any ``"package.module:Name"`` too."""

    name = "NAME,…"

    def __init__(self, choices: Iterable[str], own: bool = False) -> None:
        self.choices, self.own = list(choices), own

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        """Return the list of names."""
        names: list[str] = value.split(",") if isinstance(value, str) else list(value)
        for name in names:
            if name not in self.choices and not (self.own and ":" in name):
                more = ", or package.module:Name" if self.own else ""
                self.fail(f"{name!r} is not one of {', '.join(self.choices)}{more}", param, ctx)
        return names


def names_option(
    flag: str, choices: Iterable[str], text: str, default: str = "all", own: bool = False
) -> Callable[[Any], Any]:
    """Return a decorator that adds an option for names separated by commas.

    With the default ``"all"`` the command gets all choices, with any other words ``None``.
    """
    names = Names(choices, own)
    return click.option(
        flag, type=names, default=names.choices if default == "all" else None, metavar=names.name,
        help=f"{text} (default: {default}): {', '.join(names.choices)}.",
    )  # fmt: skip


def count_option(flag: str, text: str, **settings: Any) -> Callable[[Any], Any]:
    """Return a decorator that adds an option for a whole number of at least 1."""
    return click.option(flag, type=click.IntRange(min=1), metavar="N", help=f"{text}.", **settings)


def run_options(
    output: str, quick: str = "Few games: a check, not a result.", jobs: bool = True
) -> Callable[[Any], Any]:
    """Return a decorator that adds ``--jobs``, ``--output`` and ``--quick``."""

    def add(command: Any) -> Any:
        command = click.option("--quick", is_flag=True, help=quick)(command)
        command = click.option(
            "--output", default=output, show_default=True, metavar="DIRECTORY",
            type=click.Path(file_okay=False, path_type=Path),
            help="Where to write tables and figures; runs are kept there until all have finished.",
        )(command)  # fmt: skip
        number = count_option("--jobs", "Runs at the same time (default: all cores)")
        return number(command) if jobs else command

    return add
