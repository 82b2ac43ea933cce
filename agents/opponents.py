"""The players of a training run: one agent, one for each seat, or a learner and its opponents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from agents.base import Agent, Learner
from nim_envs.validation import checked_choice

ORDERS = ("rotation", "random")
SEATINGS = (0, 1, "alternate")


def as_pair(agents: Agent | tuple[Agent, Agent] | list[Agent]) -> tuple[Agent, Agent]:
    """Return one agent for each seat; a single agent plays both.

    Raises:
        TypeError: neither an agent nor two of them.
    """
    if isinstance(agents, (tuple, list)):
        if len(agents) == 2 and all(isinstance(agent, Agent) for agent in agents):
            return agents[0], agents[1]
    elif isinstance(agents, Agent):
        return agents, agents
    raise TypeError(f"expected an agent or a pair of agents, one for each seat, not {agents!r}")


class Opponents:
    """A learner and the opponents that it meets, one in each game.

    Args:
        learner: learner to train; as its own opponent it plays both seats and learns in both.
        opponents: at least one agent; learners among them learn too.
        order: ``"rotation"``: each in turn; ``"random"``: drawn for every game.
        seat: the learner's seat: 0, 1, or ``"alternate"``, which changes after all opponents were
            met (in rotation) or after every game (at random).

    Raises:
        ValueError: no opponents, or an unknown order or seat.
    """

    def __init__(
        self,
        learner: Learner,
        opponents: Sequence[Agent],
        *,
        order: Literal["rotation", "random"] = "rotation",
        seat: Literal[0, 1, "alternate"] = "alternate",
    ) -> None:
        if not opponents:
            raise ValueError(f"opponents must hold at least one agent, not {opponents!r}")
        checked_choice("order", order, ORDERS)
        if seat not in SEATINGS:
            raise ValueError(f"seat must be one of {SEATINGS}, not {seat!r}")
        self.learner = learner
        self.opponents = tuple(opponents)
        self.order = order
        self.seat = seat

    def pair(self, game: int, rng: np.random.Generator) -> tuple[Agent, Agent]:
        """Return the agents of both seats in game number ``game``, counted from 0."""
        count = len(self.opponents)
        if self.order == "rotation":
            opponent, round_number = self.opponents[game % count], game // count
        else:
            opponent, round_number = self.opponents[int(rng.random() * count)], game
        seat = round_number % 2 if self.seat == "alternate" else self.seat
        return (self.learner, opponent) if seat == 0 else (opponent, self.learner)
