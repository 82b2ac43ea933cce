"""Pages in Markdown, tables, and what docstrings say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import griffe
import mkdocs_gen_files
from tabulate import tabulate

ROOT = Path(__file__).resolve().parents[2]


def write(path: str, text: str) -> None:
    """Add a page."""
    with mkdocs_gen_files.open(path, "w") as page:
        page.write(text)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table in Markdown; what is text stays as it is."""
    return str(tabulate(rows, header, tablefmt="github", floatfmt=".1f", disable_numparse=True))


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


def references(documented: Any) -> str:
    """Return the references of a docstring; empty if it names none."""
    for section in sections(documented):
        if section.title == "References":
            return str(section.value.contents)
    return ""


ROLE = re.compile(r":(attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")


def linked(text: str, module: str) -> str:
    """Return text of a docstring with its roles as links and its code in single quotes.

    Args:
        text: of the docstring.
        module: where names without a module are looked up.
    """

    def link(found: re.Match[str]) -> str:
        name = found[2] if "." in found[2] else f"{module}.{found[2]}"
        shown = found[2].rpartition(".")[2]
        return f'<autoref optional identifier="{name}"><code>{shown}</code></autoref>'

    return ROLE.sub(link, text).replace("``", "`")
