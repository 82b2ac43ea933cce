"""Compiled functions run with damaged files."""

from __future__ import annotations

import os
import runpy
import shutil

import pytest

SOURCE = """
from nim_envs.compilation import compiled

@compiled
def times(x):
    return 3 * x

@compiled
def plus(x):
    return 3 + x
"""


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """A module, and a copy of what was kept when its functions were compiled."""
    path = tmp_path_factory.mktemp("compiled") / "module.py"
    path.write_text(SOURCE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("numba.config.CACHE_DIR", str(path.parent / "cache"))
        assert called(path) == [1, 1]
    shutil.copytree(path.parent / "cache", path.parent / "copy")
    return path


@pytest.fixture
def module(compiled_once, monkeypatch):
    """The module, with all that was kept."""
    cache = compiled_once.parent / "cache"
    monkeypatch.setattr("numba.config.CACHE_DIR", str(cache))
    shutil.rmtree(cache)
    shutil.copytree(compiled_once.parent / "copy", cache)
    assert called(compiled_once) == [0, 0]
    return compiled_once


def called(module):
    """Both functions of the module, new as in a new process, called once; their compilations."""
    functions = runpy.run_path(str(module))
    assert (functions["times"](5), functions["plus"](5)) == (15, 8)
    return [sum(functions[name].stats.cache_misses.values()) for name in ("times", "plus")]


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "cut": cut,
    "a bit in the middle": lambda path: flip(path, path.stat().st_size // 2),
    "missing": lambda path: path.unlink(),
}


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_dropped_and_its_function_compiled_again(module, kind, damage):
    (path,) = (module.parent / "cache").rglob(f"*times*{kind}")
    DAMAGE[damage](path)
    assert called(module) == [1, 0]
    assert called(module) == [0, 0]
