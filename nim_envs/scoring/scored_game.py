"""The game on which a policy is scored, and what the policy observes at its positions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import ObservationWrapper, wrappers
from gymnasium.wrappers import vector
from pettingzoo.utils import wrappers as turn_based

from nim_envs.encoding import Encoding
from nim_envs.game import Game
from nim_envs.typing import Array, IntArray, MaskArray

HARMLESS: set[type] = {
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.TimeLimit,
    wrappers.RecordEpisodeStatistics,
    wrappers.RecordVideo,
    vector.RecordEpisodeStatistics,
    turn_based.OrderEnforcingWrapper,
    turn_based.AssertOutOfBoundsWrapper,
    turn_based.TerminateIllegalWrapper,
    turn_based.CaptureStdoutWrapper,
}
"""Wrappers that change neither what a policy observes nor what its actions do.

Adapters add those of their libraries."""

if hasattr(vector, "RecordVideo"):  # in later releases of Gymnasium
    HARMLESS.add(vector.RecordVideo)

DECISIVE = ("step", "reset", "observe", "last")
"""Methods of environments that decide what a policy observes and what its actions do."""

ADVICE = (
    "score the game, and put your change into the policy: "
    "optimality(lambda o, m: policy(change(o), m), game)"
)


def refusal(layer: Any, why: str) -> TypeError:
    """Return the error about a wrapper, or an environment, that a score cannot follow."""
    return TypeError(f"{type(layer).__name__} {why}: {ADVICE}")


@dataclass(frozen=True)
class ScoredGame:
    """A game, and what a policy observes at its positions.

    Attributes:
        game: the game.
        encoding: encoding of observations; ``None``: these are positions, int64, or coordinates.
        wrappers: observation wrappers, innermost first, around no game.
        shows_masks: whether the innermost wrapper gets a dictionary with the mask in it.
    """

    game: Game
    encoding: Encoding | None = None
    wrappers: tuple[ObservationWrapper[Any, Any, Any], ...] = ()
    shows_masks: bool = True

    def observe(self, positions: IntArray, masks: MaskArray) -> tuple[Array, MaskArray]:
        """Return what a policy observes at positions: observations ``(n, ...)`` and masks.

        Both are new arrays.

        Args:
            positions: ``(n, components)``.
            masks: int8 ``(n, actions)`` of the game.

        Raises:
            TypeError: a wrapper shows other observations when it is asked again, reads the game in
                progress, or shows no ``"observation"``.
        """
        if self.encoding is None:
            rules = self.game.rules
            shown = rules.coordinates(positions) if rules.has_coordinates else positions.copy()
            return shown, masks.copy()
        encoded = self.encoding.encode(self.game.rules.coordinates(positions))
        observations = encoded.astype(self.encoding.space.dtype, copy=False)
        if not self.wrappers or not len(masks):
            return observations, masks.copy()
        both = [self._through_wrappers(*one) for one in zip(observations, masks, strict=True)]
        again, _ = self._through_wrappers(observations[0], masks[0])
        if again.tobytes() != both[0][0].tobytes():
            raise refusal(self.wrappers[-1], "shows another observation when it is asked again")
        return np.stack([one for one, _ in both]), np.stack([mask for _, mask in both])

    def _through_wrappers(self, observation: Any, mask: MaskArray) -> tuple[Array, MaskArray]:
        """Return an observation, and the mask with it, as the outermost wrapper shows them."""
        seen: Any = observation.copy()
        if self.shows_masks:
            seen = {"observation": seen, "action_mask": mask.copy()}
        for wrapper in self.wrappers:
            seen = wrapper.observation(seen)
        if not isinstance(seen, Mapping):
            return np.array(seen), mask.copy()
        if "observation" not in seen:
            raise refusal(self.wrappers[-1], f"shows no 'observation', only {list(seen)}")
        shown_mask = np.array(seen.get("action_mask", mask), dtype=np.int8)
        return np.array(seen["observation"]), shown_mask


def scored_game(env_or_game: Any) -> ScoredGame:
    """Return the game to score on, and what a policy observes in it.

    Args:
        env_or_game: a game; or an environment of this package, in any wrappers of
            :data:`HARMLESS`, and in observation wrappers of Gymnasium whose ``observation`` is a
            function of the observation alone.

    Raises:
        TypeError: neither; or an environment in another wrapper.
    """
    if isinstance(env_or_game, Game):
        return ScoredGame(env_or_game)
    env, around = env_or_game, list[Any]()
    while not _is_own(env) and "env" in getattr(env, "__dict__", {}):
        if isinstance(env, ObservationWrapper):
            around.insert(0, _out_of_play(env))
        elif type(env) not in HARMLESS:
            raise refusal(env, "is a wrapper that a score cannot follow")
        env = env.env
    if not _is_own(env):
        raise TypeError(
            "a policy is scored on a nim_envs.Game, or an environment of nim_envs, not on "
            f"{env_or_game!r}: {ADVICE}"
        )
    if not _is_ours(type(env)):
        _require_as_made(env, next(filter(_is_ours, type(env).__mro__)))
    shows_masks = getattr(env, "mask_in_observation", True)
    return ScoredGame(env.game, env.encoding, tuple(around), shows_masks)


def _is_ours(kind: type) -> bool:
    """Return whether a class is of this package."""
    return kind.__module__.partition(".")[0] == "nim_envs"


def _is_own(env: Any) -> bool:
    """Return whether an environment is of this package, or of a class that inherits from one."""
    return any(map(_is_ours, type(env).__mro__)) and isinstance(
        getattr(env, "encoding", None), Encoding
    )


def _require_as_made(layer: Any, known: type) -> None:
    """Raise unless a layer has the decisive methods of a class that it inherits from."""
    for name in DECISIVE:
        method = getattr(type(layer), name, None)
        if name in vars(layer) or method is not getattr(known, name, None):
            raise refusal(layer, f"overrides {name}, which a score cannot follow")


class _NoGame:
    """Environment in a wrapper's copy, which has spaces alone.

    Args:
        env: the wrapped environment.
    """

    def __init__(self, env: Any) -> None:
        self.observation_space = env.observation_space
        self.action_space = env.action_space

    @property
    def unwrapped(self) -> _NoGame:
        """Itself."""
        return self

    def close(self) -> None:
        """Close nothing."""

    def __getattr__(self, name: str) -> Any:
        raise TypeError(
            f"an observation wrapper reads {name} of the environment, where a score shows it "
            f"positions without a game in progress: {ADVICE}"
        )


def _out_of_play(wrapper: ObservationWrapper[Any, Any, Any]) -> Any:
    """Return a copy of a wrapper around no game, so that a score changes nothing in play."""
    _require_as_made(wrapper, ObservationWrapper)
    try:
        return copy.deepcopy(wrapper, {id(wrapper.env): _NoGame(wrapper.env)})
    except Exception as error:
        raise refusal(wrapper, f"cannot be copied ({error})") from error
