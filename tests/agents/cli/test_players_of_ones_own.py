"""Players that a person names as module:function meet others on the command line."""

import re
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest

from agents.cli.options import imported_player
from nim_envs import make_game
from tests.agents.cli.test_command_line import in_one_line
from tests.commands import run_agents as run

NIM = ["--game", "nim", "--set", "heaps=1,2"]

PLAYERS = """
def first(observations, action_masks):
    return action_masks.argmax(axis=1)

def bouton(position):
    total = position[0] ^ position[1]
    for heap, size in enumerate(position):
        if size ^ total < size:
            return [*position[:heap], size ^ total, *position[heap + 1 :]]
    return [position[0] - 1, position[1]]

class Last:
    def act(self, observation, action_mask, rng):
        return int(action_mask.nonzero()[0][-1])

last = Last()

def stuck(observations, action_masks):
    return -action_masks.argmax(axis=1) - 1

def two(observations, action_masks):
    return [3] * len(observations)  # 2 of heap 1, legal or not

def impossible(position):
    return 9, 9

def divides(position):
    return 1 // 0

def fails(observations, action_masks):
    raise KeyError("heap")

def gives_up(observations, action_masks):
    exit("no more")

def four(one, two, three, four):
    return 0
"""


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    """A module of players in the current directory, which Python does not search by itself."""
    (tmp_path / "own_players.py").write_text(PLAYERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])
    yield
    sys.modules.pop("own_players", None)


def entered(*names):
    """Options that enter these players."""
    return [word for name in names for word in ("--player", f"own_players:{name}")]


def shown_best(capsys):
    """The words of the moves that a player is shown to choose."""
    return [line.split() for line in capsys.readouterr().out.splitlines() if "best" in line]


@pytest.mark.parametrize(
    ("player", "percent", "beaten"), [("first", 50.0, 50.0), ("bouton", 100.0, 0.0)]
)
def test_functions_are_scored(player, percent, beaten, capsys):
    # N-positions: (0, 1), (0, 2), (1, 0) and (1, 2).
    assert run(["evaluate", *NIM, *entered(player)]) == 0
    shown = capsys.readouterr().out
    assert f" {percent} " in shown
    assert f"can be beaten from {beaten} %" in shown


