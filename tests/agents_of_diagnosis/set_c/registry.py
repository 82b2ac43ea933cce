"""The list of agents: right ones, those with a fault of the list, those with another fault."""

from typing import Any

from tests.agents_of_diagnosis.entries import NOT_LISTED as NOT_LISTED
from tests.agents_of_diagnosis.entries import Agents

ENTRIES = Agents()
"""All agents, in the order of the modules."""

right = ENTRIES.right


def wrong(learner: Any, fault: str, form: str, /, **changes: Any) -> None:
    """Add a faulty agent: a right one with other settings, or with other methods."""
    methods = {key: changes[key] for key in changes if callable(getattr(learner, key, None))}
    settings = {key: value for key, value in changes.items() if key not in methods}
    faulty = type(learner.__name__, (learner,), methods)
    ENTRIES.add(faulty, fault, f"{learner.__name__}, {fault}: {form}", **settings)
