"""The protocols that players and learners implement."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from nim_envs import Game
from nim_envs.errors import NimEnvsError
from nim_envs.players import Agent as Agent
from nim_envs.players import Policy as Policy
from nim_envs.typing import Array, IntArray


class HypothesisError(NimEnvsError, ValueError):
    """A learner's assumptions do not fit the game; the message says why."""


@runtime_checkable
class ScorableAgent(Agent, Policy, Protocol):
    """An agent whose probabilities are known, so that it can be scored exactly."""


class Transition(NamedTuple):
    """One turn of one seat: its move, the opponent's reply, and the rewards of both.

    Legal actions are int arrays, ascending. If the move ended the game, there was no reply and
    ``reply_legal_actions`` is empty. If the game was truncated after the move, there was no reply
    either: ``reply_legal_actions`` holds the legal replies, and ``next_legal_actions`` is empty. If
    it was truncated after the reply, ``next_legal_actions`` holds the mover's legal actions.
    """

    seat: int  # seat of the mover: 0 or 1
    observation: Array  # observation of the mover
    legal_actions: IntArray  # (legal actions,)
    action: int  # the action that it chose
    reward: float  # to the mover, from its own move
    reply_observation: Array  # observation of the opponent after the move
    reply_legal_actions: IntArray  # (legal replies,)
    reply_reward: float  # to the mover, from the opponent's reply
    next_observation: Array  # observation of the mover at its next turn or the end
    next_legal_actions: IntArray  # (legal actions,)
    terminated: bool  # whether the move or the reply ended the game
    truncated: bool = False  # whether the game was truncated there, so that it has no result


@runtime_checkable
class Trainable(Agent, Protocol):
    """An agent that learns, from games that it is given or from games of its own choice."""

    def greedy(self) -> ScorableAgent:
        """Return the current greedy policy, which does not learn."""
        ...


@runtime_checkable
class Learner(Trainable, Protocol):
    """An agent that learns from its transitions."""

    def update(self, transition: Transition) -> None:
        """Learn from one turn; called once for each turn, in order of completion."""
        ...


@runtime_checkable
class GameLearner(Learner, Protocol):
    """A learner that learns from whole games, or needs to know when one begins.

    ``begin_game`` is called before each game, ``learn_from_game`` after each that has ended. A
    truncated game has no result: the learner sees its end in the last transition alone, by
    ``truncated``.
    """

    def begin_game(self) -> None:
        """Prepare for a new game; discard the data of the previous one."""
        ...

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Learn from a game that has ended, after the call of ``update`` with its last transition.

        Args:
            transitions: all turns of one seat, in order. For a learner that plays both seats
                there are two calls: first the turns of the last mover, then the other seat's.
        """
        ...


AfterGame = Callable[[int, int], bool]
"""Called after a game with the seat that won and the number of moves; true ends the run."""


@runtime_checkable
class GameChoosingLearner(Trainable, Protocol):
    """A learner that chooses its own games, so that it needs no environment to learn.

    Its greedy policy also has ``move(position)``, which returns the position after its move, even
    on boards too large for an environment.

    Attributes:
        game: the game that it learns.
        given: its knowledge and assumptions besides the results of games, in words.
        positions_read: number of positions whose options it has looked up in the rules so far.
        proof: the statement that it has proved, in words; ``None``: nothing so far.
    """

    game: Game
    given: str
    positions_read: int
    proof: str | None

    @property
    @abstractmethod
    def size(self) -> str:
        """Size of the learned result, such as "3 states"."""
        ...

    @abstractmethod
    def greedy(self, game: Game | None = None) -> ScorableAgent:
        """Return the current greedy policy, which does not learn.

        Args:
            game: the same game with other or more heaps; by default the one that it learns.

        Raises:
            ValueError: ``game`` is another game.
        """
        ...

    @abstractmethod
    def fit(self, game: Game, games: int, seed: int, after_game: AfterGame | None = None) -> None:
        """Learn from at most ``games`` games against itself; fewer where it needs no more.

        Args:
            game: the game that it was made for. Its start, fixed or uniform, is that of the games
                that the learner does not begin from a position of its own choice.
            games: largest number of games.
            seed: seed of all random choices.
            after_game: called after every game; a true result ends the run.

        Raises:
            HypothesisError: its assumptions do not fit the game.
            ValueError: another game or start, or fewer than 0 games.
        """
        ...

    @abstractmethod
    def describe(self) -> str:
        """Return the learned solution and its proof as text."""
        ...
