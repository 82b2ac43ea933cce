"""Compiled functions are kept on disk and follow every change of the sources."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


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


def call_house(
    folder, *, cache=None, code="print(doubled(), sum(doubled.stats.cache_hits.values()))"
):
    """Start a program that calls the function; return the process."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    return subprocess.Popen(
        [sys.executable, "-c", "from house.kitchen.recipe import doubled; " + code],
        cwd=folder,
        env={**environment, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.split()


def test_a_change_in_a_sibling_folder_is_seen(house):
    assert output(call_house(house)) == ["40", "0"]
    assert output(call_house(house)) == ["40", "1"]
    (house / "house/cellar/store.py").write_text(STORE.format(value=21), encoding="utf-8")
    assert output(call_house(house)) == ["42", "0"]
    kept = {path.relative_to(house).parts[:2] for path in house.rglob("*.nbi")}
    assert kept == {("house", "__pycache__")}


def test_compiled_code_of_older_sources_is_removed_a_week_after_its_last_use(house):
    cache = house / "cache"
    output(call_house(house, cache=cache))
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
    workers = [call_house(house, cache=cache) for _ in range(2)]
    assert [output(worker) for worker in workers] == [["40", "1"]] * 2
    assert set(cache.iterdir()) == kept


ANNOUNCE = """
from nim_envs.compilation import announced_compilation
for size in (1, 2):
    with announced_compilation("the doubling"):
        {call}
"""


def test_compilation_says_so_once_and_loading_from_disk_does_not(house):
    def said(call):
        process = call_house(house, code=f"exec({ANNOUNCE.format(call=call)!r})")
        _, err = process.communicate()
        assert process.returncode == 0
        return err.splitlines()

    message = "nim_envs: compiling the doubling; it is kept on disk, so the next run will not wait"
    assert said("doubled()") == [message]
    # However long it takes: a slow machine is not compilation.
    assert said("doubled(); import time; time.sleep(1.2 if size == 1 else 0)") == []
    # A later compilation of the same function is not announced again.
    assert said("doubled(); doubled.recompile()") == [message]


def test_compilation_outside_the_block_is_not_announced(house):
    code = "doubled(); exec({!r})".format(ANNOUNCE.format(call="doubled()"))
    process = call_house(house, code=code)
    assert process.communicate()[1] == ""


USE_BATCHES = """
import sys
import nim_envs.envs.vector.engine as engine
from nim_envs import make_game
from nim_envs.envs.vector import VectorGameEnv

FUNCTIONS = [one for one in vars(engine).values() if hasattr(one, "signatures")]

def signatures():
    return sum(len(function.signatures) for function in FUNCTIONS)

opponent = lambda observations, masks, rng: masks.argmax(axis=1)
for more in ({"opponent": None}, {"opponent": 0.5, "seat": "random"}, {"opponent": opponent}):
    for mode in ("NextStep", "SameStep"):
        game = make_game(sys.argv[1], start=sys.argv[2])
        env = VectorGameEnv(game, 3, autoreset_mode=mode, **more)
        made = signatures()
        for seed in (None, 1, [1, None, 2]):
            env.reset(seed=seed, options={"start": "uniform"})
            for _ in range(6):
                env.step(env.sample_actions())
        assert signatures() == made, "something was compiled after construction"
print(sum(sum(function.stats.cache_misses.values()) for function in FUNCTIONS))
"""


def test_the_batched_environment_is_compiled_when_made_and_once_for_all_games():
    compiled = []
    for arguments in (("misere_nim", "balanced"), ("addition", "uniform")):
        done = subprocess.run(
            [sys.executable, "-c", USE_BATCHES, *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        compiled.append(int(done.stdout))
    # The first process may find everything on disk already; the other must.
    assert compiled[1] == 0


PLAY = """
from agents import QLearning
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.envs.vector import VectorGameEnv

env = GameEnv(make_game("addition"))
learner = QLearning.for_env(env)
train(env, learner, 20, seed=0, progress=False)
print(learner.state.table.tolist())
batch = VectorGameEnv(make_game("nim", start="uniform"), 3, opponent=0.5, seat="random")
batch.reset(seed=0)
for _ in range(10):
    print([array.tolist() for array in batch.step(batch.sample_actions())[1:4]])
"""


def test_compiled_code_does_the_same_as_plain_python():
    def printed(**environment):
        done = subprocess.run(
            [sys.executable, "-W", "ignore:overflow encountered:RuntimeWarning", "-c", PLAY],
            cwd=ROOT,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert printed(NUMBA_DISABLE_JIT="1") == printed()
