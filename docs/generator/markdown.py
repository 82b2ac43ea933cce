"""Markdown pages, tables, and parts of docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import griffe
import mkdocs_gen_files
from tabulate import tabulate

from docs.generator.roles import ROLE

ROOT = Path(__file__).resolve().parents[2]

OFTEN, RARELY = 4.0, 0.03
"""Weights of pages in the manual's search: games and words, then commands, before the API."""


def heading(path: Path) -> str:
    """Return the heading of a page, or a name made from that of its file."""
    found = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return found[1] if found else path.stem.replace("_", " ").capitalize()


def filled(text: str, **parts: Any) -> str:
    """Return a text of ``docs/generator/texts`` with these parts in place of their names."""
    path = ROOT / "docs" / "generator" / "texts" / f"{text}.md"
    return path.read_text(encoding="utf-8").format(**parts)


def write(path: str, content: str | bytes, boost: float | None = None) -> None:
    """Add a page or a picture to the manual.

    Args:
        path: its path.
        content: the page in Markdown, or the bytes of the picture.
        boost: weight of the page in the search; 1 if ``None``.
    """
    data = content.encode() if isinstance(content, str) else content
    if boost is not None:
        data = f"---\nsearch:\n  boost: {boost}\n---\n\n".encode() + data
    with mkdocs_gen_files.open(path, "wb") as file:
        file.write(data)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table in Markdown; text is not changed."""
    return str(tabulate(rows, header, tablefmt="github", floatfmt=".1f", disable_numparse=True))


def paragraphs(parts: Iterable[str]) -> str:
    """Return the parts of a page that are not empty as its text."""
    return "\n\n".join(part for part in parts if part) + "\n"


def code(value: Any) -> str:
    """Return a value as code."""
    return f"`{value!r}`"


def sections(documented: Any) -> list[griffe.DocstringSection]:
    """Return the parts of a docstring."""
    text = griffe.Docstring(inspect.getdoc(documented) or "", lineno=1)
    return text.parse("google", warnings=False)


def words(documented: Any) -> list[str]:
    """Return the paragraphs of a docstring before its arguments, the summary first."""
    first = sections(documented)[0]
    return [] if first.kind is not griffe.DocstringSectionKind.text else first.value.split("\n\n")


def described(documented: Any) -> dict[str, str]:
    """Return the descriptions of the arguments in a docstring, by name."""
    return {
        each.name: " ".join(each.description.split())
        for section in sections(documented)
        if section.kind is griffe.DocstringSectionKind.parameters
        for each in section.value
    }


def about(documented: Any, module: str) -> tuple[str, list[str], list[str]]:
    """Return what the docstring of a learner says, as Markdown.

    Args:
        documented: the class.
        module: module for names without one.

    Returns:
        The summary, the paragraphs on when to use it, and all others but that on arguments.
    """
    summary, *rest = (linked(text, module) for text in words(documented))
    use = [text for text in rest if text.startswith("Use it")]
    others = [text for text in rest if not text.startswith(("Use it", "Arguments and"))]
    return summary, use or ["-"], others


def references(documented: Any) -> str:
    """Return the references of a docstring; empty if it names none."""
    for section in sections(documented):
        if section.title == "References":
            return str(section.value.contents)
    return ""


def linked(text: str, module: str) -> str:
    """Return a docstring's text with roles as links and code in single quotes.

    Args:
        text: text of the docstring.
        module: module for names without one.
    """

    def link(found: re.Match[str]) -> str:
        name = found[1] if "." in found[1] else f"{module}.{found[1]}"
        shown = found[1].rpartition(".")[2]
        return f'<autoref optional identifier="{name}"><code>{shown}</code></autoref>'

    return ROLE.sub(link, text).replace("``", "`")
