"""Shared by the checks of all environments: observations, starts, seeds and copies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from nim_envs.encoding import Encoding
from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.component import IntArray
from nim_envs.rules.rules import Rules
from nim_envs.scoring.enumeration import number_of_positions
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_dtype,
    require_equal,
    require_error,
    shown,
)

SEED = 3
SEEDS = 10
"""Number of seeds that must not all give the same games."""

KEYS = ["observation", "action_mask"]

GOES_ON = (0.0, False, False)
"""Reward and ends of a step after which the game goes on."""


class Observed:
    """Checks the observations of an environment.

    Args:
        game: the game that is played.
        encoding: how positions are observed, unless a wrapper changes that.
        space: observation space of the outermost wrapper.
        unwrapped: observation space without wrappers.
    """

    def __init__(
        self, game: Game, encoding: Encoding, space: spaces.Space[Any], unwrapped: spaces.Space[Any]
    ) -> None:
        self.rules = game.rules
        self.encoding = encoding
        self.space = space
        self.plain = space == unwrapped

    def mask(self, observation: Any, info: dict[str, Any], where: str) -> IntArray:
        """Return the action mask, from the observation or the info, as a copy."""
        for holder in (observation, info):
            if isinstance(holder, dict) and "action_mask" in holder:
                mask = np.array(holder["action_mask"])
                require_equal(f"{where}, the shape of the mask", mask.shape,
                              (self.rules.num_actions,))  # fmt: skip
                require_dtype(f"{where}, the mask", mask, np.int8)
                return mask
        raise ConformanceError(f"{where}, there is no action_mask in the observation or the info")

    def check(self, observation: Any, position: IntArray, where: str) -> None:
        """Check that an observation is in its space, and is that of a position."""
        if isinstance(observation, dict) and isinstance(self.space, spaces.Dict) and self.plain:
            require_equal(f"{where}, the keys of the observation", list(observation), KEYS)
        if not self.space.contains(observation):  # the message takes longer than the check
            raise ConformanceError(
                f"{where}, the observation {shown(observation)} is not in the observation space "
                f"{self.space}"
            )
        if self.plain:
            require_equal(f"{where}, at {position.tolist()}, the observation", content(observation),
                          self.encoding.encode(position))  # fmt: skip


class Checks:
    """Checks of an environment, whichever its interface.

    Args:
        env: the environment, wrapped or not.
        game: the game that is played.
        observed: checks of its observations.

    Attributes:
        options: options of ``reset`` for starts that differ; ``None``: the game's own.
    """

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        self.env = env
        self.game = game
        self.rules = game.rules
        self.observed = observed
        with during("reset(seed=0)"):
            env.reset(seed=0)
        self.options = uniform_start(env.reset)


class ChecksOfOneGame(Checks, ABC):
    """Checks of an environment of one game, whichever its interface.

    Attributes:
        games: number of games from each kind of start.
    """

    games: int

    @property
    def position(self) -> IntArray:
        """The position by the environment, as a copy."""
        return position_of(self.env)

    @abstractmethod
    def game_in_lock_step(
        self, rng: np.random.Generator, options: dict[str, Any] | None, seed: int | None
    ) -> None:
        """Play one random game, and check every turn of it."""

    @abstractmethod
    def play_on(self, env: Any, rng: np.random.Generator) -> list[Any]:
        """Play a game of ``env``, or of a copy, by random legal actions; return all results."""

    def games_in_lock_step(self, rng: np.random.Generator) -> None:
        """Play random games from both kinds of starts, and check every turn of them."""
        for number in range(self.games):
            self.game_in_lock_step(rng, None, number)
            self.game_in_lock_step(rng, self.options, None)

    def what_is_no_action(self) -> None:
        """Check that an invalid action raises and changes nothing."""
        self.env.reset(seed=0)
        before = self.position
        for action in (-1, self.rules.num_actions, 0.5, None):
            what = f"step({action}), which is no action of a game that goes on,"
            require_error(what, self.env.step, action)
            require_equal(f"after step({action}) the position", self.position, before)

    def trace(self, seed: int) -> list[Any]:
        """Return the results of some games after a seeded reset, with the same choices."""
        rng = np.random.default_rng(0)
        seen: list[Any] = []
        for number in range(self.games):
            self.env.reset(seed=None if number else seed, options=self.options)
            seen += self.play_on(self.env, rng)
        return seen

    def copy(self, name: str) -> Any:
        """Return a copy, checked to keep the position, to be independent, and to continue alike."""
        return check_copy(
            self.env, name, position_of, lambda one: self.play_on(one, np.random.default_rng(0))
        )


def position_of(env: Any) -> IntArray:
    """Return the position of an environment of one game, as a copy."""
    return np.array(env.unwrapped.position)


def content(observation: Any) -> Any:
    """Return an observation without its mask."""
    return observation["observation"] if isinstance(observation, dict) else observation


def uniform_start(reset: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the options of a ``reset`` that draws its start uniformly, where it can."""
    options = {"start": "uniform"}
    with during(f"reset(options={options})"):
        try:
            reset(options=options)
        except SearchTooLargeError:
            return None
    return options


