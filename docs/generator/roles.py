"""Links and examples of docstrings in the API's pages; an extension of Griffe."""

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")
EXAMPLE = re.compile(r"^(\s*)Example:$", flags=re.MULTILINE)
# Paragraphs that begin at the left margin with a prompt, outside any section.
DOCTEST = re.compile(r"(?:^>>> .*\n?(?:^\S.*\n?)*\n?)+", flags=re.MULTILINE)


class Roles(griffe.Extension):
    """Turns roles, such as ``:class:`nim_envs.Game```, into links, and examples into code."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite the docstring of a package, which is no object of another."""
        self.on_object(obj=pkg)

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite a docstring before it is parsed."""
        if obj.docstring is not None:
            text = ROLE.sub(lambda role: _link(obj, role[1]), obj.docstring.value)
            text = EXAMPLE.sub(r"\1Examples:", text)
            # Brackets side by side in a formula, which stands in the first line, are no link.
            first, end, rest = text.partition("\n")
            text = first.replace("] [", r"] \[") + end + rest
            obj.docstring.value = DOCTEST.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n\n", text
            )


def _link(obj: griffe.Object, name: str) -> str:
    """Return a link to what ``name`` means in ``obj``, if a page has it."""
    try:
        target = obj.modules_collection[obj.resolve(name)].canonical_path
    except (KeyError, griffe.GriffeError):
        target = name
    return f'<autoref optional identifier="{target}"><code>{name}</code></autoref>'
