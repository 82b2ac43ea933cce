"""Compiled functions run with damaged files, and where none can be written."""

from __future__ import annotations

import os
import pickle
import runpy
import shutil

import numba
import pytest

from nim_envs import compiled_files

SOURCE = """
from nim_envs.compilation import compiled

@compiled
def times(x):
    return {factor} * x

@compiled
def plus(x):
    return {factor} + x
"""


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """A module, and a copy of what was kept when its functions were compiled."""
    path = tmp_path_factory.mktemp("compiled") / "module.py"
    path.write_text(SOURCE.format(factor=3), encoding="utf-8")
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


def replace_by_folder(path):
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def replace_by_pipe(path):
    path.unlink()
    os.mkfifo(path)


def replace_by_link_to_itself(path):
    path.unlink()
    path.symlink_to(path)


def copy_other(path):
    """Put the file of the other function in its place."""
    (other,) = path.parent.glob(f"*plus*{path.suffix}")
    shutil.copy(other, path)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "garbage": lambda path: path.write_bytes(b"\x80\x04garbage" * 1000),
    "another pickle": lambda path: path.write_bytes(pickle.dumps(numba.__version__) * 2),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "a bit of the first byte": lambda path: flip(path, 0),
    "a bit in the middle": lambda path: flip(path, path.stat().st_size // 2),
    "a bit at two thirds": lambda path: flip(path, path.stat().st_size * 2 // 3),
    "missing": lambda path: path.unlink(),
    "a folder": replace_by_folder,
    "a pipe": replace_by_pipe,
    "a link to itself": replace_by_link_to_itself,
    "of another function": copy_other,
}


@pytest.mark.skipif(os.name != "posix", reason="files of POSIX")
@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_dropped_and_its_function_compiled_again(module, kind, damage):
    (path,) = (module.parent / "cache").rglob(f"*times*{kind}")
    DAMAGE[damage](path)
    assert called(module) == [1, 0]
    assert called(module) == [0, 0]


@pytest.mark.exhaustive
def test_no_flipped_bit_is_loaded(module):
    for kind in (".nbi", ".nbc"):
        (path,) = (module.parent / "cache").rglob(f"*times*{kind}")
        whole = path.read_bytes()
        for place in range(0, len(whole), 97):
            path.write_bytes(whole)
            flip(path, place)
            assert not compiled_files._whole(str(path))


def test_a_file_that_cannot_be_unpickled_is_compiled_again(module):
    # As where a package that its content belongs to has been replaced.
    (path,) = (module.parent / "cache").rglob("*times*.nbc")
    content = b"cnot_a_package\nnothing\n."
    path.write_bytes(content + compiled_files._digest(str(path), content))
    assert called(module) == [1, 0]
    assert called(module) == [0, 0]


@pytest.fixture
def house(tmp_path):
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__init__.py").touch()
    (tmp_path / "house" / "cook.py").write_text(SOURCE.format(factor=3), encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "temporary").mkdir()
    return tmp_path


CALL = """
import os, sys, tempfile
from pathlib import Path
os.environ["HOME"] = {home!r}
tempfile.tempdir = {temporary!r}
{before}
from house.cook import times
{after}
from nim_envs.compilation import announced_compilation
with announced_compilation("the product"):
    print(times(5), sum(times.stats.cache_hits.values()))
"""

NOBODY = """
def home():
    raise RuntimeError("Could not determine home directory.")
Path.home = home
"""
"""A user without HOME and without an entry in the list of users."""

SMALL_FILES = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""
"""Writing fails as on a full disk."""

ON_DISK = "nim_envs: compiling the product; it is kept on disk, so the next run will not wait\n"
NOWHERE = (
    "nim_envs: compiling the product; it can be kept nowhere, so the next run will wait too; see "
    "NUMBA_CACHE_DIR\n"
)


def program(house, *, home="home", temporary="temporary", before="", after=""):
    places = {"home": str(house / home), "temporary": str(house / temporary)}
    return CALL.format(**places, before=before, after=after)


def closed(path):
    """Let no folder be made here: a file, as the superuser may write to every folder."""
    path.write_text("closed", encoding="utf-8")


def kept_under(house):
    return {path.relative_to(house).parts[0] for path in house.rglob("*.nbi")}


def test_where_the_package_cannot_be_written_to_the_users_folder_is(house, forks):
    closed(house / "house" / "__pycache__")
    for hits in ("0", "1"):
        assert forks.output(program(house), house) == ["15", hits]
    assert kept_under(house) == {"home"}


@pytest.mark.skipif(os.name != "posix", reason="a user without a folder")
def test_without_a_home_temporary_files_are_the_place_and_nobody_elses(house, forks):
    closed(house / "house" / "__pycache__")
    for hits in ("0", "1"):
        finished = forks.run(program(house, before=NOBODY), house)
        assert (finished.out.split(), finished.code) == (["15", hits], 0)
        assert finished.err == (ON_DISK if hits == "0" else "")
    assert kept_under(house) == {"temporary"}
    (own,) = (house / "temporary").iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    # Whoever may write there could have this user run anything.
    own.chmod(0o777)
    assert forks.output(program(house, before=NOBODY), house) == ["15", "0"]


def test_with_no_place_at_all_it_is_compiled_in_memory_and_says_so(house, forks):
    closed(house / "house" / "__pycache__")
    closed(house / "home" / ".cache")
    (house / "temporary").rmdir()
    finished = forks.run(program(house), house)
    assert (finished.out.split(), finished.err) == (["15", "0"], NOWHERE)
    assert not kept_under(house)


def test_a_chosen_folder_that_cannot_be_written_to_is_no_error(house, forks):
    closed(house / "chosen")
    chosen = f"import numba; numba.config.CACHE_DIR = {str(house / 'chosen')!r}"
    for hits in ("0", "1"):
        assert forks.output(program(house, before=chosen), house) == ["15", hits]
    assert kept_under(house) == {"temporary"}


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_full_disk_is_no_error(house, forks, when):
    # It fills up before the folders are looked at, or after.
    assert forks.output(program(house, **{when: SMALL_FILES}), house) == ["15", "0"]
    assert not kept_under(house)
    assert not list(house.rglob("*.nbc*"))


def test_what_is_in_a_folder_that_cannot_be_written_to_is_loaded(house, forks):
    # As of a package in an image that was made by another user.
    assert forks.output(program(house), house) == ["15", "0"]
    full = "from nim_envs import compiled_files\ncompiled_files._has_room = lambda folder: False"
    assert forks.output(program(house, before=full), house) == ["15", "1"]
