"""The process that a policy plays: the game through wrappers of observations and actions."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from nim_envs.encoding import Encoding, with_mask
from nim_envs.errors import InvalidPolicyError
from nim_envs.game import PLAYERS, Game
from nim_envs.scoring.applied import ADVICE, AppliedWrapper, Positions, refusal
from nim_envs.scoring.observations import rows_of, same
from nim_envs.scoring.scored_game import scored_game
from nim_envs.scoring.wrappers import NORMALIZES, Changing, is_known, is_vector, treatment
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray

MOST_COMPARED = 16
"""Most positions at which the environments of a vector are compared."""

NO_ACTION = -1
"""Entry for an action of the policy that is no action of the game."""


class Observed(NamedTuple):
    """A policy's observations, and the masks that it is shown.

    Attributes:
        observations: ``(n, ...)``.
        masks: int8 ``(n, actions)`` of the game, unless a wrapper shows others.
    """

    observations: Array
    masks: MaskArray


class Process:
    """A game as a policy plays it in an environment, through all its wrappers.

    Every wrapper is harmless, applied or refused: see :mod:`nim_envs.scoring.wrappers`.

    Args:
        env_or_game: as :func:`nim_envs.optimality` takes it.
        policy: the policy. If its ``normalizes_observations`` is true, ``VecNormalize`` of
            Stable-Baselines3 is left to it; if its ``observes_masks`` is, it takes the masks for
            those in observations.

    Attributes:
        game: the game of the environment.
        num_actions: number of the policy's actions.
        actions: the game's action for each of the policy's, int64 ``(num_actions,)``, or
            ``NO_ACTION``; ``None``: they are the same.

    Raises:
        TypeError: ``env_or_game`` is of another kind, or a wrapper is refused.
    """

    def __init__(self, env_or_game: Any, policy: Any) -> None:
        self.game, self._encoding, stacks = scored_game(env_or_game)
        self.num_actions = self.game.rules.num_actions
        self.actions: IntArray | None = None
        self._env = env_or_game
        if self._encoding is None:
            return
        make = partial(_Stack, policy=policy, game=self.game, encoding=self._encoding)
        self._stack, *self._others = map(make, stacks)
        actions = self._stack.actions()
        for other in self._others:
            self._require_same("actions", actions, other.actions())
        if not same(actions, np.arange(self.num_actions)):
            self.num_actions, self.actions = len(actions), actions

    def _require_same(self, what: str, one: Any, other: Any) -> None:
        """Raise unless the environments of a vector do the same."""
        if not same(one, other):
            raise TypeError(f"{self._env!r} holds environments whose {what} differ: {ADVICE}")

    def observe(self, positions: IntArray, masks: MaskArray) -> Observed:
        """Return what a policy observes at positions, as new arrays.

        Args:
            positions: ``(n, components)``.
            masks: int8 ``(n, actions)`` of the game.

        Raises:
            TypeError: a wrapper cannot be applied at one of them.
        """
        if self._encoding is None:
            rules = self.game.rules
            observations = (
                rules.coordinates(positions) if rules.has_coordinates else positions.copy()
            )
            return Observed(observations, masks.copy())
        observed = self._stack.observed(Positions(positions, masks))
        while self._others and len(positions):
            some = self._others.pop().observed(
                Positions(positions[:MOST_COMPARED], masks[:MOST_COMPARED])
            )
            for name, one, other in zip(observed._fields, observed, some, strict=True):
                self._require_same(name, rows_of(one, slice(MOST_COMPARED)), other)
        return observed

    def of_game(self, probabilities: FloatArray) -> FloatArray:
        """Return the probabilities of the game's actions, float64 ``(n, actions)``.

        Args:
            probabilities: probabilities of the policy's actions, ``(n, num_actions)``.

        Raises:
            InvalidPolicyError: an action of the policy is none of the game.
        """
        if self.actions is None:
            return probabilities
        num_actions = self.game.rules.num_actions
        total = np.zeros((len(probabilities), num_actions))
        for chosen, action in enumerate(self.actions.tolist()):
            if action != NO_ACTION:
                total[:, action] += probabilities[:, chosen]
            elif probabilities[:, chosen].any():
                raise InvalidPolicyError(
                    f"the policy takes action {chosen}, which the wrappers of {self._env} do not "
                    f"turn into one of the game, an integer from 0 to {num_actions - 1}"
                )
        return total

    @property
    def action_counts(self) -> IntArray | None:
        """Number of the policy's actions that become each of the game's, ``(actions,)``.

        ``None``: one each.
        """
        if self.actions is None:
            return None
        named = self.actions[self.actions != NO_ACTION]
        return np.bincount(named, minlength=self.game.rules.num_actions)


class _Stack:
    """The wrappers around one environment.

    Args:
        layers: wrappers, outermost first, and the innermost environment.
        policy: the policy.
        game: the game of the environment.
        encoding: encoding of the innermost environment.

    Raises:
        TypeError: a wrapper is refused.
    """

    def __init__(
        self, layers: Sequence[Any], *, policy: Any, game: Game, encoding: Encoding
    ) -> None:
        self._env, base = layers[0], layers[-1]
        self._encoding = encoding
        self._observes_masks = getattr(policy, "observes_masks", False)
        self._num_actions = game.rules.num_actions
        self._observation_wrappers: list[AppliedWrapper | _InSpace] = []
        self._action_wrappers: list[AppliedWrapper] = []
        self._mask_wrapper: AppliedWrapper | None = None
        for index, wrapper in enumerate(layers):
            handling = treatment(wrapper)
            if handling is NORMALIZES and getattr(policy, "normalizes_observations", False):
                continue
            if handling.kind == "refused" and (wrapper is not base or is_known(wrapper)):
                raise refusal(wrapper, handling.reason)
            if handling.kind == "applied":
                applied = AppliedWrapper(handling, layers[index:])
                if handling.functions.observation:
                    self._observation_wrappers.insert(0, applied)
                if handling.functions.action:
                    self._action_wrappers.append(applied)
                if handling.own_masks and self._mask_wrapper is None:
                    self._mask_wrapper = applied
            elif is_vector(wrapper):
                self._observation_wrappers.insert(0, _InSpace(wrapper))
        while self._observation_wrappers and isinstance(self._observation_wrappers[0], _InSpace):
            del self._observation_wrappers[0]
        self._shows_masks = _shows_masks(base, game, encoding.space)

    def observed(self, there: Positions) -> Observed:
        """Return what a policy observes at positions, as new arrays."""
        plain = self._encoding.encode(there.positions)
        observations: Any = plain.astype(self._encoding.space.dtype, copy=False)
        masks = there.masks.copy()
        if not len(masks):
            return Observed(observations, masks)
        if self._observation_wrappers:
            if self._shows_masks:
                observations = {"observation": observations, "action_mask": masks}
            for wrapper in self._observation_wrappers:
                observations = wrapper.observations(observations, there)
            if isinstance(observations, Mapping):
                if "observation" not in observations:
                    raise TypeError(
                        f"{self._env} shows no 'observation', only {list(observations)}"
                    )
                masks = observations.get("action_mask", masks).astype(np.int8)
                observations = observations["observation"]
        if self._mask_wrapper is not None:
            in_observations, masks = masks, self._mask_wrapper.masks(there)
            if self._observes_masks and not same(in_observations, masks):
                raise TypeError(
                    f"{self._env} shows other masks in observations than by action_masks, and this "
                    "policy reads both: mask_in_observation=False leaves one"
                )
        return Observed(observations, masks)

    def actions(self) -> IntArray:
        """Return the game's action for each action of the policy, int64, or ``NO_ACTION``."""
        own = np.arange(_number_of_actions(self._env, self._num_actions))
        if not self._action_wrappers:
            return np.where(own < self._num_actions, own, NO_ACTION)
        values: Sequence[Any] = list(own)
        for wrapper in self._action_wrappers:
            values = wrapper.actions(values)
        return np.array([self._action(value) for value in values], dtype=np.int64)

    def _action(self, value: Any) -> int:
        """Return an action that reaches the game, or ``NO_ACTION``."""
        try:
            action = operator.index(value)
        except TypeError:
            return NO_ACTION
        return action if 0 <= action < self._num_actions else NO_ACTION


