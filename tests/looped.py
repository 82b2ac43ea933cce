"""Many small cases as one test, where each would take less time than pytest takes for a test."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import Signature, signature
from typing import Any

import pytest


def in_one_test(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[..., Any]:
    """Run a test on every case, as ``pytest.mark.parametrize`` does; an error names its case.

    All cases share the test's fixtures.
    """

    def arguments(case: Any) -> dict[str, Any]:
        return {names: case} if isinstance(names, str) else dict(zip(names, case, strict=True))

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        def looped(**fixtures: Any) -> None:
            for named in map(arguments, cases):
                with _naming(named):
                    test(**named, **fixtures)

        given = {names} if isinstance(names, str) else {*names}
        parameters = signature(test).parameters.values()
        looped.__name__, looped.__doc__ = test.__name__, test.__doc__
        looped.__module__ = test.__module__
        # By this pytest knows the fixtures.
        looped.__signature__ = Signature(  # type: ignore[attr-defined]
            [parameter for parameter in parameters if parameter.name not in given]
        )
        return looped

    return decorated


@contextmanager
def _naming(case: object) -> Iterator[None]:
    try:
        yield
    except (Exception, pytest.fail.Exception) as error:
        raise AssertionError(f"with {case}") from error
