"""Commands of text: play a game by typing, write the prompts of the exam, judge its replies."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from nim_envs.cli.options import (
    game_and_settings,
    game_with_settings,
    hurry_option,
    max_cycles_option,
)
from nim_envs.errors import InvalidGameError
from nim_envs.files import write_atomically
from nim_envs.registry import NamedGame
from nim_envs.starts import NAMED_STARTS
from nim_envs.text.answers import ANSWERS
from nim_envs.text.exam import Suite
from nim_envs.text.exam import judge as judge_replies
from nim_envs.text.language import language_of
from nim_envs.text.play import TextGame
from nim_envs.text.prompts import STYLES, rules_text

SEATS: dict[str, Any] = {"player_0": 0, "player_1": 1, "random": "random"}
QUIT = ("quit", "exit", "q")
VERDICTS = {
    "kept_win": "That keeps the win.",
    "threw_win": "That throws the win away.",
    "kept_draw": "That keeps the draw.",
    "threw_draw": "That throws the draw away.",
    "lost_position": "The position was lost.",
}

WRITTEN = click.Path(dir_okay=False, path_type=Path)
last_line_option = click.option(
    "--last-line", is_flag=True, help="Search the last line of a reply for the move."
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="Seed of the suite: 0 to 4 are public, another one is yours to hold back.",
)  # fmt: skip
only_option = click.option(
    "--only", multiple=True, metavar="SETTING", help="One of the settings, for a try; repeatable."
)
answer_option = click.option(
    "--answer", type=click.Choice(ANSWERS), default="tag", show_default=True,
    help="Form of the answers: the whole reply, or a marked move after free reasoning.",
)  # fmt: skip


@click.group(invoke_without_command=True)
@game_and_settings()
@click.option("--disguise", type=click.IntRange(min=0), metavar="SEED",
              help="Other names for heaps and moves, and another numbering.")  # fmt: skip
@click.option("--style", type=click.Choice(STYLES), default="short", show_default=True,
              help="Style of the prompts.")  # fmt: skip
@click.option("--rules", metavar="SENTENCES",
              help="Say what a move is, for a game of your own that does not.")  # fmt: skip
@last_line_option
@click.option("--opponent", default="optimal", show_default=True, metavar="OPPONENT",
              help="Optimal, random, or a probability of a random move.")  # fmt: skip
@hurry_option
@max_cycles_option
@click.option("--seat", type=click.Choice(list(SEATS)), default="random", show_default=True,
              help="Your seat; player_0 moves first.")  # fmt: skip
@click.option("--start", type=click.Choice(list(NAMED_STARTS)), default="fixed",
              show_default=True, help="Where the game begins.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of starts, seats and the opponent.")  # fmt: skip
@click.option("--retries", type=click.IntRange(min=0), default=3, show_default=True,
              help="Further replies in a turn after one without a legal move.")  # fmt: skip
@click.pass_context
def text(
    context: click.Context,
    /,
    game: NamedGame | None,
    settings: tuple[str, ...],
    disguise: int | None,
    rules: str | None,
    opponent: str,
    seat: str,
    start: str,
    **arguments: Any,
) -> None:
    """Play a game in text, or examine a language model.

    With --game you answer the prompts that language models are given. The command exam writes the
    prompts of a suite of games to a file, and judges a file of replies.
    """
    if context.invoked_subcommand is not None:
        return
    if game is None:
        raise click.UsageError("which game? Add --game nim, or the command exam")
    language = language_of(game_with_settings(game, settings, start), disguise, rules)
    player: str | float = opponent
    if opponent not in ("optimal", "random"):
        try:
            player = float(opponent)
        except ValueError:
            raise click.UsageError(
                f"--opponent is optimal, random or a probability, not {opponent!r}"
            ) from None
    play(TextGame(language, player, SEATS[seat], start, **arguments))


def play(game: TextGame) -> None:
    """Play a game by typing moves, until it is over or the person quits."""
    try:
        click.echo(rules_text(game.language))
    except InvalidGameError as error:  # whoever made the game may play without rules
        click.echo(str(error))
    click.echo(f"A move is written so: {' or '.join(game.language.forms)}")
    prompt: str | None = game.reset()
    click.echo(f"You move {('first', 'second')[game.seat]}. To stop, type quit.\n")
    while prompt is not None:
        click.echo(f"{prompt}\n> ", nl=False)
        line = sys.stdin.readline()
        if not line or line.strip().lower() in QUIT:
            click.echo("stopped")
            return
        turn = game.reply(line)
        truth = turn.verdict
        again = " Try again." if turn.again else ""
        click.echo(VERDICTS.get(truth.kind, f"No move ({truth.kind}): {truth.why}.{again}"))
        if turn.opponent_move is not None:
            click.echo(f"The opponent: {turn.opponent_move}")
        prompt = turn.prompt
        if turn.over:
            click.echo(turn.ending)


@text.group()
def exam() -> None:
    """Score a language model exactly, on a suite of games made from a seed."""


@exam.command()
@click.argument("prompts", type=WRITTEN)
@seed_option
@only_option
@click.option("--style", type=click.Choice(STYLES), default="sentences", show_default=True,
              help="Style of the prompts; short ones do not state the rules.")  # fmt: skip
@answer_option
def write(prompts: Path, seed: int, only: tuple[str, ...], style: str, answer: str) -> None:
    """Write the prompts of a suite to the file PROMPTS, one JSON object a line.

    An object has the id of a position, its prompt, and messages, the prompt as a conversation.
    Whoever answers writes a file with an id and a reply a line, for the command judge.
    """
    lines = [
        json.dumps(
            {"id": item.id, "prompt": asked, "messages": [{"role": "user", "content": asked}]}
        )
        for _, item, asked in Suite(seed, only).prompts(style=style, answer=answer)
    ]
    _write(prompts, "".join(f"{line}\n" for line in lines))
    click.echo(f"{len(lines)} prompts: {prompts}")


@exam.command()
@click.argument("replies", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@seed_option
@only_option
@answer_option
@last_line_option
@click.option("--output", type=WRITTEN, help="Write the scores: .csv, else Markdown.")
def judge(
    replies: Path, output: Path | None, seed: int, only: tuple[str, ...], **reading: Any
) -> None:
    """Print the scores of the file REPLIES: an object with an id and a reply a line.

    Seed and settings are those of the command write; every position needs one reply.
    """
    results = judge_replies(Suite(seed, only), read_replies(replies), **reading)
    click.echo(results.markdown(), nl=False)
    if output is not None:
        _write(output, results.csv() if output.suffix == ".csv" else results.markdown())


def read_replies(path: Path) -> dict[str, str]:
    """Return the replies in a file of JSON Lines by id.

    Raises:
        click.ClickException: a line is no object with an id and a reply, or an id comes twice.
    """
    replies: dict[str, str] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            name, reply = entry["id"], entry["reply"]
        except (ValueError, TypeError, LookupError, RecursionError):
            name = reply = None
        if not isinstance(name, str) or not isinstance(reply, str):
            raise click.UsageError(
                f'{path}, line {number}: not an object {{"id": "…", "reply": "…"}}'
            )
        if name in replies:
            raise click.UsageError(f"{path}, line {number}: a second reply to {name!r}")
        replies[name] = reply
    return replies


def _write(path: Path, content: str) -> None:
    try:
        write_atomically(path, content.encode())
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from error
