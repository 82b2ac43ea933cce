"""Observations of positions, as an environment with its wrappers shows them to a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import getattr_static
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces, wrappers
from gymnasium.vector import VectorObservationWrapper

from nim_envs.encoding import with_mask
from nim_envs.game import PLAYERS
from nim_envs.players import Array, MaskArray
from nim_envs.rules.component import IntArray
from nim_envs.scoring.scored_game import scored_game

INNER = ("env", "venv", "aec_env", "par_env")
"""Attributes that hold a wrapped environment; vector environments have a list, ``envs``."""

OF_ONE_GAME = wrappers.TransformObservation
OF_A_BATCH = (wrappers.vector.TransformObservation, wrappers.vector.VectorizeTransformObservation)
UNFOLLOWED = (
    gymnasium.ObservationWrapper,
    VectorObservationWrapper,
    wrappers.AddRenderObservation,
    wrappers.MaxAndSkipObservation,
)
"""Wrappers whose observations depend on the past or are pictures."""

INSTEAD = (
    "pass the game, env.unwrapped.game, and a policy that preprocesses its positions, int64 "
    "(n, components)"
)


class Observer:
    """Shows positions to a policy as an environment with its wrappers does.

    Gymnasium's ``TransformObservation`` and its subclasses are applied; other wrappers that change
    observations raise an error. A wrapper whose ``keeps_observations`` is true changes only masks.
    ``VecNormalize`` of Stable-Baselines3 is skipped for a policy whose ``normalizes_observations``
    is true.

    Args:
        env_or_game: as :func:`nim_envs.optimality` takes it.
        policy: the observing policy.

    Attributes:
        game: the game of the environment.

    Raises:
        TypeError: ``env_or_game`` is of another kind, or has a wrapper that cannot be applied.
    """

    def __init__(self, env_or_game: Any, policy: Any) -> None:
        self.game, self._encoding = scored_game(env_or_game)
        self._transforms: list[Any] = []
        self._space: spaces.Space[Any] | None = None
        self._with_mask = False
        if self._encoding is None:
            return
        layers = _layers(env_or_game)
        self._with_mask = self._shows_masks(layers[-1])
        for inner, outer in pairwise(reversed(layers)):
            if _is_applied(outer):
                self._transforms.append(outer)
            elif _is_unfollowed(outer, inner, policy):
                raise TypeError(
                    f"{type(outer).__name__} changes observations in a way that a score cannot "
                    f"follow: {INSTEAD}"
                )
        if self._transforms:
            self._space = _space(env_or_game)
            if isinstance(self._space, spaces.Dict) and "observation" not in self._space.spaces:
                raise TypeError(f"{env_or_game} shows no 'observation', only {self._space}")

    def _shows_masks(self, base: Any) -> bool:
        """Whether observations of the innermost environment include action masks."""
        if _has_game(base):
            return bool(getattr(base, "mask_in_observation", False))
        # An environment in another process, whose wrappers cannot be read.
        assert self._encoding is not None
        plain, shown = self._encoding.space, _space(base)
        both = with_mask(plain, self.game.rules.num_actions)
        if shown not in (plain, both):
            raise TypeError(
                f"{type(base).__name__} shows {shown} where the game is shown as {plain}, and the "
                f"wrappers in between cannot be read: {INSTEAD}"
            )
        return shown == both

    def __call__(self, positions: IntArray, masks: MaskArray) -> Array:
        """Return the observations of positions, new arrays, ``(n, ...)``.

        Args:
            positions: ``(n, components)``.
            masks: int8 ``(n, actions)``.
        """
        if self._encoding is None:
            rules = self.game.rules
            return rules.coordinates(positions) if rules.has_coordinates else positions.copy()
        plain = self._encoding.encode(positions)
        plain = plain.astype(self._encoding.space.dtype, copy=False)
        if not self._transforms or not len(positions):
            return plain
        shown: Any = plain
        if self._with_mask:
            shown = {"observation": plain, "action_mask": masks.copy()}
        for wrapper in self._transforms:
            shown = _transformed(wrapper, shown, len(positions))
        space: Any = self._space
        if isinstance(shown, Mapping):
            shown, space = shown["observation"], space["observation"]
        observations: Array = np.asarray(shown).astype(space.dtype, copy=False)
        return observations


def _layers(env: Any) -> list[Any]:
    """The wrappers of an environment, outermost first, and then the environment."""
    layers = [env]
    while not _has_game(layers[-1]):
        kept = vars(layers[-1])
        inner = next((kept[name] for name in INNER if name in kept), None)
        if inner is None:
            inner = next(iter(kept.get("envs", ())), None)
        if inner is None:
            break
        layers.append(inner)
    return layers


def _has_game(env: Any) -> bool:
    """Whether an environment has its own ``game``, not that of a wrapped one."""
    return getattr_static(env, "game", None) is not None


def _is_applied(wrapper: Any) -> bool:
    """Whether a wrapper transforms each observation independently."""
    return isinstance(wrapper, (OF_ONE_GAME, *OF_A_BATCH)) and not isinstance(
        wrapper, wrappers.AddRenderObservation
    )


def _is_unfollowed(outer: Any, inner: Any, policy: Any) -> bool:
    """Whether a wrapper changes observations in a way that cannot be applied here."""
    if getattr(type(outer), "keeps_observations", False):
        return False
    if any(kind.__name__ == "VecNormalize" for kind in type(outer).__mro__):
        return outer.norm_obs and not getattr(policy, "normalizes_observations", False)
    return isinstance(outer, UNFOLLOWED) or _space(outer) != _space(inner)


def _space(env: Any) -> spaces.Space[Any]:
    """The space of the observations of one game."""
    space = getattr(env, "single_observation_space", None)
    if space is None:
        space = env.observation_space
    shown: spaces.Space[Any] = space if isinstance(space, spaces.Space) else space(PLAYERS[0])
    return shown


def _transformed(wrapper: Any, shown: Any, number: int) -> Any:
    """A batch of ``number`` observations as a wrapper shows them."""
    if isinstance(wrapper, OF_ONE_GAME):
        return _stacked([wrapper.observation(rows_of(shown, row)) for row in range(number)])
    # Chunks of the wrapper's batch size; the last observation is repeated to fill the last one.
    size = wrapper.num_envs
    parts = [
        wrapper.observations(rows_of(shown, np.arange(first, first + size).clip(max=number - 1)))
        for first in range(0, number, size)
    ]
    return rows_of(_stacked(parts, joined=True), slice(number))


def rows_of(batch: Any, rows: int | slice | npt.NDArray[np.int64]) -> Any:
    """Return some rows of arrays, or of dictionaries of them."""
    if isinstance(batch, Mapping):
        return {key: rows_of(part, rows) for key, part in batch.items()}
    return batch[rows]


def _stacked(parts: Sequence[Any], *, joined: bool = False) -> Any:
    """Arrays, or dictionaries of them, as a batch; ``joined``: each is a batch already."""
    if isinstance(parts[0], Mapping):
        return {key: _stacked([part[key] for part in parts], joined=joined) for key in parts[0]}
    return np.concatenate(parts) if joined else np.stack(parts)
