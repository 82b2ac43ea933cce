"""The commands that score players, show what they play, and let them meet each other."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from tabulate import tabulate

from agents import GameChoosingLearner, Policy
from agents.cli.options import (
    PLAYER_HELP,
    drawing,
    game_options,
    losing_by_errors,
    make_env,
    make_player,
    names_of,
    plots_option,
    write_pictures,
)
from agents.games import scored_positions
from agents.match import Tournament, play_match, round_robin
from agents.policy_tables import policy_table
from nim_envs.cli.options import hurry_option, search_here, seed_option
from nim_envs.cli.values import position
from nim_envs.errors import InvalidPolicyError, SearchTooLargeError
from nim_envs.scored_policy import ScoredPolicy
from nim_envs.scoring import POSITION_SETS, beatable_share, optimality
from nim_envs.typing import Position

player_option = click.option("--player", required=True, metavar="PLAYER", help=f"{PLAYER_HELP}.")


@click.command()
@game_options
@player_option
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Score this many N-positions, drawn at random, instead of all: for large boards.",
)
@hurry_option
@seed_option("Seeds what is drawn.")
def evaluate(player: str, sample: int | None, hurry: bool, seed: int, **board: Any) -> None:
    """Score a player exactly."""
    env = make_env(player, **board)
    scored: Any = make_player(player, env, hurry=hurry)
    if sample is not None:
        click.echo(optimality(scored, env.game, sample=sample, seed=seed))
        return
    try:
        scores = [optimality(scored, env.game, positions) for positions in POSITION_SETS]
    except SearchTooLargeError as error:
        raise click.UsageError(f"{error}. Here that is --sample 10000") from error
    named = scored_positions(env.game)
    rows: list[list[Any]] = [
        [s.positions, s.count, s.percent, s.random_percent, s.illegal_percent, len(s.blunders)]
        for s in scores
    ]
    for score in scores:
        if (few := score.decisive) is not None:
            name = f"{score.positions}, decisive"
            rows.append([name, few.count, few.percent, few.random_percent])
    headers = ("positions", named, "optimality %", "random %", "illegal %", "blunders")
    click.echo(tabulate(rows, headers, floatfmt=".1f"))
    try:
        share = 100 * beatable_share(scored, env.game)
    except InvalidPolicyError as error:  # play may never end, and the player chooses by chance
        click.echo(error)
    else:
        click.echo(f"can be beaten from {share:.1f} % of the {named}")


@click.command()
@game_options
@player_option
@click.option(
    "--position",
    "positions",
    type=position,
    multiple=True,
    metavar="POSITION",
    help="Show this position, such as 3,4,5; repeatable. All by default.",
)
@click.option("--greedy", is_flag=True, help="Show what a learner plays without exploration.")
@hurry_option
@plots_option("heatmaps")
def show(
    player: str,
    positions: tuple[tuple[int, ...], ...],
    greedy: bool,
    hurry: bool,
    plots: Path | None,
    **board: Any,
) -> None:
    """Show a player's moves at every position.

    For a learner that chooses its own games it shows the learned solution and its proof.
    """
    env = make_env(player, **board)
    agent: Any = make_player(player, env, hurry=hurry, greedy=greedy)
    if not isinstance(agent, (Policy, GameChoosingLearner)):
        agent = ScoredPolicy(agent, env.game)
    if plots is not None:
        title = " ".join([type(agent).__name__, "on", env.game.name, *board["settings"]])
        write_pictures(drawing().heatmaps(agent, env.game, title), plots, "heatmap_")
    elif isinstance(agent, GameChoosingLearner) and not positions:
        click.echo(agent.describe())
    else:
        chosen = np.array(positions) if positions else None
        click.echo(policy_table(agent, env.game, chosen))


def echo_illegal(name: str, positions: Sequence[Position]) -> None:
    """Print how many games a player lost by an illegal move, and the first position, if any."""
    if positions:
        games = "1 game" if len(positions) == 1 else f"{len(positions)} games"
        click.echo(f"{name} lost {games} by an illegal move, first at {positions[0]}")


games_option = click.option(
    "--games",
    default=100,
    type=click.IntRange(min=1),
    show_default=True,
    help="Games of each pair of players.",
)


@click.command()
@game_options
@player_option
@click.option("--opponent", required=True, metavar="PLAYER", help=f"{PLAYER_HELP}.")
@games_option
@hurry_option
@seed_option("Seeds starts and players.")
def match(player: str, opponent: str, games: int, hurry: bool, seed: int, **board: Any) -> None:
    """Let a player meet an opponent; they swap seats after every game."""
    env = make_env(player, opponent, **board)
    one, other = (make_player(name, env, hurry=hurry) for name in (player, opponent))
    result = play_match(env, one, other, games, seed=seed, progress=True)
    click.echo(result)
    for name, positions in zip((player, opponent), result.illegal, strict=True):
        echo_illegal(name, positions)


@click.command()
@game_options
@click.option(
    "--player",
    "players",
    multiple=True,
    required=True,
    metavar="PLAYER",
    help=f"{PLAYER_HELP}; or MODULE, all functions of a file such as pupils.py. At least two.",
)
@games_option
@hurry_option
@seed_option("Seeds starts and players.")
def tournament(players: tuple[str, ...], games: int, hurry: bool, seed: int, **board: Any) -> None:
    """Let players meet each other, and print their Elo ratings.

    A function that fails, or makes an illegal move, loses that game.
    """
    env = make_env(*players, **board)
    search_here()
    names = [name for text in players for name in names_of(text)]
    if len(set(names)) < 2:
        raise click.UsageError(f"a tournament needs two players at least, not {names}")
    failures: dict[str, list[str]] = {name: [] for name in names}
    agents = {
        name: losing_by_errors(make_player(name, env, hurry=hurry), failures[name])
        for name in names
    }
    result = round_robin(env, agents, games, seed=seed)
    rows = [(ranks(result, name), name, *rated) for name, *rated in result.ranking()]
    click.echo(tabulate(rows, ("rank", "player", "Elo", "low", "high"), floatfmt=".0f"))
    click.echo("low to high: 95 % intervals; where they overlap, either may be the stronger")
    for name, *_ in result.ranking():
        echo_illegal(name, result.illegal[name])
        if failures[name]:
            click.echo(f"  {len(failures[name])} of them by an error, first {failures[name][0]}")


def ranks(result: Tournament, name: str) -> str:
    """Return the ranks that a player may have, such as ``2-4``: its interval overlaps theirs."""
    own_low, own_high = result.intervals[result.names.index(name)]
    first = 1 + int((result.intervals[:, 0] > own_high).sum())
    last = len(result.names) - int((result.intervals[:, 1] < own_low).sum())
    return str(first) if first == last else f"{first}-{last}"
