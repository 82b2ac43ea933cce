"""Games of a user's own: names, ids, sums, the command line, and workers however they start."""

import copy
import pickle
import sys
from functools import partial

import gymnasium
import pettingzoo
import pytest
from click.testing import CliRunner
from gymnasium.envs.registration import EnvSpec

from nim_envs import (
    GameEnv,
    UniformStart,
    VectorGameEnv,
    VersusEnv,
    make_game,
    register_game,
    registry,
)
from nim_envs.check import check_env, check_game
from nim_envs.cli.main import main
from nim_envs.errors import InvalidGameError, InvalidPositionError, UnknownArgumentError
from nim_envs.registry import GAMES, make_aec
from tests.registrable_games import STAIRS, any_stairs, misere_stairs, stairs

REGISTRABLE = {
    "constructor": (stairs, (6,), False),
    "constructor of a misère game": (misere_stairs, (5,), True),
    "game": (STAIRS, (3,), True),
}


@pytest.mark.parametrize("kind", REGISTRABLE)
def test_a_game_is_made_by_its_name_everywhere(kind):
    registered, start, misere = REGISTRABLE[kind]
    register_game("wide_stairs", registered)
    game = make_game("wide_stairs")
    assert (game.start, game.misere) == (start, misere)
    assert make_game("wide_stairs", misere=not misere).misere is not misere
    check_game(game)
    turn_based = pettingzoo.make("aec", "nim_envs/wide_stairs-v0", start="uniform")
    check_env(turn_based)
    assert str(turn_based.unwrapped) == "wide_stairs_v0"
    single = gymnasium.make("nim_envs/WideStairs-v0", opponent="random", disable_env_checker=True)
    batch = gymnasium.make_vec("nim_envs/WideStairs-v0", 3, vectorization_mode="vector_entry_point")
    assert single.unwrapped.game.summary == batch.game.summary == game.summary
    both = make_game("sum", games=("wide_stairs", ("nim", {"heaps": (2,)})))
    assert both.start == (*start, 2)
    for one in (game, turn_based, single):
        pickle.loads(pickle.dumps(one))
    assert GAMES["wide_stairs"].aec_id == "nim_envs/wide_stairs-v0"


def test_arguments_are_those_of_the_constructor():
    register_game("stairs", stairs, defaults={"steps": 9}, misere=True)
    assert make_game("stairs").start == (9,)
    game = pettingzoo.make("aec", "nim_envs/stairs-v0", most=4, misere=False).unwrapped.game
    assert (game.num_actions, game.misere) == (4, False)
    with pytest.raises(UnknownArgumentError, match="'step'; it takes steps"):
        pettingzoo.make("aec", "nim_envs/stairs-v0", step=3)
    assert GAMES["stairs"].defaults == {"steps": 9, "most": 2}


def test_a_constructor_may_take_the_convention():
    register_game("any_stairs", any_stairs)
    made = [make_game("any_stairs", misere=misere) for misere in (None, True, False)]
    assert [(game.start, game.misere) for game in made] == [
        ((5,), True),
        ((5,), True),
        ((6,), False),
    ]


def test_a_spec_makes_the_game_again_from_json_and_from_copies():
    register_game("stairs", stairs, defaults={"steps": 8})
    register_game("pair", STAIRS)
    sums = {"games": ("stairs", ("pair", {}), ("stairs", {"steps": 3}))}
    for name, arguments in (("sum", sums), ("stairs", {}), ("pair", {})):
        spec = gymnasium.spec(GAMES[name].gymnasium_id)
        found = {
            gymnasium.make(each, **arguments, disable_env_checker=True).unwrapped.game.summary
            for each in (spec, EnvSpec.from_json(spec.to_json()), copy.deepcopy(spec))
        }
        assert found == {make_game(name, **arguments).summary}


def test_what_cannot_be_registered_is_refused_with_the_reason():
    def needs(size):
        return stairs(size)

    cases = [
        ("Wythoff", stairs, {}, "lower-case"),
        ("nim", stairs, {}, "a game of this package"),
        ("nim", stairs, {"replace": True}, "a game of this package"),
        ("game", 3, {}, "a Game, or a function"),
        ("game", stairs, {"misere": 1}, "misere must be True or False"),
        ("game", stairs, {"defaults": {"step": 3}}, "it takes steps, most"),
        ("game", STAIRS, {"defaults": {"steps": 3}}, "unexpected keyword argument 'steps'"),
        ("game", needs, {}, "whose arguments have defaults .*'size' has none"),
        ("game", lambda misere: stairs(), {}, "whose arguments have defaults .*'misere' has none"),
        ("game", lambda start=3: stairs(start), {}, "that environments do not have.*'start'"),
        ("game", make_game("nim", start="uniform"), {}, "one position, without starts="),
    ]
    before = list(GAMES)
    for name, game, arguments, message in cases:
        with pytest.raises(InvalidGameError, match=message):
            register_game(name, game, **arguments)
    assert list(GAMES) == before
    register_game("empty", lambda: None)
    with pytest.raises(InvalidGameError, match="constructor of empty must return a Game"):
        make_game("empty")


