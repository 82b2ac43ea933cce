"""The check of turn-based environments: PettingZoo's ``AECEnv``."""

from __future__ import annotations

import copy
import io
import re
import warnings
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from gymnasium import spaces

from nim_envs.encoding import Encoding
from nim_envs.errors import IllegalMoveError
from nim_envs.game import PLAYERS, Game
from nim_envs.players import NO_LEGAL_MOVE
from nim_envs.rules.component import IntArray
from nim_envs.testing.positions import some_positions
from nim_envs.testing.requirements import (
    COPIES,
    during,
    require,
    require_equal,
    require_error,
)
from nim_envs.testing.results import TRUTH, check_entries, truth_of
from nim_envs.testing.shows import check_close, check_render
from nim_envs.testing.turns import (
    SEED,
    ChecksOfOneGame,
    Observed,
    check_seeds,
    chosen_action,
    content,
    position_of,
)

GAMES = 6
"""Number of games from each kind of start."""

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
    space = env.observation_space(PLAYERS[0])
    checks = _Checks(
        env, game, Observed(game, encoding, space, env.unwrapped.observation_space(PLAYERS[0]))
    )
    rng = np.random.default_rng(0)
    checks.games_in_lock_step(rng)
    checks.agents_in_turn(rng)
    checks.what_is_no_action()
    checks.illegal_action(rng)
    checks.no_legal_move()
    check_seeds(checks.trace, game, checks.options)
    for name in COPIES:
        checks.copies(name)
    checks.starts_to_come()
    checks.positions_that_are_set()
    checks.starts_of_ones_own()
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


