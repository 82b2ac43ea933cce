"""The command that plays in text, driven as a person would."""

import io
import re
import sys

import pytest

from tests.commands import run_nim_envs as run


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
        (["--game", "nim", "--opponent", "perfect"], "not 'perfect'"),
        (["--game", "nim", "--set", "heap=3"], "heap"),
        ([], "which game"),
    ],
)
def test_wrong_arguments_are_named(typed, arguments, words):
    code, _, errors = typed(*arguments)
    assert code == 2
    assert words in errors
    assert errors.splitlines()[-1].startswith("Error: ")


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
