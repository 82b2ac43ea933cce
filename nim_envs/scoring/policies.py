"""Action probabilities of policies at positions, checked, for scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.player_answers import checked_probabilities
from nim_envs.players import PlayerAdapter, Policy, Turns, hint, is_player, position_after
from nim_envs.scoring.process import Process
from nim_envs.typing import FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_integer

LARGEST_BATCH = 1 << 16
"""Maximum number of positions in one call of a policy."""


class ScoredPolicy:
    """Any player as a policy with checked action probabilities.

    Args:
        policy: anything of :data:`nim_envs.players.AnyPlayer`. One with ``act`` is called once at
            each position; that action has probability 1.
        env_or_game: the game, or an environment that shows its positions to the policy.
        seed: seed of the generator passed to ``act`` or to a function.

    Attributes:
        game: the game of the environment.
        process: effect of its wrappers on observations and actions.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind; or a wrapper changes
            observations or actions in a way that cannot be followed.
        ValueError: ``seed`` is not valid; or the policy's ``num_actions`` is another number.
    """

    def __init__(self, policy: Any, env_or_game: Any, seed: int = 0) -> None:
        check_scorable(policy)
        checked_integer("seed", seed, minimum=0, maximum=2**64 - 1)
        self.process = Process(env_or_game, policy)
        self.game = self.process.game
        self._policy = policy
        self._rules = self.game.rules
        self._adapter = PlayerAdapter.for_scores(policy, self._rules)
        has, needed = getattr(policy, "num_actions", None), self.process.num_actions
        if isinstance(has, int) and has != needed:
            raise ValueError(f"the model has {has} actions, this game {needed}")
        self._rng = np.random.default_rng(seed)

    @property
    def needs_moves(self) -> bool:
        """Whether ``move`` must be used, as there are no probabilities or no table of actions."""
        if not callable(getattr(self._policy, "move", None)):
            return False
        try:
            self._rules.check_table()
        except SearchTooLargeError:
            return True
        return not isinstance(self._policy, Policy)

    def moves(self, positions: IntArray) -> IntArray:
        """Return the positions after the moves of an object with ``move``, ``(n, components)``.

        Raises:
            InvalidPolicyError: it did not return one integer for each component.
        """
        return np.stack(
            [position_after(self._policy, position, self._rules) for position in positions]
        )

    def action_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``.

        A row sums to 1, or to 0 where the policy names no legal move.

        Args:
            positions: ``(n, components)``, each with a legal move.
            masks: int8 ``(n, actions)``.

        Raises:
            InvalidPolicyError: the policy returned neither actions nor probabilities.
        """
        probabilities = np.zeros(masks.shape)
        for first in range(0, len(positions), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            answer = self._adapter(self.turns(positions[here], masks[here]), self._rng)
            probabilities[here] = self.probabilities(answer, len(masks[here]))
        return probabilities

    def turns(self, positions: IntArray, masks: MaskArray) -> Turns:
        """Return the arguments of a call of the policy, copies that it may overwrite.

        Args:
            positions: ``(n, components)``.
            masks: int8 ``(n, actions)`` of the game.
        """
        return Turns(*self.process.observe(positions, masks), positions.copy())

    def probabilities(self, answer: Any, turns: int) -> FloatArray:
        """Return the probabilities of the game's actions, float64 ``(turns, actions)``.

        Args:
            answer: answer of the policy.
            turns: number of positions.

        Raises:
            InvalidPolicyError: it is neither actions nor probabilities.
        """
        if self._adapter.moves:  # its actions are the game's
            return checked_probabilities(answer, (turns, self._rules.num_actions))
        shape = (turns, self.process.num_actions)
        return self.process.of_game(checked_probabilities(answer, shape))


def check_scorable(policy: Any) -> None:
    """Raise ``TypeError`` unless ``policy`` is a player that can be asked about any position."""
    if not is_player(policy):
        raise TypeError(
            "a policy must be a function of observations and action masks, or an object with "
            f"action_probabilities, move or act, not {policy!r}{hint(policy)}"
        )
    reason = getattr(policy, "unscorable", None)
    if isinstance(reason, str):
        raise TypeError(
            f"{policy!r} cannot be scored: {reason}. It can be an opponent, and play matches"
        )
