"""The base of this package's learners that choose their own games."""

from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np

from agents.base import AfterGame, GameChoosingLearner, ScorableAgent
from agents.games import required_game, same_game
from nim_envs import Game
from nim_envs.envs.arguments import checked_game
from nim_envs.errors import InvalidGameError
from nim_envs.starts import FixedStart, UniformStart
from nim_envs.typing import Array, FloatArray, MaskArray
from nim_envs.validation import checked_integer

AnyLearner = TypeVar("AnyLearner", bound="GeneralisingLearner")


class GeneralisingLearner(GameChoosingLearner):
    """Base of this package's learners that choose their own games."""

    proof: str | None = None

    def __init__(self, game: Game, arguments: dict[str, Any]) -> None:
        self.game = checked_game(game)
        if game.has_outcome:
            raise InvalidGameError(
                f"{type(self).__name__} learns games that are decided by the last move; "
                f"{game.name} has an outcome of its own"
            )
        self.positions_read = 0
        self._arguments = arguments
        self._greedy: ScorableAgent | None = None  # of the last act(), until it learns more

    def __repr__(self) -> str:
        """Return the game, and whether the learned solution is proved."""
        proved = "" if self.proof is None else "; proved" + " in part" * (not self.is_complete)
        return f"{type(self).__name__}({self.game.summary}{proved})"

    @property
    def is_complete(self) -> bool:
        """Whether what it has learned is about all positions of its game."""
        return True

    @classmethod
    def for_env(cls: type[AnyLearner], env: Any, **arguments: Any) -> AnyLearner:
        """Return a new learner for the game of an environment.

        Raises:
            TypeError: ``env`` is another kind of environment.
            HypothesisError: the learner's assumptions do not fit the game.
        """
        constructor: Any = cls
        learner: AnyLearner = constructor(required_game(env, cls), **arguments)
        return learner

    def fits(self, game: Game) -> bool:
        """Return whether ``game`` is the one that it learns."""
        return same_game(self.game, game)

    def fit(self, game: Game, games: int, seed: int, after_game: AfterGame | None = None) -> None:
        """Learn from games against itself; see :class:`GameChoosingLearner`."""
        if not self.fits(checked_game(game)):
            other = " with other moves" * (self.game.summary == game.summary)
            raise ValueError(
                f"this learner was made for {self.game.summary}, not for {game.summary}{other}"
            )
        if not isinstance(game.starts, (FixedStart, UniformStart)):
            raise ValueError(
                f"{type(self).__name__} begins its games from a fixed or uniform start, which say "
                f"nothing about who wins, not from {game.starts.summary}"
            )
        checked_integer("games", games, minimum=0)
        rng = np.random.default_rng(checked_integer("seed", seed, minimum=0))
        try:
            self._fit(game, games, rng, after_game or (lambda winner, length: False))
        finally:
            self._greedy = None

    @abstractmethod
    def _fit(self, game: Game, games: int, rng: np.random.Generator, after_game: AfterGame) -> None:
        """Learn from at most ``games`` games; after an exception, the results so far are kept."""

    def _prove(self) -> object:
        """Prove what was learned: set ``proof``, to ``None`` where no proof succeeds."""
        self.proof = None
        return None

    @abstractmethod
    def learned(self) -> dict[str, Any]:
        """Return the learned values and arrays, by name, for a file."""

    @abstractmethod
    def restore_learned(self, learned: dict[str, Any]) -> None:
        """Restore the result of :meth:`learned`."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action of the greedy policy."""
        if self._greedy is None:
            self._greedy = self.greedy()
        return self._greedy.act(observation, action_mask, rng)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities of the greedy policy; see :class:`nim_envs.players.Policy`."""
        return self.greedy().action_probabilities(observations, action_masks)

    def saved(self) -> dict[str, Any]:
        """Return the contents of its file."""
        return {
            "arguments": self._arguments,
            "game": self.game,
            "positions_read": self.positions_read,
            "proof": self.proof,
            "learned": self.learned(),
        }

    @classmethod
    def from_saved(cls: type[AnyLearner], saved: dict[str, Any]) -> AnyLearner:
        """Return the learner from the result of :meth:`saved`.

        What was proved is proved again: anyone can write a statement into a file.
        """
        constructor: Any = cls
        learner: AnyLearner = constructor(saved["game"], **saved["arguments"])
        learner.restore_learned(saved["learned"])
        learner.positions_read = saved["positions_read"]
        if saved["proof"] is not None:
            learner._prove()
        return learner
