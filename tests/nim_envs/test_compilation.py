"""Compiled functions are kept on disk and follow every change of the sources."""

from __future__ import annotations

import os
import runpy
import time

import numba
import pytest


def test_processes_that_compile_at_the_same_time_write_different_files(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    path = tmp_path / "module.py"
    path.write_text(
        "from nim_envs.compilation import compiled\n@compiled\ndef double(x):\n    return 2 * x\n",
        encoding="utf-8",
    )
    # Neither process has seen what the other has written to the index.
    for argument in (1, 1.5):
        double = runpy.run_path(str(path))["double"]
        assert double(argument) == 2 * argument
        for index in tmp_path.rglob("*.nbi"):
            index.unlink()
    assert len(list(tmp_path.rglob("*.nbc"))) == 2


STORE = """
from nim_envs.compilation import compiled

@compiled
def kept():
    return {value}
"""

RECIPE = """
from house.cellar.store import kept
from nim_envs.compilation import compiled

@compiled
def doubled():
    return 2 * kept()
"""


@pytest.fixture
def house(tmp_path):
    """A package whose one sub-folder calls a compiled function of the other."""
    for folder in ("house", "house/kitchen", "house/cellar"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "house/kitchen/recipe.py").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "house/cellar/store.py").write_text(STORE.format(value=20), encoding="utf-8")
    return tmp_path


CALL = """
from house.kitchen.recipe import doubled
print(doubled(), sum(doubled.stats.cache_hits.values()))
"""


def kept_in(cache):
    """The beginning of a program whose compiled functions are kept in a folder."""
    return f"import numba; numba.config.CACHE_DIR = {str(cache)!r}\n"


def test_a_change_in_a_sibling_folder_is_seen(house, forks):
    assert forks.output(CALL, house) == ["40", "0"]
    assert forks.output(CALL, house) == ["40", "1"]
    (house / "house/cellar/store.py").write_text(STORE.format(value=21), encoding="utf-8")
    assert forks.output(CALL, house) == ["42", "0"]
    kept = {path.relative_to(house).parts[:2] for path in house.rglob("*.nbi")}
    assert kept == {("house", "__pycache__")}


def test_compiled_code_of_older_sources_is_removed_a_week_after_its_last_use(house, forks):
    cache = house / "cache"
    forks.run(kept_in(cache) + CALL, house)
    # All of it is where the user wants it.
    assert all(path.is_relative_to(cache) for path in house.rglob("*.nbi"))
    (used,) = cache.iterdir()
    week_ago = time.time() - 8 * 24 * 3600

    def make(name, *, directory_is_old=True, file_is_old=True):
        directory = cache / name
        (directory / "house").mkdir(parents=True)
        files = [directory / "house" / f"function.{i}.nbc" for i in range(50)]
        for path in files:
            path.touch()
            os.utime(path, (week_ago, week_ago))
        if not file_is_old:
            os.utime(files[0])
        for path in (directory / "house", directory):
            if directory_is_old:
                os.utime(path, (week_ago, week_ago))
        return directory

    make("numba-0123456789abcdef")
    kept = {
        make("numba-00000000000000aa", directory_is_old=False),
        make("numba-00000000000000bb", file_is_old=False),
        make("somebody-elses"),
        make("numba-notes"),
        used,
    }
    # A folder in use is kept, even if it was compiled long ago.
    for path in [*used.rglob("*"), used]:
        os.utime(path, (week_ago, week_ago))
    two_at_a_time = f"import os; child = os.fork()\n{kept_in(cache)}{CALL}\nchild and os.wait()"
    assert forks.output(two_at_a_time, house) == ["40", "1"] * 2
    assert set(cache.iterdir()) == kept


ANNOUNCE = """
import sys
from house.cellar.store import kept
from house.kitchen.recipe import doubled
from nim_envs.compilation import announced_compilation

kept()
for call in ({calls}):
    print("called", file=sys.stderr)
    with announced_compilation("the doubling"):
        call()
"""


