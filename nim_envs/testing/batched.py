"""The check of batched environments: Gymnasium's ``VectorEnv``.

- Each game keeps the promises of a single environment; its random numbers depend on its own seed
  and its own history alone. An integer ``seed`` seeds game ``i`` with ``seed + i``; ``None`` in a
  sequence of seeds lets a game go on with its random numbers.
- Games that have ended begin anew as the ``autoreset_mode`` says: within the next step, within the
  same one, where ``final_obs`` and ``final_info`` describe the end, or by a reset of these games,
  which leaves the others.
- Rewards are float32, ends boolean, ``(num_envs,)``; infos say which games have an entry.
- ``sample_actions`` draws legal actions evenly, by the seed, without side effects.
- ``render`` shows each game; after ``close`` nothing can be played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from nim_envs.encoding import Encoding
from nim_envs.errors import ConformanceError
from nim_envs.game import Game
from nim_envs.scoring.enumeration import number_of_positions
from nim_envs.testing.arguments import check_before_reset, check_resets
from nim_envs.testing.draws import Choice, Draws
from nim_envs.testing.rendering import check_close, check_render
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_dtype,
    require_equal,
    require_error,
    text_of,
)
from nim_envs.testing.results import TRUTH, Seen, State
from nim_envs.testing.steps import Result, StepChecks
from nim_envs.testing.turns import (
    SEED,
    Observed,
    attribute,
    check_seeds,
    chosen_action,
    content,
    first_of,
    positions_reached,
)
from nim_envs.typing import BoolArray, IntArray

RENDERED_TURNS = 6
"""First turns after which ``render`` is checked: pictures take longer than turns."""

SAMPLE_CALLS = 400
"""Number of times that actions are sampled."""

SAMPLES_COMPARED = 8
"""Number of times that they are sampled and compared with those of the same seed."""

MOST_STARTS = 1 << 20
"""Most starts that are drawn for each game by its own seed."""


def check_batched(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a batched environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.single_action_space", env.single_action_space,
                  spaces.Discrete(game.rules.num_actions))  # fmt: skip
    inner = env.unwrapped.single_observation_space
    observed = Observed(game, encoding, env.single_observation_space, inner)
    observed.check_space(inner, masked=first_of(env).mask_in_observation)
    require_equal("env.observation_space", env.observation_space,
                  batch_space(env.single_observation_space, env.num_envs))  # fmt: skip
    check_before_reset(env, lambda: env.step(np.zeros(env.num_envs, dtype=np.int64)))
    checks = _Checks(env, game, observed)
    rng = np.random.default_rng(0)
    checks.games_in_lock_step(rng)
    checks.slow_games()
    check_seeds(checks.histories, game, checks.options)
    checks.seeds_of_each_game()
    if is_batch(env):
        checks.some_games_begin_anew()
        checks.samples()
        for name in COPIES:  # Gymnasium's vectors hold a generator, which no copy can
            checks.copies(name)
    checks.opponent(rng)
    checks.starts.check_seeds()
    checks.starts.check()
    checks.new_games(rng)
    checks.types_of_actions()
    checks.invalid_actions_raise()
    if is_batch(env):
        checks.begin(0, None)
        check_resets(env, game.rules, checks.positions)
        checks.invalid_reset_masks_raise()
    checks.every_position(rng)
    if is_batch(env):
        check_close(env)


def is_batch(env: Any) -> bool:
    """Return whether an environment is this package's own batch, not a vector of Gymnasium's."""
    return not hasattr(env.unwrapped, "envs")


def info_of(infos: Any, index: int) -> dict[str, Any]:
    """Return the entries of one game in infos, which a wrapper may have made a list."""
    if isinstance(infos, list):
        info: dict[str, Any] = infos[index]
        return info
    return {
        key: info_of(values, index) if isinstance(values, dict) else values[index]
        for key, values in infos.items()
        if not key.startswith("_") and (f"_{key}" not in infos or infos[f"_{key}"][index])
    }


def rows_of(batch: Any, row: int) -> Any:
    """Return a copy of a row of an array, or of a dictionary of them."""
    if isinstance(batch, Mapping):
        return {key: rows_of(part, row) for key, part in batch.items()}
    return batch[row].copy()


class _Checks(StepChecks):
    """The checks of one environment, one after the other."""

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        mode = AutoresetMode(env.metadata["autoreset_mode"])
        super().__init__(env, game, observed, env.num_envs, mode)
        self._turns = 0

    def reset(self, seed: Any, options: dict[str, Any] | None) -> list[tuple[Any, Any]]:
        """Reset all games, or those in a reset mask; return observations and infos."""
        begun = (options or {}).get("reset_mask", np.ones(self.size, dtype=np.bool_))
        # Gymnasium's vectors take the mask out of the options.
        observations, infos = self.env.reset(seed=seed, options=options and {**options})
        self._check_entries(infos, begun, "after a reset")
        return [(rows_of(observations, i), info_of(infos, i)) for i in range(self.size)]

    def step(self, actions: Any) -> list[Result]:
        """Make a step; return the results of each game."""
        observations, *results, infos = self.env.step(actions)
        kinds = {"rewards": np.float32, "terminations": np.bool_, "truncations": np.bool_}
        for (what, kind), values in zip(kinds.items(), results, strict=True):
            require_equal(f"the shape of the {what}", np.shape(values), (self.size,))
            if is_batch(self.env):
                require_dtype(f"the array of {what}", values, kind)
        if not self.env.observation_space.contains(observations):
            raise ConformanceError(
                f"the observations {text_of(observations)} are not in the space "
                f"{self.env.observation_space}"
            )
        self._check_entries(infos, np.ones(self.size, dtype=np.bool_), "after a step")
        rewards, terminations, truncations = results
        return [
            (
                rows_of(observations, i),
                *(rewards[i], bool(terminations[i]), bool(truncations[i])),
                info_of(infos, i),
            )
            for i in range(self.size)
        ]

    def _check_entries(self, infos: Any, which: BoolArray, where: str) -> None:
        """Check which games the infos say they have entries of."""
        if isinstance(infos, dict):
            for key in ("seat", "action_mask", "winner", *TRUTH):
                if key in infos:
                    require_equal(f"{where}, infos['_{key}']", infos.get(f"_{key}"), which)

    def positions(self) -> IntArray:
        """Return the positions of all games, ``(num_envs, components)``, as a copy."""
        unwrapped: Any = self.env.unwrapped
        if is_batch(self.env):
            positions: IntArray = unwrapped.positions
            return positions
        return np.stack([one.unwrapped.position for one in unwrapped.envs])

    def check_interface(self, seen: list[Seen], where: str) -> None:
        """Check coordinates and pictures."""
        self._turns += 1
        if is_batch(self.env):
            require_equal(f"{where}, env.coordinates", self.env.unwrapped.coordinates,
                          self.rules.coordinates(self.at))  # fmt: skip
        if self._turns <= RENDERED_TURNS:
            check_render(self.env, self.game, self.at, where)

    def final_turn(self, seen: Seen, state: State, move: tuple[IntArray, int], where: str) -> None:
        """Check the last turn of a game that was replaced in the same step."""
        for key in ("final_obs", "final_info"):
            require(key in seen.info, f"{where}, where a game ended, there is no {key} of it")
        where = f"{where}, at the end"
        last, last_info = seen.info["final_obs"], seen.info["final_info"]
        mask = self.observed.mask(last, last_info, where)
        final = Seen(last, last_info, mask, seen.position, seen.outcome)
        if not self.observed.plain:
            self.results.info_after(final, state, move, where)
            return
        before, action = move
        rules = self.rules
        reached = [before[np.newaxis]]
        if rules.action_mask(before)[action]:
            own = rules.step(before, np.array(action))
            reached = [own[np.newaxis], positions_reached(rules, own)]
        candidates = np.concatenate(reached)
        codes = self.observed.encoding.encode(candidates)
        matches = np.flatnonzero((codes == content(last)).all(axis=1))
        if not len(matches):
            raise ConformanceError(
                f"{where}, after action {action} at {before.tolist()}, the final observation "
                f"{text_of(last)} is of no position that play can have come to"
            )
        final = final._replace(position=candidates[matches[0]])
        self.results.check_step(final, state, move, where)

    def seeds_of_each_game(self) -> None:
        """Check that each game has its own seed, and depends on no other game."""
        sampled = number_of_positions(self.rules) > MOST_STARTS
        if sampled or callable(getattr(first_of(self.env), "opponent", None)):
            return
        seeds = [SEED + i for i in range(self.size)]
        together = self.histories(SEED)
        require_equal(f"what follows reset(seed=[{SEED}, {SEED} + 1, ...]), beside what follows "
                      f"reset(seed={SEED}),", self.histories(seeds), together)  # fmt: skip
        for i in range(self.size):
            others = [seed if j == i else seed + 1000 for j, seed in enumerate(seeds)]
            alone = self.histories(others)[i]
            require_equal(f"what follows in game {i} after a reset where the others have other "
                          "seeds,", alone, together[i])  # fmt: skip
        self.env.reset(seed=SEED, options=self.options)
        self.env.reset(seed=[None] * self.size, options=self.options)
        next_starts = self.positions()
        self.env.reset(seed=SEED, options=self.options)
        some: list[int | None] = [None if i % 2 == 0 else SEED for i in range(self.size)]
        self.env.reset(seed=some, options=self.options)
        require_equal(f"after reset(seed={some}) the positions of games whose seed is None",
                      self.positions()[::2], next_starts[::2])  # fmt: skip

    def some_games_begin_anew(self) -> None:
        """Check that a reset of some games leaves the others as they are."""
        self.begin(SEED, self.options)
        rng = np.random.default_rng(0)
        self.env.step(np.array([chosen_action(mask, rng) for mask in self.masks]))
        before, which = self.positions(), np.arange(self.size) % 2 == 0
        self.env.reset(options={**(self.options or {}), "reset_mask": which})
        require_equal(f"after a reset of the games {np.flatnonzero(which).tolist()} the positions "
                      "of the others", self.positions()[~which], before[~which])  # fmt: skip

    def samples(self) -> None:
        """Check that ``sample_actions`` is legal, uniform, seeded and without side effects."""
        sample = attribute(self.env, "sample_actions")
        self.begin(SEED, self.options)
        first = [np.array(sample()) for _ in range(SAMPLES_COMPARED)]
        draws = Draws("sample_actions()")
        self.begin(SEED, self.options)
        before = self.positions()
        for call in range(max(2, int(SAMPLE_CALLS * self.effort))):
            with during("sample_actions()"):
                actions = np.asarray(sample())
            if call < SAMPLES_COMPARED:
                require_equal(
                    "what sample_actions() returns after the same seed", actions, first[call]
                )
            require(
                actions.dtype == np.int64 and actions.shape == (self.size,),
                f"sample_actions() returned an array of dtype {actions.dtype} and shape "
                f"{actions.shape}, where int64 and ({self.size},) are expected",
            )
            for i, action in enumerate(actions.tolist()):
                legal = np.flatnonzero(self.masks[i])
                if action not in legal:
                    raise ConformanceError(
                        f"sample_actions() drew {action} at {before[i].tolist()}, where "
                        f"{text_of(legal)} are legal"
                    )
                even = np.full(len(legal), 1 / len(legal))
                none = np.zeros(len(legal))
                row = Choice(legal, positions_reached(self.rules, before[i]), none > 0, even, none)
                draws.choices.setdefault(before[i].tobytes(), row).counts[legal == action] += 1
        draws.check()
        require_equal("after sample_actions() the positions", self.positions(), before)

    def invalid_actions_raise(self) -> None:
        """Check that invalid actions raise and change nothing."""
        num_actions, size = self.rules.num_actions, self.size
        self.begin(0, None)
        before, legal = self.positions(), self.masks.argmax(axis=1)
        wrong: list[Any] = []
        for value in (-1, num_actions, 0.5, 1.0):
            actions = legal.astype(type(value))
            actions[-1] = value
            wrong.append(actions)
        if is_batch(self.env):  # Gymnasium's vectors convert what they hand on
            wrong += [legal > 0, legal[:-1], legal[:, np.newaxis], np.append(legal, 0), None]
            wrong += [[*legal[:-1].tolist(), value] for value in (True, "0", None, [0])]
        for actions in wrong:
            what = f"step({text_of(actions)}), which are not {size} actions,"
            require_error(what, self.env.step, actions)
            if is_batch(self.env):
                require_equal(f"after {what} the positions", self.positions(), before)
            else:  # some of several environments have made their step
                self.begin(0, None)

    def invalid_reset_masks_raise(self) -> None:
        """Check that ``reset`` refuses wrong masks and numbers of seeds, and changes nothing."""
        before, every = self.positions(), np.ones(self.size, dtype=np.bool_)
        masks = (~every, np.append(every, True), every.astype(np.int8), every.tolist())
        wrong = [{"options": {"reset_mask": mask}} for mask in masks]
        for arguments in [*wrong, {"seed": [0] * (self.size + 1)}]:
            what = f"reset({text_of(arguments)})"
            require_error(what, lambda given=arguments: self.env.reset(**given))
            require_equal(f"after {what}, which raised, the positions", self.positions(), before)
