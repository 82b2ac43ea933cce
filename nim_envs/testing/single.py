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
from nim_envs.rules.component import IntArray
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require_dtype,
    require_equal,
    require_error,
)
from nim_envs.testing.results import Results, Seen
from nim_envs.testing.shows import check_close, check_render
from nim_envs.testing.turns import (
    ChecksOfOneGame,
    Observed,
    attribute,
    check_seeds,
    chosen_action,
    content,
    illegal_move_raises,
    position_of,
)

GAMES = 8
"""Number of games from each kind of start."""

REPLIES = 100
"""Most positions from which the opponent's moves are checked."""


def check_single(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a Gymnasium environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.action_space", env.action_space, spaces.Discrete(game.rules.num_actions))
    observed = Observed(game, encoding, env.observation_space, env.unwrapped.observation_space)
    checks = _Checks(env, game, observed)
    rng = np.random.default_rng(0)
    checks.games_in_lock_step(rng)
    checks.opponent(rng)
    checks.what_is_no_action()
    if illegal_move_raises(env):
        checks.illegal_actions_raise()
    check_seeds(checks.trace, game, checks.options)
    for name in COPIES:
        if name == "copy.deepcopy" or not _others_cannot_be_pickled(env):
            checks.copies(name)
    check_close(env)
    _check_by_gymnasium(env)


class _Checks(ChecksOfOneGame):
    """The checks of one environment, one after the other."""

    games = GAMES

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        super().__init__(env, game, observed)
        self.results = Results(env, game, observed)
        self.replies = self.results.replies

    def begin(
        self, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[IntArray, IntArray, int]:
        """Reset; return position, mask and seat, all checked."""
        where = f"after reset(seed={seed}, options={options})"
        with during(where.removeprefix("after ")):
            observation, info = self.env.reset(seed=seed, options=options)
        mask = self.observed.mask(observation, info, where)
        seen = Seen(observation, info, mask, self.position)
        seat = self.results.begun(seen, where)
        self.written_to(seen, where)
        return seen.position, mask, seat

    def step(
        self, position: IntArray, seat: int, action: int
    ) -> tuple[IntArray, IntArray, int, bool]:
        """Make a step; return position, mask, seat and whether the game is over, all checked."""
        env = self.env
        where = f"after action {action} at {position.tolist()}"
        with during(f"step({action}) at {position.tolist()}"):
            observation, reward, terminated, truncated, info = env.step(action)
        mask = self.observed.mask(observation, info, where)
        ends = float(reward), bool(terminated), bool(truncated)
        seen = Seen(observation, info, mask, self.position, ends)
        seat = self.results.after(seen, seat, (position, action), "in play")
        self.written_to(seen, where)
        if terminated:
            require_error(f"a step {where}, which ended the game,", env.unwrapped.step, 0)
        return seen.position, mask, seat, terminated or truncated

    def written_to(self, seen: Seen, where: str) -> None:
        """Check that returned arrays are the caller's own, and check ``action_masks``."""
        holders = [each for each in seen[:2] if isinstance(each, dict)]
        returned = [content(seen.observation), *(each.get("action_mask") for each in holders)]
        for array in returned:
            if isinstance(array, np.ndarray) and array.flags.writeable:
                array[...] = 1
        unwrapped: Any = self.env.unwrapped
        unwrapped.position[...] = 0
        require_equal(f"{where}, after what was observed was written to, the position",
                      self.position, seen.position)  # fmt: skip
        require_equal(f"{where}, env.coordinates", unwrapped.coordinates,
                      self.rules.coordinates(seen.position))  # fmt: skip
        with during(f"{where}, action_masks()"):
            masks = attribute(self.env, "action_masks")()
        require_equal(f"{where}, action_masks()", masks, seen.mask.astype(np.bool_))
        require_dtype(f"{where}, action_masks()", masks, np.bool_)

    def game_in_lock_step(
        self, rng: np.random.Generator, options: dict[str, Any] | None, seed: int | None
    ) -> None:
        """Play one game, mostly by legal actions, and check every turn of it."""
        legal = 1.0 if illegal_move_raises(self.env) else 0.9
        position, mask, seat = self.begin(seed, options)
        over = False
        while not over:
            check_render(self.env, self.game, position, "in play")
            action = chosen_action(mask, rng, legal)
            position, mask, seat, over = self.step(position, seat, action)

    def opponent(self, rng: np.random.Generator) -> None:
        """Check given starts, the seats, and the opponent's moves, its first ones too."""
        for start in self.replies.starts(REPLIES):
            position, mask, seat = self.begin(None, {"start": self.rules.shown(start)})
            where = f"after a reset to {start.tolist()}"
            if seat == 0:
                require_equal(f"{where} as player_0, the position", position, start)
            else:
                self.replies.move(start, position, where)
            self.step(position, seat, chosen_action(mask, rng))
        self.replies.check()

    def illegal_actions_raise(self) -> None:
        """Check that an illegal action raises and changes nothing, where a start has one."""
        for _ in range(GAMES):
            position, mask, _ = self.begin(None, self.options)
            illegal = np.flatnonzero(mask == 0)
            if len(illegal):
                break
        else:
            return
        action = int(illegal[0])
        where = f"step({action}), illegal at {position.tolist()}, with illegal_move='raise',"
        require_error(where, self.env.step, action, kind=IllegalMoveError)
        require_equal(f"after {where} the position", self.position, position)

    def play_on(self, env: Any, rng: np.random.Generator) -> list[Any]:
        """Play a game to its end by random legal actions; return all results."""
        seen: list[Any] = [position_of(env).tolist()]
        over = False
        while not over:
            _, *ends, _ = env.step(chosen_action(attribute(env, "action_masks")(), rng))
            over = bool(ends[1] or ends[2])
            seen.append((position_of(env).tolist(), *ends))
        return seen

    def copies(self, name: str) -> None:
        """Check that a copy keeps the position, is independent, and continues alike."""
        self.env.reset(seed=1)
        _, _, terminated, truncated, _ = self.env.step(
            int(attribute(self.env, "action_masks")().argmax())
        )
        if terminated or truncated:
            self.env.reset()
        self.copy(name)


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
