"""Settings of all tests and of the examples in docstrings."""

from collections.abc import Iterator

import pytest

from nim_envs import registration
from nim_envs.registration import GAMES


@pytest.fixture(autouse=True)
def _only_the_packages_own_games() -> Iterator[None]:
    """Forget the games that a test or an example registers, which others would sweep."""
    before = set(GAMES)
    yield
    for name in set(GAMES) - before:
        registration._forget(name)
