"""What can be scored: functions, agents and objects with ``move``, all as action probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from nim_envs.encoding import Encoding
from nim_envs.envs.opponents import Player
from nim_envs.errors import InvalidPolicyError, SearchTooLargeError
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules
from nim_envs.scoring.moves import actions_to

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
MaskArray = npt.NDArray[np.int8]
PolicyFunction = Callable[[Array, MaskArray], Any]

LARGEST_BATCH = 1 << 16
"""A policy is asked about at most this many positions at a time."""

LARGEST_ERROR = 1e-3
"""Rows of probabilities may sum to 1 give or take this much, as those of small floats do; they are
divided by their sum then."""


@runtime_checkable
class Policy(Protocol):
    """Whatever knows the probabilities of its actions."""

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probability of every action.

        Args:
            observations: ``(n, ...)``.
            action_masks: int8 ``(n, actions)``, 1 where legal.

        Returns:
            ``(n, actions)``, rows that sum to 1.
        """
        ...


@runtime_checkable
class Mover(Protocol):
    """Whatever moves from a position, without actions or masks, so on boards of any size."""

    def move(self, position: tuple[int, ...], /) -> Sequence[int]:
        """Return the position after the move it makes.

        Args:
            position: the state of every component.
        """
        ...


AnyPolicy = Policy | Mover | Player | PolicyFunction
"""What the scores take."""


class ScoredPolicy:
    """Any policy, as the checked probabilities of its actions at positions.

    Args:
        policy: a function of observations ``(n, ...)`` and action masks ``(n, actions)`` that
            returns actions ``(n,)`` or probabilities ``(n, actions)``; or an object with
            ``action_probabilities``, which takes and returns the same; with ``move``, see
            :class:`Mover`; or with ``act(observation, action_mask, rng)``, which is asked once at
            each position and taken to act so always. The first of these that it has counts,
            ``action_probabilities`` before ``move``, ``act`` and a call.
        rules: of the game.
        encoding: how it observes positions; ``None``: it observes them as they are, int64.
        seed: of the generator that ``act`` is given.

    Raises:
        TypeError: ``policy`` is none of these.
    """

    def __init__(
        self, policy: Any, rules: Rules, encoding: Encoding | None = None, seed: int = 0
    ) -> None:
        # A class of agents has their methods too, but plays nothing.
        if isinstance(policy, type) or not (
            isinstance(policy, (Policy, Mover, Player)) or callable(policy)
        ):
            raise TypeError(
                "a policy must be a function of observations and action masks, or an object with "
                f"action_probabilities, move or act, not {policy!r}"
            )
        self._policy = policy
        self._rules = rules
        self._encoding = encoding
        self._rng = np.random.default_rng(seed)

    @property
    def moves_alone(self) -> bool:
        """Whether moves are all that can be asked for: without probabilities, or masks to show."""
        if not isinstance(self._policy, Mover):
            return False
        try:
            self._rules.check_table()
        except SearchTooLargeError:
            return True
        return not isinstance(self._policy, Policy)

    def moves(self, positions: IntArray) -> IntArray:
        """Return the positions after the moves of an object with ``move``, ``(n, components)``.

        Raises:
            InvalidPolicyError: it returned no integers, one for each component.
        """
        return np.stack([self._move(position) for position in positions])

    def _move(self, position: IntArray) -> IntArray:
        before = tuple(position.tolist())
        returned = self._policy.move(before)
        try:
            after = np.asarray(returned)
        except ValueError:
            after = np.zeros(0)
        if after.dtype.kind not in "iu" or after.shape != position.shape:
            raise InvalidPolicyError(
                f"move() must return the position after the move, {len(position)} integers, not "
                f"{returned!r}, as it did at {before}"
            )
        return after.astype(np.int64)

    def action_probabilities(self, positions: IntArray, masks: MaskArray) -> FloatArray:
        """Return the probability of every action, float64 ``(n, actions)``.

        A row sums to 1, or to 0 where an object with ``move`` makes no legal move.

        Args:
            positions: ``(n, components)``, each with a legal move.
            masks: int8 ``(n, actions)``.

        Raises:
            InvalidPolicyError: the policy returned something else than it should.
        """
        chances = np.zeros(masks.shape)
        for first in range(0, len(positions), LARGEST_BATCH):
            here = slice(first, first + LARGEST_BATCH)
            if self.moves_alone:
                pairs = zip(positions[here], self.moves(positions[here]), strict=True)
                for row, pair in enumerate(pairs, start=first):
                    # Equal heaps can be reached by several actions, which are then the same move.
                    chances[row, actions_to(self._rules, *pair)[:1]] = 1.0
            else:
                returned = self._returned(positions[here], masks[here])
                chances[here] = checked_probabilities(returned, masks[here].shape)
        return chances

    def _returned(self, positions: IntArray, masks: MaskArray) -> Any:
        """What the policy returns for a batch of positions."""
        policy: Any = self._policy
        observations: Array = positions
        if self._encoding is not None:
            observations = self._encoding.encode(positions)
            observations = observations.astype(self._encoding.space.dtype, copy=False)
        if isinstance(policy, Policy):
            return policy.action_probabilities(observations, masks)
        if isinstance(policy, Player):
            pairs = zip(observations, masks, strict=True)
            return [policy.act(*pair, self._rng) for pair in pairs]
        return policy(observations, masks)


