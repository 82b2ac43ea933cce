"""The check of turn-based environments: PettingZoo's ``AECEnv``.

- Games played in lock-step with the rules agree with them in every turn; so does each action at
  each position of a small board, whichever player moves, after ``reset`` and ``set_position``.
- The player to move has the mask of legal actions, the other one all zeros, as both have where the
  game has terminated; where it is truncated, the player to move keeps its mask.
- Rewards are +1 and -1 at the end, 0 before; both players terminate together. They are truncated
  together after exactly ``max_cycles`` moves of each, and nowhere else.
- An illegal action, and ``forfeit``, lose; with ``illegal_move="raise"`` they raise, and the game
  goes on as if nothing had been tried.
- Infos are empty, or with ``truth_in_info=True`` tell the truth about the last moves of this game.
- ``last``, ``state``, ``agent_iter``, ``next_starts``, ``position`` and ``coordinates`` agree with
  the game; what they return is a copy.
- After the end a step takes ``None`` alone, once for each player; spaces are always the same.
- ``render`` shows the position; after ``close`` nothing can be played.
- PettingZoo's ``api_test`` passes on a copy.
"""

from __future__ import annotations

import copy
import io
import re
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from gymnasium import spaces

from nim_envs.encoding import Encoding
from nim_envs.errors import IllegalMoveError
from nim_envs.game import PLAYERS, Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.testing.arguments import (
    check_before_reset,
    check_resets,
    invalid_actions,
    invalid_reset_options,
    of_every_type,
)
from nim_envs.testing.draws import OpponentDraws
from nim_envs.testing.positions import some_positions, spread
from nim_envs.testing.rendering import check_close, check_render
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_equal,
    require_error,
    text_of,
)
from nim_envs.testing.results import check_entries, no_truth, truth_of
from nim_envs.testing.starts import Starts
from nim_envs.testing.turns import (
    PAIRS,
    SEED,
    Checks,
    Observed,
    Slowest,
    check_copy,
    check_seeds,
    chosen_action,
    content,
    most_moves,
    position_of,
)
from nim_envs.typing import IntArray

GAMES = 6
"""Number of games from each kind of start."""

COMPARED_GAMES = 8
"""Number of games with the same seed that are compared."""

MOST_MOVES = 1_000
"""Most moves of a game that are checked."""

EXPECTED_WARNINGS = (
    "Observation is not a NumPy array",  # a dict, as the action mask asks for
    "Observation space for each agent probably should be gymnasium.spaces.box or",
    "Observation numpy array is all zeros",  # empty heaps, total 0
    "Observation is a single number",  # one heap, one total
    "Action mask is a single number",  # one heap of one object
    "Action mask numpy array is all zeros",  # at the end of the game
    "Environment's maximum and minimum state space values are equal",  # an empty heap
    "State numpy array is all zeros",
)
"""Warnings of PettingZoo's tests that its own classic games cause too."""


def check_turn_based(env: Any, game: Game, encoding: Encoding) -> None:
    """Check a turn-based environment; see :func:`nim_envs.testing.check_env`."""
    require_equal("env.possible_agents", list(env.possible_agents), list(PLAYERS))
    for agent in PLAYERS:
        require_equal(f"env.action_space({agent!r})", env.action_space(agent),
                      spaces.Discrete(game.rules.num_actions))  # fmt: skip
        for space in (env.observation_space, env.action_space):
            require(
                space(agent) is space(agent), f"each call of {space.__name__} makes a new space"
            )
    inner = env.unwrapped.observation_space(PLAYERS[0])
    observed = Observed(game, encoding, env.observation_space(PLAYERS[0]), inner)
    observed.check_space(inner, masked=True)
    player = PLAYERS[0]
    check_before_reset(env, lambda: env.step(0), lambda: env.observe(player), env.last, env.state)
    checks = _Checks(env, game, observed)
    rng = np.random.default_rng(0)
    checks.games_in_lock_step(rng)
    checks.slow_games()
    checks.agents_in_turn(rng)
    checks.no_legal_move()
    check_seeds(checks.trace, game, checks.options)
    for name in COPIES:
        checks.copies(name)
    checks.next_starts_agree()
    checks.games_from_set_positions(rng)
    checks.starts.check_seeds()
    checks.starts.check()
    checks.types_of_actions()
    checks.invalid_actions_raise()
    checks.invalid_positions_are_refused()
    env.reset(seed=0)
    check_resets(env, game.rules, lambda: position_of(env))
    checks.every_position(rng)
    check_close(env)
    _check_by_pettingzoo(env)


