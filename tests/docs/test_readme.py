"""The README's code runs and says what the README says."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agents.cli.main import run as run_agents
from nim_envs.cli.main import run as run_nim_envs
from nim_envs.registration import GAMES, aec_id

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, flags=re.DOTALL)
"""The programs, and what stands below each."""


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 160


def test_the_first_program_of_the_readme_runs_in_an_interpreter_of_its_own(tmp_path):
    # From elsewhere, as somebody who pastes it does.
    code, printed = BLOCKS[0]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", code], env=path, cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.stdout == printed, run.stderr


@pytest.mark.parametrize(("code", "printed"), BLOCKS[1:])
def test_a_program_of_the_readme_runs_alone_and_prints_what_stands_below_it(code, printed, capsys):
    # The import registers the games, which other tests have done already.
    assert re.search(r"^import nim_envs\b", code, flags=re.MULTILINE)
    exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == printed


def test_the_first_program_of_the_readme_is_short_and_all_show_their_output():
    assert len([line for line in BLOCKS[0][0].splitlines() if line.strip()]) <= 12
    assert len(BLOCKS) == README.count("```python") == README.count("```text")


def test_the_command_lines_run_as_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda prompt: "quit")
    commands = re.findall(r"`python -m (agents|nim_envs) ([^`]*)`", README)
    assert [line.split()[0] for _, line in commands] == ["train", "play", "tournament", "solve"]
    for program, line in commands:
        assert {"agents": run_agents, "nim_envs": run_nim_envs}[program](shlex.split(line)) == 0
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
        "Q-learning ([negamax](docs/glossary.md))": "q-learning",
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
