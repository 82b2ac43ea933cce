"""The changes that CONTRIBUTING.md shows whole: they apply, and what they add runs."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from tests import ROOT

DIFFS = re.findall(
    r"^```diff\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
)


@pytest.fixture
def changed(tmp_path):
    """A copy of the packages and their tests with both changes."""
    for folder in ("nim_envs", "agents", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for diff in DIFFS:
        subprocess.run(["git", "apply", "-"], input=diff, text=True, cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.exhaustive
def test_a_game_and_a_learner_are_added_by_the_changes_shown(changed):
    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=changed, text=True, capture_output=True,
            env={**os.environ, "PYTHONPATH": str(changed)}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    added = re.findall(r"^\+\+\+ b/(tests/\S+)$", "".join(DIFFS), re.MULTILINE)
    assert len(DIFFS) == len(added) == 2
    assert "3 passed" in run("pytest", "-q", "-n", "0", *added)
    trained = run(
        "agents", "train", "--game", "subtract_a_square", "--start", "uniform",
        "--learner", "random-policy", "--games", "500", "--output", "agent.zip",
    )  # fmt: skip
    assert re.match(r"[\d.]+ % of 12 N-positions played optimally", trained)
    assert "subtract_a_square" in run("nim_envs", "games")
