"""The command line on a game with draws."""

import io

import pytest

from tests.commands import run_nim_envs as run
from tests.outcome_games import tic_tac_toe

GAME = "tests.nim_envs.cli.test_draws:noughts"
DRAWN, KEEPING = "drawn: neither player can force a win", "moves that keep the draw"
RULES = "Mark an empty cell. Three in a row win; a full board is a draw"


def noughts():
    """Return tic-tac-toe, as a user's own function would."""
    return tic_tac_toe().game


def lines(capsys, *arguments):
    """Return what a command prints, split into lines."""
    assert run(list(arguments)) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("cells", "outcome", "label", "right"),
    [
        ("1,0,0,0,0,0,0,0,0", DRAWN, KEEPING, "4"),
        ("1,1,0,2,2,0,0,0,0", "N-position: the player to move wins", "winning moves", "2"),
        ("1,2,1,2,0,0,0,0,1", "P-position: the player to move loses", "winning moves", None),
        ("1,2,1,1,2,2,2,1,1", DRAWN, KEEPING, None),
    ],
)  # fmt: skip
def test_solve_says_who_wins_or_that_nobody_does(capsys, cells, outcome, label, right):
    said = lines(capsys, "solve", "--game", GAME, "--position", cells)
    words = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in said}
    assert words["outcome"] == outcome
    assert words[label] == ("none" if right is None else right)
    assert "Grundy value" not in words


def test_a_person_plays_to_a_draw(monkeypatch, capsys):
    game, said = noughts(), []

    class Person(io.StringIO):
        """Types a move that keeps the draw, at the position of the last prompt."""

        def readline(self, *_):
            said.append(capsys.readouterr().out)
            prompt = said[-1].splitlines()[-2]
            cells = [int(digit) for digit in prompt if digit.isdigit()]
            action = int(game.solution.keeping_actions(cells)[-1])
            return f"{game.describe(action)}\n"

    monkeypatch.setattr("sys.stdin", Person())
    assert run(["text", "--game", GAME, "--rules", RULES, "--seat", "player_0"]) == 0
    last = capsys.readouterr().out
    assert RULES in " ".join(said[0].split())  # lines are wrapped
    assert "That keeps the draw." in said[1]
    assert last.splitlines()[-1] == "The game is drawn."
