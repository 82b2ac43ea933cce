"""Learners that find who wins do not compute the nim-sum."""

import pytest

from tests.agents.without_truth import ROOT, uses_exclusive_or


@pytest.mark.parametrize("room", ["column_automata", "quotients", "signed_products"])
def test_no_file_of_a_learner_has_an_exclusive_or(room):
    files = [path.relative_to(ROOT) for path in (ROOT / "agents" / "research" / room).glob("*.py")]
    assert len(files) > 5
    assert not any(uses_exclusive_or(path) for path in files)
    assert uses_exclusive_or("nim_envs/nimbers.py")
