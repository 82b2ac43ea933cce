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

ROOT = Path(__file__).resolve().parents[2]

INSTALLED_FROM = "."
"""Argument of ``pip install`` on every page: the checkout, and ``nim-envs`` once it is published.

A test compares the pages with it."""

PARTS = {
    "README.md": "[![tests]({repository}/actions/workflows/tests.yml/badge.svg)]"
    "({repository}/actions/workflows/tests.yml) [The manual]({site}) · "
    "`git clone {repository} && cd {name}`",
    "docs/index.md": "```sh\ngit clone {repository} && cd {name}\n```",
    # Many pages are generated, so that there is no file to edit.
    "mkdocs.yml": "site_url: {site}\nrepo_url: {repository}\n"
    'repo_name: {owner}/{name}\nedit_uri: ""',
    "pyproject.toml": '[project.urls]\nDocumentation = "{site}"\n'
    'Repository = "{repository}"\nChangelog = "{repository}/blob/main/CHANGELOG.md"\n'
    'Issues = "{repository}/issues"',
    "CITATION.cff": "repository-code: {repository}\nurl: {site}",
}
"""The files that show addresses, and what each shows, from the keys of :func:`addresses`."""

PLACE = re.compile(
    r"^([^\n]*addresses: begin[^\n]*\n).*?^([^\n]*addresses: end[^\n]*)$",
    flags=re.DOTALL | re.MULTILINE,
)


def addresses(repository: str, site: str | None = None) -> dict[str, str]:
    """Return owner, name and address of a repository on GitHub, and the address of its manual.

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
    return {
        "owner": owner, "name": name, "repository": f"https://github.com/{owner}/{name}",
        "site": site.rstrip("/") + "/",
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> None:
    """Write addresses into the files of a checkout; into none if one has no place for them.

    Args:
        arguments: of the command line.
        root: directory of the checkout.
    """
    parser = argparse.ArgumentParser(
        prog="python -m docs.generator.addresses",
        description="Write the addresses of repository and manual into the files that show them.",
    )
    parser.add_argument("repository", help="such as https://github.com/owner/name")
    parser.add_argument("--site", help="address of the manual, if not that of GitHub Pages")
    given = parser.parse_args(arguments)
    try:
        at = addresses(given.repository, given.site)
    except ValueError as error:
        parser.error(str(error))
    texts = {}
    for file, part in PARTS.items():
        place = rf"\g<1>{part.format(**at)}\n\g<2>"
        texts[file], found = PLACE.subn(place, (root / file).read_text(encoding="utf-8"))
        if found != 1:
            parser.error(
                f"{root / file} has the lines 'addresses: begin' and 'addresses: end' {found} "
                "times, not once"
            )
    for file, text in texts.items():
        (root / file).write_text(text, encoding="utf-8")
    print(f"{at['repository']} and {at['site']} are written into {', '.join(texts)}.")


if __name__ == "__main__":
    main()