def test_functions_and_objects_play_matches_tournaments_and_people(monkeypatch, capsys):
    met = [*entered("bouton"), "--opponent", "own_players:first", "--games", "10"]
    assert run(["match", *NIM, *met]) == 0
    assert "5 of 5 as player_0" in capsys.readouterr().out
    assert run(["tournament", *NIM, *entered("bouton", "first", "last"), "--games", "10"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[:2] == ["1", "own_players:bouton"]
    monkeypatch.setattr("builtins.input", lambda prompt: "0 1")
    assert run(["play", *NIM, "--opponent", "own_players:bouton"]) == 0
    assert "player_1: heap 1: take 2" in capsys.readouterr().out
    assert run(["show", *NIM, *entered("bouton")]) == 0
    results = [words[-1] for words in shown_best(capsys)]
    assert results == ["wins", "wins", "wins", "loses", "wins"]


@pytest.mark.parametrize(("player", "answer"), [("stuck", "-1"), ("impossible", "(9, 9)")])
def test_an_illegal_move_loses_against_a_person(player, answer, capsys):
    assert run(["play", *NIM, "--seat", "player_1", "--opponent", f"own_players:{player}"]) == 0
    shown = capsys.readouterr().out
    assert f"player_0 answered {answer} at (1, 2), no legal move, and loses\n" in shown
    assert shown.endswith("You have won.\n")


def test_illegal_moves_are_counted_and_shown(capsys):
    assert run(["evaluate", *NIM, *entered("two")]) == 0
    scores = capsys.readouterr().out.splitlines()[2].split()
    # Legal at (0, 2) and (1, 2), not at (0, 1) and (1, 0).
    assert scores == ["all", "4", "25.0", "70.8", "50.0", "3"]
    # Against Bouton's rule it moves second at (1, 1); when it moves first it loses by legal moves.
    lost = "own_players:two lost 5 games by an illegal move, first at (1, 1)"
    met = [*entered("bouton"), "--opponent", "own_players:two", "--games", "10"]
    assert run(["match", *NIM, *met]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [lost]
    assert run(["tournament", *NIM, *entered("bouton", "first", "two"), "--games", "10"]) == 0
    assert capsys.readouterr().out.splitlines()[6:] == [lost]
    assert run(["show", *NIM, "--position", "1,1", *entered("two")]) == 0
    (words,) = shown_best(capsys)
    assert words == ["heap", "1:", "take", "2", "(illegal)", "best", "100.0", "%", "loses"]
    assert run(["show", *NIM, "--position", "1,1", *entered("impossible")]) == 0
    (words,) = shown_best(capsys)
    assert words[:3] == ["no", "legal", "move"]


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("divides", "ZeroDivisionError: integer division or modulo by zero"),
        ("fails", "KeyError: 'heap'"),
        ("gives_up", "SystemExit: no more"),
    ],
)
def test_errors_name_the_player_and_the_position(player, said, capsys):
    name = f"own_players:{player}"
    for command in (
        ["match", "--player", "random", "--opponent", name],
        ["play", "--seat", "player_1", "--opponent", name],
        ["evaluate", "--player", name],
    ):
        assert run([command[0], *NIM, *command[1:]]) == 2
        error = in_one_line(capsys.readouterr().err)
        assert re.search(rf"Error: {name} at (\(\d, \d\)|4 positions): {re.escape(said)}", error)


def test_in_a_tournament_an_error_loses_that_game_alone(capsys):
    players = entered("bouton", "divides", "fails")
    assert run(["tournament", *NIM, *players, "--games", "10"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[2].split()[:2] == ["1", "own_players:bouton"]
    failed = [line for line in shown if "by an error" in line]
    divides, fails = sorted(failed, key=lambda line: "own_players:fails" in line)
    first = r"  \d+ of them by an error, first own_players"
    assert re.fullmatch(rf"{first}:divides at \(1, \d\): ZeroDivisionError: .* by zero", divides)
    assert re.fullmatch(rf"{first}:fails at \(1, \d\): KeyError: 'heap'", fails)


def test_a_module_enters_all_its_functions(capsys):
    (Path.cwd() / "pupils.py").write_text(
        "from operator import index\n"
        "def one(heaps): return max(heaps[0] - 1, 0), heaps[1] - (not heaps[0])\n"
        "def _helper(heaps): return heaps\n"
        "def two(observations, masks): return masks.argmax(axis=1)\n"
    )
    assert run(["tournament", *NIM, "--player", "pupils", "--games", "2"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:4]
    assert {row.split()[1] for row in rows} == {"pupils:one", "pupils:two"}
    assert [row.split()[0] for row in rows] == ["1-2", "1-2"]


def test_stopping_names_the_player_that_is_asked(monkeypatch, capsys):
    def endless(position):
        raise KeyboardInterrupt

    monkeypatch.syspath_prepend(".")
    monkeypatch.setattr(import_module("own_players"), "divides", endless)
    assert run(["match", *NIM, "--player", "random", "--opponent", "own_players:divides"]) == 1
    error = in_one_line(capsys.readouterr().err)
    assert "stopped while own_players:divides was asked at (" in error


def test_errors_keep_their_cause():
    player = imported_player("own_players:divides", make_game("nim", heaps=(1, 2)))
    with pytest.raises(click.UsageError, match=r"own_players:divides at \(1, 2\)") as raised:
        player((1, 2))
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("own_players:missing", "has no attribute 'missing'"),
        ("no_players:first", "No module named 'no_players'"),
        ("./own_players.py:first", "a module is named without .py: own_players:first, not"),
        ("own_players:Last", "own_players:Last: <class 'own_players.Last'> plays nothing"),
        ("own_players:four", "a player that is a function takes observations and action masks"),
        ("own_players:", "expected a name such as package.module:function"),
    ],
)
def test_what_is_no_player_is_refused_in_a_line(player, said, capsys):
    assert run(["evaluate", *NIM, "--player", player]) == 2
    assert said in in_one_line(capsys.readouterr().err)