def test_compilation_says_so_once_and_loading_from_disk_does_not(house, forks):
    message = "nim_envs: compiling the doubling; it is kept on disk, so the next run will not wait"
    # Neither what is compiled before the block is announced, nor a later compilation.
    compiled = forks.run(ANNOUNCE.format(calls="doubled, doubled, doubled.recompile"), house)
    assert compiled.err.splitlines() == ["called", message, "called", "called"]
    assert forks.run(ANNOUNCE.format(calls="doubled,"), house).err == "called\n"


USE_BATCHES = """
import nim_envs.envs.vector.engine as engine
from nim_envs import make_game
from nim_envs.envs.vector import VectorGameEnv

FUNCTIONS = [one for one in vars(engine).values() if hasattr(one, "signatures")]

def signatures():
    return sum(len(function.signatures) for function in FUNCTIONS)

opponent = lambda observations, masks, rng: masks.argmax(axis=1)
for name, start in (("misere_nim", "balanced"), ("addition", "uniform")):
    for more in ({"opponent": None}, {"opponent": 0.5, "seat": "random"}, {"opponent": opponent}):
        for mode in ("NextStep", "SameStep"):
            env = VectorGameEnv(make_game(name, start=start), 3, autoreset_mode=mode, **more)
            made = signatures()
            for seed in (None, 1, [1, None, 2]):
                env.reset(seed=seed, options={"start": "uniform"})
                for _ in range(6):
                    env.step(env.sample_actions())
            assert signatures() == made, "something was compiled after construction"
    print(made)
"""


def test_the_batched_environment_is_compiled_when_made_and_once_for_all_games(forks):
    first, second = forks.output(kept_in(numba.config.CACHE_DIR) + USE_BATCHES)
    assert first == second


PLAY = """
import warnings
from agents import QLearning
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.envs.vector import VectorGameEnv

warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
env = GameEnv(make_game("addition"))
learner = QLearning.for_env(env)
train(env, learner, 20, seed=0, progress=False)
print(learner.state.table.tolist())
batch = VectorGameEnv(make_game("nim", start="uniform"), 3, opponent=0.5, seat="random")
batch.reset(seed=0)
for _ in range(10):
    print([array.tolist() for array in batch.step(batch.sample_actions())[1:4]])
"""


def test_compiled_code_does_the_same_as_plain_python(forks):
    compiled = forks.output(kept_in(numba.config.CACHE_DIR) + PLAY)
    assert compiled == forks.output("import numba; numba.config.DISABLE_JIT = 1\n" + PLAY)


MENU = """
from nim_envs.compilation import compiled

def prepared(dish):
    @compiled
    def served():
        return 2 * dish()
    return served
"""

DISH = """
from nim_envs.compilation import compiled

@compiled(inner=True)
def dish():
    return {value}
"""

SERVE = """
from garden.dish import dish
from house.kitchen.menu import prepared

served = prepared(dish)
print(served(), sum(served.stats.cache_hits.values()))
"""


def test_a_function_that_closes_over_one_of_another_package_is_kept_and_follows_it(house, forks):
    (house / "house/kitchen/menu.py").write_text(MENU, encoding="utf-8")
    (house / "garden").mkdir()
    (house / "garden/__init__.py").touch()
    (house / "garden/dish.py").write_text(DISH.format(value=20), encoding="utf-8")
    assert forks.output(SERVE, house) == ["40", "0"]
    assert forks.output(SERVE, house) == ["40", "1"]
    (house / "garden/dish.py").write_text(DISH.format(value=21), encoding="utf-8")
    assert forks.output(SERVE, house) == ["42", "0"]


def test_a_function_beside_other_modules_of_a_folder_follows_these_alone(house, forks):
    (house / "house/kitchen/menu.py").write_text(MENU, encoding="utf-8")
    (house / "dish.py").write_text(DISH.format(value=20), encoding="utf-8")
    program = SERVE.replace("garden.dish", "dish")
    assert forks.output(program, house) == ["40", "0"]
    (house / "garden").mkdir()
    (house / "garden/notes.py").write_text("# nothing is imported from here", encoding="utf-8")
    assert forks.output(program, house) == ["40", "1"]
    (house / "dish.py").write_text(DISH.format(value=21), encoding="utf-8")
    assert forks.output(program, house) == ["42", "0"]
