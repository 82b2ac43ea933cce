"""The check of batched environments: Gymnasium's ``VectorEnv``."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from nim_envs.encoding import Encoding
from nim_envs.errors import ConformanceError, IllegalMoveError
from nim_envs.game import Game
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.scoring.enumeration import number_of_positions
from nim_envs.scoring.observations import rows_of
from nim_envs.testing.chances import Tally, ranks
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_equal,
    require_error,
    shown,
)
from nim_envs.testing.results import TRUTH, Results, Seen
from nim_envs.testing.shows import check_close, check_render
from nim_envs.testing.turns import (
    GOES_ON,
    SEED,
    Checks,
    Observed,
    attribute,
    check_copy,
    check_seeds,
    chosen_action,
    content,
    first_of,
    illegal_move_raises,
    positions_reached,
)

STEPS = 40
"""Number of steps to check; a quarter of it for each of several seeds."""

RENDERED_STEPS = 5
"""First steps after which ``render`` is checked: pictures take longer than steps."""

REPLIES = 100
"""Approximate number of games from known positions in which the opponent's moves are checked."""

MOST_STARTS = 1 << 20
"""Most starts that are drawn for each game by its own seed."""


def check_batched(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a batched environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.single_action_space", env.single_action_space,
                  spaces.Discrete(game.rules.num_actions))  # fmt: skip
    inner = env.unwrapped.single_observation_space
    observed = Observed(game, encoding, env.single_observation_space, inner)
    checks = _Checks(env, game, observed)
    rng = np.random.default_rng(0)
    for options in (None, checks.options):
        checks.steps(rng, options)
    checks.opponent(rng)
    checks.what_are_no_actions()
    if illegal_move_raises(env):
        checks.illegal_actions_raise()
    check_seeds(checks.trace, game, checks.options)
    checks.seeds_of_each_game()
    if is_batch(env):
        checks.some_games_begin_anew()
        checks.samples()
    for name in COPIES:
        # Gymnasium's vectors of environments hold the functions that made them.
        if name == "copy.deepcopy" or is_batch(env):
            checks.copies(name)
    check_close(env)


def is_batch(env: Any) -> bool:
    """Return whether an environment is this package's own batch, not a vector of Gymnasium's."""
    return not hasattr(env.unwrapped, "envs")


def positions_of(env: Any) -> IntArray:
    """Return the positions of all games, ``(num_envs, components)``, as a copy."""
    unwrapped: Any = env.unwrapped
    if is_batch(env):
        positions: IntArray = unwrapped.positions
        return positions
    return np.stack([one.unwrapped.position for one in unwrapped.envs])


def info_of(infos: Any, index: int) -> dict[str, Any]:
    """Return the entries of one game in infos, which a wrapper may have made a list."""
    if isinstance(infos, list):
        found: dict[str, Any] = infos[index]
        return found
    return {
        key: info_of(values, index) if isinstance(values, dict) else values[index]
        for key, values in infos.items()
        if not key.startswith("_") and (f"_{key}" not in infos or infos[f"_{key}"][index])
    }


