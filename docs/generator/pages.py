"""Writes the pages of games, learners and results, and the repository's own; run by mkdocs."""

import re

from docs.generator import games, learners, results
from docs.generator.markdown import ROOT, write
from nim_envs.render.board_data import SCRIPT, STYLE


def in_manual(link: re.Match[str]) -> str:
    """Return a link of a page of the repository, or its words if the manual has no such page."""
    words, address, anchor = link.groups("")
    page = address.removeprefix("docs/")
    there = page != address and (ROOT / address).is_file() and not page.startswith("paper/")
    return f"[{words}]({page}{anchor})" if there else words


text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
text = re.sub(r"\[([^\]]+)\]\(([\w./]+)(#[\w-]+)?\)", in_manual, text)
write("contributing.md", f"---\nsearch:\n  boost: 0.03\n---\n\n{text}")
for path in (SCRIPT, STYLE):
    write(path.name, path.read_bytes())
games.pages()
learners.pages()
results.pages()