class _Checks(ChecksOfOneGame):
    """The checks of one environment, one after the other."""

    games = GAMES

    def __init__(self, env: Any, game: Game, observed: Observed) -> None:
        super().__init__(env, game, observed)
        # Expected infos about the last moves in the game in progress.
        self.truth: dict[str, dict[str, bool]] = {}

    def seen(self, position: IntArray, mover: str | None, where: str) -> None:
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

    def infos(self, where: str) -> None:
        """Check the infos: empty, or the truth about the last moves."""
        require_equal(f"{where}, the players with an info", set(self.env.infos), set(PLAYERS))
        for agent in PLAYERS:
            check_entries(self.env.infos[agent], self.truth[agent], f"{where}, for {agent}")

    def no_truth_yet(self) -> None:
        """Expect the infos from before the first move."""
        told = TRUTH if self.env.unwrapped.truth_in_info else ()
        self.truth = {agent: dict.fromkeys(told, False) for agent in PLAYERS}

    def truth_of_move(self, agent: str, position: IntArray, action: int) -> None:
        """Expect the infos to hold the truth about a move."""
        if self.env.unwrapped.truth_in_info:
            self.truth[agent] = truth_of(self.game, position, action)

    def last(self, agent: str, reward: float, where: str) -> None:
        """Check ``last``, with the reward of an agent since its last move."""
        env = self.env
        with during(f"{where}, last()"):
            found = env.last()
        expected = (
            *(env.observe(agent), reward, env.terminations[agent], env.truncations[agent]),
            env.infos[agent],
        )
        names = ("observation", "reward", "termination", "truncation", "info")
        require_equal(f"{where}, the number of values of last()", len(found), len(names))
        for name, one, other in zip(names, found, expected, strict=True):
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

    def starts_to_come(self) -> None:
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

    def game_in_lock_step(
        self, rng: np.random.Generator, options: dict[str, Any] | None, seed: int | None
    ) -> None:
        """Play one random game, and check every turn of it."""
        env, rules = self.env, self.rules
        where = f"after reset(seed={seed}, options={options})"
        with during(where.removeprefix("after ")):
            env.reset(seed=seed, options=options)
        position, mover = self.position, 0
        require(not rules.is_terminal(position), f"{where}, {position.tolist()} leaves no move")
        require_equal(f"{where}, env.agents", list(env.agents), list(PLAYERS))
        self.no_truth_yet()
        while True:
            agent, other = PLAYERS[mover], PLAYERS[1 - mover]
            require_equal(f"{where}, the agent to move", env.agent_selection, agent)
            self.seen(position, agent, where)
            self.ends(where, (0.0, 0.0), terminated=False, truncated=False)
            require_equal(f"{where}, env.state()", env.state(), [*rules.shown(position), mover])
            require(env.unwrapped.state_space.contains(env.state()),
                    f"{where}, env.state() is not in the state space")  # fmt: skip
            self.last(agent, 0.0, where)
            check_render(env, self.game, position, where)
            action = int(rng.choice(np.flatnonzero(rules.action_mask(position))))
            where = f"after action {action} of {agent} at {position.tolist()}"
            with during(f"step({action}) of {agent} at {position.tolist()}"):
                env.step(action)
            self.truth_of_move(agent, position, action)
            position = rules.step(position, np.array(action))
            if rules.is_terminal(position):
                winner = self.game.convention.winner(last_mover=mover)
                rewards = (1.0, -1.0) if winner == 0 else (-1.0, 1.0)
                self.ends(where, rewards, terminated=True, truncated=False)
                self.seen(position, None, where)
                break
            if any(env.truncations.values()):
                self.ends(where, (0.0, 0.0), terminated=False, truncated=True)
                self.seen(position, other, f"{where}, where the game was truncated")
                break
            mover = 1 - mover
        last_rewards = dict(env.rewards)
        require_error("an action at the end of a game", env.step, 0)
        for left in (other, agent):
            self.last(left, last_rewards[left], where)
            with during("step(None) at the end of a game"):
                env.step(None)
        require_equal("env.agents after all have stepped with None", list(env.agents), [])

    def ends(
        self, where: str, rewards: tuple[float, float], *, terminated: bool, truncated: bool
    ) -> None:
        """Check the rewards, and that both players terminate or are truncated together."""
        env = self.env
        for what, found, expected in (
            ("terminations", env.terminations, (terminated, terminated)),
            ("truncations", env.truncations, (truncated, truncated)),
            ("rewards", env.rewards, rewards),
        ):
            require_equal(f"{where}, env.{what}", dict(found),
                          dict(zip(PLAYERS, expected, strict=True)))  # fmt: skip
        self.infos(where)

    def illegal_action(self, rng: np.random.Generator) -> None:
        """Check that an illegal action forfeits, or raises and changes nothing."""
        env = self.env
        for _ in range(GAMES):
            env.reset(options=self.options)
            self.no_truth_yet()
            while not any(env.terminations.values()) and not any(env.truncations.values()):
                position, agent = self.position, env.agent_selection
                mask = self.rules.action_mask(position)
                if not mask.all():
                    self.forfeits(int(rng.choice(np.flatnonzero(mask == 0))), position, agent)
                    return
                action = int(rng.choice(np.flatnonzero(mask)))
                env.step(action)
                self.truth_of_move(agent, position, action)

    def no_legal_move(self) -> None:
        """Check that a mover who names no legal move forfeits as by an illegal action."""
        self.env.reset(options=self.options)
        self.no_truth_yet()
        self.forfeits(NO_LEGAL_MOVE, self.position, self.env.agent_selection)

    def forfeits(self, action: int, position: IntArray, agent: str) -> None:
        """Check an illegal action."""
        named = action != NO_LEGAL_MOVE
        what = f"the illegal action {action}" if named else "forfeit()"
        where = f"after {what} of {agent} at {position.tolist()}"
        with during(f"step({action}), an illegal action," if named else "forfeit()"):
            try:
                self.env.step(action) if named else self.env.unwrapped.forfeit()
            except IllegalMoveError:
                self.ends(where, (0.0, 0.0), terminated=False, truncated=False)
                self.seen(position, agent, where)
                return
        self.truth_of_move(agent, position, action)
        rewards = (-1.0, 1.0) if agent == PLAYERS[0] else (1.0, -1.0)
        self.ends(where, rewards, terminated=True, truncated=False)
        self.seen(position, None, where)

    def copies(self, name: str) -> None:
        """Check that a copy keeps the position, is independent, and draws the same starts."""
        env = self.env
        env.reset(seed=1)
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        again = self.copy(name)
        for one in (again, env):
            one.reset(options=self.options)
        require_equal(
            f"the next start of a copy by {name}", again.unwrapped.position, self.position
        )

    def positions_that_are_set(self) -> None:
        """Check ``set_position``, where there is one."""
        set_position = getattr(self.env, "set_position", None)
        if set_position is None:
            return
        for number, position in enumerate(some_positions(self.rules, GAMES, playable=True)):
            agent = PLAYERS[number % 2]
            where = f"after set_position({position.tolist()}, {agent!r})"
            with during(where.removeprefix("after ")):
                set_position(self.rules.shown(position) if number % 2 else position, agent)
            require_equal(f"{where}, the agent to move", self.env.agent_selection, agent)
            self.seen(position, agent, where)
            self.no_truth_yet()
            self.ends(where, (0.0, 0.0), terminated=False, truncated=False)

    def starts_of_ones_own(self) -> None:
        """Check resets to given positions."""
        for position in some_positions(self.rules, GAMES, playable=True):
            options = {"start": self.rules.shown(position)}
            with during(f"reset(options={options})"):
                self.env.reset(options=options)
            self.seen(position, PLAYERS[0], f"after reset(options={options})")

    def play_on(self, env: Any, rng: np.random.Generator) -> list[Any]:
        """Play a game to its end by random legal actions; return all results."""
        seen: list[Any] = [position_of(env).tolist()]
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(chosen_action(mask, rng))
            seen.append((position_of(env).tolist(), dict(env.rewards), dict(env.truncations)))
        return seen
