"""The command line, driven as a person would."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import time
from itertools import combinations, product
from pathlib import Path

import click
import numpy as np
import pygame
import pytest

from agents import OptimalAgent, QLearning, RandomAgent, RealTimeDynamicProgramming
from agents.cli.main import run
from agents.cli.options import learner_defaults, make_learner
from agents.players.human import HumanAgent, Quit
from agents.registry import LEARNERS
from agents.storage import load, save
from nim_envs import GameEnv, make_game, optimality
from tests.agents.learning import contents, own_game

ROOT = Path(__file__).resolve().parents[3]
PLAY = [sys.executable, "-m", "agents", "play"]


class Terminal:
    """A program on a pseudo-terminal: type to it, wait for what it shows."""

    def __init__(self, arguments):
        master, slave = pty.openpty()
        self.process = subprocess.Popen(
            arguments, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, close_fds=True
        )
        os.close(slave)
        self.master = master
        self.shown = ""

    def wait_for(self, text, seconds=60):
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            ready, _, _ = select.select([self.master], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"waited for {text!r}, saw {self.shown!r}"
            try:
                chunk = os.read(self.master, 4096)
            except OSError:  # the program has ended
                chunk = b""
            assert chunk, f"ended before {text!r}, after {self.shown!r}"
            self.shown += chunk.decode()
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        code = self.process.wait(timeout=60)
        os.close(self.master)
        return code


@pytest.fixture
def play(monkeypatch, capsys):
    """Function that plays with these answers, then quits.

    It returns what is shown before each answer and after the last.
    """

    def played(*arguments, answers=()):
        shown, typed = [], iter(answers)

        def answer(prompt):
            shown.append(capsys.readouterr().out + prompt)
            return next(typed, "quit")

        monkeypatch.setattr("builtins.input", answer)
        assert run(["play", *arguments]) == 0
        return [*shown, capsys.readouterr().out]

    return played


NONSENSE = ("", "foo", "-1", "1 1 1 1", "0", "99999999999999999999999", "½")


@pytest.mark.parametrize(
    ("game", "wrong", "legal", "right", "result"),
    [
        # One heap each, so that one move decides.
        (["--game", "nim", "--set", "heaps=3"], "4", "heap 0: take 1 to 3", "3", "You have won."),
        (["--game", "misere_nim", "--set", "heaps=3"], "9", "heap 0: take 1 to 3", "take 2",
         "You have won."),
        (["--game", "addition", "--set", "k=2", "--set", "n=1"], "3", "total 0: add 1 or 2", "1",
         "You have won."),
        (["--game", "subtraction", "--set", "heaps=6", "--set", "subtraction_set=2,5"], "3",
         "heap 0: take 2 or 5", "5", "You have won."),
    ],
)  # fmt: skip
def test_every_game_can_be_played(game, wrong, legal, right, result, play):
    answers = [*NONSENSE, wrong, "undo", "hint", right]
    first, *shown = play(*game, "--opponent", "optimal", answers=answers)
    assert "your move" in first
    *refused, undone, hinted, ended = shown
    for text in refused:
        assert f"Legal moves:\n  {legal}\n" in text
        assert "your move" in text
    assert len(refused) == len(NONSENSE) + 1
    assert "no move of yours to take back" in undone
    assert "Winning: " in hinted
    assert result in ended


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (["--game", "nim"], ["choose a heap and take any number", "the last move wins"]),
        (["--game", "misere_nim"], ["choose a heap and take any number", "the last move loses"]),
        (["--game", "addition"], ["add 1 to 3, until the total is over 10", "last move loses"]),
        (["--game", "grundy"], ["split it into two heaps of different sizes", "last move wins"]),
        (["--game", "sum"], ["heaps 0 to 2: take 1 or 2 objects, and split the rest",
                             "heap 3: take any number", "token 4: move along one arrow"]),
    ],
)  # fmt: skip
def test_the_rule_and_who_wins_are_said_before_the_first_move(game, said, play):
    first, explained, _ = play(
        *game, "--seat", "player_1", "--opponent", "random", answers=["help"]
    )
    before, _, asked = first.partition("player_0:")
    before, explained = in_one_line(before), in_one_line(explained)
    assert all(words in before for words in [*said, "You are player_1 and move second."])
    assert "your move (such as " in in_one_line(asked)
    assert all(words in explained for words in [*said, "Legal moves:", "hint", "undo", "quit"])


@pytest.mark.parametrize("game", [["kayles"], ["sum", "--start", "5,0,0,4,8"]], ids=" ".join)
def test_a_printed_hint_is_a_valid_answer(game, play):
    _, hinted, _ = play("--game", *game, answers=["hint"])
    hint = re.search(r"Winning: (.*)", hinted)[1].split("; ")[-1]
    _, moved, _ = play("--game", *game, answers=[hint])
    assert f"player_0: {hint}\n" in moved
    assert "your move" in moved


def test_undo_takes_the_reply_back_too_and_heaps_are_shown(play):
    board = ["--game", "nim", "--set", "heaps=2,5", "--opponent", "optimal"]
    first, moved, undone, again, ended = play(*board, answers=["1 1", "undo", "1 3"])
    assert "heap 0  2  oo" in first
    assert "heap 1  5  ooooo" in first
    assert "player_1: heap 1: take 2" in moved
    assert "heap 1  5  ooooo" in undone
    assert "your move" in again
    assert ended.endswith("Goodbye.\n")


def test_the_end_of_input_ends_a_game_cleanly(monkeypatch, capsys):
    def ended(prompt):
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    assert run(["play", "--game", "nim"]) == 0
    shown = capsys.readouterr()
    assert shown.out.endswith("Goodbye.\n")
    assert shown.err == ""


def test_a_game_is_played_at_a_terminal_and_ctrl_c_ends_it_cleanly():
    terminal = Terminal([*PLAY, "--game", "nim", "--set", "heaps=9,9"])
    terminal.wait_for("your move")
    for nonsense in NONSENSE:
        terminal.type(nonsense + "\n")
        assert "Traceback" not in terminal.wait_for("Legal moves:\r\n  heap 0: take 1 to 9\r\n")
        terminal.wait_for("your move")
    terminal.type("0 2\n")
    terminal.wait_for("player_0: heap 0: take 2\r\n")
    terminal.wait_for("player_1: heap 1: take 2\r\n")
    terminal.wait_for("your move")
    # As the terminal does on Ctrl-C. One that comes just before Python begins to wait for a line
    # is noticed only afterwards, so that one may have to press it again.
    time.sleep(0.2)
    presses = 0
    while terminal.process.poll() is None:
        assert presses < 5
        terminal.process.send_signal(signal.SIGINT)
        presses += 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            terminal.process.wait(timeout=5)
    terminal.wait_for("stopped")
    assert terminal.end() == 130


def test_two_people_can_play(play):
    *_, ended = play(
        "--game", "nim", "--set", "heaps=3", "--opponent", "human", answers=["1", "undo", "2", "1"]
    )
    assert in_one_line(ended).endswith(
        "player_1 has won. "
        "player_0 threw the win away at 3 with heap 0: take 2; heap 0: take 3 would have kept it."
    )


def test_a_game_ends_with_the_last_move_that_threw_it(play):
    board = ["--game", "nim", "--set", "heaps=2,5"]
    *_, ended = play(*board, answers=["1 5"])
    assert in_one_line(ended).endswith(
        "You have lost. You threw the win away at 2 5 with heap 1: take 5; "
        "heap 1: take 3 would have kept it."
    )
    # Whoever had nothing to throw is told of nothing.
    *_, won = play("--game", "nim", "--set", "heaps=3", answers=["3"])
    assert won.endswith("You have won.\n")


def test_without_a_game_and_a_file_one_plays_nim_from_the_full_board(play):
    first, _ = play(answers=[])
    assert first.startswith("Nim: ")
    assert "heap 0  3  ooo\nheap 1  4  oooo\nheap 2  5  ooooo\n" in first


def test_train_evaluate_and_tournament(tmp_path, capsys):
    agent = str(tmp_path / "agent.zip")
    game = ["--game", "subtraction", "--set", "heaps=9", "--set", "misere=true"]
    learn = ["train", *game, "--learner", "win-loss-ratio", "--param", "forgetting=0.01"]
    assert run([*learn, "--games", "2000", "--output", agent]) == 0
    assert "100.0 % of 6 N-positions" in capsys.readouterr().out
    assert load(agent).saved()["arguments"]["forgetting"] == 0.01
    assert run(["evaluate", *game, "--player", agent]) == 0
    out = capsys.readouterr().out
    assert "can be beaten from 0.0 %" in out
    assert "reachable" in out
    players = ["--player", "random", "--player", agent, "--player", "epsilon=0.5"]
    assert run(["tournament", *game, *players, "--games", "60"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["player", "Elo", "low", "high"]
    assert lines[2].startswith(agent)
    rows = {line.split()[0]: list(map(float, line.split()[2:])) for line in lines[2:5]}
    for one, other in combinations(rows, 2):
        apart = rows[one][0] > rows[other][1] or rows[other][0] > rows[one][1]
        assert (f"{one} and {other}" in lines[5]) is not apart
    learn = ["train", "--game", "nim", "--learner", "real-time-dynamic-programming"]
    assert run([*learn, "--output", agent]) == 0
    assert run(["evaluate", "--game", "nim", "--player", agent]) == 0


ROW = ["--game", "subtraction", "--set", "heaps=9", "--set", "misere=true"]


def test_show_prints_the_table_and_a_sample_game(tmp_path, capsys):
    agent = str(tmp_path / "agent.zip")
    learn = ["train", *ROW, "--learner", "win-loss-ratio", "--games", "2000", "--output", agent]
    assert run(learn) == 0
    capsys.readouterr()
    assert run(["show", *ROW, "--player", agent]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    learned = load(agent)
    table = [line for line in lines if "take" in line]
    assert len(table) == 1 + 2 + 7 * 3
    counts = [
        [float(count) for count in line[-3:-1]] for line in table if line[:2] == ["take", "1"]
    ]
    assert counts == [[learned.wins[n, 0], learned.losses[n, 0]] for n in range(1, 10)]
    assert " ".join(lines[-1]) == "The best move wins at 6 of 6 N-positions."
    assert run(["show", *ROW, "--player", agent, "--position", "6", "--position", "2"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines if line and line[0].isdigit()] == ["6", "2"]
    games = []
    for seed in ("1", "1", "2"):
        sample = ["show", *ROW, "--player", agent, "--sample-game", "--seed", seed]
        assert run(sample) == 0
        games.append(capsys.readouterr().out)
    assert games[0] == games[1] != games[2]
    assert "move 1: player_0 to move at a P-position" in games[0]
    assert "heap 0  9  ooooooooo" in games[0]
    assert run(["show", *ROW, "--player", agent, "--sample-game", "--greedy"]) == 0
    shares = [line for line in capsys.readouterr().out.splitlines() if "%" in line]
    assert {share for line in shares for share in line.split() if "." in share} <= {"0.0", "100.0"}


def test_a_long_table_is_shown_in_a_pager(monkeypatch, capsys):
    monkeypatch.setenv("PAGER", "head -n 3")
    shown = [sys.executable, "-m", "agents", "show", "--game", "nim", "--player", "optimal"]
    terminal = Terminal(shown)
    with contextlib.suppress(AssertionError):
        terminal.wait_for("what no line says")
    assert len(terminal.shown.splitlines()) == 3
    assert terminal.end() == 0
    with monkeypatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setattr(click, "echo_via_pager", lambda text: pytest.fail("a pager for few lines"))
        assert run([*shown[3:], "--position", "3,4,5"]) == 0
    assert capsys.readouterr().out.endswith("The best move wins at 1 of 1 N-positions.\n")
    assert run(shown[3:]) == 0
    piped = capsys.readouterr().out
    assert len(piped.splitlines()) > 800
    assert piped.endswith("The best move wins at 102 of 102 N-positions.\n")


def test_train_and_show_write_pictures(tmp_path, capsys):
    agent, plots = str(tmp_path / "agent.zip"), tmp_path / "plots"
    learn = ["train", *ROW, "--games", "1200", "--output", agent]
    assert run([*learn, "--plots", str(plots)]) == 0
    out = capsys.readouterr().out
    for name in ("training.png", "heatmap_policy.png"):
        assert f"wrote {plots / name}" in out
        assert (plots / name).read_bytes().startswith(b"\x89PNG")
    tables = [load(agent).table]
    assert run(learn) == 0
    tables.append(load(agent).table)
    assert (tables[0] == tables[1]).all()
    more = str(tmp_path / "more")
    assert run(["show", *ROW, "--player", agent, "--plots", more, "--picture", "svg"]) == 0
    assert [path.name for path in (tmp_path / "more").iterdir()] == ["heatmap_policy.svg"]
    two = ["--game", "nim", "--set", "heaps=2,3"]
    assert run(["show", *two, "--player", "optimal", "--plots", more]) == 0
    assert (tmp_path / "more" / "heatmap_greedy.png").exists()


def test_games_that_split_and_sums_are_shown_and_scored(capsys):
    assert run(["show", "--game", "kayles", "--set", "heaps=4", "--player", "optimal"]) == 0
    shown = capsys.readouterr().out
    assert "heap 0: take 2, leave 1 and 1 best" in in_one_line(shown)
    games = 'games=[["grundy", {"heaps": [7]}], ["graph", {"tokens": [3]}]]'
    assert run(["evaluate", "--game", "sum", "--set", games, "--player", "optimal"]) == 0
    assert capsys.readouterr().out.count("100.0") >= 4


def test_curves_of_a_game_too_large_for_heatmaps_are_still_drawn(tmp_path, capsys):
    learn = ["train", "--game", "nim", "--set", "heaps=2,2,2,2,2,2,2", "--games", "60"]
    agent, plots = str(tmp_path / "agent.zip"), str(tmp_path / "plots")
    assert run([*learn, "--output", agent, "--plots", plots, "--every", "20"]) == 0
    assert "no heatmap: " in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["training.png"]


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("rich", ["show", *ROW, "--player", "optimal"]),
        ("matplotlib", ["show", *ROW, "--player", "optimal", "--plots", "plots"]),
        ("matplotlib", ["train", *ROW, "--output", "agent.zip", "--plots", "plots"]),
    ],
)
def test_a_missing_package_is_named_with_how_to_install_it(
    missing, arguments, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for module in list(sys.modules):
        if module.startswith(missing) or module in (
            "agents.plotting.policy_tables", "agents.plotting.curves",
            "agents.plotting.heatmaps",
        ):  # fmt: skip
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, missing, None)
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error == (
        f'error: a table or a picture needs {missing}: python -m pip install "nim-envs[all]"\n'
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["train", "--game", "chess", "--output", "x"], "chess"),
        (["train", "--game", "nim", "--set", "heaps=3,x", "--output", "x"], "'x'"),
        (["train", "--game", "nim", "--set", "heaps", "--output", "x"], "NAME=VALUE"),
        (
            ["train", "--game", "nim", "--set", "piles=3", "--output", "x"],
            "'piles'; it takes heaps, max_take, misere",
        ),
        (["train", "--game", "nim", "--learner", "Magic", "--output", "x"], "Magic"),
        (["train", "--game", "nim", "--param", "epsilon=7", "--output", "x"], "7"),
        (["train", "--game", "nim", "--param", "epsilon=abc", "--output", "x"],
         "epsilon must be a number, not 'abc'"),
        (["train", "--game", "nim", "--set", "misere=abc", "--output", "x"],
         "misere must be true or false, not 'abc'"),
        (["train", "--game", "nim", "--param", "bootstrap=maybe", "--output", "x"], "'maybe'"),
        (["train", "--game", "nim", "--param", "speed=3", "--output", "x"],
         "discount, epsilon"),
        (["train", "--game", "nim", "--param", "[", "--output", "x"], "NAME=VALUE"),
        (["train", "--game", "nim", "--games", "0", "--output", "x"], "0"),
        (["train", "--game", "nim", "--games", "2", "--output", "."], "directory"),
        (["train", "--game", "nim", "--games", "2", "--output", "README.md/x"],
         "README.md: there is a file where a directory is needed"),
        (["train", "--game", "nim", "--output", "x", "--checkpoint", "README.md"], "README.md"),
        (["train", "--game", "nim", "--learner", "quotient", "--output", "x", "--checkpoint", "y"],
         "quotient chooses its own games, and its run has no checkpoint, not y"),
        (["train", "--game", "nim"], "--output"),
        (["play", "--game", "nim", "--opponent", "nobody"], "nobody"),
        (["play", "--game", "nim", "--opponent", "epsilon=3"], "3"),
        (["play", "--game", "nim", "--start", "9,9,9"], "9, 9, 9"),
        (["play", "--game", "nim", "--opponent", "epsilon=much"], "'much'"),
        (["play", "--game", "nim", "--opponent", ""], "'' does not exist"),
        (["play", "--game", "nim", "--start", "1,2"],
         "a position is 3 integers, one for each component, from 0 to (3, 4, 5), not (1, 2)"),
        (["train", "--game", "nim", "--start", "3,2,9", "--output", "x"],
         "the board is 3,4,5: for a larger one --set heaps=3,4,9"),
        (["play", "--game", "nim", "--start", "a,2,3"], "or a position as integers separated by "
         "commas, not 'a,2,3'"),
        (["play", "--game", "nim", "--start", ""], "not ''"),
        (["show", "--game", "nim", "--player", "random", "--position", "a,2,3"],
         "a position is integers separated by commas, not 'a,2,3'"),
        (["show", "--game", "nim", "--player", "random", "--position", "[[1,2,3]]"], "[[1,2,3]]"),
        (["show", "--game", "nim", "--player", "random", "--position", "true,1,2"], "true,1,2"),
        (["evaluate", "--game", "nim", "--player", "README.md"],
         "README.md cannot be loaded: it is damaged, or was not written by this package\n"),
        (["evaluate", "--game", "nim", "--player", "."], ".: "),
        (["evaluate", "--game", "nim", "--player", "random", "--seed", "-1"], "-1"),
        (["evaluate", "--game", "nim", "--player", "missing.zip"], "missing.zip"),
        (["tournament", "--game", "nim", "--player", "random"], "random"),
        (["show", "--game", "nim"], "--player"),
        (["show", "--game", "nim", "--player", "nobody"], "nobody"),
        (["show", "--game", "nim", "--player", "README.md"], "README.md"),
        (["show", "--game", "nim", "--player", "random", "--position", "3,4"], "3, 4"),
        (["show", "--game", "nim", "--player", "random", "--position", "0,0,0"], "0, 0, 0"),
        (["show", "--game", "nim", "--set", "heaps=99,99,99", "--player", "random"], "1000000"),
        (["show", "--game", "nim", "--set", "heaps=3,3,3,3,3,3", "--player", "random", "--plots",
          "plots"], "256 panels"),
        (["show", "--game", "nim", "--player", "random", "--plots", "README.md"], "README.md"),
        (["show", "--game", "nim", "--player", "random", "--picture", "gif"], "gif"),
        (["train", "--game", "nim", "--output", "x", "--plots", "README.md"], "README.md"),
        (["train", "--game", "nim", "--output", "x", "--plots", "y", "--every", "0"], "0"),
        (["dance"], "dance"),
    ],
)  # fmt: skip
def test_errors_are_one_line_and_exit_code_2(arguments, named, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("not an agent", encoding="utf-8")
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert named in error
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize(
    "fault", [TypeError("no number"), ValueError("out of range"), OSError(9, "no file")], ids=str
)
def test_internal_errors_are_raised(fault, monkeypatch, tmp_path):
    def faulty(*arguments):
        raise fault

    monkeypatch.setattr(OptimalAgent, "act", faulty)
    with pytest.raises(type(fault), match=str(fault.args[-1])):
        run(["tournament", "--game", "nim", "--player", "optimal", "--player", "random"])
    monkeypatch.setattr(QLearning, "greedy", faulty)
    learn = ["train", "--game", "nim", "--games", "5", "--output", str(tmp_path / "agent.zip")]
    with pytest.raises(type(fault), match=str(fault.args[-1])):
        run(learn)


def test_internal_errors_in_a_learners_constructor_are_raised(monkeypatch, tmp_path):
    def faulty(*arguments, **named):
        raise TypeError("no number")

    monkeypatch.setattr(QLearning, "__init__", faulty)
    with pytest.raises(TypeError, match="no number"):
        run(["train", "--game", "nim", "--output", str(tmp_path / "agent.zip")])


def test_without_a_package_the_command_line_says_what_to_install():
    code = (
        "import runpy, sys; sys.argv = ['agents', 'play']; sys.modules['click'] = None\n"
        "runpy.run_module('agents', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'error: the command line needs click: python -m pip install "nim-envs[all]"\n'
    )


@pytest.fixture
def trained(tmp_path, capsys):
    """A file of a learner of a misère game, and what says which game it is."""
    agent = str(tmp_path / "agent.zip")
    game = ["--game", "misere_nim", "--set", "heaps=2,3"]
    assert run(["train", *game, "--start", "1,3", "--games", "500", "--output", agent]) == 0
    capsys.readouterr()
    return agent, game


def in_one_line(text):
    """A text without its line breaks, which depend on the width of the terminal."""
    return " ".join(text.split())


def of_the_game(text):
    """A command's output without the line on where its game is from."""
    return re.sub(r"^.* has learned .*\n", "", text)


