"""Checks that all environments share: observations, seeds and copies.

- Observations are those of the position, in the observation space of the encoding; dictionaries
  have ``"observation"`` and then ``"action_mask"``, int8.
- The same seed gives the same games, and the seed is not ignored.
- A copy keeps the position, shares nothing, and goes on as the environment itself would.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from nim_envs.encoding import Encoding, with_mask
from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.component_graph import levels
from nim_envs.rules.rules import Rules
from nim_envs.scoring.enumeration import number_of_positions
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_dtype,
    require_equal,
    text_of,
)
from nim_envs.typing import IntArray

SEED = 3
SEEDS = 10
"""Number of seeds that must not all give the same games."""

EFFORT = 1.0
"""Share of the games needed to find every fault of a small board, from 0 to 1."""

PAIRS = 2_000
"""Most pairs of a position and an action that are checked."""

ENTRIES = 1 << 24
"""Entries of masks beyond which fewer pairs are checked, and fewer games played."""

PICTURE_EFFORT = 0.02
"""Effort where every step takes the time of a picture."""

KEYS = ["observation", "action_mask"]


class Outcome(NamedTuple):
    """The reward of a step, and whether it ended the game; by default the game goes on."""

    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


GOES_ON = Outcome()


class Observed:
    """Checks the observations of an environment.

    Args:
        game: the game that is played.
        encoding: encoding of observations, unless a wrapper changes that.
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

    def check_space(self, unwrapped: spaces.Space[Any], *, masked: bool) -> None:
        """Check the observation space of the environment without its wrappers.

        Args:
            unwrapped: the space.
            masked: whether observations hold the action mask.
        """
        expected: spaces.Space[Any] = self.encoding.space
        if masked:
            expected = with_mask(self.encoding.space, self.rules.num_actions)
        require_equal("the observation space", unwrapped, expected)

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
                f"{where}, the observation {text_of(observation)} is not in the observation space "
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
        effort: share of the usual games that are played, from 0 to 1.
    """

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        self.env = env
        self.game = game
        self.rules = game.rules
        self.observed = observed
        with during("reset(seed=0)"):
            env.reset(seed=0)
        self.options = uniform_start(env.reset)
        self.effort = EFFORT * min(1.0, ENTRIES / (PAIRS * game.rules.num_actions))
        if every_step_is_drawn(env):
            self.effort *= PICTURE_EFFORT


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


def check_seeds(trace: Callable[[int], Any], game: Game, options: dict[str, Any] | None) -> None:
    """Check that equal seeds give equal games, and that the seed is not ignored.

    Args:
        trace: plays from a ``reset(seed=...)`` and returns all results.
        game: the game that is played.
        options: options of the resets; ``None``: the game's own starts.
    """
    first, other, again = trace(SEED), trace(SEED + 1), trace(SEED)
    if first != again:
        pairs = zip(first, again, strict=False)
        turn = next((pair for pair in pairs if pair[0] != pair[1]), (len(first), len(again)))
        raise ConformanceError(
            f"reset(seed={SEED}) did not give the same games the second time: it came to "
            f"{text_of(turn[1])}, and the first time to {text_of(turn[0])}"
        )
    if options is not None and number_of_positions(game.rules) >= SEEDS:
        require(
            first != other or any(trace(seed) != first for seed in range(SEEDS)),
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
        what: name of what is compared, for messages.
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
        possible = np.flatnonzero(mask)
        return int(possible[rng.integers(len(possible))])
    return int(rng.integers(len(mask)))


class Slowest:
    """Chooses the moves that leave the longest play, so that games reach their limits.

    Args:
        rules: rules of the game.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        try:
            self._longest = [levels(component) for component in rules.components]
        except SearchTooLargeError:
            self._longest = []

    def __call__(self, position: IntArray) -> int:
        """Return a legal action at a position."""
        legal = np.flatnonzero(self._rules.action_mask(position))
        reached = positions_reached(self._rules, position)
        lengths = np.zeros(len(legal))
        for levels_of, component, states in zip(
            self._longest, self._rules.components, reached.T, strict=False
        ):
            lengths += levels_of[component.place_of(states)]
        return int(legal[lengths.argmax()])


def illegal_move_raises(env: Any) -> bool:
    """Return whether an environment, or the first of several, raises at illegal moves."""
    return bool(getattr(first_of(env), "illegal_move", None) == "raise")


def first_of(env: Any) -> Any:
    """Return an environment without wrappers; of a vector of Gymnasium's, the first one."""
    unwrapped = env.unwrapped
    return unwrapped.envs[0].unwrapped if hasattr(unwrapped, "envs") else unwrapped


def layers(env: Any) -> Iterator[Any]:
    """Yield the wrappers of an environment, or of the first of several, from the outside in."""
    while env is not env.unwrapped:
        yield env
        env = env.env
    if hasattr(env, "envs"):
        yield from layers(env.envs[0])


def every_step_is_drawn(env: Any) -> bool:
    """Return whether steps draw pictures: for a window, or for a wrapper that collects them."""
    mode = first_of(env).render_mode
    return mode == "human" or (mode is not None and env.render_mode != mode)


def most_moves(env: Any) -> float:
    """Return the number of moves of both players after which a game is truncated."""
    cycles = first_of(env).max_cycles
    return math.inf if cycles is None else 2 * cycles


def most_steps(env: Any) -> float:
    """Return the number of steps after which Gymnasium's ``TimeLimit`` truncates a game."""
    limits = [one._max_episode_steps for one in layers(env) if isinstance(one, TimeLimit)]
    return min(limits, default=math.inf)


def attribute(env: Any, name: str) -> Any:
    """Return an attribute of the outermost wrapper that has it, or else of the environment."""
    while env is not env.unwrapped and not hasattr(env, name):
        env = env.env
    return getattr(env, name)