class _InSpace:
    """A vector environment, which copies observations into arrays of its space."""

    def __init__(self, env: Any) -> None:
        self._space = _space_of_one(env, "observation_space")

    def observations(self, values: Any, there: Positions) -> Any:
        """Return observations as arrays of the types of the space."""
        return _in_space(values, self._space)


def _in_space(values: Any, space: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _in_space(part, space[key]) for key, part in values.items()}
    return np.asarray(values).astype(space.dtype, copy=False)


def _shows_masks(base: Any, game: Game, space: spaces.Box) -> bool:
    """Return whether observations of the innermost environment include action masks.

    Raises:
        TypeError: it is in another process, with wrappers that are not harmless.
    """
    if not is_vector(base):
        shows: Any = getattr(base, "mask_in_observation", None)
        space_method = getattr(base, "observation_space", None) if shows is None else None
        return bool(shows) or callable(space_method)
    both = with_mask(space, game.rules.num_actions)
    if any(base.env_is_wrapped(Changing)) or base.observation_space not in (space, both):
        raise TypeError(
            f"{type(base).__name__} has wrappers in other processes, where they cannot be read; it "
            f"shows {base.observation_space}, where the game is shown as {space}: {ADVICE}"
        )
    return bool(base.observation_space == both)


def _space_of_one(env: Any, name: str) -> Any:
    """Return a space of one game: a space, a function of agents, or ``None`` if there is none."""
    space = getattr(env, f"single_{name}", None)
    return getattr(env, name, None) if space is None else space


def _number_of_actions(env: Any, default: int) -> int:
    """Return the number of a policy's actions in an environment.

    Args:
        env: the outermost wrapper.
        default: result for environments without a space of actions.

    Raises:
        TypeError: its actions are not the integers from 0, the same for both agents.
    """
    space = _space_of_one(env, "action_space")
    if callable(space):
        seats = [space(agent) for agent in PLAYERS]
    elif isinstance(space, spaces.Dict):
        seats = [space[agent] for agent in PLAYERS]
    else:
        seats = [spaces.Discrete(default) if space is None else space]
    first = seats[0]
    if not isinstance(first, spaces.Discrete) or first.start != 0 or first != seats[-1]:
        raise TypeError(
            f"{env} has actions in {' and '.join(map(str, seats))}, where a score takes the "
            "integers from 0, Discrete(n), the same for both agents"
        )
    return int(first.n)
