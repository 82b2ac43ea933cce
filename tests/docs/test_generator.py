"""The generator of the manual's pages; needs the packages of the extra ``docs``."""

import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests import ROOT

pytest.importorskip("griffe")
pytest.importorskip("htmlproofer")
pytest.importorskip("latex2mathml")
pytest.importorskip("mkdocs_gen_files")

from agents.registry import LEARNERS
from docs.generator import addresses, games, mathematics
from nim_envs.registry import GAMES, make_aec, make_game


def write_manual(folder, text):
    """Writes a manual of one page that is checked as the manual is."""
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(text, encoding="utf-8")
    generator = ROOT / "docs" / "generator"
    (proofer,) = re.findall(
        r"  - htmlproofer:\n(?:      .*\n)+", (ROOT / "mkdocs.yml").read_text("utf-8")
    )
    (folder / "mkdocs.yml").write_text(
        "# addresses: begin\n# addresses: end\n"
        f"site_name: a manual\nhooks: [{generator}/mathematics.py]\n"
        f"plugins:\n{proofer}"
        "markdown_extensions:\n  - pymdownx.arithmatex:\n      generic: true\n"
        f"theme:\n  name: material\n  font: false\n  custom_dir: {generator}/theme\n",
        encoding="utf-8",
    )


def strictly_built(folder):
    """The finished build, with the options of the session that builds the manual."""
    (options,) = re.findall(r'"mkdocs", (.*?), \*session', (ROOT / "noxfile.py").read_text("utf-8"))
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *re.findall(r'"([^"]+)"', options)],
        cwd=folder, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_a_manual_with_its_addresses_links_to_them_and_fetches_nothing(tmp_path, monkeypatch):
    write_manual(tmp_path, "# Fine\n\nIt is $x \\oplus y$.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(addresses, "PARTS", {"mkdocs.yml": addresses.PARTS["mkdocs.yml"]})
    CliRunner().invoke(addresses.main, ["https://github.com/Someone/games"])
    built = strictly_built(tmp_path)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert '<link rel="canonical" href="https://someone.github.io/games/">' in page
    assert 'href="https://github.com/Someone/games"' in page
    assert "<math" in page
    # The theme's script asks GitHub about links that are marked so.
    assert 'data-md-component="source"' not in page


def test_dead_links_fail_the_strict_build(tmp_path):
    write_manual(tmp_path, '# Dead\n\n<a href="gone.html">x</a> <a href="#gone">x</a>\n')
    built = strictly_built(tmp_path)
    assert built.returncode == 1
    assert "gone.html" in built.stderr
    assert "#gone" in built.stderr


def test_actions_are_listed_with_the_numbers_that_environments_take():
    listed = games.actions(make_game("nim"))
    assert re.search(r"^\| 7 +\| heap 1: take 3 +\|$", listed, re.M)
    assert "which it does not have" not in listed
    assert re.search(r"^\| … ", games.actions(make_game("moores_nim")), re.M)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_formula_of_every_learner_becomes_mathematics(name):
    shown = mathematics.formula(LEARNERS[name].formula)
    equations = re.findall(r"\$\$\n(.+?)\n\$\$", shown)
    assert equations
    for equation in equations:
        assert mathematics.mathml(equation).startswith("<math")
        # Nothing is left of the plain text's signs, and brackets are not cut through.
        assert not re.search(r"_[a-z]'|[αβγδλπτΣ−]|\+=", equation)
        assert all(equation.count(a) == equation.count(b) for a, b in ("()", "[]", "{}"))


def test_a_formula_is_written_as_in_the_textbook():
    shown = mathematics.formula("Q(s, a) += α [r + γ max_a' Q(s', a') − Q(s, a)], for all s.")
    assert "".join(shown.split()) == (
        r"$$Q(s,a)\leftarrowQ(s,a)+\alpha[r+\gamma\max_{a'}Q(s',a')-Q(s,a)]$$foralls."
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_rules_and_an_example_in_words(name):
    first = games.rules(name)[0]
    assert first[0].isupper()
    assert len(first) > 20
    assert len(games.one_line(name)) < 120
    env = make_aec(name)
    assert games.example(env).startswith("| ")
    assert any(env.rewards.values())


@pytest.mark.parametrize("name", ["nim", "kayles", "graph"])
def test_the_page_of_a_game_is_complete(name):
    page = games.page(name)
    assert re.search(r"\n```text\n[\d.]+ % of \d+ N-positions\n[\d.]+ % by random moves\n```", page)
    assert f'data-source="play/{name}.js"' in page
    assert "** player wins" in page
    assert "{" not in page.partition("## Code")[0].replace('{ width="520" }', "")
