"""Players that a person names as module:function meet others on the command line."""

from __future__ import annotations

import sys

import pytest

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


@pytest.mark.parametrize(
    ("player", "percent", "beaten"), [("first", 50.0, 50.0), ("bouton", 100.0, 0.0)]
)
def test_functions_are_scored(player, percent, beaten, capsys):
    # N-positions: (0, 1), (0, 2), (1, 0) and (1, 2).
    assert run(["evaluate", *NIM, "--player", f"own_players:{player}"]) == 0
    shown = capsys.readouterr().out
    assert f" {percent} " in shown
    assert f"can be beaten from {beaten} %" in shown


def test_functions_and_objects_play_matches_and_tournaments(capsys):
    players = ["own_players:bouton", "own_players:first", "own_players:last"]
    met = ["--player", players[0], "--opponent", players[1], "--games", "10"]
    assert run(["match", *NIM, *met]) == 0
    assert "5 of 5 as player_0" in capsys.readouterr().out
    entered = [word for player in players for word in ("--player", player)]
    assert run(["tournament", *NIM, *entered, "--games", "10"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("own_players:bouton")


def test_functions_play_against_a_person_and_show_their_moves(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda prompt: "0 1")
    assert run(["play", *NIM, "--opponent", "own_players:bouton"]) == 0
    assert "player_1: heap 1: take 2" in capsys.readouterr().out
    assert run(["show", *NIM, "--player", "own_players:bouton"]) == 0
    best = [line for line in capsys.readouterr().out.splitlines() if "best" in line]
    assert [line.split()[-1] for line in best] == ["wins", "wins", "wins", "loses", "wins"]
    assert run(["play", *NIM, "--seat", "player_1", "--opponent", "own_players:stuck"]) == 2
    assert "player_0 answered -1 at (1, 2), no legal action" in in_one_line(capsys.readouterr().err)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("own_players:missing", "has no attribute 'missing'"),
        ("no_players:first", "No module named 'no_players'"),
        ("own_players.py:first", "a module is named without .py: own_players:first, not"),
        ("./own_players.py:first", "a module is named without .py: own_players:first, not"),
        ("own_players:Last", "own_players:Last: <class 'own_players.Last'> plays nothing"),
        ("own_players:four", "a player that is a function takes observations and action masks"),
        ("own_players:", "expected a name such as package.module:function"),
    ],
)
def test_what_is_no_player_is_refused_in_a_line(player, said, capsys):
    assert run(["evaluate", *NIM, "--player", player]) == 2
    assert said in in_one_line(capsys.readouterr().err)
