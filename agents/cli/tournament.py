"""The command that plays a tournament."""

from __future__ import annotations

import click
from tabulate import tabulate

from agents.cli.options import PLAYER_HELP, game_options, make_env, make_player
from agents.evaluation.tournament import round_robin


@click.command()
@game_options
@click.option("--player", "players", multiple=True, required=True, metavar="PLAYER",
              help=f"{PLAYER_HELP}; at least two.")  # fmt: skip
@click.option("--games", default=100, type=click.IntRange(min=1), show_default=True,
              help="Games of each pairing.")  # fmt: skip
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True)
def tournament(
    game: str | None,
    settings: tuple[str, ...],
    start: str | None,
    players: tuple[str, ...],
    games: int,
    seed: int,
) -> None:
    """Let players meet each other, and print their Elo ratings."""
    if len(set(players)) < 2:
        raise click.UsageError(f"a tournament needs two players at least, not {players[0]!r} alone")
    env = make_env(game, settings, start, *players)
    result = round_robin(env, {name: make_player(name, env) for name in players}, games, seed=seed)
    header = ("player", "Elo", "low", "high")
    click.echo(tabulate(result.ranking(), header, floatfmt=".0f"))
