"""Names of faults, and entries of a set of agents written by a stranger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

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

    trained: ClassVar[Callable[..., Any]]
    """Function of a name, a seed, a number of games, whether to return values, and an environment,
    which finds the entry by its name: learners that are made by functions are in no pickle."""

    def make(self, seed: int = 0, games: int | None = None, values: bool = True) -> Train:
        """Return ``train(env)``.

        Args:
            seed: seed of the training.
            games: number of games; ``None``: the entry's own.
            values: whether the policy has the attribute ``values``, where the learner has any.
        """
        return partial(self.trained, self.name, seed, games or self.games, values)
