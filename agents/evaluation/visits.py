"""Recording of the positions that a learner visits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.base import GameLearner, Learner, ScorableAgent, Transition
from nim_envs.typing import Array, IntArray, MaskArray


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

    def __repr__(self) -> str:
        """Return the names of the wrapper and of the learner inside."""
        return f"{type(self).__name__}({self.learner!r})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def begin_game(self) -> None:
        """Prepare the learner for a new game."""
        if self._game_learner is not None:
            self._game_learner.begin_game()

    def update(self, transition: Transition) -> None:
        """Let the learner learn from a turn."""
        self.learner.update(transition)

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Let the learner learn from a game."""
        if self._game_learner is not None:
            self._game_learner.learn_from_game(transitions)

    def greedy(self) -> ScorableAgent:
        """Return the greedy policy of the learner."""
        return self.learner.greedy()


class VisitRecorder(LearnerWrapper):
    """A wrapper that records the positions at which the learner was to move.

    Args:
        learner: learner that acts and learns.

    Example:
        >>> from agents import QLearning
        >>> from agents.training import train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(2,)))
        >>> learner = QLearning.for_env(env)
        >>> recorder = VisitRecorder(learner)
        >>> _ = train(env, recorder, 50, seed=0, progress=False)
        >>> recorder.positions.tolist()
        [[1], [2]]
    """

    def __init__(self, learner: Learner) -> None:
        super().__init__(learner)
        self._visited: set[tuple[int, ...]] = set()

    def update(self, transition: Transition) -> None:
        """Record the position and let the learner learn."""
        self._visited.add(tuple(transition.observation.tolist()))
        super().update(transition)

    @property
    def positions(self) -> IntArray:
        """The positions visited, ``(n, components)``, for :func:`optimality`."""
        return np.array(sorted(self._visited), dtype=np.int64)
