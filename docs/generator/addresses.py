"""Writes the addresses of the repository and of the published manual into the files that show them.

``python -m docs.generator.addresses https://github.com/owner/name`` is a step of each release. In
every file of :data:`PARTS` it replaces what stands between the lines ``addresses: begin`` and
``addresses: end``, so that it can be run again with another address. Until then these lines are
empty, and no address is shown.
"""

import re
from pathlib import Path

import click

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
"""The files that show addresses, and the text in each."""

PLACE = re.compile(r"(addresses: begin[^\n]*\n).*?([^\n]*addresses: end)", flags=re.DOTALL)


@click.command()
@click.argument("repository")
@click.option("--site", help="Address of the manual; by default that of GitHub Pages.")
def main(repository: str, site: str | None) -> None:
    """Write the addresses of a REPOSITORY, such as https://github.com/owner/name, into its files.

    Call it in the root of the checkout.
    """
    found = re.fullmatch(r"https://github\.com/([\w-]+)/([\w.-]+?)(?:\.git)?/?", repository)
    if found is None:
        raise click.UsageError(
            f"the repository is given as https://github.com/owner/name, not {repository!r}"
        )
    owner, name = found.groups()
    host = f"{owner.lower()}.github.io"
    site = site or f"https://{host}/{'' if name.lower() == host else name}"
    if not re.fullmatch(r"https?://[\w.:/-]+", site):
        raise click.UsageError(f"the manual's address begins with https://, not {site!r}")
    repository, site = f"https://github.com/{owner}/{name}", site.rstrip("/") + "/"
    texts = {}
    for file, part in PARTS.items():
        shown = part.format(owner=owner, name=name, repository=repository, site=site)
        old = Path(file).read_text(encoding="utf-8")
        texts[file], places = PLACE.subn(rf"\g<1>{shown}\n\g<2>", old)
        if places != 1:
            raise click.UsageError(
                f"{file} has the lines 'addresses: begin' and 'addresses: end' {places} times, "
                "not once"
            )
    for file, text in texts.items():
        Path(file).write_text(text, encoding="utf-8")
    print(f"{repository} and {site} are written into {', '.join(PARTS)}.")


if __name__ == "__main__":
    main()
