"""The command that writes the addresses of repository and manual."""

import re
import shutil

import pytest
from click.testing import CliRunner

from docs.generator.addresses import INSTALLED_FROM, PARTS, main
from tests import ROOT


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    for file in PARTS:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(checkout):
    return {file: (checkout / file).read_text(encoding="utf-8") for file in PARTS}


def test_the_command_writes_the_addresses_wherever_they_are_shown_and_can_be_run_again(checkout):
    run = CliRunner().invoke
    run(main, ["https://github.com/someone/games"])
    printed = run(
        main, ["https://github.com/Else/els.git", "--site", "https://games.example.org"]
    ).output
    for file, text in texts(checkout).items():
        assert file in printed
        assert "someone" not in text, file
        assert "https://github.com/Else/els" in text
        assert "els.git" not in text
    readme, _, manual, project, citation = texts(checkout).values()
    assert "(https://games.example.org/)" in readme
    assert "git clone https://github.com/Else/els && cd els`\n" in readme
    assert "site_url: https://games.example.org/\n" in manual
    assert '[project.urls]\nDocumentation = "https://games.example.org/"\n' in project
    assert "\nrepository-code: https://github.com/Else/els\n" in citation
    # What a file said before stands there still.
    assert "\n[project.optional-dependencies]\n" in project


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["git@github.com:a/b.git"], "https://github.com/owner/name, not 'git@github.com:a/b.git'"),
        (["https://github.com/a/b", "--site", "example.org"], "https://, not 'example.org'"),
    ],
)
def test_another_address_is_refused_and_nothing_is_written(arguments, said, checkout):
    before = texts(checkout)
    refused = CliRunner().invoke(main, arguments)
    assert refused.exit_code == 2
    assert said in refused.output
    assert texts(checkout) == before


def test_nothing_is_written_if_a_file_has_no_place_for_an_address(checkout):
    (checkout / "CITATION.cff").write_text("")
    before = texts(checkout)
    refused = CliRunner().invoke(main, ["https://github.com/a/a.github.io"])
    assert "CITATION.cff has the lines" in refused.output
    assert texts(checkout) == before


def test_all_pages_install_the_package_from_one_place():
    places = {}
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        for place in re.findall(r'pip install "?(\.|nim-envs)(?=[\s"\[])', text):
            places.setdefault(place, []).append(path.name)
    assert places.keys() == {INSTALLED_FROM}, places
