"""Pages, tables and docstrings in Markdown."""

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import mkdocs_gen_files
from tabulate import tabulate

from benchmarks.report import percent
from docs.generator.roles import ROLE

ROOT = Path(__file__).resolve().parents[2]

TEXTS = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("texts")),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)


def filled(text: str, **parts: Any) -> str:
    """Return a template of ``docs/generator/texts`` with its parts filled in."""
    return TEXTS.get_template(text).render(parts)


def write(path: str, content: str | bytes) -> None:
    """Add a page in Markdown, or a file of bytes, to the manual."""
    with mkdocs_gen_files.open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table; text is not changed."""
    return str(tabulate(rows, header, tablefmt="github", disable_numparse=True))


def arguments(given: Mapping[str, Any]) -> list[str]:
    """Return keyword arguments as they are written in Python."""
    return [f"{key}={value!r}" for key, value in given.items()]


def description(documented: Any) -> list[str]:
    """Return the paragraphs of a docstring before its sections, with roles as links."""
    text = inspect.getdoc(documented) or ""
    module = inspect.getmodule(documented)

    def link(found: re.Match[str]) -> str:
        name = found[1] if "." in found[1] or module is None else f"{module.__name__}.{found[1]}"
        shown = found[1].rpartition(".")[2]
        return f'<autoref optional identifier="{name}"><code>{shown}</code></autoref>'

    text = re.split(r"\n\n(?=[A-Z]\w+:\n)", text)[0]
    return ROLE.sub(link, text).replace("``", "`").split("\n\n")


# Scores are numbers, or text of a CSV file.
TEXTS.filters.update(arguments=arguments, percent=lambda score: percent(float(score)))
