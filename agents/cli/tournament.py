"""The command that plays a tournament."""

from __future__ import annotations

from itertools import combinations

import click
from tabulate import tabulate

from agents.cli.options import PLAYER_HELP, game_options, make_env, make_player
from agents.evaluation.tournament import round_robin
from nim_envs.cli.layout import say
from nim_envs.cli.options import seed_option
from nim_envs.registered_games import NamedGame


@click.command()
@game_options
@click.option("--player", "players", multiple=True, required=True, metavar="PLAYER",
              help=f"{PLAYER_HELP}; at least two.")  # fmt: skip
@click.option("--games", default=100, type=click.IntRange(min=1), show_default=True,
              help="Games per pairing.")  # fmt: skip
@seed_option("Seeds starts and players.")
def tournament(
    game: NamedGame | None,
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
    ranking = result.ranking()
    click.echo(tabulate(ranking, ("player", "Elo", "low", "high"), floatfmt=".0f"))
    say(f"low to high: 95 % intervals; {overlapping(ranking)}")


def overlapping(ranking: list[tuple[str, float, float, float]]) -> str:
    """Return the pairs of players whose intervals overlap, in words.

    Args:
        ranking: name, rating and the interval's ends of every player.
    """
    pairs = [
        f"{one} and {other}"
        for (one, _, low, high), (other, _, other_low, other_high) in combinations(ranking, 2)
        if low <= other_high and other_low <= high
    ]
    if not pairs:
        return "no two overlap"
    return f"they overlap for {', '.join(pairs)}: either may be the stronger"
