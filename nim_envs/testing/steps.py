"""Checks of environments whose ``step`` returns results: Gymnasium's, alone or in a batch.

- Games played by random actions, legal and illegal, agree with the rules in every turn; so does
  each action at each position of a small board, whether games begin there or come to it.
- An illegal action forfeits; with ``illegal_move="raise"`` it raises, and changes nothing.
- A reset to a position begins there; where the agent is ``player_1``, the opponent has moved.
- Arrays that were returned are the caller's own: later calls leave them as they are.
- Each new game, after a reset or within a step, begins where ``start`` says.
- The same seed gives the same games, and a copy goes on as the environment itself would.
- Actions of every type of integers mean the same, and nothing else is an action.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from nim_envs.errors import IllegalMoveError
from nim_envs.game import Game
from nim_envs.testing.arguments import of_every_type
from nim_envs.testing.positions import some_positions, spread
from nim_envs.testing.requirements import (
    during,
    require,
    require_equal,
    require_error,
    same,
    text_of,
)
from nim_envs.testing.results import Results, Seen, State
from nim_envs.testing.starts import LEAST_GAMES, Starts
from nim_envs.testing.turns import (
    GOES_ON,
    PAIRS,
    Checks,
    Observed,
    Outcome,
    Slowest,
    check_copy,
    chosen_action,
    illegal_move_raises,
    positions_reached,
)
from nim_envs.typing import BoolArray, IntArray

STEPS = 40
"""Number of steps of each kind in a batch; in a single environment four times that."""

MOST_STEPS = 400
"""Most steps in which games are played slowly, until one is truncated."""

REPLIES = 3_000
"""Number of the opponent's moves that are drawn and tested."""

Result = tuple[Any, float, bool, bool, Any]
"""Observation, reward, terminated, truncated and info of one game."""


