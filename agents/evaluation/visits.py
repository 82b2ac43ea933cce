"""Recording of the positions that a learner visits."""

from __future__ import annotations

import numpy as np

from agents.base import Learner, Transition
from agents.tabular.wrapper import LearnerWrapper
from nim_envs.typing import IntArray


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
