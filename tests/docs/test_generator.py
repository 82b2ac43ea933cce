"""The generator of the manual's pages; needs the packages of the extra ``docs``."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("griffe")
pytest.importorskip("htmlproofer")
pytest.importorskip("latex2mathml")
pytest.importorskip("mkdocs_gen_files")

from agents.cli.main import main as agents_main
from agents.cli.main import run as run_agents
from agents.registry import LEARNERS
from benchmarks.studies.alphazero.settings import ALPHAZERO_PUBLISHED
from docs.generator import (
    addresses,
    checks,
    commands,
    games,
    glossary,
    headline,
    learners,
    mathematics,
    reference,
    results,
    roles,
    tutorials,
)
from docs.generator.checks import mistakes
from nim_envs.cli.main import main as nim_envs_main
from nim_envs.cli.main import run as run_nim_envs
from nim_envs.registration import GAMES, make_game

ROOT = Path(__file__).resolve().parents[2]


def test_examples_outside_sections_are_shown_as_code():
    text = "What it is.\n\n>>> 1 + 1\n2\n>>> 3\n3\n\nMore.\n\nExample:\n    >>> 4\n    4\n"
    assert roles.fenced(text) == (
        "What it is.\n\n```pycon\n>>> 1 + 1\n2\n>>> 3\n3\n```\n\nMore.\n\n"
        "Example:\n    >>> 4\n    4\n"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<blockquote><blockquote>1</blockquote></blockquote>", "quotation"),
        ("<p>&gt;&gt;&gt; 1 + 1</p>", "example"),
        ("<p>see :class:`Game`</p>", "role"),
        ("<p>see [the games][games]</p>", "link"),
        ('<span class="arithmatex">\\(x\\)</span>', "mathematics"),
    ],
)
def test_the_strict_build_fails_on_pages_that_went_wrong(content, said):
    (mistake,) = mistakes("reference/nim_envs.md", content)
    assert mistake.startswith("reference/nim_envs.md: ")
    assert said in mistake
    assert mistakes("page.md", "<pre>&gt;&gt;&gt; 1</pre><code>x[0][1]</code><p>fine</p>") == []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def page_at(address, process, log):
    """The page at an address, once the server is up."""
    for _ in range(600):
        with contextlib.suppress(urllib.error.URLError):
            return urllib.request.urlopen(address, timeout=10).read().decode()
        assert process.poll() is None, log.read_text(encoding="utf-8")
        time.sleep(0.5)
    raise TimeoutError(address)


def test_the_manual_is_served_by_the_readmes_command(tmp_path):
    assert "python -m docs --open" in (ROOT / "README.md").read_text(encoding="utf-8")
    # A small manual with most plugins; the whole one is built by a session of its own.
    plugins = "  - search\n  - literate-nav\n  - mkdocstrings\n  - gen-files: {scripts: []}\n"
    write_manual(tmp_path, "# A manual\n", plugins)
    address = f"127.0.0.1:{free_port()}"
    log = tmp_path / "log.txt"
    options = ["--dev-addr", address, "--config-file", str(tmp_path / "mkdocs.yml")]
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "docs", *options], cwd=tmp_path,
            stdout=errors, stderr=errors, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    try:
        assert "<h1" in page_at(f"http://{address}/index.html", process, log)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    said = log.read_text(encoding="utf-8")
    assert said.startswith("Building the manual takes one to three minutes")
    assert not re.search("MkDocs 2|end of life|ProperDocs", said)


def write_manual(folder, text, more=""):
    """Writes a manual of one page that is checked as the manual is."""
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(text, encoding="utf-8")
    generator = ROOT / "docs" / "generator"
    (proofer,) = re.findall(
        r"  - htmlproofer:\n(?:      .*\n)+", (ROOT / "mkdocs.yml").read_text("utf-8")
    )
    (folder / "mkdocs.yml").write_text(
        f"site_name: a manual\nhooks: [{generator}/mathematics.py, {generator}/checks.py]\n"
        f"plugins:\n{proofer}{more}"
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


def test_a_manual_with_its_addresses_links_to_them_and_fetches_nothing(tmp_path):
    at = addresses.addresses("https://github.com/someone/games")
    write_manual(tmp_path, "# Fine\n", addresses.PARTS["mkdocs.yml"].format(at=at) + "\n")
    built = strictly_built(tmp_path)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert '<link rel="canonical" href="https://someone.github.io/games/">' in page
    assert 'href="https://github.com/someone/games"' in page
    # The theme's script asks GitHub about links that are marked so.
    assert 'data-md-component="source"' not in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Fine\n\nIt is $x \\oplus y$.\n", None),
        ("# Quoted\n\n> 1\n", "a quotation"),
        ('# Dead\n\n<a href="gone.html">x</a>\n', "gone.html"),
        ('# Dead\n\n<a href="#gone">x</a>\n', "#gone"),
        ('# Fetches\n\n<img src="https://example.org/x.png">\n', "img fetches https://example.org"),
    ],
)
def test_warnings_fail_the_strict_build(text, said, tmp_path):
    write_manual(tmp_path, text)
    built = strictly_built(tmp_path)
    assert built.returncode == (said is not None)
    if said:
        assert said in built.stderr
    else:
        assert "<math" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_the_first_use_of_a_word_on_a_page_leads_to_the_glossary():
    page = "<h1>Wild</h1><p>P-positions, <code>wild</code>, a wild game, another P-position</p>"
    assert glossary.linked(page, "../glossary.html", ["P-position", "Wild"]) == (
        '<h1>Wild</h1><p><a href="../glossary.html#p-position">P-positions</a>, '
        '<code>wild</code>, a <a href="../glossary.html#wild">wild</a> game, another P-position</p>'
    )


def test_the_chart_of_the_first_page_shows_published_scores_among_those_measured_here():
    rows = {row.learner: row for row in headline.rows()}
    for number, board in enumerate(headline.BOARDS):
        last, best = ALPHAZERO_PUBLISHED[board]
        shown = [rows[f"AlphaZero as published, {name}"].figures[number].mean
                 for name in ("last network", "best checkpoint")]  # fmt: skip
        assert shown == [last, best]
        assert all(
            each.lowest <= each.mean <= each.highest
            for row in rows.values()
            for each in [row.figures[number]]
        )
    assert rows["Q-learning, a table"].told == "nothing"
    assert rows["real-time dynamic programming"].told == "rules"
    assert rows["AlphaZero here, signed products"].told == rows["column automaton, proved"].told
    # Random weights may have nearly everything by chance: the chart says so where it shows them.
    assert all(each.highest > 90 > 50 > each.mean
               for each in rows["signed products, random weights"].figures)  # fmt: skip


def test_what_the_first_page_says_of_its_chart_is_so():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    rows = {row.learner: row.figures for row in headline.rows()}
    five, seven = rows["AlphaZero here, signed products"]
    assert f"reaches {five.mean:.1f} % and {seven.mean:.0f} %" in text
    untrained = rows["signed products, random weights"]
    assert "between 0 and 99 %" in text
    assert all(each.lowest < 1 and round(each.highest) == 99 for each in untrained)
    table, random = rows["Q-learning, a table"], rows["random moves"]
    published = rows["AlphaZero as published, best checkpoint"]
    assert "beats the published network on five heaps" in text
    assert table[0].lowest > published[0].mean
    assert "hardly better than random moves" in text
    assert table[1].mean < random[1].mean + 1
    chart = headline.chart()
    assert chart.count('class="bar"') == 2 * len(rows)
    assert headline.with_chart(text).count(chart) == 1
    with pytest.raises(ValueError, match="once, not 0 times"):
        headline.with_chart("# No place\n")


def test_a_page_with_the_title_of_another_is_named(caplog, monkeypatch):
    monkeypatch.setattr(checks, "TITLES", {})
    for path in ("one.md", "one.md", "two.md"):
        page = SimpleNamespace(title="Nim", file=SimpleNamespace(src_uri=path))
        checks.on_page_context({}, page=page)
    (record,) = caplog.records
    assert record.getMessage() == "two.md: its title, 'Nim', is that of one.md"


def test_actions_are_listed_with_the_numbers_that_environments_take():
    listed = games.actions(make_game("nim"))
    assert re.search(r"^\| 7 +\| heap 1: take 3 +\|$", listed, re.M)
    assert "which it does not have" not in listed
    assert re.search(r"^\| … ", games.actions(make_game("moores_nim")), re.M)


def test_a_tutorial_that_the_index_does_not_list_fails_the_build(tmp_path, monkeypatch):
    assert tutorials.listed()[0] == "first_steps"
    monkeypatch.setattr(tutorials, "TUTORIALS", tmp_path)
    (tmp_path / "index.md").write_text("**[One](one.md)**\n\n**[Two](two.md)**\n")
    for name in ("two.md", "one.ipynb"):
        (tmp_path / name).touch()
    assert tutorials.listed() == ["one", "two"]
    (tmp_path / "three.md").touch()
    with pytest.raises(ValueError, match="three"):
        tutorials.listed()


def test_the_glossary_is_in_order_and_each_word_has_a_source():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    entries = text.split("\n## ")[1:]
    words = [entry.partition("\n")[0] for entry in entries]
    assert words == sorted(words, key=str.lower)
    assert len(words) >= 25
    assert all("\n*Source:* " in entry for entry in entries)


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
        r"$$Q(s,a)\leftarrowQ(s,a)+\alpha[r+\gamma\max_{a'}Q(s',a')-Q(s,a)]$$foralls"
    )


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_rules_arguments_and_an_example_in_words(name):
    first, *_, last = games.rules(name)
    assert first[0].isupper()
    assert len(first) > 20
    assert ("wins" in last) is not GAMES[name].misere
    assert len(games.one_line(name)) < 120
    for argument in GAMES[name].defaults:
        assert re.search(rf"^\| `{argument}` +\|[^|]+\| [A-Z]", games.own_arguments(name), re.M)
    example = games.example(name)
    assert example.endswith(("`player_0` has won.", "`player_1` has won."))
    assert "N-positions" in games.truth(make_game(name))


def test_the_programs_of_the_pages_run():
    for name in ("nim", "kayles", "graph"):
        assert re.fullmatch(
            r"[\d.]+ % of \d+ N-positions\n[\d.]+ % by random moves",
            games.output(games.program(name)),
        )


def test_the_arguments_of_all_games_are_those_of_the_environments():
    shown = games.common_arguments()
    for argument in ("start", "opponent", "seat", "encoding", "num_envs", "render_mode"):
        assert f"| **`{argument}`**" in shown
    assert "`game`" not in shown


def test_every_learner_says_when_to_use_it():
    for cls in learners.by_class():
        assert any(text.startswith("Use it ") for text in learners.words(cls)), cls
        assert results.of_learners(learners.by_class()[cls])


def test_every_command_has_an_example():
    for group, examples in (
        (nim_envs_main, commands.OF_NIM_ENVS), (agents_main, commands.OF_AGENTS),
    ):  # fmt: skip
        shown = {example.words.split()[0] for example in examples}
        assert shown == set(group.commands), "an example goes into docs/generator/commands.py"


def test_the_page_of_commands_shows_what_programs_print_and_people_type():
    with commands.terminal():
        solved = commands.printed(run_nim_envs, commands.Example("solve --game nim"))
        typed = commands.Example("text --game nim --set heaps=1 --seat player_0", ("take", "quit"))
        played = commands.printed(run_nim_envs, typed)
        with pytest.raises(RuntimeError, match="chess"):
            commands.printed(run_nim_envs, commands.Example("solve --game chess"))
    assert "heap 0: take 2" in solved
    assert max(map(len, played.splitlines())) <= int(commands.COLUMNS)
    assert "> take\nNo move" in played
    assert played.endswith("> quit\nstopped")


@pytest.mark.parametrize("name", ["q-learning", "sarsa"])
def test_the_command_of_a_learners_page_reaches_its_figure(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = learners.command(name).split()
    assert command[:3] == ["python", "-m", "agents"]
    assert run_agents(command[3:]) == 0
    said = learners.reached_by(name).partition("ends with ")[2].removesuffix(".")
    assert capsys.readouterr().out.startswith(said)


def test_every_public_module_has_a_page():
    packages = reference.load()
    listed = reference.modules(packages)

    def exporting(module):
        if module.exports is not None:
            yield module.path
        for member in module.members.values():
            if not member.is_alias and member.is_module:
                yield from exporting(member)

    public = {path for package in packages.values() for path in exporting(package)}
    # `python -m` pages are no interface; optimality's names are a command's.
    inner = {"benchmarks.optimality"}
    assert public - inner <= set(listed)
    for path in listed:
        for each in reference.public(reference._module(packages, path)):
            assert not each.path.rpartition(".")[2].startswith("_")