class _Checks(Checks):
    """The checks of one environment, one after the other."""

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        super().__init__(env, game, observed)
        self.size: int = env.num_envs
        self.mode = AutoresetMode(env.metadata["autoreset_mode"])
        self.results = Results(env, game, observed)
        self.replies = self.results.replies
        self.seats = [0] * self.size

    def masks(
        self,
        observations: Any,
        infos: Any,
        where: str,
        begun: BoolArray | None = None,
        before: IntArray | None = None,
    ) -> IntArray:
        """Return the checked masks of all games, ``(num_envs, actions)``.

        Args:
            observations: observations of all games.
            infos: infos of the games that have ``begun``.
            where: beginning of messages.
            begun: ``(num_envs,)``, games that have begun anew; ``None``: all.
            before: masks of all games before some began anew.
        """
        if begun is None:
            begun = np.ones(self.size, dtype=np.bool_)
        if isinstance(infos, dict):
            for key in ("seat", "action_mask", "winner", *TRUTH):
                if key in infos:
                    require_equal(f"{where}, infos['_{key}']", infos.get(f"_{key}"), begun)
        return np.stack(
            [
                self.observed.mask(rows_of(observations, i), info_of(infos, i), where)
                if before is None or begun[i]
                else before[i]
                for i in range(self.size)
            ]
        )

    def begin(
        self, seed: Any, options: dict[str, Any] | None, before: IntArray | None = None
    ) -> IntArray:
        """Reset all games, or those in a reset mask; return the checked masks.

        Args:
            seed: passed to ``reset``.
            options: passed to ``reset``.
            before: masks before, where some games go on.
        """
        where = f"after reset(seed={seed}, options={options})"
        which = np.ones(self.size, dtype=np.bool_)
        if options is not None and "reset_mask" in options:
            which = options["reset_mask"]
        with during(where.removeprefix("after ")):
            observations, infos = self.env.reset(seed=seed, options=options)
        masks = self.masks(observations, infos, where, which, before)
        for i, position in enumerate(positions_of(self.env)):
            here = f"{where}, in game {i}"
            seen = Seen(rows_of(observations, i), info_of(infos, i), masks[i], position)
            if which[i]:
                self.seats[i] = self.results.begun(seen, here)
            else:
                self.observed.check(seen.observation, position, here)
        return masks

    def steps(self, rng: np.random.Generator, options: dict[str, Any] | None) -> None:
        """Make random steps, and check their results in every game."""
        env = self.env
        legal = 1.0 if illegal_move_raises(env) else 0.9
        masks = self.begin(0, options)
        check_render(env, self.game, positions_of(env), "after reset(seed=0)")
        ended = np.zeros(self.size, dtype=np.bool_)
        for step in range(STEPS):
            before = positions_of(env)
            actions = np.array([chosen_action(mask, rng, legal) for mask in masks])
            where = f"in step {step}"
            with during(f"step({actions.tolist()}) at {shown(before)}"):
                observations, *results, infos = env.step(actions)
            if not env.observation_space.contains(observations):
                raise ConformanceError(
                    f"{where}, the observations {shown(observations)} are not in the space "
                    f"{env.observation_space}"
                )
            for what, values in zip(
                ("rewards", "terminations", "truncations"), results, strict=True
            ):
                require_equal(f"{where}, the shape of the {what}", values.shape, (self.size,))
            masks = self.masks(observations, infos, where)
            after = positions_of(env)
            if is_batch(env):
                require_equal(f"{where}, env.coordinates", env.unwrapped.coordinates,
                              self.rules.coordinates(after))  # fmt: skip
            if step < RENDERED_STEPS:
                check_render(env, self.game, after, where)
            for i in range(self.size):
                here = f"{where}, in game {i}"
                ends = (float(results[0][i]), bool(results[1][i]), bool(results[2][i]))
                info = info_of(infos, i)
                seen = Seen(rows_of(observations, i), info, masks[i], after[i], ends)
                move = (before[i], int(actions[i]))
                begins = bool(ended[i]) and self.mode is AutoresetMode.NEXT_STEP
                if begins:
                    require_equal(f"{here}, which begins anew, reward and ends", ends, GOES_ON)
                elif (ends[1] or ends[2]) and self.mode is AutoresetMode.SAME_STEP:
                    self.final_turn(seen, self.seats[i], move, here)
                    begins = True
                else:
                    final = "final_obs" in info or "final_info" in info
                    require(not final, f"{here}, there is final_obs or final_info before the end")
                self.seats[i] = (
                    self.results.begun(seen, here)
                    if begins
                    else self.results.after(seen, self.seats[i], move, here)
                )
            ended = results[1] | results[2]
            if ended.any() and self.mode is AutoresetMode.DISABLED:
                masks = self.begin(None, {"reset_mask": ended}, masks)
                ended = np.zeros_like(ended)

    def final_turn(self, seen: Seen, seat: int, move: tuple[IntArray, int], where: str) -> None:
        """Check the last turn of a game that has begun anew in the same step."""
        for key in ("final_obs", "final_info"):
            require(key in seen.info, f"{where}, where a game ended, there is no {key} of it")
        where = f"{where}, at the end"
        last, last_info = seen.info["final_obs"], seen.info["final_info"]
        mask = self.observed.mask(last, last_info, where)
        final = Seen(last, last_info, mask, seen.position, seen.ends)
        if not self.observed.plain:
            self.results.info_after(final, seat, move, where)
            return
        before, action = move
        rules = self.rules
        reached = [before[np.newaxis]]
        if rules.action_mask(before)[action]:
            own = rules.step(before, np.array(action))
            reached = [own[np.newaxis], positions_reached(rules, own)]
        candidates = np.concatenate(reached)
        codes = self.observed.encoding.encode(candidates)
        found = np.flatnonzero((codes == content(last)).all(axis=1))
        if not len(found):
            raise ConformanceError(
                f"{where}, after action {action} at {before.tolist()}, the final observation "
                f"{shown(last)} is of no position that play can have come to"
            )
        final = final._replace(position=candidates[found[0]])
        self.results.after(final, seat, move, where)

    def opponent(self, rng: np.random.Generator) -> None:
        """Check given starts, the seats, and the opponent's moves, its first ones too."""
        for start in self.replies.starts(-(-REPLIES // self.size)):
            masks = self.begin(None, {"start": tuple(start.tolist())})
            before = positions_of(self.env)
            for i, position in enumerate(before):
                where = f"after a reset to {start.tolist()}, in game {i}"
                if self.seats[i] == 0:
                    require_equal(f"{where}, as player_0, the position", position, start)
                else:
                    self.replies.move(start, position, where)
            actions = np.array([chosen_action(mask, rng) for mask in masks])
            ends = self.env.step(actions)[2:4]
            for i, after in enumerate(positions_of(self.env)):
                if self.mode is not AutoresetMode.SAME_STEP or not (ends[0][i] or ends[1][i]):
                    self.replies.turn(before[i], int(actions[i]), after, f"in game {i}")
        self.replies.check()

    def seeds_of_each_game(self) -> None:
        """Check that an integer ``seed`` seeds game ``i`` with ``seed + i``."""
        sampled = number_of_positions(self.rules) > MOST_STARTS
        if sampled or callable(getattr(first_of(self.env), "opponent", None)):
            return
        self.begin(SEED, self.options)
        positions = positions_of(self.env)
        self.begin([SEED + i for i in range(self.size)], self.options)
        require_equal(f"the positions after reset(seed=[{SEED}, {SEED} + 1, ...]), beside those "
                      f"after reset(seed={SEED}),", positions_of(self.env), positions)  # fmt: skip

    def some_games_begin_anew(self) -> None:
        """Check that a reset of some games leaves the others as they are."""
        masks = self.begin(SEED, self.options)
        self.env.step(np.array([chosen_action(mask, np.random.default_rng(0)) for mask in masks]))
        before, which = positions_of(self.env), np.arange(self.size) % 2 == 0
        self.begin(None, {**(self.options or {}), "reset_mask": which}, masks)
        require_equal(f"after a reset of the games {np.flatnonzero(which).tolist()} the positions "
                      "of the others", positions_of(self.env)[~which], before[~which])  # fmt: skip

    def samples(self) -> None:
        """Check that ``sample_actions`` is legal, uniform, seeded and without side effects."""
        sample = attribute(self.env, "sample_actions")
        self.begin(SEED, self.options)
        first = sample()
        masks, tally = self.begin(SEED, self.options), Tally()
        before = positions_of(self.env)
        for number in range(STEPS):
            with during("sample_actions()"):
                actions = np.asarray(sample())
            if number == 0:
                require_equal("what sample_actions() returns after the same seed", actions, first)
            require(
                actions.dtype == np.int64 and actions.shape == (self.size,),
                f"sample_actions() returned an array of dtype {actions.dtype} and shape "
                f"{actions.shape}, where int64 and ({self.size},) are expected",
            )
            for i, action in enumerate(actions.tolist()):
                legal = np.flatnonzero(masks[i])
                if action not in legal:
                    raise ConformanceError(
                        f"sample_actions() drew {action} at {before[i].tolist()}, where "
                        f"{shown(legal)} are legal"
                    )
                tally.add(ranks(len(legal)), np.full(len(legal), 1 / len(legal)), legal == action)
        require(
            not tally.too_far(),
            f"sample_actions() does not draw evenly: on a scale from the first legal action, 0, to "
            f"the last, 1, what it drew sums to {tally.scored:.0f}, where about "
            f"{tally.expected:.0f} is expected",
        )
        require_equal("after sample_actions() the positions", positions_of(self.env), before)

    def what_are_no_actions(self) -> None:
        """Check that invalid actions raise and change nothing."""
        number = self.rules.num_actions
        masks = self.begin(0, None)
        before = positions_of(self.env)
        for wrong in (-1, number, 0.5):
            actions = masks.argmax(axis=1).astype(type(wrong))
            actions[-1] = wrong
            what = f"step({actions.tolist()}), which are not all actions,"
            require_error(what, self.env.step, actions)
            if is_batch(self.env):
                require_equal(f"after {what} the positions", positions_of(self.env), before)
            else:  # some of several environments have made their step
                self.begin(0, None)

    def illegal_actions_raise(self) -> None:
        """Check that an illegal action raises."""
        masks = self.begin(None, self.options)
        if masks.all():
            return
        actions = np.where(masks.all(axis=1), 0, masks.argmin(axis=1))
        where = f"step({actions.tolist()}), which are illegal, with illegal_move='raise',"
        require_error(where, self.env.step, actions, kind=IllegalMoveError)

    def trace(self, seed: int) -> list[Any]:
        """Return the results of some steps after a seeded reset."""
        return play_on(self, self.env, self.begin(seed, self.options))

    def copies(self, name: str) -> None:
        """Check that a copy keeps the positions, is independent, and continues alike."""
        masks = self.begin(1, self.options)
        check_copy(self.env, name, positions_of, lambda one: play_on(self, one, masks), "positions")


def play_on(checks: _Checks, env: Any, masks: IntArray) -> list[Any]:
    """Make some random legal steps; return all results."""
    rng = np.random.default_rng(0)
    seen: list[Any] = [positions_of(env).tolist()]
    for _ in range(STEPS // 4):
        actions = np.array([chosen_action(mask, rng) for mask in masks])
        observations, *results, infos = env.step(actions)
        seen.append((positions_of(env).tolist(), *[values.tolist() for values in results]))
        ended = results[1] | results[2]
        masks = checks.masks(observations, infos, "in play")
        if ended.any() and checks.mode is AutoresetMode.DISABLED:
            observations, infos = env.reset(options={"reset_mask": ended})
            masks = checks.masks(observations, infos, "in play", ended, masks)
    return seen
