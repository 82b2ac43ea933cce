"""Values are checked against annotations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt
import pytest

from agents.restoring.errors import as_storage_error
from agents.restoring.schema import check_arguments, check_value
from nim_envs.errors import StorageError


class Pair(TypedDict):
    left: int
    right: list[str]


@pytest.mark.parametrize(
    ("hint", "valid", "wrong"),
    [
        (Any, [None, 3, "x"], []),
        (int, [3, np.int64(3)], [True, np.True_, 3.0, "3", None]),
        (float, [3, 0.5, np.float32(1)], [True, "3", None, 1j]),
        (bool, [True, np.False_], [0, None]),
        (int | None, [3, None], [0.5, "x"]),
        (Literal["a", "b"], ["a"], ["c", ["a"], None]),
        (Callable[[int], float], [float], [3, None]),
        (list[int], [[], [1, 2]], [(1, 2), [1, None], "12", None]),
        (tuple[int, str], [(1, "a")], [(1,), (1, "a", 2), ("a", 1), [1, "a"]]),
        (tuple[int, ...], [(), (1, 2)], [(1, "a"), [1]]),
        (dict[str, int], [{}, {"a": 1}], [{1: 1}, {"a": "b"}, [("a", 1)]]),
        (Pair, [{"left": 1, "right": ["a"]}], [{"left": 1}, {"left": 1, "right": [1]}, [], None,
         {"left": 1, "right": [], "middle": 2}]),
        (np.ndarray[Any, Any], [np.zeros(2)], [[0, 0], None]),
        (npt.NDArray[np.float64], [np.zeros(2)], [[0, 0], None]),
        (npt.NDArray[np.int8] | None, [np.zeros(2), None], [[0, 0], 0]),
        (dict[str, npt.NDArray[Any]], [{"a": np.zeros(2)}], [{"a": [0, 0]}, np.zeros(2)]),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_is_of_a_type_or_refused(hint, valid, wrong):
    for value in valid:
        check_value("it", value, hint)
    for value in wrong:
        with pytest.raises(StorageError, match="it"):
            check_value("it", value, hint)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the statement is of Python 3.12")
def test_an_alias_is_what_it_stands_for():
    names = {}
    exec(
        "type Numbers = list[int]\ntype Named[T] = dict[str, T]\ntype Tables = Named[Numbers]",
        names,
    )
    for value in ({}, {"a": [1]}):
        check_value("it", value, names["Tables"])
        check_value("it", value, names["Named"][list[int]] | None)
    for value in ([1], {1: [1]}, {"a": ["b"]}):
        with pytest.raises(StorageError, match="it"):
            check_value("it", value, names["Tables"])


def takes(first, *, number: int, text: str = "") -> None:
    """A function with arguments."""


def test_arguments_are_those_of_the_function():
    check_arguments(takes, {"number": 3, "text": "x"})
    for arguments, message in (
        ({}, "takes needs an argument 'number'"),
        ({"number": 1, "first": 2}, r"no argument 'first', but \['number', 'text'\]"),
        ({"number": "x"}, "number must be int, not 'x'"),
    ):
        with pytest.raises(StorageError, match=message):
            check_arguments(takes, arguments)


def test_any_error_of_a_constructor_is_one_of_the_file_and_no_interrupt_is():
    for error in (RuntimeError("x"), StopIteration(), KeyError("x"), MemoryError()):
        with pytest.raises(StorageError, match=type(error).__name__) as refused:  # noqa: SIM117
            with as_storage_error("a thing"):
                raise error
        assert refused.value.__cause__ is error
    with pytest.raises(KeyboardInterrupt), as_storage_error("a thing"):
        raise KeyboardInterrupt