def _check_by_pettingzoo(env: Any) -> None:
    """Run PettingZoo's own test on a copy, which it closes."""
    try:
        from pettingzoo.test.api_test import api_test
    except ImportError:  # it needs more than PettingZoo itself
        return
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=re.escape(message))
        with redirect_stdout(io.StringIO()), during("PettingZoo's api_test"):
            untyped: Any = api_test
            untyped(copy.deepcopy(env), num_cycles=50)


class _Checks(Checks):
    """The checks of one environment, one after the other."""

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        super().__init__(env, game, observed)
        # Expected infos about the last moves in the game in progress.
        self.truth: dict[str, dict[str, Any]] = {}
        self.most_moves = most_moves(env)
        self.starts = Starts(self.draw, game, 0, OpponentDraws(env, game), effort=self.effort)
        self._slowest = Slowest(game.rules)

    @property
    def position(self) -> IntArray:
        """The environment's position, a copy."""
        return position_of(self.env)

    def draw(self, games: int, seed: Any, options: Any) -> IntArray:
        """Begin games; return the seat to move and the positions, ``(games, 1 + components)``."""
        rows = []
        for index in range(games):
            self.env.reset(seed=None if index else seed, options=options)
            seat = PLAYERS.index(self.env.agent_selection)
            rows.append(np.insert(self.position, 0, seat))
        return np.stack(rows)

    def check_observations(self, position: IntArray, mover: str | None, where: str) -> None:
        """Check the observations of both players; ``mover`` alone has legal actions."""
        require_equal(f"{where}, the position", self.position, position)
        require_equal(f"{where}, env.coordinates", self.env.unwrapped.coordinates,
                      self.rules.coordinates(position))  # fmt: skip
        for agent in PLAYERS:
            with during(f"{where}, observe({agent!r})"):
                observation = self.env.observe(agent)
            here = f"{where}, for {agent}"
            self.observed.check(observation, position, here)
            mask = self.observed.mask(observation, {}, here)
            expected = self.rules.action_mask(position) if agent == mover else np.zeros_like(mask)
            whose = "to move" if agent == mover else "not to move"
            require_equal(
                f"{here}, who is {whose} at {position.tolist()}, the mask", mask, expected
            )
            content(observation)[...] = 1
            observation["action_mask"][...] = 1
            self.env.unwrapped.position[...] = 0
            require_equal(f"{where}, after what was observed was written to, the position",
                          self.position, position)  # fmt: skip

    def check_infos(self, where: str) -> None:
        """Check the infos: empty, or the truth about the last moves."""
        require_equal(f"{where}, the players with an info", set(self.env.infos), set(PLAYERS))
        for agent in PLAYERS:
            check_entries(self.env.infos[agent], self.truth[agent], f"{where}, for {agent}")

    def expect_no_truth(self) -> None:
        """Expect the infos from before the first move."""
        none = no_truth(self.game) if self.env.unwrapped.truth_in_info else {}
        self.truth = dict.fromkeys(PLAYERS, none)

    def expect_truth(self, agent: str, position: IntArray, action: int) -> None:
        """Expect the infos to hold the truth about a move."""
        if self.env.unwrapped.truth_in_info:
            self.truth[agent] = truth_of(self.game, position, action)

    def check_last(self, agent: str, reward: float, where: str) -> None:
        """Check ``last``, with the reward of an agent since its last move."""
        env = self.env
        with during(f"{where}, last()"):
            values = env.last()
        expected = {
            "observation": env.observe(agent),
            "reward": reward,
            "termination": env.terminations[agent],
            "truncation": env.truncations[agent],
            "info": env.infos[agent],
        }
        require_equal(f"{where}, the number of values of last()", len(values), len(expected))
        for one, (name, other) in zip(values, expected.items(), strict=True):
            require_equal(f"{where}, the {name} of last() for {agent}", one, other)

    def agents_in_turn(self, rng: np.random.Generator) -> None:
        """Check that ``agent_iter`` yields the players in turn, to the end of a game."""
        env = self.env
        env.reset(seed=SEED)
        previous = PLAYERS[1]
        with during("agent_iter()"):
            for agent in env.agent_iter():
                over = env.terminations[agent] or env.truncations[agent]
                require(
                    agent in PLAYERS and agent != previous,
                    f"agent_iter yields {agent!r} after {previous!r}",
                )
                mask = env.observe(agent)["action_mask"]
                env.step(None if over else int(rng.choice(np.flatnonzero(mask))))
                previous = agent
        require_equal("env.agents after agent_iter", list(env.agents), [])
        require_error("a step when no agent is left", env.unwrapped.step, None)

    def next_starts_agree(self) -> None:
        """Check that ``next_starts`` draws what resets would, without side effects."""
        env = self.env
        env.reset(seed=SEED, options=self.options)
        position, again = self.position, copy.deepcopy(env)
        with during(f"next_starts({GAMES})"):
            starts = env.next_starts(GAMES, self.options)
        require_equal("after next_starts the position", self.position, position)
        expected = []
        for _ in range(GAMES):
            again.reset(options=self.options)
            expected.append(again.unwrapped.position)
        require_equal(f"next_starts({GAMES})", starts, np.stack(expected))

    def games_in_lock_step(self, rng: np.random.Generator) -> None:
        """Play random games from both kinds of starts, and check every turn of them."""
        for game in range(max(1, int(GAMES * self.effort))):
            for options, seed in ((None, game), (self.options, None)):
                position, where = self.begin(options, seed)
                self.play(position, 0, where, lambda at: self._random(at, rng))

    def slow_games(self) -> None:
        """Play games that last long, so that they are truncated where there is a limit alone."""
        for options in (None, self.options):
            position, where = self.begin(options, SEED)
            self.play(position, 0, where, self._slowest)

    def _random(self, position: IntArray, rng: np.random.Generator) -> int:
        return int(rng.choice(np.flatnonzero(self.rules.action_mask(position))))

    def begin(self, options: dict[str, Any] | None, seed: int | None) -> tuple[IntArray, str]:
        """Reset; return the position, and the beginning of messages."""
        where = f"after reset(seed={seed}, options={options})"
        with during(where.removeprefix("after ")):
            self.env.reset(seed=seed, options=options)
        position = self.position
        require(not self.rules.is_terminal(position),
                f"{where}, {position.tolist()} leaves no move")  # fmt: skip
        require_equal(f"{where}, env.agents", list(self.env.agents), list(PLAYERS))
        self.expect_no_truth()
        return position, where

    def play(
        self, position: IntArray, mover: int, where: str, choose: Callable[[IntArray], int]
    ) -> None:
        """Play a game that has just begun to its end, and check every turn of it.

        Args:
            position: its first position, ``(components,)``.
            mover: seat to move.
            where: beginning of messages.
            choose: function from a position to a legal action.
        """
        env, rules = self.env, self.rules
        over, moves = False, 0
        most = max(1, int(MOST_MOVES * self.effort))
        while not over:
            if moves == most:
                return
            agent = PLAYERS[mover]
            require_equal(f"{where}, the agent to move", env.agent_selection, agent)
            self.check_observations(position, agent, where)
            self.check_ends(where, (0.0, 0.0), terminated=False, truncated=False)
            require_equal(
                f"{where}, env.state()", env.state(), [*rules.coordinate_tuple(position), mover]
            )
            require(env.unwrapped.state_space.contains(env.state()),
                    f"{where}, env.state() is not in the state space")  # fmt: skip
            self.check_last(agent, 0.0, where)
            check_render(env, self.game, position, where)
            action = choose(position)
            where = f"after action {action} of {agent} at {position.tolist()}"
            position, over = self.move(position, mover, action, moves)
            moves += 1
            mover = 1 - mover
        last_rewards = dict(env.rewards)
        require_error("an action at the end of a game", env.step, 0)
        for agent in (PLAYERS[mover], PLAYERS[1 - mover]):
            self.check_last(agent, last_rewards[agent], where)
            with during("step(None) at the end of a game"):
                env.step(None)
        require_equal("env.agents after all have stepped with None", list(env.agents), [])

    def move(
        self, position: IntArray, mover: int, action: int, moves: int
    ) -> tuple[IntArray, bool]:
        """Make a legal move, and check its results.

        Args:
            position: position before it, ``(components,)``.
            mover: seat that makes it.
            action: the action.
            moves: number of moves in the game before it.

        Returns:
            The next position, and whether the game is over.
        """
        agent, other = PLAYERS[mover], PLAYERS[1 - mover]
        where = f"after action {action} of {agent} at {position.tolist()}"
        with during(f"step({action}) of {agent} at {position.tolist()}"):
            self.env.step(action)
        self.expect_truth(agent, position, action)
        position = self.rules.step(position, np.array(action))
        if self.rules.is_terminal(position):
            value = float(self.game.convention.end_values(self.rules, position))
            rewards = (-value, value) if mover == 0 else (value, -value)
            self.check_ends(where, rewards, terminated=True, truncated=False)
            self.check_observations(position, None, where)
            return position, True
        cut = moves + 1 >= self.most_moves
        where = f"{where}, move {moves + 1} of the game" if cut else where
        self.check_ends(where, (0.0, 0.0), terminated=False, truncated=cut)
        self.check_observations(
            position, other, f"{where}, where the game was truncated" if cut else where
        )
        return position, cut

    def every_position(self, rng: np.random.Generator) -> None:
        """Check the actions of both players at each position, where there are few, or at some."""
        pairs = int(PAIRS * self.effort)
        positions = some_positions(self.rules, max(2, pairs // 4), playable=True)
        set_position = getattr(self.env, "set_position", None)
        for start in positions:
            options = {"start": self.rules.coordinate_tuple(start)}
            legal = self.rules.action_mask(start)
            order = rng.permutation(self.rules.num_actions)[: max(2, pairs // len(positions))]
            for index, action in enumerate(order.tolist()):
                seat, where = 0, f"after reset(options={options})"
                if index % 2 and set_position is not None:
                    seat, where = 1, f"after set_position({start.tolist()}, {PLAYERS[1]!r})"
                    set_position(start, PLAYERS[1])
                else:
                    self.env.reset(options=options)
                if index < 2:
                    mover = self.env.agent_selection
                    require_equal(f"{where}, the agent to move", mover, PLAYERS[seat])
                    self.check_observations(start, mover, where)
                self.expect_no_truth()
                if legal[action]:
                    self.move(start, seat, action, 0)
                else:
                    self.check_forfeit(action, start, PLAYERS[seat])

    def check_ends(
        self, where: str, rewards: tuple[float, float], *, terminated: bool, truncated: bool
    ) -> None:
        """Check the rewards, and that both players terminate or are truncated together."""
        env = self.env
        for what, actual, expected in (
            ("terminations", env.terminations, (terminated, terminated)),
            ("truncations", env.truncations, (truncated, truncated)),
            ("rewards", env.rewards, rewards),
        ):
            require_equal(f"{where}, env.{what}", dict(actual),
                          dict(zip(PLAYERS, expected, strict=True)))  # fmt: skip
        self.check_infos(where)

    def no_legal_move(self) -> None:
        """Check that a mover who names no legal move forfeits as by an illegal action."""
        self.env.reset(options=self.options)
        self.expect_no_truth()
        self.check_forfeit(NO_LEGAL_MOVE, self.position, self.env.agent_selection)

    def check_forfeit(self, action: int, position: IntArray, agent: str) -> None:
        """Check an illegal action."""
        named = action != NO_LEGAL_MOVE
        what = f"the illegal action {action}" if named else "forfeit()"
        where = f"after {what} of {agent} at {position.tolist()}"
        with during(f"step({action}), an illegal action," if named else "forfeit()"):
            try:
                self.env.step(action) if named else self.env.unwrapped.forfeit()
            except IllegalMoveError:
                self.check_ends(where, (0.0, 0.0), terminated=False, truncated=False)
                self.check_observations(position, agent, where)
                return
        self.expect_truth(agent, position, action)
        rewards = (-1.0, 1.0) if agent == PLAYERS[0] else (1.0, -1.0)
        self.check_ends(where, rewards, terminated=True, truncated=False)
        self.check_observations(position, None, where)

    def copies(self, name: str) -> None:
        """Check that a copy keeps the position, is independent, and draws the same starts."""
        env = self.env
        env.reset(seed=1)
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        again = check_copy(
            env, name, position_of, lambda one: self.play_on(one, np.random.default_rng(0))
        )
        for one in (again, env):
            one.reset(options=self.options)
        require_equal(
            f"the next start of a copy by {name}", again.unwrapped.position, self.position
        )

    def invalid_actions_raise(self) -> None:
        """Check that an invalid action raises and changes nothing."""
        self.env.reset(seed=0)
        before = self.position
        for action in invalid_actions(self.rules.num_actions):
            what = f"step({action!r}), which is no action of a game that goes on,"
            require_error(what, self.env.step, action)
            require_equal(f"after step({action!r}) the position", self.position, before)

    def types_of_actions(self) -> None:
        """Check that an action means the same as any type of integer."""
        self.env.reset(seed=0)
        start = self.position
        legal = np.flatnonzero(self.rules.action_mask(start))
        for action in legal[spread(len(legal), GAMES)].tolist():
            for one in of_every_type(action, spaces.Discrete(self.rules.num_actions)):
                self.env.reset(seed=0)
                with during(f"step({one!r}) with an action of type {type(one).__name__}"):
                    self.env.step(one)
                require_equal(
                    f"after step({one!r}) of type {type(one).__name__} at {start.tolist()}, the "
                    "position", self.position, self.rules.step(start, np.array(action)),
                )  # fmt: skip

    def games_from_set_positions(self, rng: np.random.Generator) -> None:
        """Check ``set_position``, where there is one, in the middle of other games."""
        set_position = getattr(self.env, "set_position", None)
        if set_position is None:
            return
        for index, position in enumerate(some_positions(self.rules, GAMES, playable=True)):
            seat = index % 2
            self.env.reset(seed=index)
            self.env.step(self._random(self.position, rng))
            where = f"after set_position({position.tolist()}, {PLAYERS[seat]!r})"
            with during(where.removeprefix("after ")):
                set_position(
                    self.rules.coordinate_tuple(position) if seat else position, PLAYERS[seat]
                )
            self.expect_no_truth()
            self.play(position, seat, where, self._slowest)

    def invalid_positions_are_refused(self) -> None:
        """Check that ``set_position`` refuses invalid or terminal positions and invalid players."""
        set_position = getattr(self.env, "set_position", None)
        if set_position is None:
            return
        self.env.reset(seed=0)
        before = self.position
        wrong = [each["start"] for each in invalid_reset_options(self.rules) if "start" in each]
        for arguments in [*((start,) for start in wrong), (before, "player_2"), (before[None],)]:
            what = f"set_position{text_of(arguments)}"
            require_error(what, set_position, *arguments)
            require_equal(f"after {what}, which raised, the position", self.position, before)

    def trace(self, seed: int) -> list[Any]:
        """Return the results of some games after a seeded reset, with the same choices."""
        rng = np.random.default_rng(0)
        seen: list[Any] = []
        for game in range(COMPARED_GAMES):
            self.env.reset(seed=None if game else seed, options=self.options)
            seen += self.play_on(self.env, rng)
        return seen

    def play_on(self, env: Any, rng: np.random.Generator) -> list[Any]:
        """Play a game to its end by random legal actions; return all results."""
        seen: list[Any] = [position_of(env).tolist()]
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(chosen_action(mask, rng))
            seen.append((position_of(env).tolist(), dict(env.rewards), dict(env.truncations)))
        return seen
