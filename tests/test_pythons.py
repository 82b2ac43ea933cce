"""The list of Pythons on which everything is checked: .ci/pythons."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

PYENV = {
    "3.10.2": "echo 3.10",
    "3.10.13": "echo 3.10",
    "3.11.9": "echo 3.11; exit 1",  # lacks something that is needed
    "3.11.4": "echo 3.11",
    "3.12.0": "echo 3.7",
    "3.14.1": "exit 127",
    "3.9.1": "echo 3.9",
}
"""Versions in a folder of pyenv's, and the programs there that stand for Python."""


def program(path, text):
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.skipif(os.name != "posix", reason="programs of a shell")
def test_the_newest_release_that_starts_is_taken_of_every_version_pyenvs_or_on_the_path(tmp_path):
    for version, text in PYENV.items():
        short = version.rpartition(".")[0]
        program(tmp_path / "versions" / version / "bin" / f"python{short}", text)
    broken = program(tmp_path / "shims" / "python3.12", "exit 127")
    works = program(tmp_path / "on the path" / "python3.12", "echo 3.12")
    path = f"{Path(broken).parent}:{Path(works).parent}:/usr/bin:/bin"
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "pythons"], text=True, capture_output=True, check=True,
        env={"PATH": path, "PYENV_ROOT": str(tmp_path), "HOME": str(tmp_path)},
    )  # fmt: skip
    found = ran.stdout.splitlines()
    ours = [Path(each) for each in found if each.startswith(f"{tmp_path}/versions")]
    assert [each.parents[1].name for each in ours] == ["3.10.13", "3.11.4"]
    # The Python that runs the script may be one of pyenv's, which come before the path.
    assert broken not in found
    assert works in found or any("versions/3.12" in each for each in found)
    order = [int(re.search(r"python3\.(\d+)$", each)[1]) for each in found]
    assert order == sorted(set(order))
    assert all(10 <= minor <= 14 for minor in order)


def test_what_is_checked_is_what_is_declared():
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.findall(r"Python :: (3\.\d+)", project)
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert re.findall(r"3\.\d+", matrix) == declared
    assert f'requires-python = ">={declared[0]}"' in project
