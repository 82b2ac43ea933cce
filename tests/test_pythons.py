"""The list of Pythons on which everything is checked: .ci/pythons."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs of a shell")


def listed(**environment):
    """The paths that are printed on a machine with such settings."""
    path = f"{environment.pop('PATH', '')}:/usr/bin:/bin"
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "pythons"], env={"PATH": path, **environment}, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    return ran.stdout.split()


def program(path, text):
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def pyenv(tmp_path):
    """A folder of pyenv's with Pythons that start, and that do not."""
    made = {
        "3.10.2": "echo 3.10",
        "3.10.13": "echo 3.10",
        "3.11.9": "echo 3.11; exit 1",  # lacks something that is needed
        "3.11.4": "echo 3.11",
        "3.12.0": "echo 3.7",
        "3.14.1": "exit 127",
        "3.9.1": "echo 3.9",
    }
    for version, text in made.items():
        short = version.rpartition(".")[0]
        program(tmp_path / "versions" / version / "bin" / f"python{short}", text)
    return tmp_path


def test_the_newest_release_that_starts_is_taken_of_every_supported_version(pyenv):
    found = listed(PYENV_ROOT=str(pyenv), HOME=str(pyenv))
    ours = [path for path in found if path.startswith(str(pyenv))]
    assert [Path(path).parents[1].name for path in ours] == ["3.10.13", "3.11.4"]
    order = [int(re.search(r"python3\.(\d+)$", path)[1]) for path in found]
    assert order == sorted(set(order))
    assert all(10 <= minor <= 14 for minor in order)


def test_without_pyenv_those_on_the_path_are_found(tmp_path):
    broken = program(tmp_path / "shims" / "python3.10", "exit 127")
    works = program(tmp_path / "bin" / "python3.10", "echo 3.10")
    folders = f"{Path(broken).parent}:{Path(works).parent}"
    home = {"HOME": str(tmp_path), "PYENV_ROOT": str(tmp_path / "none")}
    found = listed(PATH=folders, **home)
    # This Python may be one of pyenv's, which come before.
    assert broken not in found
    assert works in found or any("versions" in path for path in found[:1])


def test_the_one_that_runs_this_is_a_supported_one_that_starts():
    folder = Path(sys.base_prefix, "bin")
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if not (folder / name).exists():
        pytest.skip("a Python under another name")
    assert any(path.endswith(name) for path in listed(PATH=str(folder)))


def test_what_is_checked_is_what_is_declared():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.findall(r"Python :: (3\.\d+)", project)
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"3\.\d+", matrix) == declared
    assert f'requires-python = ">={declared[0]}"' in project
