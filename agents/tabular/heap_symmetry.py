"""A wrapper that learns each position once for all orders of equal components."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from agents.base import Agent, Learner, Transition
from agents.restoring.checks import known_game
from agents.tabular.index import positions_of
from agents.tabular.position_sorter import PositionSorter
from agents.tabular.position_values import PositionValueLearner
from agents.tabular.wrapper import CompiledWrapper, SavedWrapper
from nim_envs import Game
from nim_envs.typing import Array, FloatArray, MaskArray


class SavedHeapSymmetry(SavedWrapper):
    """Contents of the file of a learner with heap symmetry."""

    game: Game | None


class HeapSymmetry(CompiledWrapper):
    """Gives a learner sorted positions, so that it learns each position once for all orders.

    With it the learner knows that the order of heaps with the same options does not matter, which
    follows from the rules; no theorem is used.

    Args:
        learner: learner of sorted positions.
        game: game whose components have the same options; observations are its positions
            (``encoding="integer"``).

    Raises:
        InvalidGameError: the components have different options.
        TypeError: the learner uses the rules itself, and would reach positions that are not
            sorted; :class:`agents.RealTimeDynamicProgramming` has an argument
            ``symmetric`` instead.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(1, 3, 5)))
        >>> agent = HeapSymmetry(QLearning.for_env(env), env.game)
    """

    def __init__(self, learner: Learner, game: Game) -> None:
        if isinstance(learner, PositionValueLearner):
            raise TypeError(
                f"heap symmetry is for learners from observations alone, not for {learner!r}"
            )
        super().__init__(learner)
        self.game = game
        self.sorter: PositionSorter = PositionSorter(game.rules)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the action that corresponds to the learner's at the sorted position."""
        return SortedPolicy(self.learner, self.sorter).act(observation, action_mask, rng)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the learner's probabilities, which must be known, for positions in any order."""
        policy = SortedPolicy(self.inner_policy, self.sorter)
        return policy.action_probabilities(observations, action_masks)

    def transform(self, transition: Transition) -> Transition:
        """Return the turn with all positions sorted."""
        sorter = self.sorter
        transition = transition.with_observations(
            lambda observation: positions_of(sorter.rules, observation)
        )
        here = sorter.permutation(transition.observation)
        reply = sorter.permutation(transition.reply_observation)
        following = sorter.permutation(transition.next_observation)

        def legal(actions: Array, permutation: Array) -> Array:
            return np.sort(sorter.permuted_actions(actions, permutation))

        return transition._replace(
            observation=transition.observation[here],
            legal_actions=legal(transition.legal_actions, here),
            action=int(sorter.permuted_actions(transition.action, here)),
            reply_observation=transition.reply_observation[reply],
            reply_legal_actions=legal(transition.reply_legal_actions, reply),
            next_observation=transition.next_observation[following],
            next_legal_actions=legal(transition.next_legal_actions, following),
        )

    def greedy(self) -> SortedPolicy:
        """Return the learner's greedy policy, for positions in any order."""
        return SortedPolicy(self.learner.greedy(), self.sorter)

    def fits(self, game: Game) -> bool:
        """Return whether compiled games of ``game`` can be played on sorted positions."""
        return self.sorter.rules == game.rules and super().fits(game)

    def saved(self) -> dict[str, Any]:
        """Return the contents of its file."""
        return {**super().saved(), "game": self.game}

    @classmethod
    def from_saved(cls, saved: SavedHeapSymmetry) -> HeapSymmetry:
        """Return the learner from the result of :meth:`saved`.

        Raises:
            ValueError: the game is not known, or is not the one that the learner has learned.
        """
        game = known_game(saved["game"])
        inner: Any = saved["learner"]
        while isinstance(inner, CompiledWrapper):
            inner = inner.learner
        if not inner.fits(game):
            raise ValueError(f"{inner!r} has not learned the positions of {game.summary}")
        return cls(saved["learner"], game)


class SortedPolicy:
    """Plays a policy for sorted positions at positions in any order.

    Args:
        policy: agent for sorted positions; without ``action_probabilities`` it acts alone.
        sorter: sorter of the game's positions.
    """

    def __init__(self, policy: Agent, sorter: PositionSorter) -> None:
        self.policy = policy
        self.sorter = sorter

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the action that corresponds to the policy's at the sorted position."""
        sorter = self.sorter
        position = positions_of(sorter.rules, observation)
        permutation = sorter.permutation(position)
        mask = sorter.permuted_values(action_mask, permutation)
        action = self.policy.act(position[permutation], mask, rng)
        component, option = divmod(action, sorter.num_options)
        return int(permutation[component]) * sorter.num_options + option

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the values by which the policy, which must have some, ranks actions."""
        inner: Any = self.policy
        return self._by_sorted(inner.action_values, observations, action_masks)

    @property
    def values(self) -> Callable[[Array, MaskArray], FloatArray] | None:
        """The policy's values, as a function of positions in any order; ``None``: it has none."""
        inner: Any = getattr(self.policy, "values", None)
        return None if inner is None else partial(self._by_sorted, inner)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action."""
        inner: Any = self.policy
        return self._by_sorted(inner.action_probabilities, observations, action_masks)

    def _by_sorted(
        self,
        ask: Callable[[Array, MaskArray], FloatArray],
        observations: Array,
        action_masks: MaskArray,
    ) -> FloatArray:
        """Results of ``ask`` at the sorted positions, reordered for ``observations``."""
        positions = positions_of(self.sorter.rules, observations)
        permutation = self.sorter.permutation(positions)
        answer = ask(
            np.take_along_axis(positions, permutation, axis=-1),
            self.sorter.permuted_values(action_masks, permutation),
        )
        return answer if answer.ndim == 1 else self.sorter.original_values(answer, permutation)