def check_seeds(traced: Callable[[int], Any], game: Game, options: dict[str, Any] | None) -> None:
    """Check that equal seeds give equal games, and that the seed is not ignored.

    Args:
        traced: plays from a ``reset(seed=...)`` and returns all results.
        game: the game that is played.
        options: options of the resets; ``None``: the game's own starts.
    """
    first, other, again = traced(SEED), traced(SEED + 1), traced(SEED)
    if first != again:
        pairs = zip(first, again, strict=False)
        turn = next((pair for pair in pairs if pair[0] != pair[1]), (len(first), len(again)))
        raise ConformanceError(
            f"reset(seed={SEED}) did not give the same games the second time: it came to "
            f"{shown(turn[1])}, and the first time to {shown(turn[0])}"
        )
    if options is not None and number_of_positions(game.rules) >= SEEDS:
        require(
            first != other or any(traced(seed) != first for seed in range(SEEDS)),
            f"reset ignores its seed: with each of {SEEDS} seeds, starts that are drawn uniformly "
            "are the same",
        )


def check_copy(
    env: Any,
    name: str,
    position_of: Callable[[Any], IntArray],
    play_on: Callable[[Any], list[Any]],
    what: str = "position",
) -> Any:
    """Check that a copy keeps the position, is independent, and continues alike; return it.

    Args:
        env: an environment in play.
        name: a key of :data:`nim_envs.testing.requirements.COPIES`.
        position_of: returns the position of an environment, as a copy.
        play_on: makes the same choices in each environment, and returns all results.
        what: what is compared, for messages.
    """
    with during(f"copying the environment by {name}"):
        again = COPIES[name](env)
    before = position_of(env)
    require_equal(f"the {what} of a copy by {name}", position_of(again), before)
    first = play_on(again)
    require_equal(
        f"the {what} after steps of a copy by {name}, which must not share its state,",
        position_of(env), before,
    )  # fmt: skip
    require_equal(f"what a copy by {name} plays on", first, play_on(env))
    return again


def positions_reached(rules: Rules, position: IntArray) -> IntArray:
    """Return the positions after the legal actions, ``(legal actions, components)``."""
    actions = np.flatnonzero(rules.action_mask(position))
    return rules.step(np.broadcast_to(position, (len(actions), len(position))), actions)


def chosen_action(mask: IntArray, rng: np.random.Generator, legal: float = 1.0) -> int:
    """Return a random action, legal with probability ``legal`` if one exists."""
    if mask.any() and rng.random() < legal:
        return int(rng.choice(np.flatnonzero(mask)))
    return int(rng.integers(len(mask)))


def illegal_move_raises(env: Any) -> bool:
    """Return whether an environment, or the first of several, raises at illegal moves."""
    return bool(getattr(first_of(env), "illegal_move", None) == "raise")


def first_of(env: Any) -> Any:
    """Return an environment without wrappers; of a vector of Gymnasium's, the first one."""
    unwrapped = env.unwrapped
    return unwrapped.envs[0].unwrapped if hasattr(unwrapped, "envs") else unwrapped


def attribute(env: Any, name: str) -> Any:
    """Return an attribute of the outermost wrapper that has it, or else of the environment."""
    while env is not env.unwrapped and not hasattr(env, name):
        env = env.env
    return getattr(env, name)
