"""The positions that a learner visited."""

from __future__ import annotations

import numpy as np

from agents.base import Array, IntArray, Learner, MaskArray, Policy, Transition


class VisitRecorder:
    """A learner that also records the positions at which it was to move.

    Args:
        learner: the learner that acts and learns.

    Example:
        >>> from agents import QLearning
        >>> from agents.training import train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(2,)))
        >>> learner = QLearning(env.observation_space("player_0"), env.action_space("player_0"))
        >>> recorder = VisitRecorder(learner)
        >>> _ = train(env, recorder, 50, seed=0, progress=False)
        >>> recorder.positions.tolist()
        [[1], [2]]
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._visited: set[tuple[int, ...]] = set()

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def update(self, transition: Transition) -> None:
        """Record the position and let the learner learn."""
        self._visited.add(tuple(transition.observation.tolist()))
        self.learner.update(transition)

    def greedy(self) -> Policy:
        """Return the greedy policy of the learner."""
        return self.learner.greedy()

    @property
    def positions(self) -> IntArray:
        """The positions visited, ``(n, components)``, for :func:`optimality`."""
        return np.array(sorted(self._visited), dtype=np.int64)
