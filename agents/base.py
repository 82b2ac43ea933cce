"""What an agent is: the protocols that players and learners meet."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MaskArray = npt.NDArray[np.int8]


@runtime_checkable
class Agent(Protocol):
    """A player: it picks an action from what it sees."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action.

        Args:
            observation: what the mover sees, the ``"observation"`` of an environment.
            action_mask: int8 ``(actions,)``, 1 where legal.
            rng: the source of all randomness.
        """
        ...


@runtime_checkable
class Policy(Agent, Protocol):
    """An agent whose probabilities are known, so that it can be scored exactly."""

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action.

        Args:
            observations: ``(n, ...)``.
            action_masks: int8 ``(n, actions)``.

        Returns:
            ``(n, actions)``, rows that sum to 1.
        """
        ...


class Transition(NamedTuple):
    """One turn of one seat: its move, the opponent's reply, and what came of both.

    Where the move ended the game there was no reply: ``reply_action_mask`` is all zeros.
    """

    seat: int  # who moved: 0 or 1
    observation: Array  # what the mover saw
    action_mask: MaskArray  # (actions,)
    action: int  # what it did
    reward: float  # to the mover, from its own move
    reply_observation: Array  # what the opponent saw then
    reply_action_mask: MaskArray  # (actions,), zeros where the game was over
    reply_reward: float  # to the mover, from the opponent's reply
    next_observation: Array  # what the mover saw at its next turn, or at the end
    next_action_mask: MaskArray  # (actions,), zeros where the game was over
    terminated: bool  # whether the game was over by then


@runtime_checkable
class Learner(Agent, Protocol):
    """An agent that learns from its transitions."""

    def update(self, transition: Transition) -> None:
        """Learn from one turn; called in order of completion, once a turn."""
        ...

    def greedy(self) -> Policy:
        """Return what was learned so far as a policy that explores no more and learns nothing."""
        ...
