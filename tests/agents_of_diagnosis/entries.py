"""An entry of a set of agents, and the agents of a stranger's set, whose learners are classes."""

from collections.abc import Callable
from typing import Any, NamedTuple

NOT_LISTED = "not in the list"
MISTAKES = "counts on the opponent's mistakes"

Make = Callable[[int, int], Callable[[Any], Any]]


class Entry(NamedTuple):
    """An agent of a set.

    Attributes:
        name: unique name.
        kind: kind of learner.
        fault: name of its fault, empty for a right agent, or ``"not in the list"``.
        minimum: games on a probe that it needs.
        make: returns a training function, from a seed and a number of games.
        needs: package that it needs besides NumPy.
        make_env: environment to train in, from a game; ``None``: a PettingZoo ``GameEnv``.
    """

    name: str
    kind: str
    fault: str
    minimum: int
    make: Make
    needs: str | None = None
    make_env: Callable[[Any], Any] | None = None


class Agents(list[Entry]):
    """A set of agents whose learners are classes, made with an environment, games and a seed."""

    def right(self, learner: Any, **settings: Any) -> None:
        """Add a right agent: a learner with some settings; ``games`` is the number it needs."""
        text = ", ".join(f"{name} {value}" for name, value in settings.items()) or "as written"
        self.add(learner, "", f"{learner.__name__}: {text}", **settings)

    def add(
        self, learner: Any, fault: str, name: str, games: int | None = None, **settings: Any
    ) -> None:
        """Add an agent: a learner with settings, and perhaps a fault."""

        def make(seed: int, games: int) -> Callable[[Any], Any]:
            def train(env: Any) -> Any:
                agent = learner(env, games, seed, **settings)
                agent.train()
                return agent.policy()

            return train

        # Boards of a probe are smaller than those for which learners state their games.
        most = 1_500 if "PPO" in learner.kind or "policy" in learner.kind else 800
        minimum = min(games or learner.games_needed, most)
        env = getattr(learner, "make_env", None)
        needs = getattr(learner, "needs", None)
        self.append(Entry(name, learner.kind, fault, minimum, make, needs, env))
