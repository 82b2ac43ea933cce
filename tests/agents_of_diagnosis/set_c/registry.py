"""The list of agents: right ones, those with a fault of the list, those with another fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

RIGHT = ""
NOT_LISTED = "not in the list"

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

_HARMLESS = {
    "truncation as end": "harmless where no game is cut",
    "draws as losses": "harmless without draws",
    "draws as wins": "harmless without draws",
    "normal for misère": "harmless in normal play",
    "rewards clipped to 0..1": "harmless where no move is chosen between a draw and a loss",
    "illegal actions played": "harmless where a legal move is worth more than an untrained one",
    "blind to the order of entries": "harmless where the order does not matter",
}

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
        learner: class that is made with an environment, games and a seed.
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
        """Number of games on a game of up to 24 positions."""
        return min(self.games, 1_500 if "policy" in self.kind else 800)

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
    learner: Any = entry.learner
    agent = learner(env, games, seed, **entry.settings)
    agent.train()
    return agent.policy(values)


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
