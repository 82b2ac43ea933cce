"""The list of agents: right ones, those with a fault of the list, those with another fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

RIGHT = ""
NOT_LISTED = "not in the list"
MISTAKES = "counts on the opponent's mistakes"

_NAMES = """
wrong sign | players swapped | result of the loser never learned |
loser rewarded | winners only | rewards clipped to 0..1 | draws as losses | draws as wins |
zero reward | bootstrap beyond the end | end read one step early | discount 0 |
next state not re-read | target frozen | sign of a search's backup |
maximum over illegal actions | illegal actions played | minimum for maximum | argmin |
one seat never learned | first player's turns alone |
counts on the opponent's mistakes | normal for misère | same action always |
blind to an entry | blind to the order of entries | observations cut | observations halved |
observations scaled otherwise in play | actions off by one | actions reversed | truncation as end
| end as truncation | learning rate 0 or tiny
"""
FAULTS = tuple(" ".join(name.split()) for name in _NAMES.split("|"))
"""Names of the faults of the list."""

Train = Callable[[Any], Any]


@dataclass(frozen=True)
class Entry:
    """One agent.

    Attributes:
        name: unique name.
        kind: kind of learner.
        fault: a name of :data:`FAULTS`, empty for a right agent, or ``"not in the list"``.
        form: how the mistake was made, or the settings of a right agent.
        notes: where the fault can do no harm, or is no clear mistake.
        games: number of training games with which the right version of this learner plays well.
        learner: class with ``train(env, games, seed, values)``.
        settings: settings of the learner.
        needs: package that it needs besides NumPy.
        make_env: environment to train in, from a game; ``None``: a PettingZoo ``GameEnv``.
    """

    name: str
    kind: str
    fault: str
    form: str
    notes: str
    games: int
    learner: type
    settings: dict[str, Any]
    needs: str | None
    make_env: Callable[[Any], Any] | None

    @property
    def minimum(self) -> int:
        """Number of games on a probe, which is smaller than the boards of :mod:`.check`."""
        of_policies = "PPO" in self.kind or self.kind == "policy network in PyTorch"
        return min(self.games, 1_500 if of_policies else 800)

    def make(self, seed: int = 0, games: int | None = None, values: bool = True) -> Train:
        """Return ``train(env)``.

        Args:
            seed: seed of the training.
            games: number of games; ``None``: the entry's own.
            values: whether the policy has the attribute ``values``, where the learner has any.
        """
        return partial(_train, self.name, seed, games or self.games, values)


ENTRIES: list[Entry] = []
"""All agents, in the order of the modules."""


def _train(name: str, seed: int, games: int, values: bool, env: Any) -> Any:
    entry = next(entry for entry in ENTRIES if entry.name == name)
    agent: Any = entry.learner
    agent = agent(env, games, seed, **entry.settings)
    agent.train()
    return agent.policy(values)


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
