"""Behaviour is that of the frozen files."""

import pytest

from tests.frozen.files import NAMES, differences


@pytest.mark.parametrize("name", NAMES)
def test_nothing_differs_from_the_frozen_files(name):
    assert not differences(name)
