"""The commands that examine a language model, judge its replies again, and compare two results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from nim_envs.cli.layout import Choice, Command, Group
from nim_envs.cli.options import DIRECTORY, FILE, seed_option
from nim_envs.cli.running import using, writing
from nim_envs.cli.text import CONCURRENCY, last_line_option, open_replies
from nim_envs.files import write_atomically
from nim_envs.optional import needed
from nim_envs.text import PROMPT_VERSION
from nim_envs.text.answers import ANSWERS
from nim_envs.text.exam import PLAYERS, PUBLIC_SEEDS, Results, Suite, asking_player
from nim_envs.text.exam import compare as compare_results
from nim_envs.text.exam import judge as judge_answers
from nim_envs.text.exam.results import header
from nim_envs.text.exam.tables import csv_of_speakers, markdown, markdown_of_speakers
from nim_envs.text.programs import Program
from nim_envs.text.reading import check_form
from nim_envs.text.replies import Ask, Replies, read_lines
from nim_envs.text.runner import Limits, answers

ANSWER = "tag"
"""Default form of the answers: whatever comes before the mark is free."""

READABLE = click.Path(exists=True, dir_okay=False, path_type=Path)

answer_help = "Form of the answers: the whole reply, or a marked move after free reasoning."
output_option = click.option(
    "--output", "outputs", type=FILE, multiple=True, metavar="FILE",
    help="Write the results there, as JSON if it ends in .json, else in Markdown; repeatable.",
)  # fmt: skip


@click.group(cls=Group, invoke_without_command=True)
@click.option("--openai", "url", metavar="URL",
              help="Ask a server with OpenAI's interface: http://localhost:8000/v1")  # fmt: skip
@click.option("--model", metavar="NAME", help="Name of the model on the server.")
@click.option("--command", metavar="COMMAND",
              help="Ask a program that reads and writes JSON Lines.")  # fmt: skip
@click.option("--offline", is_flag=True,
              help=f"Print the rows of players without a model: {', '.join(PLAYERS)}.")  # fmt: skip
@seed_option("Seed of the suite: 0 to 4 are public, another one is yours to hold back.")
@click.option("--only", multiple=True, metavar="SETTING",
              help="One of the settings, for a try; repeatable.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=1, show_default=True,
              help="Replies at each position.")  # fmt: skip
@click.option("--answer", type=Choice(ANSWERS), default=ANSWER, show_default=True,
              help=answer_help)  # fmt: skip
@click.option("--reasons", is_flag=True,
              help="Ask for reasons too, and check every claim.")  # fmt: skip
@last_line_option
@click.option("--concurrency", type=click.IntRange(min=1), default=CONCURRENCY, show_default=True,
              help="Requests that are open at a time.")  # fmt: skip
@click.option("--max-tokens", type=click.IntRange(min=1),
              help="Most tokens of a reply, asked of the server.")  # fmt: skip
@click.option("--temperature", type=click.FloatRange(min=0), help="Temperature of the model.")
@click.option("--body", default="{}", metavar="JSON",
              help='Further fields of each request, such as {"top_p": 0.9}.')  # fmt: skip
@click.option("--system", metavar="TEXT", help="System message.")
@click.option("--key-variable", default="OPENAI_API_KEY", show_default=True, metavar="NAME",
              help="Environment variable with the key, which is written nowhere.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=600.0,
              show_default=True, help="Seconds for a reply of the server.")  # fmt: skip
@click.option("--attempts", type=click.IntRange(min=1), default=8, show_default=True,
              help="Most times a request is sent, after 429, 5xx or a broken reply.")  # fmt: skip
@click.option("--backoff", type=click.FloatRange(min=0), default=1.0, show_default=True,
              help="Seconds of the first wait between attempts, which doubles.")  # fmt: skip
@click.option("--token-limit", type=click.IntRange(min=1),
              help="Stop after that many tokens of prompts and replies.")  # fmt: skip
@click.option("--cost-limit", type=click.FloatRange(min=0), help="Stop at that cost.")
@click.option("--prompt-price", type=click.FloatRange(min=0), default=0.0,
              help="Price of a million tokens of prompts.")  # fmt: skip
@click.option("--reply-price", type=click.FloatRange(min=0), default=0.0,
              help="Price of a million tokens of replies.")  # fmt: skip
@click.option("--replies", type=FILE, metavar="FILE",
              help="Keep the replies there, or go on from them.")  # fmt: skip
@output_option
@click.pass_context
def exam(
    context: click.Context,
    /,
    url: str | None,
    model: str | None,
    command: str | None,
    offline: bool,
    seed: int,
    only: tuple[str, ...],
    samples: int,
    answer: str,
    reasons: bool,
    last_line: bool,
    concurrency: int,
    token_limit: int | None,
    cost_limit: float | None,
    prompt_price: float,
    reply_price: float,
    replies: Path | None,
    outputs: tuple[Path, ...],
    **request: Any,
) -> None:
    """Score a language model exactly, on a suite of games made from a seed.

    Replies are written to a file before they are judged; after Ctrl-C, a power cut or a limit the
    same command goes on. The command judge judges them again with another reading.
    """
    if context.invoked_subcommand is not None:
        return
    if (url is not None) + (command is not None) + offline != 1:
        raise click.UsageError("whom to ask? Add one of --openai URL, --command or --offline")
    if offline:
        offline_table(seed, only, outputs)
        return
    check_form(answer, last_line)
    if reasons and answer == "line":
        raise click.UsageError("--reasons needs an answer that is marked: tag, boxed or json")
    form: dict[str, Any] = {"style": "sentences", "answer": answer}
    form |= {"reasons": True} if reasons else {}
    if cost_limit is not None and not prompt_price and not reply_price:
        raise click.UsageError("--cost-limit needs --prompt-price or --reply-price")
    suite = Suite(seed, only)
    with ExitStack() as stack:
        ask: Ask
        settings: dict[str, Any] = {}
        if command is not None:
            speaker = command
            ask = stack.enter_context(Program(command))
        else:
            if model is None:
                raise click.UsageError("--openai needs --model NAME")
            speaker = model
            settings, ask = _server(stack, str(url), model, **request)
        facts = header(suite, speaker, settings, samples, form)
        path = replies or Path(f"exam_{_in_a_name(speaker)}_{Replies(None, facts).digest}.jsonl")
        limits = Limits(token_limit, cost_limit, prompt_price, reply_price)
        with open_replies(path, facts) as stored:
            pairs = list(
                answers(
                    ask, suite.requests(samples, **form), stored,
                    total=len(suite.items) * samples, concurrency=concurrency, limits=limits,
                )
            )  # fmt: skip
            spent = stored.prompt_tokens, stored.reply_tokens, limits.spent(stored)
    results = judge_answers(suite, pairs, facts, {"answer": answer, "last_line": last_line})
    show(results, outputs)
    click.echo(f"replies: {path}")
    if any(spent):
        price = f"; cost {spent[2]:.4f}" if spent[2] else ""
        click.echo(f"tokens: {spent[0]} of prompts, {spent[1]} of replies{price}")


def _server(stack: ExitStack, url: str, model: str, **request: Any) -> tuple[dict[str, Any], Ask]:
    """Return what the replies of a server depend on, and the server."""
    try:
        body = json.loads(request["body"])
        if not isinstance(body, dict) or {"model", "messages", "stream"} & set(body):
            raise ValueError("an object without model, messages and stream is expected")
    except ValueError as error:
        raise click.UsageError(f"--body: {error}") from None
    named = {name: request[name] for name in ("max_tokens", "temperature")}
    body = {**{name: value for name, value in named.items() if value is not None}, **body}
    server = needed("nim_envs.text.servers", "asking a server", "exam")
    options = ("system", "key_variable", "timeout", "attempts", "backoff")
    ask = stack.enter_context(
        server.Server(url, model, body, **{name: request[name] for name in options})
    )
    return {"url": url, "system": request["system"], "body": body}, ask


def _in_a_name(speaker: str) -> str:
    """Return the name of a speaker as a part of the name of a file."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", speaker).strip("-.")[:40] or "model"


