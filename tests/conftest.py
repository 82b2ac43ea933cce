"""Settings of all tests."""

import gc
import os
import signal
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.forks import Forks

# The first call of a compiled function takes as long as its compilation.
settings.register_profile("default", deadline=None, max_examples=40)
settings.load_profile("default")

# Windows are drawn in memory: there may be no screen, and whoever runs the tests may look at it.
os.environ["SDL_VIDEODRIVER"] = "dummy"

# Many containers forbid bytecode, to stay small. Without it each process would rewrite the
# assertions of all tests in every run, which takes some six seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A process that a shell starts in the background ignores Ctrl-C, and so would its children.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Programs in processes of their own, in which libraries have been imported, but no game."""
    with Forks("gymnasium, numba, pettingzoo, nim_envs") as started:
        yield started


class RegisteredGames:
    """Forgets the games that a test, or an example in a docstring, registers."""

    @pytest.fixture(autouse=True)
    def _games_as_before(self) -> Iterator[None]:
        from nim_envs.registry import GAMES, remove

        before = set(GAMES)
        yield
        for name in set(GAMES) - before:
            remove(name)


def pytest_configure(config: pytest.Config) -> None:
    # As a plugin, and not in this file, it is used for the examples in the packages too.
    config.pluginmanager.register(RegisteredGames())


def pytest_collection_finish() -> None:
    # Modules and tests stay to the end: the garbage collector need not visit them again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 10, 50)
