"""A learner inside another: what it is asked goes on to it, changed where a subclass says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.base import Array, FloatArray, GameLearner, Learner, MaskArray, Policy, Transition
from agents.tabular.learner import TabularLearner
from agents.tabular.schedules import Exploration
from agents.tabular.symmetry import Symmetry
from nim_envs import Game


class LearnerWrapper:
    """Passes everything on to a learner.

    Args:
        learner: who learns.

    Attributes:
        learner: as given.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._of_games = learner if isinstance(learner, GameLearner) else None

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    @property
    def inner_policy(self) -> Policy:
        """The learner, whose probabilities must be known.

        Raises:
            TypeError: they are not.
        """
        if not isinstance(self.learner, Policy):
            raise TypeError(f"{self.learner!r} has no action_probabilities")
        return self.learner

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the learner's probabilities; it must have them."""
        return self.inner_policy.action_probabilities(observations, action_masks)

    def begin_game(self) -> None:
        """Tell the learner that a game begins."""
        if self._of_games is not None:
            self._of_games.begin_game()

    def update(self, transition: Transition) -> None:
        """Let the learner learn from a turn."""
        self.learner.update(self.changed(transition))

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Let the learner learn from a game."""
        if self._of_games is not None:
            self._of_games.learn_from_game([self.changed(turn) for turn in transitions])

    def greedy(self) -> Policy:
        """Return what the learner has learned."""
        return self.learner.greedy()

    def changed(self, transition: Transition) -> Transition:
        """Return what the learner is handed in place of ``transition``."""
        return transition

    def saved(self) -> dict[str, Any]:
        """Return what a file holds of it."""
        return {"learner": self.learner}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go back to where :meth:`saved` was called.

        Args:
            saved: of such a learner, the one inside decoded.

        Raises:
            ValueError: the learners inside are not of one class.
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
    """A wrapper of a table learner that compiled self-play knows."""

    @property
    def symmetry(self) -> Symmetry | None:
        """By which positions are sorted for the learner; ``None`` for most wrappers."""
        return None

    @property
    def inner(self) -> Any:
        """The learner, of which compiled self-play asks what it asks of a table learner."""
        return self.learner

    @property
    def state(self) -> Any:
        """The state of the learner; see :mod:`agents.tabular.protocol`."""
        return self.inner.state

    @property
    def game(self) -> Game | None:
        """The game that the learner learns, where it is known."""
        game: Game | None = self.inner.game
        return game

    @property
    def exploration(self) -> Exploration:
        """The learner's exploration."""
        exploration: Exploration = self.inner.exploration
        return exploration

    @property
    def generator(self) -> np.random.Generator | None:
        """The learner's own source of randomness."""
        generator: np.random.Generator | None = self.inner.generator
        return generator

    @property
    def learns_from_games(self) -> bool:
        """Whether the learner learns from whole games."""
        return bool(self.inner.learns_from_games)

    def fits(self, game: Game) -> bool:
        """Return whether compiled self-play of ``game`` comes to the same tables."""
        inner = self.learner
        return (
            isinstance(inner, (TabularLearner, CompiledWrapper))
            and inner.symmetry is None
            and inner.fits(game)
        )
