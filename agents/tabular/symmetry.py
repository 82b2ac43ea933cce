"""Heap symmetry: positions that differ in the order of like heaps are one position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agents.base import Array, FloatArray, IntArray, Learner, MaskArray, Policy, Transition
from agents.storable import storable
from nim_envs import Game, Rules
from nim_envs.errors import InvalidGameError


class Symmetry:
    """Sorts positions whose components are alike, and finds actions again.

    The states of a position are sorted, smallest first, and handed to the components from the
    one with the fewest states to the one with the most. A sorted position is a position of the
    same game, as every state fits where it comes to.

    Args:
        rules: of a game whose components have the same options in the same states, such as
            Nim.

    Raises:
        InvalidGameError: the components are not alike.

    Example:
        >>> from nim_envs import make_game
        >>> symmetry = Symmetry(make_game("nim", heaps=(2, 5, 4)).rules)
        >>> symmetry.sorted(np.array([2, 0, 1])).tolist()
        [0, 2, 1]
    """

    def __init__(self, rules: Rules) -> None:
        self.num_options = rules.num_options
        # Components from the one with the fewest states to the one with the most.
        self.order: IntArray = np.argsort(rules.shape, kind="stable")
        last = rules.table[self.order[-1]]
        for number, component in enumerate(rules.components):
            rows = rules.table[number, : component.states]
            if not np.array_equal(rows, last[: component.states]):
                raise InvalidGameError(
                    "heap symmetry needs components with the same options in the same states, "
                    f"and components {number} and {self.order[-1]} of {rules.name} differ"
                )
        slots = rules.slot_groups[:1]
        if slots and len(slots[0]) < len(rules.components):
            raise InvalidGameError(
                f"heap symmetry needs components that share all slots, and in {rules.name} "
                f"components {slots[0].start} to {slots[0].stop - 1} have theirs to themselves"
            )

    def places(self, positions: IntArray) -> IntArray:
        """Return which component's state comes to each component.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., components)``.
        """
        ranks = np.argsort(positions[..., self.order], axis=-1, kind="stable")
        places = np.empty_like(ranks)
        places[..., self.order] = self.order[ranks]
        return places

    def sorted(self, positions: IntArray) -> IntArray:
        """Return ``positions``, ``(..., components)``, sorted."""
        return np.take_along_axis(positions, self.places(positions), axis=-1)

    def moved(self, values: Array, places: IntArray) -> Array:
        """Return values of actions, ``(..., actions)``, as they are of the sorted positions."""
        by_component = values.reshape(*values.shape[:-1], -1, self.num_options)
        moved: Array = np.take_along_axis(by_component, places[..., np.newaxis], axis=-2)
        return moved.reshape(values.shape)

    def moved_back(self, values: Array, places: IntArray) -> Array:
        """Return values of actions of the sorted positions as they are of the positions."""
        return self.moved(values, np.argsort(places, axis=-1))


@storable
class HeapSymmetry:
    """Shows a learner sorted positions, so that it learns each of them once for all orders.

    It tells the learner that the order of like heaps does not matter, which follows from the
    rules; no theorem comes in.

    Args:
        learner: who learns.
        game: whose components are alike; observations are its positions
            (``encoding="integer"``).

    Raises:
        InvalidGameError: the components are not alike.
        TypeError: the learner looks at the rules by itself, and would look at positions that
            are not sorted; :class:`agents.AfterstateTD` has an argument ``symmetric`` instead.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(1, 3, 5)))
        >>> spaces = env.observation_space("player_0"), env.action_space("player_0")
        >>> agent = HeapSymmetry(QLearning(*spaces), env.game)
    """

    def __init__(self, learner: Learner, game: Game) -> None:
        if hasattr(learner, "game"):
            raise TypeError(
                f"heap symmetry is for learners from observations alone, not for {learner!r}"
            )
        self.learner = learner
        self.game = game
        self.symmetry = Symmetry(game.rules)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the action that stands for the learner's at the sorted position."""
        places = self.symmetry.places(observation)
        action = self.learner.act(
            observation[places], self.symmetry.moved(action_mask, places), rng
        )
        component, option = divmod(action, self.symmetry.num_options)
        return int(places[component]) * self.symmetry.num_options + option

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the learner's probabilities, for positions in any order; it must have them."""
        inner: Any = self.learner
        return SortedPolicy(inner, self.symmetry).action_probabilities(observations, action_masks)

    def update(self, transition: Transition) -> None:
        """Let the learner learn from the turn as it is between sorted positions."""
        places = self.symmetry.places(transition.observation)
        reply_places = self.symmetry.places(transition.reply_observation)
        next_places = self.symmetry.places(transition.next_observation)
        component, option = divmod(transition.action, self.symmetry.num_options)
        place = int(np.flatnonzero(places == component)[0])
        moved = self.symmetry.moved
        self.learner.update(
            transition._replace(
                observation=transition.observation[places],
                action_mask=moved(transition.action_mask, places),
                action=place * self.symmetry.num_options + option,
                reply_observation=transition.reply_observation[reply_places],
                reply_action_mask=moved(transition.reply_action_mask, reply_places),
                next_observation=transition.next_observation[next_places],
                next_action_mask=moved(transition.next_action_mask, next_places),
            )
        )

    def greedy(self) -> SortedPolicy:
        """Return what the learner has learned, for positions in any order."""
        return SortedPolicy(self.learner.greedy(), self.symmetry)

    def compiled_state(self, longest_game: int) -> Any:
        """Return the learner's state; compiled games are played between sorted positions."""
        inner: Any = self.learner
        return inner.compiled_state(longest_game)


class SortedPolicy:
    """Plays a policy for sorted positions at positions in any order.

    Args:
        policy: for sorted positions.
        symmetry: of the game.
    """

    def __init__(self, policy: Policy, symmetry: Symmetry) -> None:
        self.policy = policy
        self.symmetry = symmetry

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return an action."""
        places = self.symmetry.places(observation)
        action = self.policy.act(observation[places], self.symmetry.moved(action_mask, places), rng)
        component, option = divmod(action, self.symmetry.num_options)
        return int(places[component]) * self.symmetry.num_options + option

    def action_values(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return what the policy ranks actions by; it must say so."""
        inner: Any = self.policy
        return self._by_sorted(inner.action_values, observations, action_masks)

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action."""
        return self._by_sorted(self.policy.action_probabilities, observations, action_masks)

    def _by_sorted(
        self,
        ask: Callable[[Array, MaskArray], FloatArray],
        observations: Array,
        action_masks: MaskArray,
    ) -> FloatArray:
        """What ``ask`` says of the sorted positions, as it is of the positions."""
        places = self.symmetry.places(observations)
        answer = ask(
            np.take_along_axis(observations, places, axis=-1),
            self.symmetry.moved(action_masks, places),
        )
        return self.symmetry.moved_back(answer, places)