def test_names_that_collide_are_refused_but_for_the_module_that_registers_again():
    register_game("stairs2", stairs)
    register_game("stairs2", STAIRS)
    assert gymnasium.make("nim_envs/Stairs2-v0").unwrapped.game.start == (3,)
    elsewhere = {"register_game": register_game, "stairs": stairs, "__name__": "copy"}
    with pytest.raises(InvalidGameError, match=r"a game of module tests.*, or replace=True"):
        exec("register_game('stairs2', stairs)", elsewhere)
    exec("register_game('stairs2', stairs, replace=True)", elsewhere)
    assert gymnasium.make("nim_envs/Stairs2-v0").unwrapped.game.start == (6,)
    with pytest.raises(InvalidGameError, match="the id nim_envs/Stairs2-v0 is that of stairs2"):
        register_game("stairs_2", stairs)


@pytest.mark.parametrize("name", ["os:system", "tests.registrable_games:stairs", None])
def test_only_registered_names_are_made(name, monkeypatch):
    make_game("sum")  # imports the constructors of the package
    monkeypatch.setattr(registry, "resolve_name", pytest.fail)
    monkeypatch.setattr(registry, "importlib", None)
    for make in (make_game, lambda name: make_game("sum", games=(name, "nim"))):
        with pytest.raises(InvalidGameError, match=r"there is no|must be a list of names"):
            make(name)


def test_workers_import_the_module_that_registers_a_game():
    sys.modules.pop("tests.worker_stairs", None)
    with pytest.raises(InvalidGameError, match="there is no 'worker_stairs'"):
        make_aec("worker_stairs")
    envs = gymnasium.make_vec(
        "tests.worker_stairs:nim_envs/WorkerStairs-v0",
        num_envs=2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn", "shared_memory": False},
    )
    observations, _ = envs.reset(seed=0)
    envs.close()
    assert observations["observation"].tolist() == [[8], [8]]


# The command line.


def test_the_command_line_finds_a_game_by_module_and_function(tmp_path, monkeypatch):
    (tmp_path / "mystairs.py").write_text(
        "from nim_envs import register_game\n"
        "from tests.registrable_games import stairs, misere_stairs\n"
        "def tall(steps=3):\n    return stairs(steps)\n"
        "register_game('typed_stairs', misere_stairs)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != ""])

    def told(*arguments):
        return CliRunner().invoke(main, ["solve", *arguments], catch_exceptions=False).output

    before = [*GAMES, *gymnasium.registry, *pettingzoo.aec_registry]
    assert "P-position" in told("--game", "mystairs:tall")
    registered = {"typed_stairs", GAMES["typed_stairs"].aec_id, GAMES["typed_stairs"].gymnasium_id}
    assert {*GAMES, *gymnasium.registry, *pettingzoo.aec_registry} == {*before, *registered}
    assert "N-position" in told("--game", "mystairs:tall", "--set", "steps=4")
    assert "N-position" in told("--game", "mystairs:typed_stairs")
    for wrong, message in (
        ("mystairs:none", "no attribute 'none'"),
        ("nowhere_at_all:thing", "cannot be imported"),
        ("kaylez", "did you mean 'kayles'"),
    ):
        done = CliRunner().invoke(main, ["solve", "--game", wrong])
        assert done.exit_code == 2, wrong
        assert message in " ".join(done.output.split()), wrong


@pytest.mark.parametrize(
    ("name", "arguments"), [("kayles", {"heaps": (0,)}), ("wythoff", {"queens": ((0, 0),)})]
)
def test_a_sum_may_have_a_part_without_moves(name, arguments):
    game = make_game("sum", games=(("nim", {"heaps": (3,)}), (name, arguments)))
    assert game.solution.winning_actions(game.start).tolist() == [2]
    with pytest.raises(InvalidPositionError, match="must leave a legal move"):
        make_game("sum", games=((name, arguments), (name, arguments)))


@pytest.mark.parametrize("cls", [GameEnv, VersusEnv, partial(VectorGameEnv, num_envs=1)])
def test_environments_begin_where_start_says(cls):
    game = make_game("nim", heaps=(2, 2))
    env = cls(game, start=(1, 2))
    env.reset(seed=0)
    position = env.position if hasattr(env, "position") else env.positions[0]
    assert position.tolist() == [1, 2]
    assert env.game.registered.arguments["start"] == (1, 2)
    env = cls(game, start="uniform")
    assert env.game.starts == UniformStart()
    for wrong in ("nowhere", (0, 0), (3, 2)):
        with pytest.raises(InvalidPositionError):
            cls(game, start=wrong)
