"""The check of batched environments: Gymnasium's ``VectorEnv``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from nim_envs.encoding import Encoding
from nim_envs.errors import IllegalMoveError
from nim_envs.game import Game
from nim_envs.rules.component import IntArray
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
    positions_reached,
    uniform_start,
)

STEPS = 40
"""So many steps are checked, and a quarter of them with each of several seeds."""


def check_batched(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a batched environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.single_action_space", env.single_action_space,
                  spaces.Discrete(game.rules.num_actions))  # fmt: skip
    inner = env.unwrapped.single_observation_space
    observed = Observed(game, encoding, env.single_observation_space, inner)
    checks = _Checks(env, game, observed)
    with during("reset(seed=0)"):
        env.reset(seed=0)
    checks.options = uniform_start(env.reset)
    rng = np.random.default_rng(0)
    for options in (None, checks.options):
        checks.steps(rng, options)
    checks.what_are_no_actions()
    if illegal_move_raises(env):
        checks.illegal_actions_raise()
    check_seeds(checks.trace, game, checks.options)
    for name in COPIES:
        # Gymnasium's vectors of environments hold the functions that made them.
        if name == "copy.deepcopy" or hasattr(env.unwrapped, "positions"):
            checks.copies(name)


def positions_of(env: Any) -> IntArray:
    """The positions of all games, ``(num_envs, components)``, as a copy."""
    unwrapped: Any = env.unwrapped
    if hasattr(unwrapped, "positions"):
        positions: IntArray = unwrapped.positions
        return positions
    return np.stack([one.unwrapped.position for one in unwrapped.envs])


def one_of(batch: Any, index: int) -> Any:
    """What is of one game in a batch, or in a dictionary of batches."""
    if isinstance(batch, dict):
        return {key: values[index] for key, values in batch.items()}
    return batch[index]


class _Checks:
    """The checks of one environment, one after the other."""

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        self.env = env
        self.game = game
        self.observed = observed
        self.size: int = env.num_envs
        self.mode = AutoresetMode(env.metadata["autoreset_mode"])
        self.options: dict[str, Any] | None = None

    def masks(self, observations: Any, infos: dict[str, Any], where: str) -> IntArray:
        """The masks of all games, ``(num_envs, actions)``."""
        given = {"action_mask": infos["action_mask"]} if "action_mask" in infos else {}
        return np.stack(
            [
                self.observed.mask(one_of(observations, i), one_of(given, i), where)
                for i in range(self.size)
            ]
        )

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> tuple[Any, IntArray]:
        """Reset all games; return observations and masks, both checked."""
        where = f"after reset(seed={seed}, options={options})"
        with during(where.removeprefix("after ")):
            observations, infos = self.env.reset(seed=seed, options=options)
        masks = self.masks(observations, infos, where)
        for i, position in enumerate(positions_of(self.env)):
            here = f"{where}, in game {i}"
            self.observed.check(one_of(observations, i), position, here)
            check_mask(self.game, masks[i], position, (0.0, False, False), here)
        return observations, masks

    def steps(self, rng: np.random.Generator, options: dict[str, Any] | None) -> None:
        """Make random steps, and check what comes of them in every game."""
        env, self_play = self.env, is_self_play(self.env)
        legal = 1.0 if illegal_move_raises(env) else 0.9
        observations, masks = self.begin(0, options)
        ended = np.zeros(self.size, dtype=np.bool_)
        for step in range(STEPS):
            before = positions_of(env)
            actions = np.array([chosen_action(mask, rng, legal) for mask in masks])
            where = f"in step {step}"
            with during(f"step({actions.tolist()}) at {shown(before)}"):
                observations, *results, infos = env.step(actions)
            require(
                env.observation_space.contains(observations),
                f"{where}, the observations {shown(observations)} are not in the space "
                f"{env.observation_space}",
            )
            for what, values in zip(
                ("rewards", "terminations", "truncations"), results, strict=True
            ):
                require_equal(f"{where}, the shape of the {what}", values.shape, (self.size,))
            masks = self.masks(observations, infos, where)
            after = positions_of(env)
            for i in range(self.size):
                here = f"{where}, in game {i}"
                ends = (float(results[0][i]), bool(results[1][i]), bool(results[2][i]))
                shows = one_of(observations, i)
                if ended[i] and self.mode is AutoresetMode.NEXT_STEP:
                    require_equal(f"{here}, which begins anew, reward and ends", ends,
                                  (0.0, False, False))  # fmt: skip
                elif (ends[1] or ends[2]) and self.mode is AutoresetMode.SAME_STEP:
                    self.final_turn(
                        before[i], int(actions[i]), ends, one_of(infos["final_obs"], i), here
                    )
                    ends = (0.0, False, False)
                else:
                    check_turn(self.game, before[i], int(actions[i]), after[i], ends, here,
                               self_play=self_play)  # fmt: skip
                self.observed.check(shows, after[i], here)
                check_mask(self.game, masks[i], after[i], ends, here)
            ended = results[1] | results[2]
            if ended.any() and self.mode is AutoresetMode.DISABLED:
                observations, infos = env.reset(options={"reset_mask": ended})
                masks = self.masks(observations, infos, "after a reset of some games")
                ended = np.zeros_like(ended)

    def final_turn(
        self, before: IntArray, action: int, ends: tuple[float, bool, bool], last: Any, where: str
    ) -> None:
        """Check the last turn of a game that has begun anew in the same step."""
        if not self.observed.plain:
            return
        rules = self.game.rules
        reached = [before[np.newaxis]]
        if rules.action_mask(before)[action]:
            own = rules.step(before, np.array(action))
            reached = [own[np.newaxis], positions_reached(rules, own)]
        candidates = np.concatenate(reached)
        codes = self.observed.encoding.encode(candidates)
        found = np.flatnonzero((codes == content(last)).all(axis=1))
        require(
            len(found),
            f"{where}, after action {action} at {before.tolist()}, the final observation "
            f"{shown(last)} is of no position that play can have come to",
        )
        after = candidates[found[0]]
        check_turn(self.game, before, action, after, ends, where, self_play=is_self_play(self.env))
        if isinstance(last, dict):
            check_mask(self.game, last["action_mask"], after, ends, f"{where}, at the end")

    def what_are_no_actions(self) -> None:
        """Check that what are no actions raises, and changes nothing."""
        number = self.game.rules.num_actions
        _, masks = self.begin(0, None)
        before = positions_of(self.env)
        for wrong in (-1, number, 0.5):
            actions = masks.argmax(axis=1).astype(type(wrong))
            actions[-1] = wrong
            what = f"step({actions.tolist()}), which are not all actions,"
            require_error(what, self.env.step, actions)
            if hasattr(self.env.unwrapped, "positions"):
                require_equal(f"after {what} the positions", positions_of(self.env), before)
            else:  # some of several environments have made their step
                self.begin(0, None)

    def illegal_actions_raise(self) -> None:
        """Check that an illegal action raises."""
        _, masks = self.begin(None, self.options)
        if masks.all():
            return
        actions, raised = np.where(masks.all(axis=1), 0, masks.argmin(axis=1)), False
        with during(f"step({actions.tolist()}), some of them illegal,"):
            try:
                self.env.step(actions)
            except IllegalMoveError:
                raised = True
        require(raised, f'the illegal actions {actions.tolist()} raised nothing, with '
                'illegal_move="raise"')  # fmt: skip

    def trace(self, seed: int) -> list[Any]:
        """What some steps from a seed on show."""
        return play_on(self, self.env, self.begin(seed, self.options)[1])

    def copies(self, name: str) -> None:
        """Check that a copy keeps the positions, goes its own way and goes on alike."""
        _, masks = self.begin(1, self.options)
        with during(f"copying the environment by {name}"):
            again = COPIES[name](self.env)
        before = positions_of(self.env)
        require_equal(f"the positions of a copy by {name}", positions_of(again), before)
        first = play_on(self, again, masks)
        require_equal(
            f"the positions after steps of a copy by {name}, which must not share its state,",
            positions_of(self.env), before,
        )  # fmt: skip
        require_equal(f"what a copy by {name} plays on", first, play_on(self, self.env, masks))


def play_on(checks: _Checks, env: Any, masks: IntArray) -> list[Any]:
    """Make some random legal steps; return all that is seen."""
    rng = np.random.default_rng(0)
    seen: list[Any] = [positions_of(env).tolist()]
    for _ in range(STEPS // 4):
        actions = np.array([chosen_action(mask, rng) for mask in masks])
        observations, *results, infos = env.step(actions)
        seen.append((positions_of(env).tolist(), *[values.tolist() for values in results]))
        ended = results[1] | results[2]
        if ended.any() and checks.mode is AutoresetMode.DISABLED:
            observations, infos = env.reset(options={"reset_mask": ended})
        masks = checks.masks(observations, infos, "in play")
    return seen
