"""The tutorial of large boards: its file, and its programs with that file beside them."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from docs.generator.outputs import OUTPUT, PROGRAM, runs
from nim_envs.cli.main import main
from tests.clients.tutorials import TUTORIALS


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The text after the file that the reader writes, and that file."""
    text = (TUTORIALS / "large_boards.md").read_text(encoding="utf-8")
    file = PROGRAM.search(text)
    (tmp_path / "large_wythoff.py").write_text(file[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield text[file.end() :]
    sys.modules.pop("large_wythoff", None)


def test_its_programs_print_what_stands_below_them(page):
    printed = []
    for program, output in runs(page, {"__name__": "__main__"}):
        printed.append(output)
        below = OUTPUT.match(page, program.end())
        if below is not None:
            assert output == below[1]
    assert printed[-1].split()[-2:] == ["True", "1.0"]
    typed = ["--game", "large_wythoff:wythoff", "--position", "1000,618"]
    done = CliRunner().invoke(main, ["solve", *typed], catch_exceptions=False)
    assert "the theorem golden_ratio" in done.output
