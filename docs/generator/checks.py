"""Checks of the manual's pages; called by mkdocs, whose strict build then fails."""

from __future__ import annotations

import logging
import re
from typing import Any

LOG = logging.getLogger("mkdocs.plugins.checks")

TITLES: dict[str, str] = {}
"""Pages by their titles."""

FETCHED = re.compile(
    r"""<(img|script|link)\b(?! rel=.?canonical)[^>]*?\s(?:href|src)=["']?"""
    r"""((?:https?:)?//[^"'\s>]+)"""
)


def mistakes(path: str, content: str) -> list[str]:
    """Return the mistakes in a page.

    Args:
        path: path of its source.
        content: HTML of the page.
    """
    found = []
    if "<blockquote>" in content:
        found.append("a quotation, as examples are that no code block holds")
    text = re.sub(r"<(pre|code|math)\b.*?</\1>", "", content, flags=re.DOTALL)
    for pattern, what in (
        (r":(?:attr|class|data|exc|func|meth|mod):", "a role of a docstring that is no link"),
        (r"\[[^\]\n]+\]\[[^\]\n]*\]", "a link without a target"),
        (r'class="arithmatex"', "mathematics that was not rendered"),
        (r"&gt;&gt;&gt; ", "an example that is not shown as code"),
    ):
        if re.search(pattern, text):
            found.append(what)
    return [f"{path}: it has {each}" for each in found]


def on_page_content(content: str, *, page: Any, **kwargs: Any) -> None:
    """Warn of mistakes in a page; called by mkdocs."""
    for mistake in mistakes(page.file.src_uri, content):
        LOG.warning(mistake)


def on_page_context(context: Any, *, page: Any, **kwargs: Any) -> None:
    """Warn of a page with the title of another; called by mkdocs once titles are known."""
    path = page.file.src_uri
    if (other := TITLES.setdefault(page.title, path)) != path:
        LOG.warning(f"{path}: its title, {page.title!r}, is that of {other}")


def on_nav(nav: Any, *, files: Any, **kwargs: Any) -> Any:
    """Leave out the page that only lists the others; called by mkdocs after reading it."""
    listing = files.get_file_from_path("SUMMARY.md")
    if listing is not None:
        files.remove(listing)
    return nav


def on_post_page(output: str, *, page: Any, **kwargs: Any) -> None:
    """Warn of what a page fetches from other sites; called by mkdocs, the theme included."""
    for tag, address in FETCHED.findall(output):
        LOG.warning(f"{page.file.src_uri}: {tag} fetches {address}")
