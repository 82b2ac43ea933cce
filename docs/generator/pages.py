"""The pages of the manual that are made from the project itself; run by mkdocs.

The home page, theory, architecture and tutorials in docs are written by hand, but for the chart of
the home page and the outputs of the tutorials' programs (``docs.generator.outputs``). Pages of
games, learners, results and the reference are made from the code, its docstrings and docs/results,
and that of the commands by running them.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from docs.generator import (
    commands,
    games,
    headline,
    learners,
    play,
    reference,
    results,
    tutorials,
)
from docs.generator.markdown import RARELY, ROOT, heading, write


def contributing() -> None:
    """Write the repository's page for contributors, with links into the manual."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->\n", "", text)
    text = re.sub(r"\(docs/([^)]*\.(?:gif|md|svg))\)", r"(\1)", text)
    text = text.replace("(CODE_OF_CONDUCT.md)", "(conduct.md)")
    # Files without a page are named by their path.
    text = re.sub(r"\[([^\]]+)\]\(([\w./]+\.py|paper\.md)\)", r"\1 (`\2`)", text)
    write("contributing.md", text)
    write("conduct.md", (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8"), boost=RARELY)


def changelog() -> None:
    """Write the repository's changelog as a page, with links into the manual."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    write("changelog.md", text.replace("](docs/", "]("), boost=RARELY)


def home() -> None:
    """Write the first page with its chart."""
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    write("index.md", headline.with_chart(text))


def chapters(*names: str) -> list[str]:
    """Return the navigation lines of pages in docs that belong to a section."""
    return [f"    * [{heading(ROOT / 'docs' / f'{name}.md')}]({name}.md)" for name in names]


def bibtex(citation: dict[str, Any]) -> str:
    """Return a citation file as an entry of BibTeX."""
    authors = " and ".join(
        "{" + author["name"] + "}" if "name" in author
        else f"{author['family-names']}, {author['given-names']}"
        for author in citation["authors"]
    )  # fmt: skip
    fields = {"title": citation["title"], "author": authors, "version": citation["version"]}
    if "date-released" in citation:
        fields["year"] = str(citation["date-released"])[:4]
    if "repository-code" in citation:
        fields["url"] = citation["repository-code"]
    lines = "".join(f"  {name:8}= {{{value}}},\n" for name, value in fields.items())
    return f"@software{{nim_envs,\n{lines}}}"


def how_to_cite() -> None:
    """Write the page on how to cite, from CITATION.cff."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    write(
        "citing.md",
        "# How to cite\n\nName the version, and the ids that results were reached on, such as "
        "`nim_envs/nim-v0`: an id's number is raised whenever its behaviour changes.\n\n"
        f"```bibtex\n{bibtex(yaml.safe_load(text))}\n```\n\nThe same as `CITATION.cff`, which "
        f"reference managers read:\n\n```yaml\n{text}```\n\nScores of the "
        "[leaderboard](results/index.md) are cited with the version of its tasks.\n",
    )


contributing()
changelog()
how_to_cite()
home()
play.write_scripts()
navigation = [
    "* [nim_envs](index.md)",
    *games.pages(),
    "* [Theory](theory.md)",
    *chapters("misere_quotients", "glossary"),
    *learners.pages(chapters("diagnosis")),
    *chapters("wrappers"),
    *results.pages(),
    *chapters("exam"),
    *tutorials.pages(),
    *chapters("exercises"),
    *commands.pages(),
    *chapters("cluster"),
    "* [Architecture](architecture.md)",
    *chapters("other_suites"),
    "    * [Contributing](contributing.md)",
    "    * [Code of conduct](conduct.md)",
    "    * [How to cite](citing.md)",
    "    * [Changelog](changelog.md)",
    *reference.pages(),
]
write("SUMMARY.md", "\n".join(navigation) + "\n")
