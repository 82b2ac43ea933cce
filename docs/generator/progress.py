"""A bar of the pages that are built, on a terminal; a hook of mkdocs."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm

BAR = tqdm(desc="pages", unit="page", delay=0.1, disable=None)


def on_nav(nav: Any, files: Any, **kwargs: Any) -> None:
    """Begin to count all pages."""
    BAR.reset(len(files.documentation_pages()))


def on_page_content(content: str, **kwargs: Any) -> None:
    """Count a page whose text has been made."""
    BAR.update()
