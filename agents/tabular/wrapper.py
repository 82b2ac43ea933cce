"""Wrappers of learners: base classes that pass every call on to the learner inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import numpy as np

from agents.base import GameLearner, Learner, ScorableAgent, Transition
from agents.tabular.learner import TabularLearner
from agents.tabular.position_sorter import PositionSorter
from nim_envs import Game
from nim_envs.typing import Array, FloatArray, MaskArray


class SavedWrapper(TypedDict):
    """Contents of the file of a wrapper."""

    learner: TabularLearner | CompiledWrapper


class LearnerWrapper:
    """Passes every call on to a learner.

    Args:
        learner: learner inside.

    Attributes:
        learner: as given.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._game_learner = learner if isinstance(learner, GameLearner) else None

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def __repr__(self) -> str:
        """Return the names of the wrapper and of the learner inside."""
        return f"{type(self).__name__}({self.learner!r})"

    @property
    def inner_policy(self) -> ScorableAgent:
        """The learner as a policy; raises a ``TypeError`` if its probabilities are not known."""
        if not isinstance(self.learner, ScorableAgent):
            raise TypeError(f"{self.learner!r} has no action_probabilities")
        return self.learner

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the learner's probabilities, which must be known."""
        return self.inner_policy.action_probabilities(observations, action_masks)

    def begin_game(self) -> None:
        """Prepare the learner for a new game."""
        if self._game_learner is not None:
            self._game_learner.begin_game()

    def update(self, transition: Transition) -> None:
        """Let the learner learn from a turn."""
        self.learner.update(self.transform(transition))

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Let the learner learn from a game."""
        if self._game_learner is not None:
            self._game_learner.learn_from_game([self.transform(turn) for turn in transitions])

    def greedy(self) -> ScorableAgent:
        """Return the greedy policy of the learner."""
        return self.learner.greedy()

    def transform(self, transition: Transition) -> Transition:
        """Return the transition that the learner gets in place of ``transition``."""
        return transition

    def saved(self) -> dict[str, Any]:
        """Return the contents of its file."""
        return {"learner": self.learner}

    def restore(self, saved: dict[str, Any]) -> None:
        """Restore the result of :meth:`saved`.

        Args:
            saved: result of :meth:`saved` of such a wrapper, the learner inside decoded.

        Raises:
            ValueError: the learners inside are of different classes.
        """
        inner: Any = self.learner
        before = saved["learner"]
        if type(before) is not type(inner):
            raise ValueError(
                f"the saved learner holds a {type(before).__name__}, this one a "
                f"{type(inner).__name__}"
            )
        inner.restore(before.saved())


class CompiledWrapper(LearnerWrapper):
    """A wrapper that compiled self-play supports, if the learner inside is a table learner.

    Attributes:
        sorter: sorts positions for the learner; ``None``: they are not sorted.
        bonus: bonus for a move that leaves nim-sum 0.
    """

    sorter: PositionSorter | None = None

    def __init__(self, learner: Learner) -> None:
        super().__init__(learner)
        inner: Any = learner if isinstance(learner, (TabularLearner, CompiledWrapper)) else None
        self._inner = inner
        # Compiled self-play reads these attributes only of learners that it supports.
        self.game: Game | None = inner and inner.game
        self.state = inner and inner.state
        self.exploration = inner and inner.exploration
        self.generator = inner and inner.generator
        self.rule = inner and inner.rule
        self.learns_from_games = inner and inner.learns_from_games
        self.bonus = inner.bonus if inner else 0.0

    def fits(self, game: Game) -> bool:
        """Return whether compiled self-play of ``game`` gives the same tables."""
        inner = self._inner
        return inner is not None and inner.sorter is None and bool(inner.fits(game))

    def fits_coordinates(self, game: Game) -> bool:
        """Return whether the learner inside numbers the coordinates of ``game`` as they are."""
        inner = self._inner
        return inner is not None and self.sorter is None and bool(inner.fits_coordinates(game))
