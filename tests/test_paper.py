"""The paper has the form of the Journal of Open Source Software; forms of issues are whole."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_, METADATA, BODY = (ROOT / "docs/paper/paper.md").read_text(encoding="utf-8").split("---\n", 2)
ENTRIES = dict(
    re.findall(
        r"^@\w+\{(\w+),\n(.*?)^\}$",
        (ROOT / "docs/paper/paper.bib").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


def test_the_paper_has_the_sections_that_are_required_in_order():
    # https://joss.readthedocs.io/en/latest/paper.html
    assert re.findall(r"^# (.+)$", BODY, re.MULTILINE) == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
    ]  # fmt: skip
    for field in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
        assert re.search(rf"^{field}:", METADATA, re.MULTILINE), field
    assert len(re.findall(r"^  - name:", METADATA, re.MULTILINE)) >= 1


def test_the_paper_is_as_long_as_is_allowed():
    assert 750 <= len(re.sub(r"<!--.*?-->", "", BODY, flags=re.DOTALL).split()) <= 1750


def test_every_reference_is_cited_and_every_citation_has_its_entry():
    cited = set(re.findall(r"@(\w+)", BODY))
    assert cited == set(ENTRIES)
    for key, entry in ENTRIES.items():
        fields = set(re.findall(r"^  (\w+) +=", entry, re.MULTILINE))
        assert {"author", "title", "year"} <= fields, key
        assert fields & {"doi", "url", "isbn", "pages"}, key


def test_what_the_authors_have_to_say_themselves_is_marked():
    disclosure = re.search(r"^# AI usage disclosure\n(.*?)^# ", BODY, re.MULTILINE | re.DOTALL)[1]
    assert "To be filled in by the authors" in disclosure


def test_the_figures_of_the_paper_are_those_of_the_manual():
    errors = r"of (\d+) implementation errors .*? it named (\d+)"
    agents, named = re.search(errors, " ".join(BODY.split())).groups()
    page = (ROOT / "docs" / "diagnosis.md").read_text("utf-8")
    assert f"| third set | 62 of 62 | {named} of {agents} |" in page


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_has_a_name_and_asks_for_something(form):
    text = form.read_text(encoding="utf-8")
    assert re.match(r"name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n", text)
    identifiers = re.findall(r"^    id: (\w+)$", text, re.MULTILINE)
    assert len(set(identifiers)) == len(identifiers) > 0
    assert text.count("      label: ") == len(identifiers)
    assert "required: true" in text