@pytest.mark.parametrize(
    ("command", "option", "more"),
    [
        ("evaluate", "--player", []),
        ("show", "--player", []),
        ("show", "--player", ["--sample-game", "--seed", "1"]),
        ("tournament", "--player", ["--player", "random", "--games", "30"]),
    ],
    ids=str,
)
def test_the_game_is_read_from_the_file(command, option, more, trained, capsys, monkeypatch):
    agent, game = trained
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    monkeypatch.setenv("COLUMNS", "400")  # wide enough for any path
    outputs = []
    for said in ([], [*game, "--start", "1,3"], [*game, "--start", "2,3"]):
        assert run([command, *said, option, agent, *more]) == 0
        outputs.append(of_the_game(capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    # The start is what differs in games, and in what can be reached.
    assert (outputs[0] != outputs[2]) == (more != [] or command != "show")
    assert run([command, "--start", "2,3", option, agent, *more]) == 0
    assert of_the_game(capsys.readouterr().out) == outputs[2]


def test_the_game_must_be_named_unless_a_file_stores_it(trained, tmp_path, capsys):
    agent, _ = trained
    own, looking_ahead = str(tmp_path / "own.zip"), str(tmp_path / "ahead.zip")
    env = GameEnv(own_game())
    save(QLearning.for_env(env), own)
    save(RealTimeDynamicProgramming.for_env(env), looking_ahead)
    for arguments, named in (
        (["evaluate", "--player", "random"], "which game? Add --game nim, or name a file"),
        (["evaluate", "--player", own], "which game? Add --game nim, or name a file"),
        (["evaluate", "--player", looking_ahead], "not a registered one"),
        (["evaluate", "--set", "heaps=2,3", "--player", agent], "--set heaps=2,3"),
        (["train", "--output", agent], "which game? Add --game nim"),
    ):
        assert run(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert named in error


def test_a_score_says_what_games_from_the_start_can_meet(tmp_path, capsys):
    learn = ["train", "--game", "kayles", "--set", "heaps=5", "--output", str(tmp_path / "a.zip")]
    assert run([*learn, "--games", "5000"]) == 0
    out = capsys.readouterr().out
    game = make_game("kayles", heaps=(5,))
    everywhere, reachable = (
        optimality(RandomAgent(), game, positions).count for positions in ("all", "reachable")
    )
    assert reachable < everywhere
    assert f"can meet {reachable} of the {everywhere} N-positions" in out
    assert "--start uniform meets all" in out
    assert run([*learn, "--games", "5000", "--start", "uniform"]) == 0
    assert "can meet" not in capsys.readouterr().out


def test_progress_says_why_a_run_ended_early_and_where_it_went_on(tmp_path, capsys):
    learn = ["train", "--game", "nim", "--output", str(tmp_path / "a.zip")]
    assert run([*learn, "--learner", "column-automaton"]) == 0
    games = re.findall(r"proved after (\d+) games: 100%.* (\d+)/(\d+) ", capsys.readouterr().err)
    assert len(set(games[-1])) == 1
    learn += ["--checkpoint", str(tmp_path / "runs" / "run.zip"), "--games"]
    assert run([*learn, "500"]) == 0
    assert f"made the directory {tmp_path / 'runs'}\n" in capsys.readouterr().err
    assert run([*learn, "1000"]) == 0
    error = capsys.readouterr().err
    assert re.search(r"resumed after 500 games: +50%", error)
    assert "1000/1000" in error
    assert "made the directory" not in error


def test_play_against_a_file_says_where_games_start_and_why(trained, capsys, monkeypatch):
    agent, _ = trained
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    for more, said, heap in (
        ([], "begins at the full board, not as in its training: --start 1,3.", "heap 0 2"),
        (["--start", "1,3"], "normal play. ", "heap 0 1"),
        (["--start", "2,2"], "misère play. ", "heap 1 2"),
    ):
        assert run(["play", "--opponent", agent, *more]) == 0
        first = in_one_line(capsys.readouterr().out)
        assert first.startswith(f"{agent} has learned ")
        assert said.replace("normal", "misère") in first
        assert heap in first
        assert ("full board" in first) == (not more)


def test_an_agent_of_another_game_is_refused(tmp_path, capsys):
    agent = str(tmp_path / "agent.zip")
    assert run(["train", "--game", "nim", "--games", "5", "--output", agent]) == 0
    other = ["evaluate", "--game", "nim", "--set", "heaps=2,2", "--player", agent]
    assert run(other) == 2
    error = capsys.readouterr().err
    assert "has learned nim, heaps 3-4-5, normal play" in error
    assert "the game given is nim, heaps 2-2, normal play" in error


def test_ctrl_c_saves_what_was_learned(tmp_path):
    agent = tmp_path / "agent.zip"
    process = subprocess.Popen(
        [sys.executable, "-m", "agents", "train", "--game", "nim", "--set", "heaps=4",
         "--games", "100000000", "--output", str(agent), "--checkpoint", str(tmp_path / "run.zip"),
         "--plots", str(tmp_path / "plots")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (tmp_path / "run.zip").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.startswith("stopped; ")
    learned = load(agent)
    assert isinstance(learned, QLearning)
    assert learned.table.any()
    assert (tmp_path / "plots" / "training.png").exists()


def test_a_hint_for_a_game_too_large_to_solve_says_so():
    game = make_game("officers", heaps=(20,) * 6, misere=True)
    answers = iter(["hint"])
    shown = []
    human = HumanAgent(game, read=lambda prompt: next(answers, "quit"), write=shown.append)
    position = np.array(game.rules.initial)
    with pytest.raises(Quit):
        human.act(position, np.zeros(game.rules.num_actions, dtype=np.int8), None)
    assert shown[0] == "This game is too large to solve."


def test_a_person_is_asked_until_the_answer_is_legal():
    game = make_game("nim", heaps=(2, 3))
    answers = iter(["5 1", "0 3", "1,2"])
    told = []
    human = HumanAgent(game, read=lambda prompt: next(answers), write=told.append)
    position = np.array([2, 3])
    mask = game.rules.action_mask(position)
    assert human.act(position, mask, np.random.default_rng(0)) == game.rules.action(1, 1)
    assert len(told) == 2

    def ended(prompt):
        raise EOFError

    with pytest.raises(Quit):
        HumanAgent(game, read=ended).act(position, mask, np.random.default_rng(0))


@pytest.mark.parametrize("learner", LEARNERS)
def test_learner_arguments_are_accepted_or_refused_with_a_message(learner):
    env = GameEnv(make_game("nim", heaps=(1, 2)))
    values = ("none", "a,b", "1e400", "-3", "true", "[]", "abc")
    for name, value in product(learner_defaults(learner), values):
        with contextlib.suppress(click.UsageError), said_of(name):
            make_learner(learner, (f"{name}={value}",), env)


@contextlib.contextmanager
def said_of(argument):
    """Check that a refusal names the argument, and is no message of Python's on wrong types."""
    try:
        yield
    except click.UsageError as error:
        assert argument in str(error)
        assert not re.search(r"not supported|got an|ufunc|(float|int)\(\)", str(error))
        raise


RUN = ["--game", "misere_nim", "--set", "heaps=2,3", "--start", "uniform", "--learner", "sarsa",
       "--param", "epsilon=0.3", "--seed", "5"]  # fmt: skip


def test_a_run_goes_on_with_its_checkpoint_alone_and_refuses_what_contradicts_it(tmp_path, capsys):
    whole, part, checkpoint = (str(tmp_path / name) for name in ("whole", "part", "run.zip"))
    assert run(["train", *RUN, "--games", "900", "--output", whole]) == 0
    learn = ["train", "--checkpoint", checkpoint, "--output", part]
    assert run([*learn, *RUN, "--games", "400"]) == 0
    for more, said in (
        (["--game", "nim", "--set", "heaps=2,3"], "misère play, this one has nim, heaps 2-3, norm"),
        (["--game", "misere_nim"], "heaps 2-3, misère play, this one has nim, heaps 1-3-5-7"),
        (["--start", "fixed"], "with start uniform, this one has (2, 3)"),
        (["--learner", "q-learning"], "agents SARSA (learner 0) against itself, this one has QL"),
        (["--param", "epsilon=0.1"], "other arguments"),
        (["--seed", "0"], "with seed 5, this one has 0"),
        (["--games", "399"], "of 400 games already"),
        (["--set", "heaps=2,3"], "add --game"),
    ):
        capsys.readouterr()
        assert run([*learn, *more]) == 2, more
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert error.count("\n") == 1
        assert said in error
        if more[0] != "--set":
            assert checkpoint in error
    assert run(learn) == 0
    assert "400/400" in capsys.readouterr().err
    assert run([*learn, "--games", "900"]) == 0
    assert contents(load(part)) == contents(load(whole))
    assert load(part).game == load(whole).game
    assert run([*learn, *RUN, "--games", "900"]) == 0
    assert contents(load(part)) == contents(load(whole))


@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_what_was_learned_is_saved_elsewhere_where_the_file_cannot_be_written(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(["train", *ROW, "--games", "300", "--output", "/dev/full"]) == 2
    shown = capsys.readouterr()
    (elsewhere,) = tmp_path.iterdir()
    assert f"saved to {elsewhere}\n" in shown.out
    lines = [line for line in shown.err.splitlines() if str(elsewhere) in line]
    assert lines == [
        "warning: /dev/full cannot be written (No space left on device): "
        f"it is {elsewhere} instead",
        f"error: /dev/full was not written: what was learned is in {elsewhere}",
    ]
    assert run(["train", *ROW, "--games", "300", "--output", "right.zip"]) == 0
    assert contents(load(elsewhere)) == contents(load("right.zip"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_a_learner_can_be_saved_to_a_device_or_a_pipe(tmp_path, capsys):
    learn = ["train", *ROW, "--games", "300", "--output"]
    assert run([*learn, "/dev/null"]) == 0
    assert "saved to /dev/null" in capsys.readouterr().out
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        assert run([*learn, str(pipe)]) == 0
        (tmp_path / "learner.zip").write_bytes(reader.stdout.read())
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert run([*learn, str(tmp_path / "right.zip")]) == 0
    assert contents(load(tmp_path / "learner.zip")) == contents(load(tmp_path / "right.zip"))


def test_what_cannot_be_written_is_refused_before_the_training(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("agents.cli.train.train_agents", lambda *_, **__: pytest.fail("trained"))
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert run(["train", *ROW, "--output", "socket"]) == 2
    assert "socket: neither a file nor a pipe" in capsys.readouterr().err

    def unwritable(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("agents.cli.train.check_writable", unwritable)
    assert run(["train", *ROW, "--output", "learner.zip"]) == 2
    assert "learner.zip: Permission denied" in capsys.readouterr().err


def test_a_board_too_large_for_all_positions_is_scored_at_a_sample(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("agents.cli.train.SAMPLE", 1000)
    large = ["--game", "nim", "--set", "heaps=300,300,300", "--learner", "column-automaton"]
    assert run(["train", *large, "--output", str(tmp_path / "large.zip")]) == 0
    assert "100.0 % of 1000 N-positions drawn at random played" in capsys.readouterr().out


def test_a_window_without_a_display_says_to_leave_it_out(monkeypatch, capsys):
    pygame.display.quit()  # of a window that another test has left open
    monkeypatch.setenv("SDL_VIDEODRIVER", "no_such_driver")
    assert run(["play", "--window"]) == 2
    assert "without it you play in the terminal" in capsys.readouterr().err
