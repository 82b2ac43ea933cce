"""Tests that are collected once, and run on one fault after another.

A fault in lines that nothing has executed so far is put into the functions in memory, in a process
of its own, forked for it. So nothing is imported or collected again for each fault. This module is
the pytest plugin that does so, and what talks to it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType

import pytest

PIPES = "NIM_ENVS_MUTATION_PIPES"
NOT_APPLIED = 99
"""Exit code where a fault cannot be put into what is in memory."""


class Client:
    """Sends faults to the process with the tests.

    Args:
        requests: descriptor to write to.
        answers: descriptor to read from.
    """

    def __init__(self, requests: int, answers: int) -> None:
        self._requests = os.fdopen(requests, "w", encoding="utf-8")
        self._answers = os.fdopen(answers, encoding="utf-8")

    def run(self, tests: Sequence[str], change: tuple[str, int, str] | None = None) -> int:
        """Run tests, up to the first that fails.

        Args:
            tests: in their order.
            change: a module's path in the checkout, the line of a fault, and the module with it;
                ``None``: no fault.

        Returns:
            The exit code as of pytest, ``NOT_APPLIED``, or minus the signal that ended it.
        """
        self._requests.write(json.dumps([list(tests), change]) + "\n")
        self._requests.flush()
        return int(self._answers.readline())


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Answer requests instead of running the tests."""
    requests, answers = map(int, os.environ[PIPES].split())
    items = {item.nodeid: item for item in session.items}
    with os.fdopen(requests, encoding="utf-8") as asked, os.fdopen(answers, "w") as answer:
        for tests, change in map(json.loads, asked):
            child = os.fork()
            if child == 0:
                _trial([items[name] for name in tests], change)
            _, status = os.waitpid(child, 0)
            # Whatever the tests have started goes with them.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            answer.write(f"{os.waitstatus_to_exitcode(status)}\n")
            answer.flush()
    return True


def _trial(items: list[pytest.Item], change: tuple[str, int, str] | None) -> None:
    """Run tests, with a change if there is one, and exit."""
    code = NOT_APPLIED
    try:
        os.setsid()
        if change is not None:
            path, line, source = change
            if not _apply(items[0].config.rootpath / path, line, source):
                return
        code = 1
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return
        code = 0
    finally:
        os._exit(code)


def _apply(module: Path, line: int, source: str) -> bool:
    """Put the code of a changed module into the functions of the present one.

    Args:
        module: file of the module.
        line: what has changed; only functions around it are replaced.
        source: the changed module.

    Returns:
        Whether there is such a function.
    """
    before = compile(module.read_bytes(), str(module), "exec")
    after = compile(source, str(module), "exec")
    changed = {_key(old): new for old, new in _pairs(before, after) if line in _lines(old)}
    functions = [
        one
        for one in gc.get_objects()
        if isinstance(one, FunctionType)
        and one.__code__.co_filename == str(module)
        and _key(one.__code__) in changed
    ]
    try:
        for function in functions:
            function.__code__ = changed[_key(function.__code__)]
    except ValueError:  # it uses other variables of the function around it
        return False
    return bool(functions)


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code of functions in a module, and the same in the changed module."""
    nested = (
        [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        for code in (before, after)
    )
    for old, new in zip(*nested, strict=False):
        if old.co_name == new.co_name:
            yield old, new
            yield from _pairs(old, new)


def _key(code: CodeType) -> tuple[str, int, bytes]:
    """Return what tells functions of a module apart; code as such compares its counters, too."""
    return code.co_name, code.co_firstlineno, code.co_code


def _lines(code: CodeType) -> range:
    """Return the lines from the first to the last of a function, inner ones included."""
    inner = [_lines(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    last = [line for _, _, line in code.co_lines() if line is not None]
    return range(code.co_firstlineno, max([*last, *(lines.stop - 1 for lines in inner)]) + 1)
