"""Games of a user's own: names, ids, sums, the command line, and workers however they start."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import sys

import cloudpickle
import gymnasium
import pettingzoo
import pytest
from click.testing import CliRunner
from gymnasium.envs.registration import EnvSpec

import nim_envs
from nim_envs import Game, make_game, register_game
from nim_envs.check import check_env, check_game
from nim_envs.cli.main import main
from nim_envs.errors import InvalidGameError, InvalidPositionError, UnknownArgumentError
from nim_envs.registration import GAMES, aec_id, gymnasium_id, make_aec
from nim_envs.rules import Convention, Rules
from tests.registrable_games import (
    STAIRS,
    any_stairs,
    misere_stairs,
    stairs,
)

REGISTRABLE = {
    "constructor": (stairs, (6,), Convention.NORMAL),
    "constructor of a game": (misere_stairs, (5,), Convention.MISERE),
    "rules": (stairs(3), (3,), Convention.NORMAL),
    "game": (STAIRS, (3,), Convention.MISERE),
}


@pytest.mark.parametrize("kind", REGISTRABLE)
def test_a_game_is_made_by_its_name_everywhere(kind):
    registered, initial, convention = REGISTRABLE[kind]
    register_game("wide_stairs", registered)
    game = make_game("wide_stairs")
    assert (game.rules.initial, game.convention) == (initial, convention)
    assert make_game("wide_stairs", misere=True).convention is Convention.MISERE
    assert make_game("wide_stairs", misere=False).convention is Convention.NORMAL
    check_game(game)
    turn_based = pettingzoo.make("aec", "nim_envs/wide_stairs-v0", start="uniform")
    check_env(turn_based)
    assert str(turn_based.unwrapped) == "wide_stairs_v0"
    single = gymnasium.make("nim_envs/WideStairs-v0", opponent="random", disable_env_checker=True)
    assert single.unwrapped.game == game
    batch = gymnasium.make_vec("nim_envs/WideStairs-v0", 3, vectorization_mode="vector_entry_point")
    assert batch.game == game
    both = make_game("sum", games=("wide_stairs", ("nim", {"heaps": (2,)})))
    assert both.rules.initial == (*initial, 2)
    for one in (game, turn_based, single):
        again = pickle.loads(pickle.dumps(one))
        assert getattr(again, "unwrapped", again) is not None
    assert aec_id("wide_stairs") == "nim_envs/wide_stairs-v0"


def test_arguments_are_those_of_the_constructor():
    register_game("stairs", stairs, defaults={"steps": 9}, misere=True)
    assert make_game("stairs").rules.initial == (9,)
    env = pettingzoo.make("aec", "nim_envs/stairs-v0", most=4, misere=False)
    assert (env.unwrapped.game.rules.num_options, env.unwrapped.game.convention.value) == (
        4, "normal",
    )  # fmt: skip
    with pytest.raises(UnknownArgumentError, match="'step'; it takes steps"):
        pettingzoo.make("aec", "nim_envs/stairs-v0", step=3)
    assert GAMES["stairs"].defaults == {"steps": 9, "most": 2}


def test_a_constructor_may_take_the_convention():
    register_game("any_stairs", any_stairs)
    made = {misere: make_game("any_stairs", misere=misere) for misere in (None, True, False)}
    assert [game.rules.initial for game in made.values()] == [(5,), (5,), (6,)]
    assert [game.convention.value for game in made.values()] == ["misere", "misere", "normal"]


def test_a_spec_holds_every_game_as_json_too():
    register_game("stairs", stairs, defaults={"steps": 8})
    register_game("pair", STAIRS)
    register_game("plain", stairs(3))
    with pytest.warns(UserWarning, match="defined inside a function"):
        register_game("local", _local())
    parts = ("stairs", ("pair", {}), "plain", "local")
    for game_id, arguments in (
        (gymnasium_id("sum"), {"games": parts}),
        *((gymnasium_id(name), {}) for name in ("stairs", "pair", "plain", "local")),
    ):
        spec = gymnasium.spec(game_id)
        again = EnvSpec.from_json(spec.to_json())
        made = [
            gymnasium.make(each, **arguments, disable_env_checker=True) for each in (spec, again)
        ]
        assert made[0].unwrapped.game == made[1].unwrapped.game
        # Copies and pickles hold the game itself.
        for copied in (copy.deepcopy(spec), pickle.loads(cloudpickle.dumps(spec))):
            assert gymnasium.make(copied, **arguments).unwrapped.game == made[0].unwrapped.game


def test_what_cannot_be_registered_is_refused_with_the_reason():
    def needs(size):
        return stairs(size)

    cases = [
        ("Wythoff", stairs, {}, "lower-case"),
        ("nim", stairs, {}, "game of this package"),
        ("game", 3, {}, "Rules, a Game, or a function"),
        ("game", stairs, {"misere": 1}, "misere must be True or False"),
        ("game", stairs, {"defaults": {"step": 3}}, "takes steps, most"),
        ("game", stairs(3), {"defaults": {"steps": 3}}, "take no arguments"),
        ("game", needs, {}, "'size' of the constructor has no default"),
        ("game", lambda start=3: stairs(start), {}, "cannot be called 'start'"),
        ("game", lambda *steps: stairs(*steps), {}, "a name of its own"),
        (
            "game",
            Game(stairs(), Convention.NORMAL, "uniform"),
            {},
            "position.*drop starts=",
        ),
    ]
    before = list(GAMES)
    for name, game, arguments, message in cases:
        with pytest.raises(InvalidGameError, match=message):
            register_game(name, game, **arguments)
    assert list(GAMES) == before


def test_a_constructor_that_returns_something_else_is_named():
    with pytest.warns(UserWarning, match="it is a lambda"):
        register_game("empty", lambda: None)
    with pytest.raises(InvalidGameError, match="constructor of empty must return Rules or a Game"):
        make_game("empty")


def test_names_that_collide_are_refused_unless_it_is_the_same_game():
    register_game("stairs2", stairs)
    register_game("stairs2", stairs)  # a module that is imported again
    with pytest.raises(InvalidGameError, match=r"stairs2 is registered already.*replace=True"):
        register_game("stairs2", misere_stairs)
    with pytest.raises(InvalidGameError, match="same id in Gymnasium, nim_envs/Stairs2-v0"):
        register_game("stairs_2", stairs)
    register_game("stairs2", STAIRS, replace=True)
    register_game("stairs2", copy.copy(STAIRS))
    assert gymnasium.make("nim_envs/Stairs2-v0").unwrapped.game.rules.initial == (3,)
    with pytest.raises(InvalidGameError, match="game of this package"):
        register_game("nim", stairs, replace=True)


@pytest.mark.parametrize("name", ["os:system", "tests.registrable_games:stairs", None])
def test_only_registered_names_are_made(name, monkeypatch):
    make_game("sum")  # imports the constructors of the package
    monkeypatch.setattr("nim_envs.references.importlib.import_module", pytest.fail)
    for make in (
        make_game,
        make_aec,
        lambda name: make_game("sum", games=(name, "nim")),
        lambda name: make_game("sum", games=((name, {}),)),
        lambda name: make_aec("sum", games=((name, {}),)),
    ):
        with pytest.raises(InvalidGameError, match=r"there is no|must be a name"):
            make(name)


# Workers.


def initial_of(spec):
    """Make an environment by its spec in a process that has registered nothing."""
    return gymnasium.make(spec, disable_env_checker=True).unwrapped.game.rules.initial


# A server that forks knows as little as a process that is spawned.
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_know_the_game_however_they_are_started(method):
    register_game("stairs", stairs, defaults={"steps": 8})
    register_game("pair", STAIRS)
    spec = copy.deepcopy(gymnasium.spec(gymnasium_id("sum")))
    spec.kwargs["games"] = ("stairs", ("pair", {}), ("stairs", {"steps": 3}))
    with multiprocessing.get_context(method).Pool(1) as pool:
        found = pool.map(initial_of, [gymnasium.spec("nim_envs/Stairs-v0"), spec], chunksize=1)
        # Workers that are terminated while they wait for a task may leave the pool waiting, too.
        pool.close()
        pool.join()
    assert found == [(8,), (8, 3, 3)]


def _local():
    def local(steps=6):
        return stairs(steps)

    return local


def test_what_other_processes_cannot_import_is_said_when_it_is_registered():
    cases = {
        "it is a lambda": lambda: stairs(3),
        "it is defined inside a function": _local(),
        "it cannot be pickled": Rules("odd", (Unpicklable(rows=((-1,), (0,))),), initial=(1,)),
    }
    for why, game in cases.items():
        with pytest.warns(UserWarning, match=rf"stairs: {why}.* others do not"):
            register_game("stairs", game, replace=True)
        assert make_game("stairs").rules.initial is not None


class Unpicklable(nim_envs.rules.TableComponent):
    def __reduce__(self):
        raise TypeError("no")


# The command line.


def test_the_command_line_finds_a_game_by_module_and_function(tmp_path, monkeypatch):
    (tmp_path / "mystairs.py").write_text(
        "from nim_envs import Game, Convention, register_game\n"
        "from tests.registrable_games import stairs, misere_stairs\n"
        "def tall(steps=3):\n    return stairs(steps)\n"
        "register_game('typed_stairs', misere_stairs)\n"
        "ONE = Game(stairs(4), Convention.NORMAL)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])

    def told(*arguments):
        return CliRunner().invoke(main, ["solve", *arguments], catch_exceptions=False).output

    before = [*GAMES, *gymnasium.registry, *pettingzoo.aec_registry]
    assert "P-position" in told("--game", "mystairs:tall")
    registered = {"typed_stairs", aec_id("typed_stairs"), gymnasium_id("typed_stairs")}
    assert {*GAMES, *gymnasium.registry, *pettingzoo.aec_registry} == {*before, *registered}
    assert "N-position" in told("--game", "mystairs:tall", "--set", "steps=4")
    assert "N-position" in told("--game", "mystairs:typed_stairs")
    for wrong, message in (
        ("mystairs:none", "has no 'none'"),
        ("nowhere_at_all:thing", "cannot be imported"),
        ("kaylez", "did you mean 'kayles'"),
    ):
        done = CliRunner().invoke(main, ["solve", "--game", wrong])
        assert done.exit_code == 2, wrong
        assert message in " ".join(done.output.split()), wrong


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("kayles", {"heaps": (0,)}),
        ("wythoff", {"queens": ((0, 0),)}),
    ],
)
def test_a_sum_may_have_a_part_without_moves(name, arguments):
    game = make_game("sum", games=(("nim", {"heaps": (3,)}), (name, arguments)))
    assert game.solution.is_winning(game.rules.initial)
    alone = make_game("nim", heaps=(3,))
    first = game.rules.initial
    assert len(game.solution.winning_actions(first)) == len(alone.solution.winning_actions((3,)))
    with pytest.raises(InvalidPositionError, match="must leave a legal move"):
        make_game("sum", games=((name, arguments), (name, arguments)))
