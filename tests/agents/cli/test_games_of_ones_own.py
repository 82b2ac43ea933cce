"""The command line of agents with a game that a person types as module:function."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from agents.cli.main import main
from agents.storage import load
from nim_envs.registration import GAMES


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a game in the current directory."""
    (tmp_path / "typed_stairs.py").write_text(
        "from tests.registrable_games import stairs\ndef tall(steps=3):\n    return stairs(steps)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "typed_stairs:tall"
    sys.modules.pop("typed_stairs", None)
    GAMES.pop("typed_stairs:tall", None)


def test_a_learner_of_a_typed_game_is_loaded_where_the_game_is_typed(module, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(main, arguments)

    done = run(
        "train", "--game", module, "--set", "steps=5", "--learner", "q-learning",
        "--games", "200", "--output", "learner.zip",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert load("learner.zip").game.rules.initial == (5,)
    GAMES.pop(module)
    again = run("evaluate", "--agent", "learner.zip")
    assert again.exit_code != 0
    assert "is not registered here" in f"{again.output} {again.exception}"
    told = run("evaluate", "--agent", "learner.zip", "--game", module, "--set", "steps=5")
    assert told.exit_code == 0, told.output
