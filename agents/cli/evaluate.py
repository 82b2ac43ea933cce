"""The command that scores a player."""

from __future__ import annotations

from typing import Any

import click
from tabulate import tabulate

from agents.cli.options import PLAYERS, game_options, make_env, make_player
from agents.evaluation import POSITION_SETS, beatable_share, optimality


@click.command()
@game_options
@click.option("--agent", required=True, metavar="PLAYER", help=f"{PLAYERS}.")
def evaluate(game: str | None, settings: tuple[str, ...], start: str | None, agent: str) -> None:
    """Score a player exactly."""
    env = make_env(game, settings, start, agent)
    player: Any = make_player(agent, env)
    rows = []
    for positions in POSITION_SETS:
        score = optimality(player, env.game, positions)
        rows.append(
            [positions, score.count, score.percent, score.random_percent, len(score.blunders)]
        )
    click.echo(
        tabulate(
            rows,
            ("positions", "N-positions", "optimality %", "random %", "blunders"),
            floatfmt=".1f",
        )
    )
    share = 100 * beatable_share(player, env.game)
    click.echo(f"can be beaten from {share:.1f} % of the N-positions")
