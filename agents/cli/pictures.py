"""Pictures that commands write, and the options for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from agents import Agent
from nim_envs import Game
from nim_envs.cli.layout import Choice
from nim_envs.cli.options import DIRECTORY, Decorator, together
from nim_envs.cli.running import make_directory, using
from nim_envs.optional import needed


def picture_options(pictures: str) -> Decorator:
    """Return a decorator that adds the options for pictures, which the help calls ``pictures``."""
    return together(
        click.option(
            "--plots", type=DIRECTORY, metavar="DIRECTORY", help=f"Write {pictures} there."
        ),
        click.option(
            "--picture", default="png", type=Choice(["png", "svg", "pdf"]),
            show_default=True, help="Kind of picture.",
        ),
    )  # fmt: skip


def plotting(module: str) -> Any:
    """Return a module of ``agents.plotting``.

    Raises:
        MissingPackageError: a package that it imports is missing.
    """
    return needed(f"agents.plotting.{module}", "a table or a picture", "all")


def write_pictures(figures: dict[str, Any], directory: Path, kind: str) -> None:
    """Write each figure to a file of its name, and print the path."""
    for name, figure in figures.items():
        path = directory / f"{name}.{kind}"
        make_directory(directory)
        with using(path):
            needed("nim_envs.render.style", "a picture", "all").save_figure(figure, path)
        click.echo(f"wrote {path}")


def heatmaps_of(agent: Agent, game: Game, title: str) -> dict[str, Any]:
    """Return the heatmaps of an agent by the names of their files."""
    figures = plotting("heatmaps").heatmaps(agent, game, title)
    return {f"heatmap_{name}": figure for name, figure in figures.items()}
