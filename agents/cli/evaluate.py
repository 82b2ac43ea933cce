"""The command that scores a player."""

from __future__ import annotations

from typing import Any

import click
from tabulate import tabulate

from agents.cli.options import PLAYER_HELP, game_options, make_env, make_player
from agents.evaluation import POSITION_SETS, beatable_share, optimality
from agents.games import scored_in_words
from nim_envs.cli.options import seed_option
from nim_envs.errors import SearchTooLargeError
from nim_envs.registered_games import NamedGame


@click.command()
@game_options
@click.option("--player", required=True, metavar="PLAYER", help=f"{PLAYER_HELP}.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Score this many N-positions, drawn at random, instead of all: for large boards.",
)
@seed_option("Seeds what is drawn.")
def evaluate(
    game: NamedGame | None,
    settings: tuple[str, ...],
    start: str | None,
    player: str,
    sample: int | None,
    seed: int,
) -> None:
    """Score a player exactly."""
    env = make_env(game, settings, start, player)
    scored: Any = make_player(player, env)
    if sample is not None:
        click.echo(optimality(scored, env.game, sample=sample, seed=seed))
        return
    try:
        scores = [optimality(scored, env.game, positions) for positions in POSITION_SETS]
        share = 100 * beatable_share(scored, env.game)
    except SearchTooLargeError as error:
        raise click.UsageError(f"{error}. Here that is --sample 10000") from error
    named = scored_in_words(env.game)[1]
    rows = [
        [score.positions, score.count, score.percent, score.random_percent, len(score.blunders)]
        for score in scores
    ] + [
        [f"{score.positions}, decisive", few.count, few.percent, few.random_percent, None]
        for score in scores
        if (few := score.decisive) is not None
    ]
    click.echo(
        tabulate(
            rows,
            ("positions", named, "optimality %", "random %", "blunders"),
            floatfmt=".1f",
        )
    )
    click.echo(f"can be beaten from {share:.1f} % of the {named}")
