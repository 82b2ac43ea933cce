"""The packages export what they list, no module hides such a name, and the citation is of now."""

import importlib

import pytest

import nim_envs
from tests import ROOT


@pytest.mark.parametrize("package", ["nim_envs", "agents"])
def test_every_exported_name_is_there_and_no_module_has_it(package):
    module = importlib.import_module(package)
    modules = {path.stem for path in (ROOT / package).iterdir() if path.suffix in ("", ".py")}
    assert not modules & set(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
    assert {*module.__all__, "__name__"} <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_the_citation_names_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {nim_envs.__version__}\n" in citation
