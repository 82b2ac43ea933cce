"""Links from the first use of a word on a page to the glossary; called by mkdocs."""

from __future__ import annotations

import re
from typing import Any

from markdown.extensions.toc import slugify

from docs.generator.markdown import ROOT

PAGE = "glossary"
ORDINARY = ("Batch", "Component", "Opponent", "Option", "Sum")
"""Words of the glossary that are ordinary English too, so that not every use means the entry."""

TAG = re.compile(r"(<[^>]+>)")
NAME = re.compile(r"</?([a-z]\w*)")
PLAIN = ("a", "autoref", "code", "h1", "h2", "h3", "h4", "math", "pre", "summary", "th")
"""Elements whose text is left as it is."""


def words() -> list[str]:
    """Return the words of the glossary that are linked, longer ones first."""
    text = (ROOT / "docs" / f"{PAGE}.md").read_text(encoding="utf-8")
    found = set(re.findall(r"^## (.+)$", text, flags=re.MULTILINE)).difference(ORDINARY)
    return sorted(found, key=lambda word: (-len(word), word))


def linked(content: str, address: str, entries: list[str]) -> str:
    """Return the HTML of a page with the first use of each word as a link.

    Args:
        content: HTML of the page.
        address: relative URL of the glossary.
        entries: words of the glossary, longer ones first.
    """
    left = {word.lower(): slugify(word, "-") for word in entries}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, left))})(s?)\b", flags=re.IGNORECASE)

    def link(found: re.Match[str]) -> str:
        anchor = left.pop(found[1].lower(), None)
        return found[0] if anchor is None else f'<a href="{address}#{anchor}">{found[0]}</a>'

    parts = TAG.split(content)
    depth = 0
    for number, part in enumerate(parts):
        if number % 2:
            name = NAME.match(part)
            if name and name[1] in PLAIN:
                depth += -1 if part.startswith("</") else 1
        elif not depth:
            parts[number] = pattern.sub(link, part)
    return "".join(parts)


def on_page_content(content: str, *, page: Any, **kwargs: Any) -> str:
    """Link the words of a page, but of the glossary and the reference; called by mkdocs."""
    path = page.file.src_uri
    if path == f"{PAGE}.md" or path.startswith("reference/"):
        return content
    return linked(content, "../" * path.count("/") + f"{PAGE}.html", words())
