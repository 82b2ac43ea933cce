"""The command that lets a person play in text, or scores a program that does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nim_envs.cli.layout import Choice, Group, facts, say
from nim_envs.cli.options import FILE, game_and_settings, game_with_settings, seed_option
from nim_envs.cli.running import writing
from nim_envs.errors import InvalidGameError
from nim_envs.registered_games import NamedGame
from nim_envs.scoring.intervals import in_words
from nim_envs.starts import ALL_NAMED_STARTS
from nim_envs.text import Language, TextGame, TextScore, Turn, rules_text
from nim_envs.text.answers import ANSWERS
from nim_envs.text.language import language_of
from nim_envs.text.programs import Program
from nim_envs.text.prompts import STYLES
from nim_envs.text.reading import check_form
from nim_envs.text.replies import Replies
from nim_envs.text.runner import answers
from nim_envs.text.scores import Questions

SEATS: dict[str, Any] = {"player_0": 0, "player_1": 1, "random": "random"}
QUIT = ("quit", "exit", "q")
LONGEST_SHOWN = 60
"""Most characters of a reply that are shown."""

CONCURRENCY = 32
"""Requests that are open at a time, by default."""

POSITIONS = ("all", "reachable", "player_0", "player_1")

last_line_option = click.option(
    "--last-line", is_flag=True, help="Search the last line of a reply for the move."
)


@click.group(cls=Group, invoke_without_command=True)
@game_and_settings()
@click.option("--disguise", type=click.IntRange(min=0), metavar="SEED",
              help="Other names for heaps and moves, and another numbering.")  # fmt: skip
@click.option("--style", type=Choice(STYLES),
              help="Style of the prompts; by default short, and sentences to score.")  # fmt: skip
@click.option("--rules", metavar="SENTENCES",
              help="What a move is, for a game of your own that does not say it.")  # fmt: skip
@click.option("--answer", type=Choice(ANSWERS), default="line", show_default=True,
              help="Form of the answers of a program.")  # fmt: skip
@last_line_option
@click.option("--opponent", default="optimal", show_default=True, metavar="OPPONENT",
              help="Optimal, random, or a probability of a random move.")  # fmt: skip
@click.option("--seat", type=Choice(list(SEATS)), default="random", show_default=True,
              help="Your seat; player_0 moves first.")  # fmt: skip
@click.option("--start", type=Choice(list(ALL_NAMED_STARTS)), default="fixed",
              show_default=True, help="Where the game begins.")  # fmt: skip
@seed_option("Seeds starts, seats and the opponent.")
@click.option("--retries", type=click.IntRange(min=0), default=3, show_default=True,
              help="Further replies in a turn after one without a legal move.")  # fmt: skip
@click.option("--score", "command", metavar="COMMAND",
              help="Score a program that reads and writes JSON Lines.")  # fmt: skip
@click.option("--positions", type=Choice(POSITIONS), default="all", show_default=True,
              help="Positions that a program is asked about.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), metavar="NUMBER",
              help="Number of replies of a program to each prompt.")  # fmt: skip
@click.option("--lost-positions", is_flag=True, help="Ask a program about lost positions too.")
@click.option("--replies", type=FILE, metavar="FILE",
              help="Keep a program's replies there, or go on from them.")  # fmt: skip
@click.pass_context
def text(
    context: click.Context,
    /,
    game: NamedGame | None,
    settings: tuple[str, ...],
    disguise: int | None,
    style: str | None,
    rules: str | None,
    answer: str,
    last_line: bool,
    opponent: str,
    seat: str,
    start: str,
    seed: int,
    retries: int,
    command: str | None,
    replies: Path | None,
    **prompts: Any,
) -> None:
    """Play a game in text, score a program that plays it, or examine a language model.

    Prompts and moves are those that language models are given. With --game alone you answer the
    prompts. With --score a program answers them; after Ctrl-C the same command goes on, as the
    replies so far are kept. The command exam asks a model about a suite of games.
    """
    if context.invoked_subcommand is not None:
        return
    if game is None:
        raise click.UsageError("which game? Add --game nim, or a command: exam or judge")
    board = game_with_settings(game, settings, start)
    language = language_of(board, disguise, rules)
    if command is not None:
        check_form(answer, last_line)
        prompts |= {"style": style or "sentences", "answer": answer}
        show_score(score_program(language, command, prompts, last_line, replies), command)
        return
    if replies is not None:
        raise click.UsageError("--replies is for --score")
    play(
        TextGame(
            language, _opponent(opponent), SEATS[seat], start, retries, seed,
            style=style or "short", last_line=last_line,
        )
    )  # fmt: skip


def _opponent(text: str) -> str | float:
    """Return the opponent named on the command line."""
    try:
        return float(text)
    except ValueError:
        return text


def play(game: TextGame) -> None:
    """Play a game by typing moves, until it is over or the person quits."""
    try:
        say(rules_text(game.language))
    except InvalidGameError as error:  # whoever made the game may play without rules
        say(str(error))
    say(f"A move is written so: {' or '.join(game.language.forms)}")
    prompt: str | None = game.reset()
    click.echo(f"You move {('first', 'second')[game.seat]}. To stop, type quit.\n")
    while prompt is not None:
        click.echo(f"{prompt}\n> ", nl=False)
        line = sys.stdin.readline()
        if not line or line.strip().lower() in QUIT:
            click.echo("stopped")
            return
        turn = game.reply(line)
        say(_verdict_in_words(turn))
        if turn.opponent_move is not None:
            click.echo(f"The opponent: {turn.opponent_move}")
        prompt = turn.prompt
        if turn.over:
            click.echo(turn.ending)


def _verdict_in_words(turn: Turn) -> str:
    truth = turn.verdict
    if truth.action is None:
        return f"No move ({truth.kind}): {truth.why}." + (" Try again." if turn.again else "")
    return {
        "kept_win": "That keeps the win.",
        "threw_win": "That throws the win away.",
        "kept_draw": "That keeps the draw.",
        "threw_draw": "That throws the draw away.",
        "lost_position": "The position was lost.",
    }[truth.kind]


def score_program(
    language: Language, command: str, prompts: dict[str, Any], last_line: bool, replies: Path | None
) -> TextScore:
    """Score a program, and keep its replies in a file until the score is complete.

    Args:
        language: language of the prompts.
        command: command line of the program.
        prompts: positions and form of the prompts: arguments of
            :class:`nim_envs.text.scores.Questions`.
        last_line: as in :func:`nim_envs.text.read_move`.
        replies: file to keep; ``None``: one in the current directory, named after the settings
            and removed in the end.
    """
    questions = Questions(language, **prompts)
    header = {**questions.header, "command": command}
    path = replies or Path(f"text_replies_{Replies(None, header).digest}.jsonl")
    with Program(command) as program, open_replies(path, header) as stored:
        pairs = answers(program, questions, stored, total=len(questions), concurrency=CONCURRENCY)
        result = questions.score(pairs, last_line=last_line)
    if replies is None:
        path.unlink()
    return result


@contextmanager
def open_replies(path: Path, header: dict[str, Any]) -> Iterator[Replies]:
    """Open a file of replies; if the block fails, say how many it has.

    Raises:
        click.UsageError: the file cannot be used, or holds replies of another run.
    """
    with writing(path):
        try:
            stored = Replies(path, header)
        except ValueError as error:
            raise click.UsageError(f"--replies: {error}") from error
    if stored.num_earlier:
        click.echo(f"going on after {stored.num_earlier} replies in {path}", err=True)
    try:
        yield stored
    except BaseException:
        click.echo(f"{len(stored)} replies are kept in {path}: the same command goes on", err=True)
        raise
    finally:
        stored.close()


def show_score(result: TextScore, command: str) -> None:
    """Print a score and the blunders behind it."""
    score = f"{result.percent:.2f} %{in_words(result.interval)}"
    positions, label = ["N-positions", f"{result.count}, {result.positions}"], "kept the win"
    if result.decisive is not None:
        positions = ["positions", f"{result.count} {result.counted}, {result.positions}"]
        label = "kept the win or draw"
    rows: list[list[Any]] = [
        ["game", result.game],
        ["prompts", f"{result.style}, version {result.prompt_version}"],
        ["program", command],
        positions,
        [label, f"{score}; random {result.random_percent:.2f} %"],
        *([] if result.decisive is None else [["of these", str(result.decisive)]]),
        ["replies", f"{result.replies}, of which"],
        *([f"- {name}", f"{share:.2f} %"] for name, share in result.shares.items()),
        *([["failed", f"{result.failed} requests, not in any share"]] if result.failed else []),
    ]
    for index, blunder in enumerate(result.blunders[:5]):
        reply = blunder.reply
        reply = reply if len(reply) <= LONGEST_SHOWN else f"{reply[:LONGEST_SHOWN]}…"
        position = " ".join(map(str, blunder.position))
        rows.append(["" if index else "first blunders", f"{position}: {reply!r}"])
    click.echo(facts(rows))