def show(results: Results, outputs: tuple[Path, ...]) -> None:
    """Print results, and write them to files."""
    click.echo(markdown(results))
    write(outputs, {".json": results.as_json}, lambda: markdown(results))


def write(
    outputs: tuple[Path, ...], forms: dict[str, Callable[[], str]], other: Callable[[], str]
) -> None:
    """Write files, in the form that the end of each one's name asks for."""
    for path in outputs:
        with writing(path):
            write_atomically(path, forms.get(path.suffix, other)().encode())


def offline_table(seed: int, only: tuple[str, ...], outputs: tuple[Path, ...]) -> None:
    """Print the results of the players without a model in one table, and write it to files."""
    suite, results = Suite(seed, only), []
    form: dict[str, Any] = {"style": "sentences", "answer": "line"}
    requests = list(suite.requests(**form))
    for name in PLAYERS:
        facts = header(suite, name, {}, 1, form)
        pairs = zip(requests, asking_player(name, suite)(requests), strict=True)
        results.append(judge_answers(suite, pairs, facts, {"answer": "line", "last_line": False}))
    click.echo(markdown_of_speakers(results))
    forms = {".csv": lambda: csv_of_speakers(results)}
    write(outputs, forms, lambda: markdown_of_speakers(results))


@click.command(cls=Command)
@click.argument("replies", type=READABLE)
@click.option("--answer", type=Choice(ANSWERS),
              help="Form of the answers; by default the one that was asked for.")  # fmt: skip
