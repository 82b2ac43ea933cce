"""The command line of agents with a game that a person types as module:function."""

import sys

import pytest

from agents.storage import load
from nim_envs.errors import StorageError
from nim_envs.registry import GAMES
from tests.agents.cli.test_command_line import in_one_line
from tests.commands import run_agents as run
from tests.registrable_games import stairs


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


def test_a_learner_of_a_typed_game_is_loaded_where_the_game_is_typed(module, capsys):
    game = ["--game", module, "--set", "steps=5"]
    saved = ["--output", "learner.zip"]
    assert run(["train", *game, "--games", "200", *saved]) == 0
    assert module not in GAMES
    with pytest.raises(StorageError, match="is not registered here"):
        load("learner.zip")
    assert load("learner.zip", stairs(5)).game.start == (5,)
    assert run(["evaluate", "--player", "learner.zip"]) == 2
    assert "which is not registered here" in capsys.readouterr().err
    assert run(["evaluate", "--player", "learner.zip", *game]) == 0
    assert run(["evaluate", "--player", "learner.zip", "--game", "nim"]) == 2
    assert "nim" in in_one_line(capsys.readouterr().err)
