"""The README's code runs and says what the README says."""

import inspect
import os
import re
import shlex
import subprocess
import sys

import pytest

import nim_envs
from docs.tutorials import sign_bug
from nim_envs.registry import GAMES
from tests import ROOT
from tests.commands import run_agents, run_nim_envs

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, flags=re.DOTALL)
"""The programs, and what stands below each."""


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


def test_the_readme_and_its_first_program_are_short_and_all_show_their_output():
    assert len(README.splitlines()) <= 120
    assert len([line for line in BLOCKS[0][0].splitlines() if line.strip()]) <= 12
    # The first output is that of a command.
    assert len(BLOCKS) + 1 == README.count("```python") + 1 == README.count("```text")


def test_the_first_command_prints_what_stands_below_it(capsys):
    pages = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/index.md")]
    pattern = r"^python -m nim_envs (diagnose [^\n]*)\n```\n\n```text\n(.*?)```"
    found = {re.search(pattern, page, re.MULTILINE | re.DOTALL).groups() for page in pages}
    ((command, shown),) = found
    assert run_nim_envs(shlex.split(command)) == 0
    printed = capsys.readouterr().out
    without_time = [re.sub(r"[0-9.]+ s in all", "", text) for text in (printed, shown)]
    assert without_time[0] == without_time[1]
    assert "Fault: wrong sign, or " in shown


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
    assert {f"nim_envs/{name}" for name in named} == {GAMES[name].aec_id for name in GAMES}


def test_the_agent_with_the_wrong_sign_plays_well_with_the_right_one():
    learner = {}
    exec(inspect.getsource(sign_bug).replace("target +=", "target -="), learner)
    report = nim_envs.diagnose(learner["train"], boards=False, progress=False)
    assert report.verdict == "right"


def test_every_file_that_the_readme_links_to_is_there():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert len(links) > 8
    for link in links:
        assert (ROOT / link.partition("#")[0]).exists(), link
