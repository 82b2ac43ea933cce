"""The pages of the manual that are made from the project itself; run by mkdocs.

What is written by hand is in docs: the home page, theory, architecture, tutorials. Games, learners,
results and the reference are made from the code, its docstrings and the files of docs/results.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from docs.generator import games, learners, reference, results
from docs.generator.markdown import ROOT, write


def contributing() -> None:
    """Write the repository's page for contributors, its links as they are in the manual."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    text = re.sub(r"<!--.*?-->\n", "", text)
    text = re.sub(r"\(docs/([^)]*\.(?:gif|md|svg))\)", r"(\1)", text)
    # What is no page is named by its path.
    text = re.sub(r"\[([^\]]+)\]\(([\w./]+\.py)\)", r"\1 (`\2`)", text)
    write("contributing.md", text)


def tutorials() -> list[str]:
    """Return the lines of the navigation to the tutorials, by their own headings."""
    lines = []
    for path in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
        heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        name = heading[1] if heading else path.stem.replace("_", " ")
        lines.append(f"    * [{name}](tutorials/{path.name})")
    return ["* Tutorials", *lines] if lines else []


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
    write(
        "citing.md",
        "# How to cite\n\nName the version, and the ids that results were reached on, such as "
        "`nim_envs/nim-v0`: an id's number is raised whenever its behaviour changes.\n\n"
        f"```bibtex\n{bibtex(yaml.safe_load(text))}\n```\n\nThe same as `CITATION.cff`, which "
        f"reference managers read:\n\n```yaml\n{text}```\n\nScores of the "
        "[leaderboard](results/index.md) are cited with the version of its tasks.\n",
    )


contributing()
how_to_cite()
navigation = [
    "* [Getting started](index.md)",
    *games.pages(),
    "* [Theory](theory.md)",
    *learners.pages(),
    *results.pages(),
    *tutorials(),
    "* [Architecture](architecture.md)",
    "    * [Contributing](contributing.md)",
    "* [How to cite](citing.md)",
    *reference.pages(),
]
write("SUMMARY.md", "\n".join(navigation) + "\n")
