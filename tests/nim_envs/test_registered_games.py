"""Games of a user's own: names, ids, sums, the command line, and workers however they start."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import gymnasium
import numpy as np
import pettingzoo
import pytest
from click.testing import CliRunner
from gymnasium.envs.registration import EnvSpec

import nim_envs
from nim_envs import Convention, Game, Rules, make_game, register_game, registration
from nim_envs.check import check_env, check_game
from nim_envs.cli.main import main
from nim_envs.errors import InvalidGameError, InvalidPositionError, UnknownArgumentError
from nim_envs.registered_games import remove
from nim_envs.registration import GAMES, aec_id, gymnasium_id, make_aec, make_versus
from nim_envs.starts import UniformStart
from tests.registrable_games import (
    STAIRS,
    any_stairs,
    misere_stairs,
    stairs,
    stairs_by_digits,
    stairs_of,
)

ROOT = Path(__file__).resolve().parents[2]


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
    register_game("any_stairs", any_stairs, misere=False, replace=True)
    env = pettingzoo.make("aec", "nim_envs/any_stairs-v0", steps=3)
    assert (env.unwrapped.game.rules.initial, env.unwrapped.game.convention) == (
        (4,), Convention.NORMAL,
    )  # fmt: skip
    single = gymnasium.make("nim_envs/AnyStairs-v0", misere=True, disable_env_checker=True)
    assert single.unwrapped.game.convention is Convention.MISERE
    assert "misere" not in GAMES["any_stairs"].defaults

    register_game("stairs_of", stairs_of)
    for misere, most in ((None, 2), (True, 1), (False, 2)):
        game = make_game("stairs_of", misere=misere)
        assert (game.rules.num_options, game.convention.last_mover_wins) == (most, not misere)
    register_game("stairs_of", stairs_of, defaults={"misere": True}, replace=True)
    assert make_game("stairs_of").rules.num_options == 1
    # A part of a sum has no convention of its own.
    assert make_game("sum", games=("stairs_of", "any_stairs")).rules.initial == (5, 6)
    with pytest.raises(UnknownArgumentError, match="'misere'"):
        make_game("sum", games=(("stairs_of", {"misere": True}),))
    with pytest.raises(InvalidGameError, match="the default of misere must be True or False"):
        register_game("stairs_of", stairs_of, defaults={"misere": None}, replace=True)


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
    written = gymnasium.spec(gymnasium_id("sum")).to_json()
    del GAMES["plain"]
    with pytest.raises(
        InvalidGameError,
        match=r"plain is not registered in this process, and "
        r"Rules\(stairs, component 3\) cannot be imported: register it first",
    ):
        gymnasium.make(EnvSpec.from_json(written), games=("plain",))


def test_a_default_that_json_cannot_hold_leaves_the_spec_of_sums_as_json():
    register_game("stairs", stairs, defaults={"steps": 8})
    register_game("odd", stairs_by_digits)
    sums = gymnasium.spec(gymnasium_id("sum"))
    again = EnvSpec.from_json(sums.to_json())
    for spec in (again, copy.deepcopy(sums), pickle.loads(cloudpickle.dumps(sums))):
        made = gymnasium.make(spec, games=("stairs", "odd"), disable_env_checker=True)
        assert made.unwrapped.game.rules.initial == (8, 12)
    held = copy.deepcopy(sums)
    remove("odd")
    # As in another process: JSON names the game, and a copy holds it.
    with pytest.raises(InvalidGameError, match="odd is not registered in this process"):
        gymnasium.make(again, games=("odd",), disable_env_checker=True)
    made = gymnasium.make(held, games=("odd",), disable_env_checker=True)
    assert made.unwrapped.game.rules.initial == (12,)


def test_what_cannot_be_registered_is_refused_with_the_reason():
    def needs(size):
        return stairs(size)

    cases = [
        ("Wythoff", stairs, {}, "lower-case"),
        ("a__b", stairs, {}, "single underscores"),
        ("os:system", stairs, {}, "lower-case"),
        ("2d", stairs, {}, "lower-case"),
        (3, stairs, {}, "lower-case"),
        ("nim", stairs, {}, "game of this package"),
        ("misere__nim", stairs, {}, "lower-case"),
        ("game", 3, {}, "Rules, a Game, or a function"),
        ("game", "tests.registrable_games:stairs", {}, "Rules, a Game, or a function"),
        ("game", stairs, {"misere": 1}, "misere must be True or False"),
        ("game", stairs, {"defaults": {"step": 3}}, "takes steps, most"),
        ("game", stairs, {"defaults": [3]}, "defaults must be a dictionary"),
        ("game", stairs(3), {"defaults": {"steps": 3}}, "take no arguments"),
        ("game", needs, {}, "'size' of the constructor has no default"),
        ("game", lambda start=3: stairs(start), {}, "cannot be called 'start'"),
        ("game", lambda name="x": stairs(3), {}, "cannot be called 'name'"),
        ("game", lambda copy=3: stairs(copy), {}, "cannot be called 'copy'"),
        ("game", lambda *steps: stairs(*steps), {}, "a name of its own"),
        ("game", lambda **steps: stairs(**steps), {}, "a name of its own"),
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


def test_every_keyword_of_an_environment_is_reserved():
    from nim_envs.envs.vector import VectorGameEnv

    for made in (make_game, nim_envs.GameEnv, make_versus("nim").__class__, VectorGameEnv):
        assert {*registration._keywords(made)} <= registration.RESERVED


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


@pytest.mark.parametrize(
    "name", ["os:system", "tests.registrable_games:stairs", "no:thing", "", 3, None]
)
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


def test_gymnasiums_workers_play_what_one_process_plays():
    with pytest.warns(UserWarning, match="defined inside a function"):
        register_game("stairs", _local(), defaults={"steps": 7})
    made = [
        gymnasium.make_vec(
            "nim_envs/Stairs-v0", 2, vectorization_mode=mode, start="uniform", **more
        )
        for mode, more in (("async", {"vector_kwargs": {"context": "spawn"}}), ("sync", {}))
    ]
    observed = [envs.reset(seed=4)[0]["observation"] for envs in made]
    assert (observed[0] == observed[1]).all()
    for envs in made:
        envs.close()


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


def test_a_script_is_told_that_its_functions_are_in_main():
    code = (
        "from nim_envs import register_game\nfrom nim_envs.rules import nim\n"
        "def mine(size=3):\n    return nim(heaps=(size,))\n"
        "register_game('mine', mine)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "defined in __main__" in done.stderr


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
    assert "N-position" in told("--game", "mystairs:ONE")
    # What the module registers is the same game.
    for name in ("mystairs:typed_stairs", "typed_stairs", "mystairs:misere_stairs"):
        assert "N-position" in told("--game", name), name
    assert "misère" in told("--game", "mystairs:misere_stairs", "--position", "1")
    for wrong, message in (
        ("mystairs:none", "has no 'none'"),
        ("nowhere_at_all:thing", "cannot be imported"),
        ("mystairs:", "package.module:function"),
        ("os:system", "has no default"),
        ("os:sep", "Rules, a Game, or a function"),
        ("kaylez", "did you mean 'kayles'"),
    ):
        done = CliRunner().invoke(main, ["solve", "--game", wrong])
        assert done.exit_code == 2, wrong
        assert message in " ".join(done.output.split()), wrong


def test_starts_are_checked_as_for_other_games():
    register_game("stairs", stairs)
    with pytest.raises(InvalidPositionError, match="leaves none"):
        make_game("stairs", start=(0,))
    starts = make_game("stairs", start=UniformStart(low=2)).start_positions()
    assert starts.tolist() == [[2], [3], [4], [5], [6]]
    assert np.asarray(make_game("stairs").solution.is_winning(starts)).tolist() == [1, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nim", {"heaps": (0,)}),
        ("kayles", {"heaps": (0,)}),
        ("subtraction", {"heaps": (1,), "subtraction_set": (2,)}),
        ("wythoff", {"queens": ((0, 0),)}),
        ("splitting", {"heaps": (1,)}),
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
