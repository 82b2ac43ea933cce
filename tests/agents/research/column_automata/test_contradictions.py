"""The exam of automata: right claims pass it, wrong ones are contradicted at small positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.research.column_automata import MoveRelation
from agents.research.column_automata.contradictions import examine
from agents.research.column_automata.heaps import HeapRules
from tests.agents.research.column_automata.claims import right_claim

SIZES = {"positions": 60, "heaps": 4, "bits": 4}


def rules_of(max_take, misere, ordered):
    return HeapRules(MoveRelation(max_take), misere, (None,), ordered)


@given(
    st.sampled_from([None, 1, 3, 7]), st.booleans(), st.booleans(), st.booleans(),
    st.integers(0, 99),
)  # fmt: skip
def test_right_claims_are_never_contradicted(max_take, misere, first, ordered, seed):
    claim = right_claim(max_take, misere, first, 3 if ordered else 2)
    findings = examine(
        claim, rules_of(max_take, misere, ordered), np.random.default_rng(seed),
        **{**SIZES, "positions": 20},
    )  # fmt: skip
    assert findings == ([], 20)


@pytest.mark.parametrize("ordered", [False, True])
def test_wrong_claims_are_contradicted_at_the_smallest_positions_found(ordered):
    claim = right_claim(3, False, True, 3 if ordered else 2)
    rules = rules_of(None, False, ordered)
    found, read = examine(claim, rules, np.random.default_rng(0), **SIZES)
    assert found
    assert read <= SIZES["positions"]
    assert found == sorted(found, key=lambda at: (sum(at), at))
    for position in found:
        lost = bool(claim.is_lost(position))
        after = any(bool(claim.is_lost(option or (0,))) for option in rules.options(position))
        assert lost == after
