"""Compiled functions are kept on disk and follow every change of the sources."""

from __future__ import annotations

import numba
import pytest

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


PLAY = """
import warnings
from agents import QLearning
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.envs.batched import VectorGameEnv

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
