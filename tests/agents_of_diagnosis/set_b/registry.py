"""The list of agents, and decorators that add faulty ones."""

from collections.abc import Callable
from typing import Any

from tests.agents_of_diagnosis.entries import MISTAKES as MISTAKES
from tests.agents_of_diagnosis.entries import NOT_LISTED as NOT_LISTED
from tests.agents_of_diagnosis.entries import Agents

ENTRIES = Agents()
"""All agents, in the order of the modules."""

right, setting = ENTRIES.right, ENTRIES.add
"""Add a right agent; add one whose mistake is a wrong setting."""


def faulty(fault: str) -> Callable[[Any], Any]:
    """Add the class that follows as an agent with a fault; its docstring says how."""

    def register(learner: Any) -> Any:
        ENTRIES.add(learner, fault, learner.__name__)
        return learner

    return register


def fault(name: str, method: str, **settings: Any) -> Callable[[Any], Any]:
    """Mark a function in a class with :func:`faults` as the faulty form of a method."""

    def mark(function: Any) -> Any:
        function.mark = name, method, settings
        return function

    return mark


def faults(group: Any) -> Any:
    """Add an agent for each marked function of a class, which replaces the method it names."""
    for name, function in list(vars(group).items()):
        if hasattr(function, "mark"):
            wrong, method, settings = function.mark
            words = "".join(word.capitalize() for word in name.split("_"))
            ENTRIES.add(type(words, (group,), {method: function}), wrong, words, **settings)
    return group
