"""The README's code runs and says what the README says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from agents.cli.main import run

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_the_quickstart_is_short_and_learns_the_game(capsys):
    quickstart = BLOCKS[0]
    assert len([line for line in quickstart.splitlines() if line.strip()]) <= 12
    exec(compile(quickstart, "quickstart", "exec"), {})
    assert capsys.readouterr().out == "100.0 % of 102 N-positions; random: 24.7 %\n"


def test_the_solver_example_answers_as_printed():
    names: dict[str, object] = {}
    *statements, asked, moves, comment = BLOCKS[1].strip().splitlines()
    exec("\n".join(statements), names)
    assert str(eval(asked.split("#")[0], names)) == asked.split("#")[1].strip()
    assert f"# {eval(moves, names)}" == comment


def test_the_batched_games_run():
    names: dict[str, object] = {}
    exec(BLOCKS[2], names)
    assert names["observations"]["action_mask"].shape == (1024, 15)
    assert set(names["rewards"]) <= {-1.0, 0.0, 1.0}


def test_the_game_of_ones_own_runs(capsys):
    names: dict[str, object] = {}
    exec(BLOCKS[3], names)
    assert capsys.readouterr().out.strip()
    env = names["env"]
    env.reset(seed=0)
    assert env.observe("player_0")["observation"].tolist() == [3, 2]


def test_the_command_lines_run_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^python -m agents (.*)$", README, flags=re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["train", "evaluate", "play", "show", "show"]
    for line in lines:
        monkeypatch.setattr("builtins.input", lambda prompt: "quit")
        assert run(shlex.split(line)) == 0
    shown = capsys.readouterr().out
    assert "100.0 % of 102 N-positions" in shown
    assert "Goodbye.\n" in shown


def test_every_python_block_is_tested():
    assert len(BLOCKS) == 4


def test_the_games_of_the_readme_are_the_registered_ones():
    from nim_envs.registration import GAMES, aec_id

    assert set(re.findall(r"^\| `(nim_envs/[^`]+)`", README, flags=re.MULTILINE)) == {
        aec_id(name) for name in GAMES
    }
