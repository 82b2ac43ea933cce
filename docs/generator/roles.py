"""Turns roles in docstrings, such as :class:`nim_envs.Game`, into links of the manual."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")
EXAMPLE = re.compile(r"^(\s*)Example:$", flags=re.MULTILINE)
# Paragraphs that begin at the left margin with a prompt, outside any section.
DOCTEST = re.compile(r"(?:^>>> .*\n?(?:^\S.*\n?)*\n?)+", flags=re.MULTILINE)


class Roles(griffe.Extension):
    """Rewrites docstrings before they are read."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite all docstrings of a package."""
        self._rewrite(pkg)

    def _rewrite(self, obj: griffe.Object) -> None:
        if obj.docstring is not None:

            def link(found: re.Match[str]) -> str:
                target = _canonical(obj, found[1])
                return f'<autoref optional identifier="{target}"><code>{found[1]}</code></autoref>'

            text = ROLE.sub(link, obj.docstring.value)
            # The parser's own name of the section, so that its lines are shown as code.
            obj.docstring.value = fenced(EXAMPLE.sub(r"\1Examples:", text))
        for member in obj.members.values():
            if not member.is_alias:
                self._rewrite(member)


def fenced(text: str) -> str:
    """Return a docstring with examples outside sections as blocks of code."""
    return DOCTEST.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n\n", text)


def _canonical(obj: griffe.Object, words: str) -> str:
    """Return the full name for ``words`` in a docstring of ``obj``."""
    try:
        target = obj.resolve(words)
    except griffe.NameResolutionError:
        target = words
    try:
        return str(obj.modules_collection[target].canonical_path)
    except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
        return target
