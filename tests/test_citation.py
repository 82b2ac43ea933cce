"""The citation is of this version."""

from pathlib import Path

import nim_envs

ROOT = Path(__file__).resolve().parent.parent


def test_the_citation_names_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {nim_envs.__version__}\n" in citation
