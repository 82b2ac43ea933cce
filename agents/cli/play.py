"""The command that lets a person play, at a prompt or in a window."""

from pathlib import Path
from typing import Any

import click

from agents.base import Agent
from agents.cli.match import Match
from agents.cli.options import PLAYER_HELP, make_env, make_player, options_of_game
from agents.cli.play_window import PlayWindow
from agents.match import MatchedPlayer
from agents.players import HumanAgent, Quit, Undo
from nim_envs.cli.options import hurry_option, seed_option
from nim_envs.errors import DisplayError
from nim_envs.game import PLAYERS as SEATS
from nim_envs.games.words import titled
from nim_envs.registry import GAMES
from nim_envs.render import render_text
from nim_envs.render.words import rules_in_words


@click.command()
@options_of_game("By default that of a learner in a file, or else nim.", "fixed")
@click.option(
    "--opponent",
    default="optimal",
    show_default=True,
    metavar="PLAYER",
    help=f"{PLAYER_HELP}, or human.",
)
@click.option(
    "--seat",
    default="player_0",
    type=click.Choice(SEATS),
    show_default=True,
    help="Your seat; player_0 moves first.",
)
@hurry_option
@seed_option("Seeds starts and the opponent; random by default.", default=None)
@click.option("--window", is_flag=True, help="Play by mouse in a window.")
def play(
    opponent: str, seat: str, hurry: bool, seed: int | None, window: bool, **board: Any
) -> None:
    """Play against an agent, or two people against each other."""
    from_file = board["game"] is None and Path(opponent).is_file()
    if board["game"] is None and not from_file:
        board["game"] = GAMES["nim"]
    env = make_env(opponent, **{**board, "start": board["start"] or "fixed"})
    if from_file:
        click.echo(f"{opponent} has learned {env.game.summary}.")
    player: Agent | None = None
    if opponent != "human":
        named = make_player(opponent, env, hurry=hurry)
        player = named if isinstance(named, Agent) else MatchedPlayer(named, env)
    person = SEATS.index(seat)
    if not window:
        play_at_prompt(Match(env, player, person, seed=seed))
        return
    names = list(SEATS)
    if player is not None:
        names[person], names[1 - person] = "you", Path(opponent).stem
    match = Match(env, player, person, (names[0], names[1]), seed)
    title = f"{titled(env.game.name)}, {names[0]} against {names[1]}"
    try:
        opened = PlayWindow(match, title=title)
    except DisplayError as error:
        raise click.UsageError(
            "--window needs a display, and there is none here; without it you play in the terminal"
        ) from error
    opened.run()


def play_at_prompt(match: Match) -> None:
    """Play a match by typing moves, until it is over or the person quits."""
    human = HumanAgent(match.game, write=click.echo)
    click.echo(rules_in_words(match.game))
    if match.opponent is not None:
        place = "first" if match.seat == 0 else "second"
        click.echo(f"You are {SEATS[match.seat]} and move {place}.")
    while not match.over:
        if match.awaits_opponent:
            match.reply()
        else:
            headline = match.status if match.opponent is None else "you are to move"
            click.echo("\n" + render_text(match.game, match.position, headline))
            try:
                match.reply(human)
            except Undo:
                if not match.undo():
                    click.echo("There is no move of yours to take back.")
                continue
            except Quit:
                click.echo("\nGoodbye.")
                return
        click.echo(match.last_move)
    click.echo("\n" + render_text(match.game, match.position, "the game is over"))
    if match.opponent is None or match.winner is None:
        click.echo(f"{match.status}.")
    else:
        click.echo("You have won." if match.winner == match.seat else "You have lost.")
