"""Writes the addresses of the repository and of the published manual into the files that show them.

``python -m docs.generator.addresses https://github.com/owner/name`` is a step of each release. In
every file of :data:`PARTS` it replaces what stands between the lines ``addresses: begin`` and
``addresses: end``, so that it can be run again with another address. Until then these lines are
empty, and no address is shown.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

INSTALLED_FROM = "."
"""Argument of ``pip install`` on every page: the checkout, and ``nim-envs`` once it is published.

A test compares the pages with it."""


class Addresses(NamedTuple):
    """The addresses that are shown.

    Attributes:
        owner: name of the repository's owner.
        name: name of the repository.
        site: address of the published manual, with a slash at its end.
    """

    owner: str
    name: str
    site: str

    @property
    def repository(self) -> str:
        """Address of the repository."""
        return f"https://github.com/{self.owner}/{self.name}"


def addresses(repository: str, site: str | None = None) -> Addresses:
    """Return the addresses of a repository on GitHub and of its manual.

    Args:
        repository: address such as ``https://github.com/owner/name``.
        site: address of the manual; that of GitHub Pages if ``None``.

    Raises:
        ValueError: an address has another form.
    """
    found = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+?)(?:\.git)?/?", repository)
    if found is None:
        raise ValueError(
            f"the repository is given as https://github.com/owner/name, not {repository!r}"
        )
    owner, name = found.groups()
    if site is None:
        host = f"{owner.lower()}.github.io"
        site = f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
    if not re.fullmatch(r"https?://[\w.:/-]+", site):
        raise ValueError(f"the manual's address begins with https://, not {site!r}")
    return Addresses(owner, name, site.rstrip("/") + "/")


PARTS = {
    "README.md": "[![tests]({at.repository}/actions/workflows/tests.yml/badge.svg)]"
    "({at.repository}/actions/workflows/tests.yml) [The manual]({at.site}) · "
    "`git clone {at.repository} && cd {at.name}`",
    "docs/index.md": "```sh\ngit clone {at.repository} && cd {at.name}\n```",
    # Many pages are generated, so that there is no file to edit.
    "mkdocs.yml": "site_url: {at.site}\nrepo_url: {at.repository}\n"
    'repo_name: {at.owner}/{at.name}\nedit_uri: ""',
    "pyproject.toml": '[project.urls]\nDocumentation = "{at.site}"\n'
    'Repository = "{at.repository}"\nChangelog = "{at.repository}/blob/main/CHANGELOG.md"\n'
    'Issues = "{at.repository}/issues"',
    "CITATION.cff": "repository-code: {at.repository}\nurl: {at.site}",
}
"""The files that show addresses, and what each shows, ``at`` being :class:`Addresses`."""


def replaced(file: Path, part: str) -> str:
    """Return the text of a file with another part between its two lines.

    Args:
        file: the file, which is not changed.
        part: the lines that stand there afterwards.

    Raises:
        ValueError: the file has no such lines, or several.
    """
    pattern = r"^([^\n]*addresses: begin[^\n]*\n).*?^([^\n]*addresses: end[^\n]*)$"
    text, found = re.subn(
        pattern, lambda match: f"{match[1]}{part}\n{match[2]}", file.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )  # fmt: skip
    if found != 1:
        raise ValueError(
            f"{file} has the lines 'addresses: begin' and 'addresses: end' {found} times, not once"
        )
    return text


def write(at: Addresses, root: Path = ROOT) -> list[str]:
    """Write the addresses into the files of a checkout; return the names of these files.

    Args:
        at: the addresses.
        root: directory of the checkout.

    Raises:
        ValueError: a file has no place for them; then none is written.
    """
    texts = {file: replaced(root / file, part.format(at=at)) for file, part in PARTS.items()}
    for file, text in texts.items():
        (root / file).write_text(text, encoding="utf-8")
    return list(texts)


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.generator.addresses",
        description="Write the addresses of repository and manual into the files that show them.",
    )
    parser.add_argument("repository", help="such as https://github.com/owner/name")
    parser.add_argument("--site", help="address of the manual, if not that of GitHub Pages")
    given = parser.parse_args(arguments)
    try:
        at = addresses(given.repository, given.site)
        files = write(at, root)
    except ValueError as error:
        parser.error(str(error))
    print(f"{at.repository} and {at.site} are written into {', '.join(files)}.")


if __name__ == "__main__":
    main()
