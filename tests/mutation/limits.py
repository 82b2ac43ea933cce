"""A pytest plugin that ends the process where a test takes far longer than without a fault."""

from __future__ import annotations

import math
import resource
import signal
import time

import pytest

from tests.mutation.measuring import cpu_seconds

TIMEOUTS = (-signal.SIGXCPU, -signal.SIGALRM)
"""Exit codes of a process that has taken too long."""

SECONDS: pytest.StashKey[dict[str, float]] = pytest.StashKey()
"""CPU seconds of each test without a fault."""


def pytest_configure(config: pytest.Config) -> None:
    """Read what each test takes; importing and collecting them is limited, too."""
    config.stash[SECONDS] = cpu_seconds(config.rootpath)
    limit_cpu_time(100)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Limit the CPU time of a test, and, far beyond, by the clock one that waits."""
    allowed = 3 + 5 * item.config.stash[SECONDS].get(item.nodeid, 10.0)
    limit_cpu_time(allowed)
    signal.alarm(math.ceil(60 + 30 * allowed))


def limit_cpu_time(seconds: float) -> None:
    """End this process after ``seconds`` more of CPU time."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + seconds), most))
