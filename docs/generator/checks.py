"""What a page of the manual must not contain; called by mkdocs, whose strict build then fails."""

from __future__ import annotations

import logging
import re
from typing import Any

LOG = logging.getLogger("mkdocs.plugins.checks")


def mistakes(path: str, content: str) -> list[str]:
    """Return what is wrong with a page.

    Args:
        path: of its source.
        content: its HTML.
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
    """Warn of what is wrong with a page."""
    for mistake in mistakes(page.file.src_uri, content):
        LOG.warning(mistake)
