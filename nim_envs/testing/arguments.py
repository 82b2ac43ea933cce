"""Checks of arguments, the same for every interface.

- An action may be a Python integer or any integer of NumPy, and means the same.
- Anything else is no action: an integer outside the action space, a boolean, a fraction, a text, a
  list, ``None``. It raises an error, and the game in progress stays as it was.
- ``reset`` refuses what is no seed, unknown options, and starts that are no position, or leave no
  move; the game in progress stays as it was.
- Before the first ``reset`` there is nothing to play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from gymnasium import spaces

from nim_envs.errors import ResetNeededError
from nim_envs.rules.rules import Rules
from nim_envs.testing.requirements import require_equal, require_error, text_of
from nim_envs.testing.turns import first_of
from nim_envs.typing import IntArray

INTEGERS = (
    *(np.int8, np.int16, np.int32, np.int64),
    *(np.uint8, np.uint16, np.uint32, np.uint64),
)
"""Types of integers that an action may have."""

INVALID_SEEDS = (-1, 0.5, "0", True, [0.5])
"""Values that are no seeds; a list would be one for each game."""

MOST_MOVES = 10_000
"""Most moves to a position that leaves none."""


def invalid_actions(num_actions: int) -> tuple[Any, ...]:
    """Return values that are no actions of a space of ``num_actions`` actions."""
    return -1, num_actions, 1 << 64, 0.5, 1.0, True, np.True_, np.float32(0), "0", [0], None


def of_every_type(action: int, space: spaces.Space[Any]) -> Iterator[Any]:
    """Yield an action as a Python integer, and as each type of integers in its space."""
    yield action
    for integer in INTEGERS:
        if action <= np.iinfo(integer).max and space.contains(integer(action)):
            yield integer(action)


def invalid_reset_options(rules: Rules) -> Iterator[Any]:
    """Yield options that no ``reset`` takes."""
    initial = rules.coordinate_tuple(np.array(rules.initial))
    yield {"strat": initial}
    for start in (
        "nowhere",
        0.5,
        (),
        (*initial, 0),
        (-1, *initial[1:]),
        (max(rules.fields) + 1, *initial[1:]),
    ):
        yield {"start": start}
    last = _last_position(rules)
    if last is not None:
        yield {"start": rules.coordinate_tuple(last)}


def _last_position(rules: Rules) -> IntArray | None:
    """Return a position without moves, if a game soon comes to one."""
    position = np.array(rules.initial, dtype=np.int64)
    for _ in range(MOST_MOVES):
        legal = np.flatnonzero(rules.action_mask(position))
        if not len(legal):
            return position
        position = rules.step(position, legal[-1])
    return None


def check_resets(env: Any, rules: Rules, positions: Callable[[], IntArray]) -> None:
    """Check that ``reset`` refuses invalid arguments, and that the game can then be continued.

    Args:
        env: an environment in play.
        rules: rules of the game.
        positions: returns its position, or those of all games, as a copy.
    """
    before = positions()
    wrong = [
        *({"seed": seed} for seed in INVALID_SEEDS),
        *({"options": options} for options in invalid_reset_options(rules)),
    ]
    for arguments in wrong:
        (name, value), *_ = arguments.items()
        what = f"reset({name}={text_of(value)})"
        require_error(what, lambda given=arguments: env.reset(**given))
        require_equal(f"after {what}, which raised, the position", positions(), before)


def check_before_reset(env: Any, *steps: Callable[[], Any]) -> None:
    """Check that nothing can be played before the first reset.

    Args:
        env: an environment of one game or several; nothing is checked where it was reset before.
        steps: functions that need a game in progress.
    """
    first = first_of(env)
    with suppress(ResetNeededError):
        first.positions if hasattr(first, "positions") else first.position
        return
    for step in steps:
        require_error("a step before the first reset", step)