def checked_probabilities(returned: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return what a policy returned as probabilities of actions, float64 ``shape``.

    Args:
        returned: actions ``(n,)`` or probabilities ``(n, actions)``: an array, a list, or a tensor
            on any device.
        shape: ``(n, actions)``.

    Raises:
        InvalidPolicyError: another shape; actions that are not integers of the action space;
            probabilities that are not finite, negative, or rows that do not sum to 1.

    Example:
        >>> checked_probabilities([2, 0], (2, 3)).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    number, actions = shape
    allowed = (
        f"a policy must return actions, integers of shape ({number},), or probabilities of shape "
        f"({number}, {actions})"
    )
    if hasattr(returned, "detach"):
        # A tensor of PyTorch, which may have a gradient and be on another device.
        returned = returned.detach().cpu()
    try:
        array = np.asarray(returned)
    except (TypeError, ValueError):
        raise InvalidPolicyError(f"{allowed}, not {returned!r}") from None
    kind = array.dtype.kind
    if array.shape == (number,) and kind in "iu":
        return _one_hot(array, actions, allowed)
    if array.shape != shape or kind not in "iufb":
        raise InvalidPolicyError(f"{allowed}, not shape {array.shape} and dtype {array.dtype}")
    chances: FloatArray = array.astype(np.float64)
    _check_rows(np.isfinite(chances).all(axis=1), chances, "is not finite")
    _check_rows((chances >= 0).all(axis=1), chances, "has a negative probability")
    sums = chances.sum(axis=1)
    _check_rows(np.abs(sums - 1) <= LARGEST_ERROR, chances, "does not sum to 1")
    rounded = np.abs(sums - 1) > 1e-9
    chances[rounded] /= sums[rounded, np.newaxis]
    return chances


def _one_hot(actions: Array, number: int, allowed: str) -> FloatArray:
    """Actions ``(n,)`` as probabilities ``(n, number)``."""
    outside = (actions < 0) | (actions >= number)
    if outside.any():
        row = int(outside.argmax())
        raise InvalidPolicyError(
            f"{allowed}; actions are from 0 to {number - 1}, and row {row} is {actions[row]}"
        )
    chances = np.zeros((len(actions), number))
    chances[np.arange(len(actions)), actions.astype(np.int64)] = 1.0
    return chances


def _check_rows(right: Any, chances: FloatArray, fault: str) -> None:
    """Raise unless all rows of probabilities are right."""
    if not right.all():
        row = int((~right).argmax())
        shown = np.array2string(chances[row], threshold=12, precision=4)
        raise InvalidPolicyError(
            "a policy must return probabilities, rows of finite numbers of at least 0 that sum to "
            f"1; row {row} of {len(chances)} {fault} (sum {chances[row].sum():.6g}): {shown}"
        )
