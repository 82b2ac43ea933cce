"""The list of agents: right ones, those with a fault of the list, those with another fault."""

from __future__ import annotations

from typing import Any

from tests.agents_of_diagnosis import entries
from tests.agents_of_diagnosis.entries import FAULTS, NOT_LISTED, RIGHT

_HARMLESS = {
    "truncation as end": "harmless where no game is cut",
    "draws as losses": "harmless without draws",
    "draws as wins": "harmless without draws",
    "normal for misère": "harmless in normal play",
    "rewards clipped to 0..1": "harmless where no move is chosen between a draw and a loss",
    "illegal actions played": "harmless where a legal move is worth more than an untrained one",
    "blind to the order of entries": "harmless where the order does not matter",
}


def _train(name: str, seed: int, games: int, values: bool, env: Any) -> Any:
    entry = next(entry for entry in ENTRIES if entry.name == name)
    learner: Any = entry.learner
    agent = learner(env, games, seed, **entry.settings)
    agent.train()
    return agent.policy(values)


class Entry(entries.Entry):
    """One agent of this set."""

    trained = staticmethod(_train)

    @property
    def minimum(self) -> int:
        """Number of games on a game of up to 24 positions."""
        return min(self.games, 1_500 if "policy" in self.kind else 800)


ENTRIES: list[Entry] = []
"""All agents, in the order of the modules."""


def _add(learner: Any, name: str, fault: str, form: str, notes: str, **settings: Any) -> None:
    assert fault in (*FAULTS, NOT_LISTED, RIGHT), fault
    assert all(each.name != name for each in ENTRIES), name
    games = settings.pop("games", learner.games_needed)
    how = name, learner.kind, fault, form, notes
    ENTRIES.append(Entry(*how, games, learner, settings, learner.needs, learner.make_env))


def right(learner: Any, **settings: Any) -> None:
    """Register a right agent: a learner with some settings; ``games`` is the number it needs."""
    text = ", ".join(f"{name} {value}" for name, value in settings.items()) or "as written"
    _add(learner, f"{learner.__name__}: {text}", RIGHT, text, "", **settings)


def wrong(learner: Any, fault: str, form: str, notes: str = "", /, **changes: Any) -> None:
    """Register a faulty agent: a right one with other settings, or with other methods."""
    methods = {key: changes[key] for key in changes if callable(getattr(learner, key, None))}
    settings = {key: value for key, value in changes.items() if key not in methods}
    faulty = type(learner.__name__, (learner,), methods)
    notes = notes or _HARMLESS.get(fault, "")
    _add(faulty, f"{learner.__name__}, {fault}: {form}", fault, form, notes, **settings)
