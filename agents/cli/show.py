"""The command that shows a player's policy, or one of its games."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from agents.base import GameChoosingLearner
from agents.cli.options import PLAYER_HELP, game_options, make_agent, make_env, make_player
from agents.cli.pictures import heatmaps_of, picture_options, plotting, write_pictures
from agents.evaluation.sample_game import sample_game
from nim_envs.cli.arguments import integers
from nim_envs.cli.options import seed_option
from nim_envs.registered_games import NamedGame


@click.command()
@game_options
@click.option("--player", required=True, metavar="PLAYER", help=f"{PLAYER_HELP}.")
@click.option("--position", "positions", multiple=True, metavar="POSITION",
              help="Show this position, such as 3,4,5; repeatable. All by default.")  # fmt: skip
@click.option("--sample-game", "sample", is_flag=True,
              help="Show a game of the player against itself, not a table.")  # fmt: skip
@click.option("--greedy", is_flag=True,
              help="Show what a learner plays without exploration.")  # fmt: skip
@seed_option("Seeds the sample game.")
@picture_options("heatmaps")
def show(
    game: NamedGame | None, settings: tuple[str, ...], start: str | None, player: str,
    positions: tuple[str, ...], sample: bool, greedy: bool, seed: int, plots: Path | None,
    picture: str,
) -> None:  # fmt: skip
    """Show a player's moves at every position, or in a game.

    For a learner that chooses its own games it shows the learned solution and its proof.

    A text longer than the terminal is shown in a pager; q leaves it.
    """
    env = make_env(game, settings, start, player)
    agent: Any = make_player(player, env) if greedy else make_agent(player, env)
    if plots is not None:
        title = " ".join([type(agent).__name__, "on", env.game.rules.name, *settings])
        write_pictures(heatmaps_of(agent, env.game, title), plots, picture)
        return
    if isinstance(agent, GameChoosingLearner) and not (positions or sample):
        print_whole(agent.describe() + "\n")
        return
    text = plotting("policy_tables")
    if sample:
        played = sample_game(agent, env.game, seed=seed)
        print_whole(text.printed(text.game_text(env.game, played)))
    else:
        chosen = [env.game.rules.checked_positions(integers(text)) for text in positions] or None
        table = text.policy_table(agent, env.game, chosen)
        print_whole(text.printed(table) + text.policy_summary(agent, env.game, chosen) + "\n")


def print_whole(text: str) -> None:
    """Print a text, in a pager if it is longer than the terminal."""
    if sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines:
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)
