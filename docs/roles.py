"""Makes links of the roles in docstrings, such as :class:`nim_envs.Game`, in the manual."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")
EXAMPLE = re.compile(r"^(\s*)Example:$", flags=re.MULTILINE)


class Roles(griffe.Extension):
    """Rewrites docstrings before they are read."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of ``obj``."""
        if obj.docstring is None:
            return

        def link(found: re.Match[str]) -> str:
            words = found[1]
            try:
                target = obj.resolve(words)
            except griffe.NameResolutionError:
                target = words
            return f'<autoref optional identifier="{target}"><code>{words}</code></autoref>'

        text = ROLE.sub(link, obj.docstring.value)
        # The name that the parser knows, so that the lines after it are shown as code.
        obj.docstring.value = EXAMPLE.sub(r"\1Examples:", text)
