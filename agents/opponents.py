"""The players of a training run: one agent, one for each seat, or a learner and its opponents."""

from collections import deque
from collections.abc import Sequence
from copy import deepcopy
from typing import Literal

import numpy as np

from agents.base import Agent, Learner
from nim_envs.validation import checked_choice, checked_integer


def as_pair(agents: Agent | tuple[Agent, Agent] | list[Agent]) -> tuple[Agent, Agent]:
    """Return one agent for each seat; a single agent plays both."""
    if isinstance(agents, (tuple, list)):
        if len(agents) == 2 and all(isinstance(agent, Agent) for agent in agents):
            return agents[0], agents[1]
    elif isinstance(agents, Agent) and not isinstance(agents, type):
        return agents, agents
    raise TypeError(
        "expected an agent, such as QLearning.for_env(env), or a pair of agents, one for each "
        f"seat, not {agents!r}"
    )


class Opponents:
    """A learner and the opponents that it meets, one in each game.

    Args:
        learner: learner to train; as its own opponent it plays both seats and learns in both.
        opponents: at least one agent; learners among them learn too.
        order: ``"rotation"``: each in turn; ``"random"``: drawn for every game.
        seat: the learner's seat: 0, 1, or ``"alternate"``, which changes after all opponents were
            met (in rotation) or after every game (at random).
        pool: most earlier selves of the learner to meet; the oldest is dropped. As soon as there
            is one, they are one more opponent, after the others: each time one of them, all
            equally likely.
        every: games of a run after which a copy of the learner's greedy policy becomes an earlier
            self.

    Attributes:
        earlier_selves: the copies, the oldest first.

    Raises:
        ValueError: no opponents, an unknown order or seat, ``pool`` below 0 or ``every`` below 1.
        TypeError: ``learner`` is no learner, or ``opponents`` are no list of agents.

    References:
        T. Bansal, J. Pachocki, S. Sidor, I. Sutskever, I. Mordatch, "Emergent complexity via
        multi-agent competition", ICLR 2018, section 3.2: opponents from earlier in training.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import make_game
        >>> learner = QLearning(make_game("nim", heaps=(3, 4, 5)))
        >>> half_of_them_earlier_selves = Opponents(learner, [learner], pool=10, every=1_000)
    """

    def __init__(
        self,
        learner: Learner,
        opponents: Sequence[Agent],
        *,
        order: Literal["rotation", "random"] = "rotation",
        seat: Literal[0, 1, "alternate"] = "alternate",
        pool: int = 0,
        every: int = 1_000,
    ) -> None:
        if not opponents:
            raise ValueError(f"opponents must hold at least one agent, not {opponents!r}")
        if not isinstance(learner, Learner) or not isinstance(opponents, (tuple, list)):
            raise TypeError(
                f"expected a learner and a list of agents, not {learner!r} and {opponents!r}"
            )
        for agent in opponents:
            as_pair(agent)
        if seat not in (0, 1, "alternate"):
            raise ValueError(f"seat must be 0, 1 or 'alternate', not {seat!r}")
        self.learner, self.opponents, self.seat = learner, tuple(opponents), seat
        self.order = checked_choice("order", order, ("rotation", "random"))
        self.every = checked_integer("every", every, minimum=1)
        self.earlier_selves: deque[Agent] = deque(maxlen=checked_integer("pool", pool, minimum=0))

    def remember(self, games: int) -> None:
        """Copy the learner's greedy policy, if that is due after this number of games."""
        if self.earlier_selves.maxlen and games % self.every == 0:
            # Some learners' policies share what they observed, or the whole network.
            self.earlier_selves.append(deepcopy(self.learner.greedy()))

    def pair(
        self, game: int, rng: np.random.Generator, pool_rng: np.random.Generator
    ) -> tuple[Agent, Agent]:
        """Return the agents of both seats in game number ``game``, counted from 0.

        ``rng`` draws the opponent, where the order is random, and ``pool_rng`` the earlier self.
        """
        met = [*self.opponents, None] if self.earlier_selves else self.opponents
        if self.order == "rotation":
            index, turn = game % len(met), game // len(met)
        else:
            index, turn = int(rng.random() * len(met)), game
        opponent = met[index]
        if opponent is None:
            opponent = self.earlier_selves[int(pool_rng.random() * len(self.earlier_selves))]
        seat = turn % 2 if self.seat == "alternate" else self.seat
        return (self.learner, opponent) if seat == 0 else (opponent, self.learner)
