"""Periods observed in the classes of heaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.research.quotients.heap_periods import conjecture


@given(
    st.lists(st.integers(0, 3), max_size=6),
    st.lists(st.integers(0, 3), min_size=1, max_size=5),
    st.integers(6, 10),
)
def test_a_repeating_period_is_found_and_continued(before, repeated, times):
    elements = [0, *before, *repeated * times]
    period = conjecture(elements)
    assert period is not None
    assert period.start >= 1
    assert period.length <= len(repeated)
    tail = elements[period.start :]
    assert all(one == other for one, other in zip(tail, tail[period.length :], strict=False))


def test_two_repetitions_are_no_period():
    assert conjecture([0, 1, 2, 3, 1, 2, 3]) is None
    assert conjecture([0, *range(20), 1, 1, 1]) is None
    assert conjecture([]) is None
