"""The list of agents: right ones, those with a fault of the list, those with another fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.agents_of_diagnosis import entries
from tests.agents_of_diagnosis.entries import FAULTS, NOT_LISTED, RIGHT
from tests.agents_of_diagnosis.entries import MISTAKES as MISTAKES


def _train(name: str, seed: int, games: int, values: bool, env: Any) -> Any:
    entry = next(entry for entry in ENTRIES if entry.name == name)
    agent: Any = entry.learner
    agent = agent(env, games, seed, **entry.settings)
    agent.train()
    return agent.policy(values)


class Entry(entries.Entry):
    """One agent of this set."""

    trained = staticmethod(_train)

    @property
    def minimum(self) -> int:
        """Number of games on a probe, which is smaller than the boards of :mod:`.check`."""
        of_policies = "PPO" in self.kind or self.kind == "policy network in PyTorch"
        return min(self.games, 1_500 if of_policies else 800)


ENTRIES: list[Entry] = []
"""All agents, in the order of the modules."""


def _add(learner: Any, name: str, fault: str, form: str, notes: str, **settings: Any) -> None:
    if fault not in (*FAULTS, NOT_LISTED, RIGHT) or any(each.name == name for each in ENTRIES):
        raise ValueError(
            f"{name!r} with fault {fault!r}: unknown fault, or two agents of this name"
        )
    games = settings.pop("games", learner.games_needed)
    need, make_env = getattr(learner, "needs", None), getattr(learner, "make_env", None)
    how = name, learner.kind, fault, form, notes
    ENTRIES.append(Entry(*how, games, learner, settings, need, make_env))


def right(learner: Any, **settings: Any) -> None:
    """Register a right agent: a learner with some settings; ``games`` is the number it needs."""
    text = ", ".join(f"{name} {value}" for name, value in settings.items()) or "as written"
    _add(learner, f"{learner.__name__}: {text}", RIGHT, text, "", **settings)


def setting(
    learner: Any, fault: str, name: str, form: str, notes: str = "", **settings: Any
) -> None:
    """Register a faulty agent whose mistake is a wrong setting."""
    _add(learner, name, fault, form, notes, **settings)


def faulty(fault: str, notes: str = "", **settings: Any) -> Callable[[Any], Any]:
    """Register the class that follows as an agent with a fault; its docstring says the form."""

    def register(learner: Any) -> Any:
        _add(learner, learner.__name__, fault, str(learner.__doc__), notes, **settings)
        return learner

    return register


def fault(name: str, method: str, notes: str = "", **settings: Any) -> Callable[[Any], Any]:
    """Mark a function in a class with :func:`faults` as the faulty form of a method."""

    def mark(function: Any) -> Any:
        function.mark = name, method, notes, settings
        return function

    return mark


def faults(group: Any) -> Any:
    """Register an agent for each marked function of a class, which replaces the method it names."""
    for name, function in list(vars(group).items()):
        if hasattr(function, "mark"):
            wrong, method, notes, settings = function.mark
            words = "".join(word.capitalize() for word in name.split("_"))
            learner = type(words, (group,), {method: function})
            _add(learner, words, wrong, str(function.__doc__), notes, **settings)
    return group
