"""The command line of agents with a game that a person types as module:function."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from agents import QLearning
from agents.cli.main import main
from agents.storage import load, save
from nim_envs import GameEnv, make_game, register_game
from nim_envs.cli.arguments import text_of, value_of
from nim_envs.errors import StorageError
from nim_envs.registered_games import GAMES, remove
from tests.own_games import own_game as coordinates_game
from tests.registrable_games import misere_stairs


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


def test_a_learner_of_a_typed_game_is_loaded_where_the_game_is_typed(module, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(main, arguments)

    done = run(
        "train", "--game", module, "--set", "steps=5", "--learner", "q-learning",
        "--games", "200", "--output", "learner.zip",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert module not in GAMES
    with pytest.raises(StorageError, match="is not registered here"):
        load("learner.zip")
    assert load("learner.zip", misere_stairs(5)).game.rules.initial == (5,)
    again = run("evaluate", "--player", "learner.zip")
    asked = (
        f"learner.zip has learned {module}, a game of your own: add --game {module} --set steps=5"
    )
    for arguments in (["--player", "learner.zip"], ["--player", "learner.zip", "--game", "nim"]):
        again = run("evaluate", *arguments)
        assert again.exit_code == 2
        assert asked in " ".join(again.output.replace("│", " ").split())
    told = run("evaluate", "--player", "learner.zip", "--game", module, "--set", "steps=5")
    assert told.exit_code == 0, told.output
    other = run("evaluate", "--player", "learner.zip", "--game", module)
    assert other.exit_code == 2
    assert "has learned stairs, component 5" in " ".join(other.output.replace("│", " ").split())


def test_a_run_of_a_typed_game_goes_on_where_the_game_is_typed(module):
    def run(*arguments):
        given = ["--checkpoint", "run.zip", "--output", "learner.zip"]
        return CliRunner().invoke(main, ["train", *arguments, *given])

    assert run("--game", module, "--set", "steps=5", "--games", "50").exit_code == 0
    again = run("--games", "80")
    assert again.exit_code != 0
    assert "is not registered here" in f"{again.output} {again.exception}"
    done = run("--game", module, "--set", "steps=5", "--games", "80")
    assert done.exit_code == 0, done.output
    assert module not in GAMES


def test_the_module_of_a_registered_name_is_asked_for(module, tmp_path):
    register_game("typed_stairs", misere_stairs)
    save(QLearning.for_env(GameEnv(make_game("typed_stairs", steps=4))), "learner.zip")
    remove("typed_stairs")
    done = CliRunner().invoke(main, ["show", "--player", "learner.zip"])
    assert done.exit_code == 2
    assert "add --game MODULE:typed_stairs --set steps=4, with the module" in " ".join(
        done.output.split()
    )


def test_a_learner_of_a_game_without_a_name_gets_the_one_that_is_typed(module, tmp_path):
    (tmp_path / "typed_stairs.py").write_text(
        "from tests.own_games import own_game\ndef tall():\n    return own_game('wythoff')\n"
    )
    save(QLearning.for_env(GameEnv(coordinates_game("wythoff"))), "learner.zip")

    def run(*arguments):
        return CliRunner().invoke(main, ["evaluate", "--player", "learner.zip", *arguments])

    assert "--game MODULE:FUNCTION" in run().output
    assert run("--game", module).exit_code == 0
    assert "those of" in f"{run('--game', 'nim').output} {run('--game', 'nim').exception}"


@pytest.mark.parametrize(
    "value", [3, 0.5, True, None, "word", (3, 4), (3,), (), ((1, 2), ()), (("nim", {"n": 3}),)]
)
def test_a_value_is_read_back_from_its_word(value):
    assert value_of(text_of(value)) == value
