"""Games in files: registered ones by their name, nothing else by any name."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from agents import QLearning, QuotientLearner
from agents.storage import StorageError, load, load_content, save, save_content
from nim_envs import GameEnv, make_game, register_game, registry
from nim_envs.registry import remove
from tests.agents.learning import contents
from tests.own_games import own_game
from tests.registrable_games import STAIRS, stairs


@pytest.fixture
def own():
    """Register a game."""
    register_game("stairs", stairs)


@pytest.fixture
def loaded(own, tmp_path, monkeypatch):
    """Load a file of a game that a stranger has named, while nothing may be imported by a name."""
    monkeypatch.setattr(registry, "resolve_name", pytest.fail)
    monkeypatch.setattr(registry, "importlib", None)

    def load_game(name, **arguments):
        path = tmp_path / "content.zip"
        save_content({"arguments": arguments}, path)
        with zipfile.ZipFile(path) as file:
            header = json.loads(file.read("header.json"))
        encoded = header["content"]["dict"][0][1]
        header["content"] = {"dict": [["game", {"game": name, "arguments": encoded}]]}
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("header.json", json.dumps(header))
        return load_content(path)["game"]

    return load_game


def test_a_registered_game_of_ones_own_is_saved_by_its_name(tmp_path):
    register_game("stairs", stairs)
    register_game("pair", STAIRS)
    path = tmp_path / "learner.zip"
    for name, arguments in (
        ("stairs", {"steps": 9, "start": "uniform", "misere": True}),
        ("pair", {}),
        ("sum", {"games": ("stairs", ("nim", {"heaps": (2,)}))}),
    ):
        env = GameEnv(make_game(name, **arguments))
        learner = QLearning.for_env(env)
        save(learner, path)
        assert load(path).game == env.game
        assert contents(load(path)) == contents(learner)


def test_where_it_is_not_registered_the_error_says_what_to_do(tmp_path):
    register_game("stairs", stairs)
    game, path = make_game("stairs", steps=5, misere=True), tmp_path / "learner.zip"
    save(QuotientLearner(game), path)
    remove("stairs")
    with pytest.raises(StorageError, match=r"'stairs' is not registered .*register_game.*game="):
        load(path)
    assert load(path, game).game == game
    save(QLearning.for_env(GameEnv(game)), path)
    with pytest.raises(StorageError, match="are not those of nim"):
        load(path, make_game("nim"))


def test_a_learner_of_coordinates_needs_the_game_where_the_file_does_not_name_it(tmp_path):
    game, path = own_game("wythoff"), tmp_path / "learner.zip"
    learner = QLearning.for_env(GameEnv(game))
    save(learner, path)
    with pytest.raises(StorageError, match=r"coordinates of wythoff .*not a registered.*game="):
        load(path)
    loaded = load(path, game)
    assert contents(loaded) == contents(learner)
    assert loaded.index(np.array([2, 3])) == learner.index(np.array([2, 3]))


@pytest.mark.parametrize(
    "name",
    ["os:system", "tests.registrable_games:stairs", "", "os:nim_envs/Nim-v0", "nim:"],
)
def test_no_name_out_of_a_file_is_looked_up(name, loaded):
    with pytest.raises(StorageError, match="is not registered here"):
        loaded(name)
    for games in ([name], [[name, {}]], ((name, {}), "nim")):
        with pytest.raises(StorageError, match=r"there is no .*; the games are nim, "):
            loaded("sum", games=games)


def test_arguments_out_of_a_file_keep_the_limits(loaded):
    assert loaded("stairs", steps=7) == make_game("stairs", steps=7)
    for arguments, message in (
        ({"steps": 10**30}, "at most"),
        ({"games": [["nim", {"heaps": (10**30,)}]]}, "at most"),
        ({"steps": make_game("nim")}, "hold no Game"),
        ({"height": 3}, "unexpected keyword argument 'height'"),
        ({"sources": {"mine": ["os:system", None, {}]}}, "unexpected keyword argument 'sources'"),
    ):
        with pytest.raises(StorageError, match=message):
            loaded("stairs", **arguments)
