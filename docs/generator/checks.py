"""Checks of the manual's pages; called by mkdocs, whose strict build then fails."""

from __future__ import annotations

import html
import logging
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

LOG = logging.getLogger("mkdocs.plugins.checks")

ANCHOR = re.compile(r"""\bid=["']?([^"'\s>]+)""")
LINK = re.compile(r"""<(a|img|script|link)\b[^>]*?\s(?:href|src)=["']?([^"'\s>]+)""")


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


def on_nav(nav: Any, *, files: Any, **kwargs: Any) -> Any:
    """Leave out the page that only lists the others; called by mkdocs after reading it."""
    listing = files.get_file_from_path("SUMMARY.md")
    if listing is not None:
        files.remove(listing)
    return nav


def dead_links(site: Path, address_of_site: str = "") -> list[str]:
    """Return the broken links of a built site, and resources that other sites serve.

    Args:
        site: directory of the built site.
        address_of_site: URL where it is published, if known; pages may link to it.
    """
    own = address_of_site.rstrip("/") + "/" if address_of_site else None
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    anchors = {path: set(ANCHOR.findall(text)) for path, text in pages.items()}
    found = []
    for path, text in pages.items():
        for tag, link in LINK.findall(text):
            address, _, anchor = html.unescape(link).partition("#")
            if own is not None and address.startswith(own):
                address = "/" + address.removeprefix(own)
            if re.match(r"[a-z]+:", address) or address.startswith("//"):
                if tag != "a" and not address.startswith("data:"):
                    found.append(f"{path.relative_to(site)}: {tag} fetches {link}")
                continue
            # The page of errors is served under any address, so its links begin at the root.
            start = site if address.startswith("/") else path.parent
            target = (start / unquote(address).lstrip("/")).resolve() if address else path
            if target.is_dir():
                target /= "index.html"
            missing = not target.exists()
            if missing or (anchor and target in anchors and anchor not in anchors[target]):
                found.append(f"{path.relative_to(site)}: {link} leads nowhere")
    return found


def on_post_build(config: Any, **kwargs: Any) -> None:
    """Warn of broken links; called by mkdocs after the build."""
    for link in dead_links(Path(config.site_dir).resolve(), config.site_url or ""):
        LOG.warning(link)