@last_line_option
@output_option
def judge(replies: Path, answer: str | None, last_line: bool, outputs: tuple[Path, ...]) -> None:
    """Judge the replies of an exam again, with another reading; nothing is asked."""
    with using(replies):
        try:
            facts, entries = read_lines(replies.read_bytes(), replies)
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    if facts is None or "exam" not in facts:
        raise click.UsageError(f"{replies} holds no replies of an exam")
    if facts["prompt_version"] != PROMPT_VERSION:
        raise click.UsageError(
            f"{replies} holds replies to prompts of version {facts['prompt_version']}, not "
            f"{PROMPT_VERSION}"
        )
    suite = Suite(facts["seed"], tuple(facts["only"]))
    reading: dict[str, Any] = {"answer": answer or facts["form"]["answer"], "last_line": last_line}
    check_form(**reading)
    show(judge_answers(suite, entries, facts, reading), outputs)


@exam.command(cls=Command)
@click.argument("first", type=READABLE)
@click.argument("second", type=READABLE)
def compare(first: Path, second: Path) -> None:
    """Compare two results of the same suite, written with --output results.json."""
    try:
        click.echo(compare_results(Results.from_json(first), Results.from_json(second)))
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@exam.command(cls=Command)
@click.option("--output", "directory", type=DIRECTORY, required=True,
              metavar="DIRECTORY", help="Directory of the dataset.")  # fmt: skip
@click.option("--seed", "seeds", type=click.IntRange(min=0), multiple=True,
              default=PUBLIC_SEEDS, show_default=True,
              help="Seed of a suite, one split each; repeatable.")  # fmt: skip
@click.option("--answer", type=Choice(ANSWERS), default=ANSWER, show_default=True,
              help=answer_help)  # fmt: skip
def export(directory: Path, seeds: tuple[int, ...], answer: str) -> None:
    """Write suites as a dataset: Parquet, a data card, and Croissant metadata."""
    module = needed("nim_envs.text.exam.export", "the export of the exam", "exam-export")
    with using(directory):
        for path in module.export(directory, tuple(dict.fromkeys(seeds)), answer):
            click.echo(f"wrote {path}")