class StepChecks(Checks, ABC):
    """The checks of one environment, which plays one game or several.

    Args:
        env: the environment, wrapped or not.
        game: the game that is played.
        observed: checks of its observations.
        size: number of games.
        mode: autoreset mode.

    Attributes:
        at: positions of all games, ``(games, components)``.
        masks: their action masks, ``(games, actions)``.
        states: their histories.
        over: which have ended, ``(games,)``.
    """

    def __init__(
        self, env: Any, game: Game, observed: Observed, size: int, mode: AutoresetMode
    ) -> None:
        super().__init__(env, game, observed)
        self.size = size
        self.mode = mode
        self.raises = illegal_move_raises(env)
        self.results = Results(env, game, observed)
        self.replies = self.results.replies
        self.starts = Starts(self.draw, game, self.results.seat, self.replies, effort=self.effort)
        self.at: IntArray = np.zeros((size, len(game.rules.components)), dtype=np.int64)
        self.masks: IntArray = np.zeros((size, game.rules.num_actions), dtype=np.int8)
        self.states = [State(0)] * size
        self.over = np.zeros(size, dtype=np.bool_)
        self._returned: Any = None
        self._slowest = Slowest(game.rules)

    @abstractmethod
    def reset(self, seed: Any, options: dict[str, Any] | None) -> list[tuple[Any, Any]]:
        """Reset; return the observation and the info of each game."""

    @abstractmethod
    def step(self, actions: Any) -> list[Result]:
        """Make a step; return the results of each game."""

    @abstractmethod
    def positions(self) -> IntArray:
        """Return the positions of all games, ``(games, components)``, as a copy."""

    def check_interface(self, seen: list[Seen], where: str) -> None:
        """Check what an interface has besides; ``seen`` may be written to."""

    def masks_of(self, results: list[tuple[Any, Any]], where: str) -> list[IntArray]:
        """Return the checked masks out of observations and infos."""
        return [self.observed.mask(observation, info, where) for observation, info in results]

    def _unchanged(self, call: Any, where: str) -> Any:
        """Return the result of a call, checked to leave what was returned before as it was."""
        before = copy.deepcopy(self._returned) if getattr(self.env.unwrapped, "copy", True) else ()
        returned = call()
        if before and not same(self._returned, before):
            changed = next(i for i, pair in enumerate(before) if not same(self._returned[i], pair))
            require_equal(
                f"{where}, what the call before had returned of game {changed}",
                self._returned[changed], before[changed],
            )  # fmt: skip
        self._returned = [(one[0], one[-1]) for one in returned]
        return returned

    def begin(
        self, seed: Any, options: dict[str, Any] | None, which: BoolArray | None = None
    ) -> None:
        """Reset all games, or those in ``which``, and check their first results.

        Args:
            seed: passed to ``reset``.
            options: passed to ``reset``.
            which: ``(games,)``; ``None``: all, without a mask of games in the options.
        """
        if which is not None:
            options = {**(options or {}), "reset_mask": which}
        where = f"after reset(seed={seed}, options={options})"
        with during(where.removeprefix("after ")):
            results = self._unchanged(lambda: self.reset(seed, options), where)
        begun = np.ones(self.size, dtype=np.bool_) if which is None else which
        before, self.at = self.at, self.positions()
        masks = self.masks_of([one for one, new in zip(results, begun, strict=True) if new], where)
        seen = []
        for i in np.flatnonzero(begun):
            self.masks[i] = masks.pop(0)
            observation, info = results[i]
            seen.append(Seen(observation, info, self.masks[i].copy(), self.at[i]))
            self.states[i] = self.results.check_start(seen[-1], self.in_game(i, where))
        for i in np.flatnonzero(~begun):
            require_equal(f"{self.in_game(i, where)}, which goes on, the position",
                          self.at[i], before[i])  # fmt: skip
            self.observed.check(results[i][0], self.at[i], self.in_game(i, where))
        self.over = self.over & ~begun
        self.check_interface(seen, where)

    def in_game(self, index: Any, where: str) -> str:
        """Return the beginning of a message on one game."""
        return where if self.size == 1 else f"{where}, in game {index}"

    def turn(self, actions: IntArray, where: str) -> list[Seen]:
        """Make a step in all games, and check its results."""
        before, ended = self.at, self.over.copy()
        self._replace_illegal(actions, ended)
        call = f"step({actions.tolist()}) at {text_of(before)}"
        with during(call):
            results = self._unchanged(lambda: self.step(actions), f"{where}, after {call}")
        self.at = self.positions()
        masks = self.masks_of([(one[0], one[-1]) for one in results], where)
        seen = []
        for i, (observation, reward, terminated, truncated, info) in enumerate(results):
            here = self.in_game(i, where)
            outcome = Outcome(float(reward), bool(terminated), bool(truncated))
            one = Seen(observation, info, masks[i].copy(), self.at[i], outcome)
            seen.append(one)
            self.masks[i] = masks[i]
            self.over[i] = terminated or truncated
            move = (before[i], int(actions[i]))
            if ended[i] and self.mode is AutoresetMode.NEXT_STEP:
                require_equal(f"{here}, which begins anew, reward and end", outcome, GOES_ON)
                self.states[i] = self._check_new_game(one, here)
            elif self.over[i] and self.mode is AutoresetMode.SAME_STEP:
                self.final_turn(one, self.states[i], move, here)
                self.over[i] = False
                self.states[i] = self._check_new_game(one._replace(outcome=GOES_ON), here)
            else:
                final = "final_obs" in info or "final_info" in info
                require(not final, f"{here}, there is final_obs or final_info before the end")
                self.states[i] = self.results.check_step(one, self.states[i], move, here)
        self.check_interface(seen, where)
        return seen

    def _check_new_game(self, seen: Seen, where: str) -> State:
        """Check a game that begins within a step."""
        state = self.results.check_start(seen, where)
        row = np.array([[state.seat, *seen.position]])
        self.starts.check_own(row, where)
        return state

    def _replace_illegal(self, actions: IntArray, ended: BoolArray) -> None:
        """Replace illegal actions by legal ones where they raise, after a check that they do."""
        if not self.raises:
            return
        legal = self.masks[np.arange(self.size), actions] | ended
        if not legal.all():
            call = f"step({actions.tolist()}), illegal at {text_of(self.at)}"
            where = f"{call}, with illegal_move='raise',"
            require_error(where, self.step, actions.copy(), kind=IllegalMoveError)
            require_equal(f"after {where} the position", self.positions(), self.at)
            actions[...] = np.where(legal, actions, self.masks.argmax(axis=1))

    def final_turn(self, seen: Seen, state: State, move: tuple[IntArray, int], where: str) -> None:
        """Check the last turn of a game that was replaced in the same step."""
        raise NotImplementedError

    def begin_ended(self) -> None:
        """Reset the games that have ended and do not reset themselves."""
        if self.over.any() and self.mode is AutoresetMode.DISABLED:
            which = self.over.copy()
            self.begin(None, None, which)
            rows = self.rows()[which]
            self.starts.check_own(rows, "after a reset without options")

    def rows(self) -> IntArray:
        """Return seats and positions of all games, ``(games, 1 + components)``."""
        return np.insert(self.at, 0, [state.seat for state in self.states], axis=1)

    def games_in_lock_step(self, rng: np.random.Generator) -> None:
        """Make random steps from both kinds of starts, and check them."""
        steps = max(STEPS, 4 * STEPS // self.size)
        for options in (None, self.options):
            self.begin(0, options)
            for step in range(max(4, int(steps * self.effort))):
                actions = np.array([chosen_action(mask, rng, 0.9) for mask in self.masks])
                self.turn(actions, f"in step {step}")
                self.begin_ended()

    def slow_games(self) -> None:
        """Play games that last long, so that they are truncated where there is a limit alone."""
        steps = STEPS if self.results.most_moves == np.inf else MOST_STEPS
        self.begin(1, None)
        for step in range(max(4, int(steps * self.effort))):
            actions = [
                0 if over else self._slowest(at)
                for at, over in zip(self.at, self.over, strict=True)
            ]
            seen = self.turn(np.array(actions), f"in slow step {step}")
            if any(one.outcome.truncated for one in seen):
                return
            self.begin_ended()

    def beginnings(self, most: int) -> IntArray:
        """Return up to ``most`` positions that an agent's first move can follow.

        An agent that may be ``player_1`` is not given starts that a first move ends.
        """
        positions = some_positions(self.rules, most, playable=True)
        if self.results.seat == 0:
            return positions
        ended = [
            self.rules.is_terminal(positions_reached(self.rules, position)).any()
            for position in positions
        ]
        return positions[~np.array(ended, dtype=np.bool_)]

    def every_position(self, rng: np.random.Generator) -> None:
        """Check the actions at each position, where there are few, or at some."""
        pairs = int(PAIRS * self.effort)
        positions = self.beginnings(max(2, pairs // max(4, self.size)))
        for start in positions:
            options = {"start": self.rules.coordinate_tuple(start)}
            order = rng.permutation(self.rules.num_actions)[: max(1, pairs // len(positions))]
            for first in range(0, len(order), self.size):
                self.begin(None, options)
                where = f"after a reset to {start.tolist()}"
                for i, position in enumerate(self.at):
                    if self.states[i].seat == 0:
                        require_equal(
                            f"{self.in_game(i, where)} as player_0, the position", position, start
                        )
                    else:
                        self.replies.move(start, position, where)
                chosen = np.resize(order[first : first + self.size], self.size)
                self.turn(chosen, where)

    def opponent(self, rng: np.random.Generator) -> None:
        """Test how the opponent draws, in its first moves too, where the solution tells it."""
        if not self.replies.judged:
            return
        replies = int(REPLIES * self.effort)
        positions = self.beginnings(replies)
        if not len(positions):
            return
        same_step = self.mode is AutoresetMode.SAME_STEP
        for index in np.resize(rng.permutation(len(positions)), -(-replies // self.size)):
            start = positions[index]
            results = self.reset(None, {"start": self.rules.coordinate_tuple(start)})
            second = [bool(info["seat"]) for _, info in results]
            where = f"after a reset to {start.tolist()}"
            moves = []
            for i, before in enumerate(self.positions()):
                if second[i]:
                    self.replies.move(start, before, self.in_game(i, where), counts=True)
                moves.append(self.replies.legal_moves(before))
            require(all(len(each.actions) for each in moves), f"{where}, a game is over")
            chosen = [int(rng.integers(len(each.actions))) for each in moves]
            self.step(np.array([each.actions[k] for each, k in zip(moves, chosen, strict=True)]))
            for i, after in enumerate(self.positions()):
                if second[i] or moves[i].ends[chosen[i]]:
                    continue
                own = moves[i].reached[chosen[i]]
                # Where the reply ends a game, a new one may have begun.
                if not (same_step and self.replies.legal_moves(own).ends.any()):
                    self.replies.move(own, after, self.in_game(i, "in play"), counts=True)
        self.replies.check()

    def draw(self, games: int, seed: Any, options: Any) -> IntArray:
        """Begin games; return seats and positions, ``(games, 1 + components)``."""
        rows = []
        for first in range(0, games, self.size):
            results = self.reset(None if first else seed, options)
            seats = [info["seat"] for _, info in results]
            rows.append(np.insert(self.positions(), 0, seats, axis=1))
        return np.concatenate(rows)[:games]

    def new_games(self, rng: np.random.Generator) -> None:
        """Check the starts of games that begin after others, within steps where these do so."""
        games = max(1, int(LEAST_GAMES * self.effort) // self.size)
        rows: list[list[IntArray]] = [[] for _ in range(self.size)]
        self.begin(2, None)
        for step in range(MOST_STEPS):
            ended = self.over.copy()
            actions = np.array([chosen_action(mask, rng) for mask in self.masks])
            seen = self.turn(actions, f"in step {step}")
            begun = ended
            if self.mode is AutoresetMode.SAME_STEP:
                begun = np.array([one.outcome.terminated or one.outcome.truncated for one in seen])
            if self.mode is AutoresetMode.DISABLED:
                begun = self.over.copy()
                self.begin_ended()
            for i in np.flatnonzero(begun):
                rows[i].append(self.rows()[i])
            if min(map(len, rows)) >= games:
                chosen = np.array([row for each in rows for row in each[:games]])
                self.starts.check_own(chosen, "in games that begin after others")
                return

    def histories(self, seed: Any) -> list[list[Any]]:
        """Return the results of some steps, game by game, with the same choices after any seed."""
        self.reset(seed, self.options)
        return self._play(max(STEPS // 4, STEPS // self.size))

    def _play(self, steps: int) -> list[list[Any]]:
        """Make steps by random legal actions, the same each time; return results by game."""
        rngs = [np.random.default_rng(i) for i in range(self.size)]
        seen = [[at.tolist()] for at in self.positions()]
        for _ in range(steps):
            masks = self.rules.action_mask(self.positions())
            actions = [chosen_action(mask, rng) for mask, rng in zip(masks, rngs, strict=True)]
            results = self.step(np.array(actions))
            for each, one, at in zip(seen, results, self.positions(), strict=True):
                each.append((at.tolist(), *map(float, one[1:4])))
            ended = np.array([one[2] or one[3] for one in results])
            if ended.any() and self.mode is AutoresetMode.DISABLED:
                self.reset(None, {**(self.options or {}), "reset_mask": ended})
        return seen

    def copies(self, name: str) -> None:
        """Check that a copy keeps the positions, is independent, and continues alike.

        Args:
            name: a key of :data:`nim_envs.testing.requirements.COPIES`.
        """
        self.reset(1, self.options)
        self._play(1)
        check_copy(
            self.env,
            name,
            lambda env: self._of(env).positions(),
            lambda env: self._of(env)._play(STEPS // 4),
            "position" if self.size == 1 else "positions",
        )

    def _of(self, env: Any) -> StepChecks:
        """Return these checks of another environment, such as a copy."""
        checks = copy.copy(self)
        checks.env = env
        return checks

    def types_of_actions(self) -> None:
        """Check that an action means the same as any type of integer."""
        self.begin(0, None)
        common = np.flatnonzero(self.masks.all(axis=0))
        for action in common[spread(len(common), 4)].tolist():
            expected = None
            for one in of_every_type(action, spaces.Discrete(self.rules.num_actions)):
                self.begin(0, None)
                actions: Any = np.full(self.size, one) if self.size > 1 else [one]
                with during(f"step with the action {one!r} of type {type(one).__name__}"):
                    results = [
                        (each[1:4], at.tolist())
                        for each, at in zip(self.step(actions), self.positions(), strict=True)
                    ]
                if expected is not None:
                    require_equal(f"what step({one!r}) of type {type(one).__name__} comes to",
                                  results, expected)  # fmt: skip
                expected = results
