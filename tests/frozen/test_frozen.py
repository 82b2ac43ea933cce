"""Behaviour is that of the frozen files."""

import pytest

from tests.frozen.files import NAMES, differences

LARGE = ("own connect four",)
"""Records of 161,029 positions, compared by ``python -m tests.frozen`` and by exhaustive runs."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.exhaustive] if name in LARGE else []) for name in NAMES],
)
def test_nothing_differs_from_the_frozen_files(name):
    assert not differences(name)
