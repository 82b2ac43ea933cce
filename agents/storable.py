"""Learners that can be saved: they remember how they were constructed."""

from __future__ import annotations

import functools
import inspect
from typing import Any, TypeVar

STORABLE: dict[str, type[Any]] = {}
"""The learner classes that can be saved, by name; :func:`storable` fills it."""

Class = TypeVar("Class", bound=type)


def storable(cls: Class) -> Class:
    """Let :mod:`agents.storage` save a learner class, by remembering its arguments."""
    construct = cls.__init__  # type: ignore[misc]
    signature = inspect.signature(construct)

    @functools.wraps(construct)
    def remember(self: Any, *positional: Any, **named: Any) -> None:
        construct(self, *positional, **named)
        bound = signature.bind(self, *positional, **named).arguments
        self.constructor_arguments = dict(list(bound.items())[1:])

    cls.__init__ = remember  # type: ignore[misc]
    STORABLE[cls.__name__] = cls
    return cls
