"""Set A: the agents that the diagnosis was built with."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.agents_of_diagnosis import learners
from tests.agents_of_diagnosis.entries import Entry
from tests.agents_of_diagnosis.learners import Setting

MINIMUM = {
    "table": 500, "sarsa": 500, "expected": 500, "monte carlo": 800, "afterstate": 500,
    "DQN": 600, "policy table": 1_000, "policy network": 1_500, "PPO": 1_500, "search": 500,
}  # fmt: skip
"""Games on a probe after which a right learner of each kind plays it perfectly."""


RUN: dict[str, Callable[..., Any]] = {
    "table": learners.table,
    "sarsa": partial(learners.table, update="sarsa"),
    "expected": partial(learners.table, update="expected"),
    "monte carlo": partial(learners.table, update="monte carlo"),
    "afterstate": learners.afterstate,
    "DQN": learners.network,
    "policy table": learners.gradient,
    "policy network": partial(learners.gradient, how="network"),
    "PPO": partial(learners.gradient, how="ppo"),
    "search": learners.tree_search,
}

NAMES = {
    "first player's result": "players swapped",
    "winner's result to both": "loser rewarded",
    "entries cut off": "observations cut",
    "second player's turns alone": "one seat never learned",
    "stale observations": "remembers",
    "explores in play": "stochastic",
}
"""Names of faults in the list, where they differ from those of the switches."""


def entry(kind: str, fault: str = "", **settings: Any) -> Entry:
    """Return an agent of a kind."""
    setting = Setting(fault, **settings)

    def make(seed: int, games: int) -> Callable[[Any], Any]:
        return lambda env: RUN[kind](env, games, seed, setting)

    words = ", ".join(f"{key} {value}" for key, value in settings.items())
    name = ", ".join(filter(None, (kind, words, fault)))
    return Entry(name, kind, NAMES.get(fault, fault), MINIMUM[kind], make)


OF_RESULTS = (
    "players swapped", "first player's result", "rewards clipped to 0..1", "loser rewarded",
    "draws as losses", "draws as wins", "zero reward", "normal for misère", "misère for normal",
)  # fmt: skip
OF_LOOKS = (
    "blind to an entry", "blind to the order of entries", "observations cut", "entries cut off",
    "observations halved", "observations scaled otherwise in play",
)  # fmt: skip
OF_PLAY = (
    "argmin", "same action always", "illegal actions played", "actions off by one",
    "actions reversed", "stale observations", "explores in play",
)  # fmt: skip
OF_TARGETS = (
    "wrong sign", "discount 0", "next state not re-read", "target frozen",
    "maximum over illegal actions", "minimum for maximum", "bootstrap beyond the end",
    "end read one step early", "one seat never learned", "second player's turns alone",
    "learning rate 0 or tiny",
)  # fmt: skip
OF_RETURNS = (
    "wrong sign", "result of the loser never learned", "end read one step early", "discount 0",
    "one seat never learned", "learning rate 0 or tiny",
)  # fmt: skip
OF_OWN = ("winners only", "result of the loser never learned", "winner's result to both")

ENTRIES: tuple[Entry, ...] = (
    *(entry("table", form=form, discount=discount, ties=ties)
      for form in ("negamax", "own") for discount in (0.9, 1.0) for ties in ("first", "random")),
    *(entry(kind, form=form, epsilon=epsilon)
      for kind in ("sarsa", "expected") for form in ("negamax", "own") for epsilon in (0.1, 0.3)),
    *(entry("table", form=form, rate=rate) for form in ("negamax", "own") for rate in (0.05, 0.8)),
    *(entry("monte carlo", discount=discount, epsilon=epsilon)
      for discount in (0.9, 1.0) for epsilon in (0.1, 0.3)),
    *(entry("monte carlo", rate=rate) for rate in (0.1, 0.2)),
    *(entry("afterstate", discount=discount, rate=rate)
      for discount in (0.9, 1.0) for rate in (0.1, 0.3, 0.6)),
    *(entry("DQN", form=form, one_hot=one_hot, discount=discount)
      for form in ("negamax", "own") for one_hot in (False, True) for discount in (0.9, 1.0)),
    *(entry("DQN", form=form, rate=0.001) for form in ("negamax", "own")),
    *(entry("policy table", discount=discount, rate=rate)
      for discount in (0.9, 1.0) for rate in (0.3, 0.6)),
    *(entry(kind, one_hot=one_hot, discount=discount)
      for kind in ("policy network", "PPO")
      for one_hot in (False, True) for discount in (0.9, 1.0)),
    entry("search"),
    *(entry(kind, ties="random") for kind in ("sarsa", "expected", "monte carlo")),
    *(entry("table", form="own", opponent="random", discount=d) for d in (0.9, 1.0)),
    *(entry("table", form=form, epsilon=1.0) for form in ("negamax", "own")),
    *(entry("table", fault, form=form)
      for form in ("negamax", "own")
      for fault in (*OF_RESULTS, *OF_LOOKS, *OF_PLAY, *OF_TARGETS)),
    *(entry("table", fault, form="own") for fault in OF_OWN),
    *(entry("monte carlo", fault)
      for fault in (*OF_RESULTS, *OF_RETURNS, "winners only", "argmin", "blind to an entry")),
    *(entry("DQN", fault, form=form)
      for form in ("negamax", "own")
      for fault in ("wrong sign", "players swapped", "discount 0", "bootstrap beyond the end",
                    "draws as wins", "maximum over illegal actions", "minimum for maximum",
                    "blind to an entry", "observations scaled otherwise in play",
                    "observations halved", "one seat never learned", "actions off by one")),
    *(entry("table", "truncation as end", form=form) for form in ("negamax", "own")),
    *(entry("sarsa", fault, form="own") for fault in ("wrong sign", "loser rewarded")),
    *(entry("afterstate", fault)
      for fault in ("wrong sign", "players swapped", "discount 0", "argmin", "draws as wins",
                    "rewards clipped to 0..1")),
    *(entry("search", fault)
      for fault in ("wrong sign", "sign of a search's backup", "players swapped", "discount 0",
                    "argmin")),
    *(entry(kind, fault)
      for kind in ("policy table", "policy network")
      for fault in ("wrong sign", "players swapped", "rewards clipped to 0..1", "argmin",
                    "actions reversed", "one seat never learned")),
)  # fmt: skip
"""The agents; right ones first."""
