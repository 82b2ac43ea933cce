"""The protocols that players and learners implement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from nim_envs import Game
from nim_envs.errors import NimEnvsError

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MaskArray = npt.NDArray[np.int8]
AfterGame = Callable[[int, int], bool]
"""Called after a game with the seat that won and the number of moves; true ends the run."""


class HypothesisError(NimEnvsError, ValueError):
    """A learner's assumptions do not fit the game; the message says why."""


@runtime_checkable
class Agent(Protocol):
    """A player: it chooses an action from what it observes."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action.

        Args:
            observation: what the mover observes, the ``"observation"`` of an environment.
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
    """One turn of one seat: its move, the opponent's reply, and the rewards of both.

    Where the move ended the game there was no reply, and ``reply_action_mask`` is all zeros. Where
    the game was cut short after the move there was no reply either: ``reply_action_mask`` says what
    the opponent could have done, and ``next_action_mask`` is all zeros. Where it was cut short
    after the reply, ``next_action_mask`` says what the mover could have done.
    """

    seat: int  # who moved: 0 or 1
    observation: Array  # what the mover observed
    action_mask: MaskArray  # (actions,)
    action: int  # what it did
    reward: float  # to the mover, from its own move
    reply_observation: Array  # what the opponent observed then
    reply_action_mask: MaskArray  # (actions,)
    reply_reward: float  # to the mover, from the opponent's reply
    next_observation: Array  # what the mover observed at its next turn, or last
    next_action_mask: MaskArray  # (actions,)
    terminated: bool  # whether the game had ended by then
    truncated: bool = False  # whether it was cut short by then, so that it has no result
    bonus: float = 0.0  # paid by reward shaping, beside the reward


@runtime_checkable
class Trainable(Agent, Protocol):
    """An agent that learns, from the games of others or from its own."""

    def greedy(self) -> Policy:
        """Return the greedy policy of what was learned so far; it does not learn."""
        ...


@runtime_checkable
class Learner(Trainable, Protocol):
    """An agent that learns from its transitions."""

    def update(self, transition: Transition) -> None:
        """Learn from one turn; called once for each turn, in order of completion."""
        ...


@runtime_checkable
class GameLearner(Learner, Protocol):
    """A learner that learns from whole games, or has to know when one begins.

    It is asked to begin each game, and given each game that has ended. A game that is cut short
    has no result: its last transition says so, and the learner is not given it.
    """

    def begin_game(self) -> None:
        """Prepare for a new game; forget what is left of the one before."""
        ...

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Learn from a game that has ended, after the update by its last transition.

        Args:
            transitions: all turns of one seat, in order; a learner that plays both seats is
                given first those of the last mover, then the other's.
        """
        ...


@runtime_checkable
class GameChoosingLearner(Trainable, Protocol):
    """A learner that chooses its own games, so that it needs no environment to learn.

    Its greedy policy also has ``move(position)``, which returns the position after its move, on
    boards that no environment holds.

    Attributes:
        game: the game that it learns.
        given: what it is told or assumes, in words, besides the results of games.
        positions_read: positions whose options it has looked up in the rules so far.
        proof: what it has proved, in words; ``None``: nothing so far.
        size: how much it has learned, such as "3 states".
    """

    game: Game
    given: str
    positions_read: int
    proof: str | None

    @property
    def size(self) -> str:
        """How much it has learned."""
        ...

    def greedy(self, game: Game | None = None) -> Policy:
        """Return the greedy policy of what was learned so far; it does not learn.

        Args:
            game: a board of the same game with other heaps, or more of them; by default its own.

        Raises:
            ValueError: it is another game.
        """
        ...

    def fit(self, game: Game, games: int, seed: int, after_game: AfterGame | None = None) -> None:
        """Learn from games against itself; it ends before ``games`` once it needs no more.

        Args:
            game: the game that it was made for, with the start of the games that it does not
                begin from a position of its own choice: fixed or uniform.
            games: the most to play.
            seed: of all its choices.
            after_game: called after every game.

        Raises:
            HypothesisError: what it assumes does not fit the game.
            ValueError: another game or start, or fewer than 0 games.
        """
        ...

    def describe(self) -> str:
        """Return what was learned and proved, for people to read."""
        ...
