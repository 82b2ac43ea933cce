"""The command that plays in text and scores programs, driven as a person would."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nim_envs import make_game
from nim_envs.cli.main import run
from nim_envs.text import score
from tests.nim_envs.text.speakers import Scripted, playable

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import json, sys
for number, line in enumerate(sys.stdin):
    print(json.dumps({{"id": json.loads(line)["id"], "reply": "heap 0: take 1"}}), flush=True)
    print(line, end="", file=open("asked", "a"))
    if number + 1 == {stop_after}:
        import time; time.sleep(1000)
"""


@pytest.fixture
def typed(monkeypatch, capsys):
    """Runs the command for a person who types ``text``: exit code, output and errors."""

    def typed(*arguments, text=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        code = run(["text", *arguments])
        return code, *capsys.readouterr()

    return typed


def test_a_person_plays_to_the_end(typed):
    code, out, _ = typed(
        "--game", "nim", "--set", "heaps=1,2", "--seat", "player_0",
        text="heap 5: take 1\nheap 1: take 1\nheap 0: take 1\n",
    )  # fmt: skip
    assert code == 0
    for words in (
        "There are 2 heaps, numbered 0 and 1", "heap <number>: take <number>", "You move first",
        "normal heaps 1 2 move", "No move (illegal)", "Try again.", "That keeps the win.",
        "The opponent: heap",
    ):  # fmt: skip
        assert words in out
    one = ["--game", "nim", "--set", "heaps=1,0", "--seat", "player_0"]
    assert typed(*one, text="heap 0: take 1\n")[1].endswith("> That keeps the win.\nYou win.\n")
    assert typed(*one, "--retries", "0", text="pass\n")[1].endswith("You lose.\n")


def test_a_person_stops_and_plays_a_disguised_game(typed):
    disguised = ["--game", "kayles", "--disguise", "3", "--opponent", "0.5"]
    for text in ("quit\n", ""):
        code, out, _ = typed(*disguised, text=text)
        assert code == 0
        assert "heap" not in out
        assert out.endswith("> stopped\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--opponent", "perfect"], "opponent must be"),
        (["--score", "no-such-program"], "cannot be run"),
        (["--replies", "x"], "--replies is for --score"),
        (["--set", "heap=3"], "did you mean 'heaps'"),
    ],
)
def test_wrong_arguments_are_named(typed, arguments, words):
    code, _, errors = typed("--game", "nim", *arguments)
    assert code == 2
    assert words in errors
    assert len(errors.splitlines()) == 1


def script(folder, stop_after=0):
    path = folder / "program.py"
    path.write_text(PROGRAM.format(stop_after=stop_after), encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


def test_a_program_is_scored_and_its_blunders_are_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["text", "--game", "nim", "--set", "heaps=2,3", "--score", script(tmp_path)]
    assert run(arguments) == 0
    shown = capsys.readouterr().out
    game = make_game("nim", heaps=(2, 3))
    result = score(Scripted(game, playable(game), lambda position: "heap 0: take 1"), game)
    for words in (
        f"{result.percent:.2f} %; random {result.random_percent:.2f} %",
        f"{result.count}, all", "sentences, version 2", "nim, heaps 2-3, normal play",
        f"{result.illegal:.2f} %", "0 1: 'heap 0: take 1'",
    ):  # fmt: skip
        assert words in shown
    assert len((tmp_path / "asked").read_text(encoding="utf-8").splitlines()) == result.count
    assert sorted(path.name for path in tmp_path.iterdir()) == ["asked", "program.py"]
    assert run([*arguments, "--samples", "2", "--lost-positions", "--style", "short"]) == 0
    assert " to " in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_replies_from_before_ctrl_c_are_not_requested_again(tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    words = ["--game", "nim", "--set", "heaps=2,3", "--score", script(tmp_path, stop_after=4)]
    process = subprocess.Popen(
        [sys.executable, "-m", "nim_envs", "text", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    kept = None
    while kept is None:
        kept = next((path for path in tmp_path.glob("text_replies_*.jsonl")), None)
        if kept is not None and kept.read_text(encoding="utf-8").count("\n") < 5:
            kept = None
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"4 replies are kept in {kept.name}" in errors
    assert errors.splitlines()[-1] == "stopped"
    script(tmp_path)
    code, out, errors = typed(*words)
    assert code == 0
    assert "going on after 4 replies" in errors
    assert "9, all" in out
    assert len(set(asked(tmp_path))) == len(asked(tmp_path)) == 9
    assert not kept.exists()


def test_replies_are_kept_where_that_is_asked_for(tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    words = ["--game", "nim", "--set", "heaps=2,3", "--score", script(tmp_path)]
    first = typed(*words, "--replies", "kept")
    header, *replies = map(json.loads, Path("kept").read_text(encoding="utf-8").splitlines())
    assert (header["prompt_version"], header["game"]) == (2, "nim, heaps 2-3, normal play")
    assert sorted(reply["prompt"] for reply in replies) == sorted(asked(tmp_path))
    again = typed(*words, "--replies", "kept")
    assert again[1] == first[1]
    assert len(asked(tmp_path)) == 9
    code, _, errors = typed("--game", "kayles", *words[4:], "--replies", "kept")
    assert code == 2
    assert "holds replies of" in errors


def asked(folder):
    """The prompts that the program was given."""
    lines = (folder / "asked").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["prompt"] for line in lines]


def test_rules_of_a_game_of_ones_own(typed, tmp_path, monkeypatch):
    (tmp_path / "owncoin.py").write_text(
        "import nim_envs\n"
        "coin = nim_envs.game_from_moves(\n"
        "    'coin', (2,), lambda p: [(f'left {n}', (p[0] - n,)) for n in (1, 2) if n <= p[0]])\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    own = ["--game", "owncoin:coin", "--seat", "player_0"]
    code, out, _ = typed(*own, text="left 2\n")
    assert code == 0
    assert "say it with rules=" in out
    assert out.endswith("You win.\n")
    told = [*own, "--rules", "In each turn go 1 or 2 to the left."]
    shown = " ".join(typed(*told, text="quit\n")[1].split())
    assert "In each turn go 1 or 2 to the left. Whoever" in shown
    disguised = " ".join(typed(*told, "--disguise", "1", text="quit\n")[1].split())
    assert "or 2 to the left." not in disguised  # as in the moves
    assert re.search(r"or 2 to the (\w+)\. .*: \1 <number>", disguised)
    code, _, error = typed(*own, "--style", "sentences")
    assert code == 2
    assert "rules=" in error
