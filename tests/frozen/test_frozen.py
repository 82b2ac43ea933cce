"""Behaviour is that of the frozen files.

All records are compared by ``python -m tests.frozen``, and by exhaustive runs. In every run misère
play is compared of every second registered game alone, and normal play of the others.
"""

import pytest

from tests.frozen.files import NAMES, differences

LARGE = "own connect four"
"""A record of 161,029 positions."""


def in_every_run(place: int, name: str) -> bool:
    """Return whether a record is compared in every run."""
    play = name.rpartition(", ")[2]
    return name != LARGE and (play not in ("normal", "misere") or place % 4 in (1, 2))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if in_every_run(place, name) else [pytest.mark.exhaustive])
        for place, name in enumerate(NAMES)
    ],
)
def test_nothing_differs_from_the_frozen_files(name):
    assert not differences(name)
