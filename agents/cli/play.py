"""The command that lets a person play, at a prompt or in a window."""

from __future__ import annotations

from pathlib import Path

import click

from agents.cli.match import Match
from agents.cli.options import PLAYER_HELP, game_options, make_env, make_player, seed_option
from agents.cli.play_window import PlayWindow
from agents.evaluation import SEATS
from agents.players.human import HumanAgent, Quit, Undo
from nim_envs.cli.layout import say
from nim_envs.registered_games import NamedGame
from nim_envs.render import render_text
from nim_envs.render.words import rules_in_words
from nim_envs.rules.words import titled


@click.command()
@game_options
@click.option("--against", default="optimal", show_default=True, metavar="PLAYER",
              help=f"{PLAYER_HELP}, or human.")  # fmt: skip
@click.option("--seat", default="player_0", type=click.Choice(SEATS), show_default=True,
              help="Your seat; player_0 moves first.")  # fmt: skip
@seed_option("Seeds starts and the opponent; random by default.", default=None)
@click.option("--window", is_flag=True, help="Play by mouse in a window.")
def play(
    game: NamedGame | None, settings: tuple[str, ...], start: str | None, against: str, seat: str,
    seed: int | None,
    window: bool,
) -> None:  # fmt: skip
    """Play against an agent, or two people against each other."""
    env = make_env(game, settings, start, against)
    opponent = None if against == "human" else make_player(against, env)
    if game is None:
        reason = "in its training (--start names another)" if start is None else "--start says"
        say(
            f"{against} has learned {env.game.summary}. "
            f"Games start as {reason}: {env.game.start.summary}."
        )
    person = SEATS.index(seat)
    if not window:
        play_at_prompt(Match(env, opponent, person, seed=seed))
        return
    names = list(SEATS)
    if opponent is not None:
        names[person], names[1 - person] = "you", Path(against).stem
    match = Match(env, opponent, person, (names[0], names[1]), seed)
    PlayWindow(match, title=f"{titled(env.game.rules.name)}, {names[0]} against {names[1]}").run()


def play_at_prompt(match: Match) -> None:
    """Play a match by typing moves, until it is over or the person quits."""
    human = HumanAgent(match.game, write=click.echo)
    say(rules_in_words(match.game))
    if match.opponent is not None:
        place = "first" if match.seat == 0 else "second"
        click.echo(f"You are {SEATS[match.seat]} and move {place}.")
    rules = match.game.rules
    while not match.over:
        if match.awaits_opponent:
            match.reply()
        else:
            headline = match.status if match.opponent is None else "you are to move"
            click.echo("\n" + render_text(rules, match.position, headline))
            try:
                match.move_by(human)
            except Undo:
                if not match.undo():
                    click.echo("There is no move of yours to take back.")
                continue
            except Quit:
                click.echo("\nGoodbye.")
                return
        click.echo(match.last_move)
    click.echo("\n" + render_text(rules, match.position, "the game is over"))
    if match.opponent is None or match.winner is None:
        click.echo(f"{match.status}.")
    else:
        click.echo("You have won." if match.winner == match.seat else "You have lost.")
