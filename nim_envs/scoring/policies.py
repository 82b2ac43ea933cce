"""Action probabilities of policies at positions, checked, for scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.errors import InvalidPolicyError, SearchTooLargeError
from nim_envs.player_answers import checked_probabilities
from nim_envs.players import PlayerAdapter, Policy, Turns, hint, is_player, position_after
from nim_envs.scoring.scored_game import scored_game
from nim_envs.typing import BoolArray, FloatArray, IntArray, MaskArray
from nim_envs.validation import checked_integer

LARGEST_BATCH = 1 << 16
"""Maximum number of positions in one call of a policy."""

ASKED_AGAIN = 50
"""Number of positions at which a policy is asked again, one by one."""

TOLERANCE = 1e-4
"""Most by which a probability may differ when the policy is asked again."""

MOST_CHANGED = 2
"""Most of these positions at which an action may differ, as rounding may decide between two."""


class ScoredPolicy:
    """Any player as a policy with checked action probabilities.

    Args:
        policy: anything of :data:`nim_envs.players.AnyPlayer`. One with ``act`` is called once at
            each position; that action has probability 1.
        env_or_game: the game, or an environment that shows its positions to the policy.
        seed: seed of the generator passed to ``act`` or to a function.
        samples: number of times that the policy is asked about each position, for policies that
            draw their actions; ``None``: once, and it has to answer the same when asked again.

    Attributes:
        game: the game of the environment.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind, or in another wrapper.
        ValueError: ``seed`` or ``samples`` is not valid; or the policy's ``num_actions`` is another
            number.
    """

    def __init__(
        self, policy: Any, env_or_game: Any, seed: int = 0, samples: int | None = None
    ) -> None:
        check_scorable(policy)
        checked_integer("seed", seed, minimum=0, maximum=2**64 - 1)
        if samples is not None:
            checked_integer("samples", samples, minimum=1)
        self._scored = scored_game(env_or_game)
        self.game = self._scored.game
        self._policy = policy
        self._rules = self.game.rules
        self._adapter = PlayerAdapter.for_scores(policy, self.game)
        has, needed = getattr(policy, "num_actions", None), self._rules.num_actions
        if isinstance(has, int) and has != needed:
            raise ValueError(f"the model has {has} actions, this game {needed}")
        self._samples = samples
        self._rng = np.random.default_rng(seed)
        self._rng_again = np.random.default_rng(0)  # so that asking again changes no score
        self._asked_again = self._changed = 0

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
            InvalidPolicyError: it did not return one integer for each component, or moves
                otherwise when it is asked again.
        """

        def after(here: IntArray) -> IntArray:
            shown = self._rules.coordinates(here).tolist()
            answers = [position_after(self._policy, tuple(each)) for each in shown]
            return self._rules.positions_at(np.array(answers))

        answers = after(positions)
        rows = self._rows_to_repeat(len(positions))
        if len(rows):
            self._count_changed(np.any(after(positions[rows]) != answers[rows], axis=1))
        return answers

    def repeatable_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``, by a policy as it is.

        The policy is asked again about some positions, one by one in another order. With
        ``samples`` it is asked several times instead, and the mean is returned.

        Args:
            positions: ``(n, components)``, each with a legal move.
            masks: int8 ``(n, actions)``.

        Raises:
            InvalidPolicyError: the policy returned neither actions nor probabilities, or others
                when it was asked again.
        """
        answers = self.action_probabilities(positions, masks)
        if self._samples is not None:
            for _ in range(self._samples - 1):
                answers += self.action_probabilities(positions, masks)
            return answers / self._samples
        rows = self._rows_to_repeat(len(positions))
        if not len(rows):
            return answers
        again = np.zeros((len(rows), masks.shape[1]))
        for place, row in enumerate(rows):
            one = slice(row, row + 1)
            turns = self.turns(positions[one], masks[one])
            again[place] = self.probabilities(self._adapter(turns, self._rng_again), 1)[0]
        before = answers[rows]
        changed = np.any(np.abs(again - before) > TOLERANCE, axis=1)
        are_actions = np.isin(before, (0, 1)).all(axis=1) & np.isin(again, (0, 1)).all(axis=1)
        if (changed & ~are_actions).any():
            self._changed = MOST_CHANGED  # one probability is enough
        self._count_changed(changed)
        return answers

    def _rows_to_repeat(self, count: int) -> IntArray:
        """Return the rows of ``count`` positions about which to ask again, in random order."""
        size = min(count, ASKED_AGAIN - self._asked_again)
        self._asked_again += size
        return self._rng_again.choice(count, size=size, replace=False)

    def _count_changed(self, changed: BoolArray) -> None:
        """Count the positions at which the policy answers otherwise when it is asked again."""
        self._changed += int(np.count_nonzero(changed))
        if self._changed > MOST_CHANGED:
            raise InvalidPolicyError(
                "asked again about positions one by one, the policy answers differently: it uses "
                "statistics of the batch, remembers earlier calls, or draws its actions; return "
                "probabilities, or pass samples="
            )

    def action_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``, asked once.

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
        return Turns(*self._scored.observe(positions, masks), self._rules.coordinates(positions))

    def probabilities(self, answer: Any, turns: int) -> FloatArray:
        """Return the probabilities of the game's actions, float64 ``(turns, actions)``.

        Args:
            answer: answer of the policy.
            turns: number of positions.

        Raises:
            InvalidPolicyError: it is neither actions nor probabilities.
        """
        return checked_probabilities(answer, (turns, self._rules.num_actions))


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
