"""The check of Gymnasium environments.

- They keep the promises of a batch of one game; see :mod:`nim_envs.testing.steps`.
- ``action_masks`` agrees with the mask, and is boolean; ``position`` and ``coordinates`` are
  copies.
- ``step`` returns a reward that is a ``float``, and two ``bool``.
- After the end of a game there is nothing to play; an invalid action raises and changes nothing.
- ``render`` shows the position; after ``close`` nothing can be played.
- Gymnasium's own ``check_env`` passes on a copy.
"""

from __future__ import annotations

import copy
import io
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from gymnasium.vector import AutoresetMode

from nim_envs.encoding import Encoding
from nim_envs.game import Game
from nim_envs.testing.arguments import check_before_reset, check_resets, invalid_actions
from nim_envs.testing.rendering import check_close, check_render
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_dtype,
    require_equal,
    require_error,
)
from nim_envs.testing.results import Seen
from nim_envs.testing.steps import Result, StepChecks
from nim_envs.testing.turns import (
    Observed,
    attribute,
    check_seeds,
    content,
    illegal_move_raises,
    position_of,
)
from nim_envs.typing import IntArray

RENDERED_TURNS = 100
"""First turns after which ``render`` is checked: pictures take longer than turns."""


def check_single(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a Gymnasium environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.action_space", env.action_space, spaces.Discrete(game.rules.num_actions))
    inner = env.unwrapped
    observed = Observed(game, encoding, env.observation_space, inner.observation_space)
    observed.check_space(inner.observation_space, masked=inner.mask_in_observation)
    check_before_reset(env, lambda: env.step(0), attribute(env, "action_masks"))
    checks = _Checks(env, game, observed)
    rng = np.random.default_rng(0)
    checks.games_in_lock_step(rng)
    checks.slow_games()
    check_seeds(checks.histories, game, checks.options)
    for name in COPIES:
        if name == "copy.deepcopy" or not _others_cannot_be_pickled(env):
            checks.copies(name)
    checks.opponent(rng)
    checks.starts.check_seeds()
    checks.starts.check()
    checks.types_of_results()
    checks.types_of_actions()
    checks.invalid_actions_raise()
    env.reset(seed=0)
    check_resets(env, game.rules, lambda: position_of(env))
    checks.every_position(rng)
    check_close(env)
    _check_by_gymnasium(env)


class _Checks(StepChecks):
    """The checks of one environment, one after the other."""

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        super().__init__(env, game, observed, 1, AutoresetMode.DISABLED)
        self._turns = 0

    def reset(self, seed: Any, options: dict[str, Any] | None) -> list[tuple[Any, Any]]:
        """Reset; return observation and info, in a list."""
        taken = {key: value for key, value in (options or {}).items() if key != "reset_mask"}
        return [self.env.reset(seed=seed, options=taken or None)]

    def step(self, actions: Any) -> list[Result]:
        """Make a step with the only action; return the results, in a list."""
        action = int(actions[0]) if isinstance(actions, np.ndarray) else actions[0]
        return [self.env.step(action)]

    def positions(self) -> IntArray:
        """Return the position, ``(1, components)``."""
        return position_of(self.env)[np.newaxis]

    def turn(self, actions: IntArray, where: str) -> list[Seen]:
        """Make a step, and check its results; after the last one there is nothing to play."""
        (seen,) = super().turn(actions, where)
        if seen.outcome.terminated:
            what = f"a step {where}, after {actions[0]} ended the game,"
            require_error(what, self.env.unwrapped.step, 0)
        return [seen]

    def check_interface(self, seen: list[Seen], where: str) -> None:
        """Check types, pictures and masks, and that returned arrays are the caller's own."""
        self._turns += 1
        for one in seen:
            self.check_arrays(one, where)
            if self._turns <= RENDERED_TURNS:
                check_render(self.env, self.game, one.position, where)

    def types_of_results(self) -> None:
        """Check the types of the results of a step."""
        _, info = self.env.reset(seed=0)
        result = self.env.step(int(info["action_mask"].argmax()))
        for name, value, kind in zip(
            ("reward", "terminated", "truncated"), result[1:4], (float, bool, bool), strict=True
        ):
            require(isinstance(value, kind), f"the {name} is {value!r}, no {kind.__name__}")

    def check_arrays(self, seen: Seen, where: str) -> None:
        """Check that returned arrays are the caller's own, and ``action_masks``."""
        holders = [each for each in seen[:2] if isinstance(each, dict)]
        returned = [content(seen.observation), *(each.get("action_mask") for each in holders)]
        for array in returned:
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[...] = 1
        unwrapped: Any = self.env.unwrapped
        unwrapped.position[...] = 0
        require_equal(f"{where}, after what was observed was written to, the position",
                      position_of(self.env), seen.position)  # fmt: skip
        require_equal(f"{where}, env.coordinates", unwrapped.coordinates,
                      self.rules.coordinates(seen.position))  # fmt: skip
        with during(f"{where}, action_masks()"):
            masks = attribute(self.env, "action_masks")()
        require_equal(f"{where}, action_masks()", masks, seen.mask.astype(np.bool_))
        require_dtype(f"{where}, action_masks()", masks, np.bool_)

    def invalid_actions_raise(self) -> None:
        """Check that an invalid action raises and changes nothing."""
        self.env.reset(seed=0)
        before = position_of(self.env)
        for action in invalid_actions(self.rules.num_actions):
            what = f"step({action!r}), which is no action,"
            require_error(what, self.env.step, action)
            require_equal(f"after {what} the position", position_of(self.env), before)


def _others_cannot_be_pickled(env: Any) -> bool:
    """Return whether the opponent or a wrapper, which may hold functions, cannot be pickled."""
    return not _pickles(getattr(env.unwrapped, "opponent", None)) or (
        _pickles(env.unwrapped) and not _pickles(env)
    )


def _pickles(value: Any) -> bool:
    """Return whether a value can be pickled and restored."""
    try:
        COPIES["pickle"](value)
    except Exception:
        return False
    return True


def _check_by_gymnasium(env: Any) -> None:
    """Run Gymnasium's own check on a copy.

    It takes illegal actions, and rejects games that end after one step.
    """
    if illegal_move_raises(env) or env.unwrapped.max_cycles == 1:
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        # A heap of size 0; PettingZoo warns of it, too.
        warnings.filterwarnings("ignore", message=".*maximum and minimum values are equal")
        with redirect_stdout(io.StringIO()), during("Gymnasium's check_env"):
            gymnasium_check_env(copy.deepcopy(env), skip_render_check=True, skip_close_check=True)
