"""The paper has the form of the Journal of Open Source Software, and cites what it lists."""

import re

from tests import ROOT


def test_the_paper_has_the_sections_that_are_required_and_may_have_its_length():
    # https://joss.readthedocs.io/en/latest/paper.html
    _, metadata, body = (ROOT / "docs/paper/paper.md").read_text("utf-8").split("---\n", 2)
    assert re.findall(r"^# (.+)$", body, re.MULTILINE) == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
    ]  # fmt: skip
    for field in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
        assert re.search(rf"^{field}:", metadata, re.MULTILINE), field
    assert 750 <= len(re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL).split()) <= 1750

    entries = (ROOT / "docs/paper/paper.bib").read_text("utf-8")
    assert set(re.findall(r"@(\w+)", body)) == set(re.findall(r"^@\w+\{(\w+),$", entries, re.M))

    errors = r"of (\d+) implementation errors .*? it named (\d+)"
    agents, named = re.search(errors, " ".join(body.split())).groups()
    page = (ROOT / "docs" / "diagnosis.md").read_text("utf-8")
    assert f"| third set | 62 of 62 | {named} of {agents} |" in page
