"""Tests by the lines that they execute, and their times: a run under coverage.py without a fault.

This module is the pytest plugin that measures, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

SECONDS = "tests.jsonl"
LINES = ".coverage"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Record the lines of each test under its name, and its CPU seconds."""
    # Where the tests are collected it may not be installed.
    from coverage import Coverage

    measured = Coverage.current()
    assert measured is not None
    measured.switch_context(item.nodeid)
    began = time.process_time()
    result = yield
    row = json.dumps([item.nodeid, time.process_time() - began])
    measured.switch_context("")
    with (item.config.rootpath / SECONDS).open("a", encoding="utf-8") as file:
        file.write(row + "\n")
    return result


def cpu_seconds(copy: Path) -> dict[str, float]:
    """Return what each test took in a copy of the checkout."""
    rows = (copy / SECONDS).read_text(encoding="utf-8").splitlines()
    return dict(map(json.loads, rows))


@dataclass(frozen=True)
class Measured:
    """Lines and times of the tests in a run without a fault.

    Attributes:
        seconds: CPU seconds of each test.
        tests: which tests execute a line, by the module's path and the line's number; ``""``
            stands for what is executed outside any test.
    """

    seconds: dict[str, float]
    tests: dict[tuple[str, int], set[str]]

    @classmethod
    def of(cls, copy: Path) -> Measured:
        """Return what the run in a copy of the checkout has left there."""
        from coverage import CoverageData

        data = CoverageData(str(copy / LINES))
        data.read()
        tests = {
            (Path(module).relative_to(copy).as_posix(), line): set(names)
            for module in data.measured_files()
            for line, names in data.contexts_by_lineno(module).items()
        }
        return cls(cpu_seconds(copy), tests)

    def tests_of(self, path: str, line: int) -> set[str]:
        """Return the tests that execute a line."""
        return self.tests.get((path, line), set()) - {""}

    def is_outside_tests(self, path: str, line: int) -> bool:
        """Return whether a line is executed outside tests too, as at import.

        So may be one that was never seen to be executed: in another process, say.
        """
        return "" in self.tests.get((path, line), {""})

    def quick_first(self, names: Iterable[str]) -> list[str]:
        """Return tests in the order of the time that they take."""
        return sorted(names, key=self.seconds.__getitem__)
