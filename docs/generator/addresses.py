"""Writes the addresses of the repository and of the published manual into the files that show them.

``python -m docs.generator.addresses https://github.com/owner/name`` is a step of each release. In
every file of :data:`PARTS` it replaces what stands between the lines ``addresses: begin`` and
``addresses: end``, so that it can be run again with another address. Until then these lines are
empty, and no address is shown.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


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


def _readme(at: Addresses) -> str:
    badge = f"{at.repository}/actions/workflows/tests.yml"
    return (
        f"[![tests]({badge}/badge.svg)]({badge}) [The manual]({at.site}) · "
        f"`git clone {at.repository} && cd {at.name}`"
    )


def _first_page(at: Addresses) -> str:
    return f"```sh\ngit clone {at.repository} && cd {at.name}\n```"


def _manual(at: Addresses) -> str:
    return (
        f"site_url: {at.site}\nrepo_url: {at.repository}\nrepo_name: {at.owner}/{at.name}\n"
        # Many pages are generated, so that there is no file to edit.
        'edit_uri: ""'
    )


def _project(at: Addresses) -> str:
    return (
        "[project.urls]\n"
        f'Documentation = "{at.site}"\n'
        f'Repository = "{at.repository}"\n'
        f'Changelog = "{at.repository}/blob/main/CHANGELOG.md"\n'
        f'Issues = "{at.repository}/issues"'
    )


def _citation(at: Addresses) -> str:
    return f"repository-code: {at.repository}\nurl: {at.site}"


PARTS: dict[str, Callable[[Addresses], str]] = {
    "README.md": _readme,
    "docs/index.md": _first_page,
    "mkdocs.yml": _manual,
    "pyproject.toml": _project,
    "CITATION.cff": _citation,
}
"""The files that show addresses, and what each shows."""


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
    texts = {file: replaced(root / file, part(at)) for file, part in PARTS.items()}
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
