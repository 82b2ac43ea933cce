"""Runs of many requests: files of replies, limits, failures, threads, servers, and kills."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.cli.main import run
from nim_envs.errors import InvalidGameError, InvalidPolicyError, LimitReachedError
from nim_envs.text import score
from nim_envs.text.replies import Answer, Replies, Request
from nim_envs.text.runner import Limits, answers
from nim_envs.text.servers import Server
from tests.nim_envs.text.model_server import FAULTS, ModelServer

ROOT = Path(__file__).resolve().parents[3]
HEADER = {"game": "nim"}


def requests(number, first=0):
    return [Request(f"id {index}", f"prompt {index}") for index in range(first, number)]


def echo(asked):
    return [Answer(f"reply to {request.prompt}\u2028\n", None, 10, 5) for request in asked]


def kept(path, header=HEADER):
    found = Replies(path, header)
    found.close()
    return found


def test_replies_are_on_disk_before_they_are_judged_and_not_asked_for_again(tmp_path):
    path, asked = tmp_path / "replies.jsonl", []

    def ask(batch):
        asked.extend(request.prompt for request in batch)
        return echo(batch)

    first = Replies(path, HEADER)
    for number, (request, answer) in enumerate(answers(ask, requests(4), first)):
        lines = path.read_bytes().splitlines()
        assert len(lines) == number + 2
        assert json.loads(lines[-1])["id"] == request.id
        assert answer == echo([request])[0]
        if number == 2:
            break
    first.close()
    with path.open("ab") as file:
        file.write(b'{"id": "id 3", "repl')  # as when the process was killed in a line
    second = Replies(path, HEADER)
    assert second.num_earlier == len(second) == 3
    found = dict(answers(ask, requests(5), second))
    second.close()
    assert [found[request] for request in requests(5)] == echo(requests(5))
    assert asked == [f"prompt {index}" for index in (0, 1, 2, 3, 4)]
    assert (second.prompt_tokens, second.reply_tokens) == (50, 25)
    assert second.content() == path.read_bytes()


def test_files_of_something_else_are_refused_and_left_as_they_are(tmp_path):
    path = tmp_path / "replies.jsonl"
    for content in (
        "no JSON\n", "hello", '{"a": 3}', '{"format": "other"}\n', "3\n",
        '{"format": "nim_envs replies, version 1"}\n3\n',
        '{"format": "nim_envs replies, version 1"}\n{"id": "3"}\n',
        '{"format": "nim_envs replies, version 1"}\n{"id": "3", "prompt": "", "x": 1}\n',
    ):  # fmt: skip
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ValueError, match="holds"):
            Replies(path, HEADER)
        assert path.read_text(encoding="utf-8") == content
    path.unlink()
    kept(path)
    with pytest.raises(ValueError, match="another run: game 'nim', not 'kayles'"):
        Replies(path, {"game": "kayles"})
    path.write_bytes(path.read_bytes()[:20])  # killed in the header
    assert len(kept(path)) == 0
    held = Replies(path, HEADER)
    if os.name == "posix":
        with pytest.raises(ValueError, match="another process is writing"):
            Replies(path, HEADER)
    held.add(Request("one", "prompt"), Answer("reply"))
    with pytest.raises(ValueError, match="is to the prompt 'prompt', not to 'other'"):
        list(answers(echo, [Request("one", "other")], held))
    held.close()


@pytest.mark.parametrize("concurrency", [1, 3, 50])
@pytest.mark.parametrize("batch_size", [1, 4])
def test_all_requests_are_answered_in_batches_by_several_threads(concurrency, batch_size):
    running, most, lock = 0, 0, threading.Lock()

    def ask(batch):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.001)
        with lock:
            running -= 1
        assert len(batch) <= batch_size
        return echo(batch)

    asked = requests(30)
    found = dict(
        answers(ask, asked, Replies(None, {}), concurrency=concurrency, batch_size=batch_size)
    )
    assert [found[request] for request in asked] == echo(asked)
    assert most <= concurrency


@pytest.mark.parametrize("concurrency", [1, 4])
def test_an_exception_comes_after_the_replies_under_way(concurrency):
    def ask(batch):
        if batch[0].id == "id 5":
            raise KeyError("five")
        return echo(batch)

    replies = Replies(None, {})
    with pytest.raises(KeyError, match="five"):
        list(answers(ask, requests(100), replies, concurrency=concurrency))
    assert 5 <= len(replies) < 100


def test_failures_are_rows_of_their_own_and_asked_again_by_the_next_run(tmp_path):
    path, fails = tmp_path / "replies.jsonl", {"id 3"}

    def ask(batch):
        return [Answer(None, "no") if one.id in fails else echo([one])[0] for one in batch]

    first = Replies(path, HEADER)
    found = dict(answers(ask, requests(6), first))
    first.close()
    assert found[requests(6)[3]] == Answer(None, "no")
    assert len(first) == 5
    fails.clear()
    second = Replies(path, HEADER)
    found = dict(answers(ask, requests(6), second))
    second.close()
    assert [found[request] for request in requests(6)] == echo(requests(6))
    fails.update(f"id {index}" for index in range(100))
    with pytest.raises(InvalidPolicyError, match=r"the last 10 requests failed, .*: no"):
        list(answers(ask, requests(100), Replies(None, {})))


def test_limits_end_a_run_and_hold_over_runs(tmp_path):
    path = tmp_path / "replies.jsonl"
    replies = Replies(path, HEADER)
    with pytest.raises(LimitReachedError, match="limit of 100 tokens is reached: 105"):
        list(answers(echo, requests(100), replies, limits=Limits(tokens=100)))
    replies.close()
    again = Replies(path, HEADER)
    limits = Limits(cost=2.0, prompt_price=10_000, reply_price=20_000)
    assert limits.spent(again) == pytest.approx(7 * 0.2)
    with pytest.raises(LimitReachedError, match=r"limit on the cost, 2, is reached: 2\.0000"):
        list(answers(echo, requests(100), again, limits=limits, concurrency=4))
    assert 10 <= len(again) <= 13
    again.close()

    def no_usage(batch):
        return [Answer("reply") for _ in batch]

    with pytest.raises(InvalidPolicyError, match="no usage came"):
        list(answers(no_usage, requests(5), Replies(None, {}), limits=Limits(tokens=100)))


def test_scores_keep_replies_when_the_speaker_raises(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    game, calls = make_game("nim", heaps=(2, 3)), []

    def speak(prompts):
        calls.append(len(prompts))
        if len(calls) == 3:
            raise ConnectionError("lost")
        return ["heap 0: take 1"] * len(prompts)

    with (
        pytest.warns(RuntimeWarning, match="4 replies are in text_replies_") as warned,
        pytest.raises(ConnectionError, match="lost"),
    ):
        score(speak, game, batch_size=2)
    (path,) = tmp_path.glob("text_replies_*.jsonl")
    assert path.name in str(warned[0].message)
    result = score(speak, game, batch_size=2, replies=path)
    assert sum(calls) == 6 + 5  # two of them twice: those under way
    assert result == score(lambda prompts: ["heap 0: take 1"] * len(prompts), game)
    judged = score(lambda prompts: 1 / 0, game, replies=path, last_line=True)
    assert judged.percent == result.percent
    with pytest.raises(ValueError, match="holds replies of another run"):
        score(speak, game, replies=path, answer="tag")
    with pytest.raises(InvalidGameError, match="concurrency"):
        score(speak, game, concurrency=0)
    assert score(speak, game, concurrency=3, batch_size=1) == result


def server(model, **settings):
    return Server(model.url, "stand-in", {"temperature": 0}, backoff=0.001, **settings)


def test_a_server_is_asked_with_the_key_of_the_environment_and_shows_it_nowhere(
    monkeypatch, tmp_path, caplog
):
    caplog.set_level("DEBUG")
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with ModelServer(lambda prompt: "the key is sk-very-secret") as model:
        path = tmp_path / "replies.jsonl"
        with server(model, key_variable="MY_KEY", system="Play.") as ask:
            replies = Replies(path, HEADER)
            ((_, answer),) = answers(ask, requests(1), replies)
            replies.close()
        with server(model, key_variable="OTHER_KEY") as ask:
            ask(requests(1))
    assert answer.reply == "the key is [key]"
    assert (answer.prompt_tokens, answer.reply_tokens) == (8, 25)
    assert answer.details == {"model": "stand-in", "finish_reason": "stop"}
    first, second = model.headers
    assert first["Authorization"] == "Bearer sk-very-secret"
    assert "Authorization" not in second
    assert model.bodies[0] == {
        "model": "stand-in", "temperature": 0,
        "messages": [
            {"role": "system", "content": "Play."}, {"role": "user", "content": "prompt 0"},
        ],
    }  # fmt: skip
    assert "secret" not in path.read_text(encoding="utf-8") + caplog.text


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        ("localhost:8000", "", "no address"),
        ("ftp://host/v1", "", "no address"),
        ("http://me:secret@host/v1", "", "holds a password"),
        ("http://host/v1?key=secret", "", "holds a password or a query"),
        ("http://host/v1", "secret\nkey", "KEY has characters"),
        ("http://host/v1", "secrét", "KEY has characters"),
    ],
)
def test_addresses_and_keys_that_would_show_a_secret_are_refused(monkeypatch, url, key, words):
    monkeypatch.setenv("KEY", key)
    with pytest.raises(InvalidPolicyError, match=words) as raised:
        Server(url, "stand-in", key_variable="KEY")
    assert "secr" not in str(raised.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_request_is_sent_again_after_each_fault(fault):
    with (
        ModelServer(str.upper, [fault], share=1.0, most=2) as model,
        server(model, timeout=0.5) as ask,
    ):
        assert [answer.reply for answer in ask(requests(2))] == ["PROMPT 0", "PROMPT 1"]
    assert len(model.bodies) == 6


def test_a_request_that_fails_at_every_attempt_is_a_failure():
    with (
        ModelServer(str.upper, ["500"], share=1.0, most=9) as model,
        server(model, attempts=3) as ask,
    ):
        (answer,) = ask(requests(1))
    assert answer == Answer(None, "HTTP 500: later")
    assert len(model.bodies) == 3
    with server(model, attempts=2) as ask:
        (answer,) = ask(requests(1))
    assert answer.reply is None
    assert answer.error.startswith("ConnectError")


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_server_that_refuses_everything_ends_the_run(code):
    with ModelServer(str.upper, code=code) as model, server(model) as ask:
        with pytest.raises(InvalidPolicyError, match=f"refuses: HTTP {code}"):
            list(answers(ask, requests(50), Replies(None, {}), concurrency=4))
        assert len(model.bodies) <= 8
    with ModelServer(str.upper, code=400) as model, server(model) as ask:
        assert ask(requests(1))[0].error.startswith("HTTP 400")
        assert len(model.bodies) == 1


EXAM = ("--only", "nim-3-4-5", "--only", "kayles-disguised", "--only", "graph-a")


def exam(model, folder, *words):
    return [
        sys.executable, "-m", "nim_envs", "text", "exam", "--openai", model.url, "--model",
        "stand-in", *EXAM, "--concurrency", "8", "--attempts", "20", "--backoff", "0.01",
        "--timeout", "1", "--replies", str(folder / "replies.jsonl"), "--output",
        str(folder / "results.json"), *words,
    ]  # fmt: skip


def perfect_or_wrong(suite):
    """Right answers to two thirds of the prompts of a suite, faults of both kinds to the others."""
    moves = {}
    for number, (request, (setting, item)) in enumerate(
        zip(suite.requests(style="sentences", answer="tag"), suite.items.values(), strict=True)
    ):
        kept = min(setting.language.outcomes(item.position).keeping)
        move = setting.language.move(item.position, kept)
        moves[request.prompt] = (f"Hm. <move>{move}</move>", move, f"<move>{move}</move>")[
            number % 3
        ]
    return moves


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.exhaustive)])
def test_a_run_that_is_killed_at_any_moment_goes_on_and_pays_for_nothing_twice(
    tmp_path, kills, monkeypatch
):
    from nim_envs.text.exam import Suite

    moves = perfect_or_wrong(Suite(0, EXAM[1::2]))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "sk-very-secret"}
    env.pop("PYTHONWARNINGS", None)
    (tmp_path / "calm").mkdir()
    with ModelServer(moves.__getitem__) as model:
        monkeypatch.setenv("OPENAI_API_KEY", env["OPENAI_API_KEY"])
        assert run(exam(model, tmp_path / "calm")[3:]) == 0
    expected = json.loads((tmp_path / "calm" / "results.json").read_text(encoding="utf-8"))
    rng = np.random.default_rng(kills)
    path, known = tmp_path / "replies.jsonl", {}
    with ModelServer(
        moves.__getitem__, ("429", "500", "cut", "garbage", "empty", "close"), seconds=0.05
    ) as model:
        for _ in range(kills):
            process = subprocess.Popen(
                exam(model, tmp_path), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            lines = path.read_bytes().count(b"\n") if path.exists() else 0
            wanted = lines + int(rng.integers(1, 2 + 2 * 140 // kills // 2))
            while process.poll() is None and (
                not path.exists() or path.read_bytes().count(b"\n") < wanted
            ):
                time.sleep(0.002)
            time.sleep(float(rng.random()) * 0.02)
            process.kill()
            process.communicate()
            on_disk = path.read_bytes().rpartition(b"\n")[0].splitlines()[1:]
            time.sleep(0.1)  # those under way arrive nowhere
            for line in on_disk:
                prompt = json.loads(line)["prompt"]
                known.setdefault(prompt, model.paid[prompt])
        finished = subprocess.run(exam(model, tmp_path), env=env, capture_output=True, text=True)
        assert finished.returncode == 0, finished.stderr
        assert all(model.paid[prompt] == paid for prompt, paid in known.items())
        assert len(model.paid) == len(moves)
        assert sum(model.paid.values()) <= len(moves) + 8 * kills
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert found["kinds"] == expected["kinds"]
    assert found["rows"] == expected["rows"]
    assert found["missing"] == 0
    for file in tmp_path.rglob("*"):
        assert file.is_dir() or "secret" not in file.read_text(encoding="utf-8")
