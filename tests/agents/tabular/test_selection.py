"""Choosing an action from a row of a table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tabular.selection import (
    epsilon_greedy_action,
    greedy_action,
    largest_legal,
    random_action,
    random_of_mask,
    sample,
    softmax,
)


@given(
    values=st.lists(st.sampled_from([-1.0, 0.0, 0.5]), min_size=1, max_size=6),
    bits=st.lists(st.booleans(), min_size=6, max_size=6),
    uniform=st.floats(0, 1, exclude_max=True),
    epsilon=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_selection_picks_legal_actions_of_the_right_kind(values, bits, uniform, epsilon):
    row = np.array(values)
    mask = np.array(bits[: len(values)], dtype=np.int8)
    legal = np.flatnonzero(mask)
    allowed = legal.tolist()
    if not allowed:
        assert random_action(legal, uniform) == greedy_action(row, legal, uniform) == -1
        assert largest_legal(row, legal) == -np.inf
        return
    best = max(row[allowed])
    assert largest_legal(row, legal) == best
    assert random_action(legal, uniform) == allowed[int(uniform * len(allowed))]
    assert random_of_mask(mask, uniform) == random_action(legal, uniform)
    assert row[greedy_action(row, legal, uniform)] == best
    chosen = epsilon_greedy_action(row, legal, epsilon, uniform)
    assert chosen in allowed
    if uniform >= epsilon:
        assert row[chosen] == best
    probabilities = np.full(len(values), np.nan)
    softmax(row, legal, 0.7, probabilities)
    weights = np.exp(row / 0.7) * mask
    assert probabilities.tolist() == pytest.approx((weights / weights.sum()).tolist())
    drawn = sample(probabilities, uniform)
    below = probabilities[:drawn].sum()
    assert drawn in allowed
    assert below - 1e-9 <= uniform <= below + probabilities[drawn] + 1e-9


def test_actions_are_selected_with_the_right_probabilities():
    grid = (np.arange(12_000) + 0.5) / 12_000
    row, legal = np.array([0.0, 2.0, 2.0, 5.0]), np.array([0, 1, 2])
    counts = np.bincount([epsilon_greedy_action(row, legal, 0.3, u) for u in grid], minlength=4)
    assert counts.tolist() == pytest.approx([1200, 5400, 5400, 0], abs=3)


def test_softmax_survives_preferences_of_any_size():
    probabilities = np.zeros(3)
    softmax(np.array([1e6, -1e6, 1e6]), np.array([0, 1, 2]), 1.0, probabilities)
    assert probabilities.tolist() == [0.5, 0.0, 0.5]
