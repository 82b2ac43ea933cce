"""The tutorials: their order is that of their index page, docs/tutorials/index.md."""

from __future__ import annotations

import re

from docs.generator import notebooks
from docs.generator.markdown import heading, write
from docs.generator.outputs import TUTORIALS

LISTED = re.compile(r"^\*\*\[[^\]]+\]\((\w+)\.md\)\*\*$", flags=re.MULTILINE)


def listed() -> list[str]:
    """Return the names of the tutorials in the order of their index page.

    Raises:
        ValueError: it does not list each tutorial once.
    """
    names = LISTED.findall((TUTORIALS / "index.md").read_text(encoding="utf-8"))
    files = [path.stem for path in TUTORIALS.iterdir() if path.suffix in (".md", ".ipynb")]
    files.remove("index")
    if sorted(names) != sorted(files):
        raise ValueError(
            f"docs/tutorials/index.md must list each tutorial once, {sorted(files)}, not {names}"
        )
    return names


def pages() -> list[str]:
    """Write the pages of notebooks; return the lines of the navigation."""
    lines = ["* [Tutorials](tutorials/index.md)"]
    for name in listed():
        path = TUTORIALS / f"{name}.md"
        if path.exists():
            title = heading(path)
        else:
            text, pictures = notebooks.page(path.with_suffix(".ipynb"))
            title = text.partition("\n")[0].removeprefix("# ")
            write(f"tutorials/{name}.md", text)
            for picture, content in pictures.items():
                write(f"tutorials/{picture}", content)
        lines.append(f"    * [{title}](tutorials/{name}.md)")
    return lines
