"""Programs that read requests and write replies, as JSON Lines in any order."""

from __future__ import annotations

import shlex
import sys

import pytest

from nim_envs import make_game
from nim_envs.errors import InvalidPolicyError
from nim_envs.text import score
from nim_envs.text.language import as_language
from nim_envs.text.programs import Program
from nim_envs.text.replies import Answer, Replies, Request
from nim_envs.text.runner import answers
from nim_envs.text.scores import Questions

LOOP = "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n    "
SAY = "print(json.dumps({'id': asked['id'], 'reply': %s}), flush=True)"
FIRST_HEAP = LOOP + SAY % "'heap 0: take 1'"
ECHO = LOOP + SAY % "asked['prompt']"


def command(code):
    return shlex.join([sys.executable, "-c", code])


def requests(*prompts):
    return [Request(f"id {prompt}", prompt) for prompt in prompts]


def said(program, *prompts):
    return [answer.reply for answer in program(requests(*prompts))]


@pytest.mark.parametrize("concurrency", [1, 7])
def test_a_program_is_scored_like_a_function(concurrency):
    game = make_game("nim", heaps=(2, 3))
    questions = Questions(as_language(game))
    with Program(command(FIRST_HEAP)) as program:
        found = answers(program, questions, Replies(None, {}), concurrency=concurrency)
        result = questions.score(found)
    assert result == score(lambda prompts: ["heap 0: take 1"] * len(prompts), game)


def test_replies_come_in_any_order_with_usage_or_errors():
    code = (
        "import json, sys\n"
        "asked = [json.loads(sys.stdin.readline()) for _ in range(3)]\n"
        "assert asked[0]['messages'] == [{'role': 'user', 'content': 'one'}]\n"
        "usage = {'prompt_tokens': 3, 'completion_tokens': 5}\n"
        "print(json.dumps({'id': asked[2]['id'], 'error': 'too long'}))\n"
        "print(json.dumps({'id': asked[1]['id'], 'reply': 'B\\u2028\\n', 'usage': usage}))\n"
        "print(json.dumps({'id': asked[0]['id'], 'reply': 'A'}))\n"
    )
    with Program(command(code)) as program:
        assert program(requests("one", "two", "three")) == [
            Answer("A"), Answer("B\u2028\n", None, 3, 5), Answer(None, "too long"),
        ]  # fmt: skip


def test_long_replies_and_letters_that_are_none():
    code = LOOP + SAY % "'x' * 300_000"
    with Program(command(code)) as program:
        assert len(said(program, "one")[0]) == 300_000
    code = (
        LOOP + 'sys.stdout.buffer.write(b\'{"id": "id one", "reply": "\\xff"}\\n\')\n'
        "    sys.stdout.flush()"
    )
    with Program(command(code)) as program:
        assert said(program, "one") == ["\ufffd"]
    with Program(command(ECHO)) as program:
        assert said(program, "é \ud800 \n\u2028") == ["é \ud800 \n\u2028"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("no-such-program", "'no-such-program' cannot be run: No such file"),
        ("", "cannot be run: it is empty"),
        ("'", "cannot be run: No closing quotation"),
    ],
)
def test_an_invalid_command_is_refused(words, message):
    with pytest.raises(InvalidPolicyError, match=message):
        Program(words)


@pytest.mark.parametrize(
    "line",
    [
        "loading the model", "", "3", "[]", '{"id": "id two"}', '{"id": "id two", "reply": 3}',
        '{"id": "other", "reply": ""}', '{"id": "id one", "reply": ""}', '{"id": [], "reply": ""}',
        '{"reply": ""}', '{"id": "id two", "reply": "", "usage": {"prompt_tokens": "x"}}',
        '{"id": "id two", "reply": "", "usage": {"prompt_tokens": 1e999}}',
        '{"id": "id two", "reply": "", "usage": 3}', "[" * 100_000,
    ],
)  # fmt: skip
def test_anything_else_on_standard_output_ends_the_run_with_what_was_read(line):
    code = (
        f"{LOOP}print(json.dumps({{'id': asked['id'], 'reply': 'A'}}) "
        f"if asked['prompt'] == 'one' else {line!r}, flush=True)"
    )
    with Program(command(code)) as program:
        assert said(program, "one") == ["A"]
        with pytest.raises(InvalidPolicyError, match=r"wrote .* after 1 replies") as raised:
            said(program, "two")
        assert repr(f"{line}\n"[:200]) in str(raised.value)
        with pytest.raises(InvalidPolicyError, match="wrote"):
            said(program, "three")


def test_a_program_that_ends_early_is_named():
    code = (
        "import json, sys\nasked = json.loads(sys.stdin.readline())\n"
        + SAY % "'A'"
        + "\nsys.exit(3)"
    )
    with (
        pytest.raises(InvalidPolicyError, match=r"ended with exit code 3, after 1 replies"),
        Program(command(code)) as program,
    ):
        program(requests("one", "two", "three"))


def test_a_program_that_closes_its_input_is_named(monkeypatch):
    monkeypatch.setattr("nim_envs.text.programs.SECONDS_TO_END", 0.1)
    with (
        pytest.raises(InvalidPolicyError, match="closed its input, after 0 replies"),
        Program(command("import os, time\nos.close(0)\ntime.sleep(60)")) as program,
    ):
        said(program, "x" * 1_000_000)


def test_a_program_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr("nim_envs.text.programs.SECONDS_TO_END", 0.1)
    stubborn = (
        "import json, signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "asked = json.loads(sys.stdin.readline())\n" + SAY % "'A'" + "\ntime.sleep(1000)"
    )
    program = Program(command(stubborn))
    assert said(program, "one") == ["A"]
    program.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert program._process.poll() is not None
