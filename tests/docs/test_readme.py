"""The README's code runs and says what the README says."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

from agents.cli.main import run
from nim_envs.registration import GAMES, aec_id

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 160


def test_the_quickstart_learns_the_game_and_the_loops_run(capsys):
    quickstart = BLOCKS[0]
    assert len([line for line in quickstart.splitlines() if line.strip()]) <= 12
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "README.md", "exec"), names)
        if block == quickstart:
            printed = capsys.readouterr().out.strip()
            assert f"`{printed}`" in README
    assert not names["env"].unwrapped.action_masks().any()
    # The first legal action, as the truth has it.
    assert capsys.readouterr().out.startswith("18.63 % of 102 N-positions")


def test_the_command_lines_run_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^python -m agents (.*)$", README, flags=re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["train", "play"]
    for line in lines:
        monkeypatch.setattr("builtins.input", lambda prompt: "quit")
        assert run(shlex.split(line)) == 0
    assert "Goodbye.\n" in capsys.readouterr().out


def test_the_games_of_the_readme_are_the_registered_ones():
    named = set(re.findall(r"`(\w+-v\d+)`", README))
    assert {f"nim_envs/{name}" for name in named} == {aec_id(name) for name in GAMES}


def test_the_results_of_the_readme_are_those_committed():
    with (ROOT / "docs" / "results" / "optimality.csv").open(encoding="utf-8") as file:
        scores = {
            (row["learner"], row["game"]): float(row["optimality %"])
            for row in csv.DictReader(file)
        }
    boards = ("nim-3-4-5", "misere-nim-1-3-5-7", "kayles-7", "nim-10-10-10")
    learners = {
        "Q-learning (negamax)": "q-learning",
        "Monte-Carlo control": "monte-carlo-es",
        "natural policy gradient": "natural-policy-gradient",
        "real-time dynamic programming": "real-time-dynamic-programming",
        "random moves": "random",
    }
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([\d.]+ %.*) \|$", README, flags=re.MULTILINE)
    assert {name for name, _ in rows} == set(learners)
    for name, cells in rows:
        for cell, board in zip(cells.split(" | "), boards, strict=True):
            assert float(cell.removesuffix(" %")) == round(scores[learners[name], board], 1)


def test_every_file_that_the_readme_links_to_is_there():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert len(links) > 8
    for link in links:
        assert (ROOT / link.partition("#")[0]).exists(), link
