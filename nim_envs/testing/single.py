"""The check of Gymnasium environments of one player."""

from __future__ import annotations

import copy
import io
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as gymnasium_check_env

from nim_envs.encoding import Encoding
from nim_envs.errors import IllegalMoveError
from nim_envs.game import Game
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_equal,
    require_error,
    shown,
)
from nim_envs.testing.turns import (
    Observed,
    check_mask,
    check_seeds,
    check_turn,
    chosen_action,
    content,
    illegal_move_raises,
    is_self_play,
    uniform_start,
)

GAMES = 8
"""So many games are played from each kind of start."""


def check_single(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a Gymnasium environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.action_space", env.action_space, spaces.Discrete(game.rules.num_actions))
    observed = Observed(game, encoding, env.observation_space, env.unwrapped.observation_space)
    with during("reset(seed=0)"):
        env.reset(seed=0)
    options = uniform_start(env.reset)
    rng = np.random.default_rng(0)
    for number in range(GAMES):
        _game_in_lock_step(env, game, observed, rng, None, number)
        _game_in_lock_step(env, game, observed, rng, options, None)
    _check_what_is_no_action(env, game)
    if illegal_move_raises(env):
        _check_that_illegal_actions_raise(env, game, observed, options)

    def trace(seed: int) -> list[Any]:
        choices = np.random.default_rng(0)
        return [
            turn
            for number in range(GAMES)
            for turn in _play_on(
                env, observed, choices, env.reset(seed=None if number else seed, options=options)
            )
        ]

    check_seeds(trace, game, options)
    for name in COPIES:
        if name == "copy.deepcopy" or _opponent_pickles(env):
            _check_copies(env, observed, name)
    _check_by_gymnasium(env)


def _game_in_lock_step(
    env: Any,
    game: Game,
    observed: Observed,
    rng: np.random.Generator,
    options: dict[str, Any] | None,
    seed: int | None,
) -> None:
    """Play one game, mostly by legal actions, and check every turn of it."""
    where = f"after reset(seed={seed}, options={options})"
    legal = 1.0 if illegal_move_raises(env) else 0.9
    with during(where.removeprefix("after ")):
        observation, info = env.reset(seed=seed, options=options)
    position = env.unwrapped.position
    ends = (0.0, False, False)
    while True:
        require(isinstance(info, dict), f"{where}, the info is {shown(info)}, not a dictionary")
        observed.check(observation, position, where)
        mask = observed.mask(observation, info, where)
        check_mask(game, mask, position, ends, where)
        if ends[1] or ends[2]:
            return
        for array in (content(observation), info.get("action_mask")):
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[...] = 1
        require_equal(f"{where}, after what was observed was written to, the position",
                      env.unwrapped.position, position)  # fmt: skip
        action = chosen_action(mask, rng, legal)
        where = f"in a game from reset(seed={seed}, options={options})"
        with during(f"step({action}) at {position.tolist()}"):
            observation, *ended, info = env.step(action)
        ends = (ended[0], ended[1], ended[2])
        after = env.unwrapped.position
        check_turn(game, position, action, after, ends, where, self_play=is_self_play(env))
        where = f"after action {action} at {position.tolist()}"
        position = after


def _check_what_is_no_action(env: Any, game: Game) -> None:
    """Check that what is no action raises, and changes nothing."""
    env.reset(seed=0)
    before = env.unwrapped.position
    for action in (-1, game.rules.num_actions, 0.5, None):
        require_error(f"step({action}), which is no action,", env.step, action)
        require_equal(f"after step({action}) the position", env.unwrapped.position, before)


def _check_that_illegal_actions_raise(
    env: Any, game: Game, observed: Observed, options: dict[str, Any] | None
) -> None:
    """Check that an illegal action raises and changes nothing, at the first start that has one."""
    for _ in range(GAMES):
        observation, info = env.reset(options=options)
        position = env.unwrapped.position
        illegal = np.flatnonzero(observed.mask(observation, info, "after reset") == 0)
        if len(illegal):
            break
    else:
        return
    action = int(illegal[0])
    where = f"step({action}), an illegal action at {position.tolist()},"
    raised = False
    with during(where):
        try:
            env.step(action)
        except IllegalMoveError:
            raised = True
    require(raised, f'{where} did not raise, with illegal_move="raise"')
    require_equal(f"after {where} the position", env.unwrapped.position, position)


def _play_on(env: Any, observed: Observed, rng: np.random.Generator, last: Any) -> list[Any]:
    """Play a game to its end by random legal actions; return all that is seen.

    Args:
        env: the environment.
        observed: reads masks.
        rng: the source of the choices.
        last: observation and info of the last call.
    """
    observation, info = last
    seen: list[Any] = [env.unwrapped.position.tolist()]
    over = False
    while not over:
        mask = observed.mask(observation, info, "in play")
        observation, *ends, info = env.step(chosen_action(mask, rng))
        over = bool(ends[1] or ends[2])
        seen.append((env.unwrapped.position.tolist(), *ends))
    return seen


def _opponent_pickles(env: Any) -> bool:
    """Return whether the opponent, which may be a function of any kind, can be pickled."""
    try:
        COPIES["pickle"](getattr(env.unwrapped, "opponent", None))
    except Exception:
        return False
    return True


def _check_copies(env: Any, observed: Observed, name: str) -> None:
    """Check that a copy keeps the position, goes its own way and goes on alike."""
    observation, info = env.reset(seed=1)
    mask = observed.mask(observation, info, "after reset(seed=1)")
    observation, _, terminated, truncated, info = env.step(int(mask.argmax()))
    last = env.reset() if terminated or truncated else (observation, info)
    with during(f"copying the environment by {name}"):
        again = COPIES[name](env)
    before = env.unwrapped.position
    require_equal(f"the position of a copy by {name}", again.unwrapped.position, before)
    first = _play_on(again, observed, np.random.default_rng(0), last)
    require_equal(
        f"the position after steps of a copy by {name}, which must not share its state,",
        env.unwrapped.position, before,
    )  # fmt: skip
    second = _play_on(env, observed, np.random.default_rng(0), last)
    require_equal(f"what a copy by {name} plays on", first, second)


def _check_by_gymnasium(env: Any) -> None:
    """Run Gymnasium's own check on a copy; it takes illegal actions, too."""
    if illegal_move_raises(env):
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        # A heap of size 0, as PettingZoo says of it, too.
        warnings.filterwarnings("ignore", message=".*maximum and minimum values are equal")
        with redirect_stdout(io.StringIO()), during("Gymnasium's check_env"):
            gymnasium_check_env(copy.deepcopy(env), skip_render_check=True, skip_close_check=True)
