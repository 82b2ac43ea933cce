"""Checks of anybody's environments and games, in lock-step with the rules."""

import copy
import importlib
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from graphlib import CycleError, TopologicalSorter
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from pettingzoo import AECEnv

from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.typing import Position

MOST_MOVES = 1_000_000
"""Most moves of games that are searched."""


def check_env(
    env: Any, game: Game | None = None, *, position_of: Callable[[Any], Any] | None = None
) -> None:
    """Check an environment of a game that is known here, whoever wrote it.

    200 seeded games are played in lock-step with the rules. The environment is wrong where

    - a game does not begin as ``game`` does, or a move leads elsewhere; in a Gymnasium environment
      a move of the opponent follows the agent's within the step, or in self-play none;
    - an observation is not in its space; an ``"action_mask"``, in the observation or the info, is
      not that of the legal actions, of none for an agent that is not to move or at the end;
    - in an ``AECEnv`` the agents do not take turns, ``possible_agents[0]`` first;
    - the reward is not 1 for the winner and -1 for the loser at the end, 0 for a draw and before;
    - a game does not terminate for both where no move is left, or is not truncated where both have
      made ``env.unwrapped.max_cycles`` moves, or by Gymnasium's ``TimeLimit``;
    - an illegal action, or one outside the space, does not lose, nor raise an error that changes
      nothing (an ``IndexError`` or the like is no answer);
    - a returned array changes later, or the game changes where the caller writes to it;
    - the same seed and actions make another game;
    - PettingZoo's ``api_test`` or ``seed_test`` (if what they import is installed) or Gymnasium's
      ``check_env`` fails; they are left out where they take illegal actions, which raise errors,
      and where a Gymnasium environment is truncated after a step, which that function refuses.

    Args:
        env: an ``AECEnv`` or a ``gymnasium.Env``, wrapped or not; copies of it are played.
        game: the game that it plays; by default ``env.game``, in wrappers too.
        position_of: function from an observation of the player to move, as ``env`` returns it, to
            the position, a tuple as ``game.moves`` takes it; by default the observation, or its
            entry ``"observation"``, holds these numbers.

    Raises:
        ConformanceError: the environment is wrong: at which move of which seed, what was expected,
            and what was found.
        TypeError: ``env`` is no such environment (a batch is none), or has no ``game``.

    Example:
        >>> import gymnasium
        >>> from nim_envs import GameEnv, check_env, make_game
        >>> env = GameEnv(make_game("nim", heaps=(1, 2)), encoding="unary")
        >>> check_env(env, position_of=lambda seen: (
        ...     seen["observation"][0], seen["observation"][1:].sum()))
        >>> class Doubled(gymnasium.RewardWrapper):
        ...     def reward(self, reward):
        ...         return 2 * reward
        >>> check_env(Doubled(gymnasium.make("nim_envs/Nim-v0", heaps=(1,))))
        Traceback (most recent call last):
            ...
        nim_envs.errors.ConformanceError: seed 0, move 1, action 0 at (1,): expected the reward 1, \
found 2.0
    """
    if not isinstance(env, (AECEnv, gymnasium.Env)):
        raise TypeError(f"check_env takes one AECEnv or gymnasium.Env, and no batch, not {env!r}")
    game = game or getattr(env, "game", None) or getattr(env.unwrapped, "game", None)
    if not isinstance(game, Game):
        raise TypeError(f"{env!r} has no attribute game, a nim_envs.Game: pass game=")
    check = _Lockstep(copy.deepcopy(env), game, position_of)
    games: dict[int, Sequence[Position]] = {}
    try:
        for seed in (*range(200), *range(0, 200, 5)):
            games[seed] = check.play(seed, games.get(seed, ()))
        check.where = "the library's own test of environments"
        # Gymnasium's takes illegal actions, and no game that is truncated after a step.
        turns = isinstance(env, AECEnv) and check.has_masks
        if turns or not (check.illegal_raises or check.most_moves == 2 or check.most_steps == 1):
            _library_tests(env)
    except ConformanceError as error:
        raise ConformanceError(f"{check.where}: {error}") from None
    except Exception as error:  # a stranger's environment raises anything, and tests assertions
        raise ConformanceError(f"{check.where}: expected no error, found {error!r}") from error


def _library_tests(env: Any) -> None:
    """Run PettingZoo's tests or Gymnasium's on copies of an environment."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # they warn of dictionaries, of empty masks and heaps
        if isinstance(env, gymnasium.Env):
            gymnasium_check_env(copy.deepcopy(env), skip_render_check=True, skip_close_check=True)
            return
        with suppress(ImportError):  # they import more than PettingZoo needs
            tests: Any = importlib.import_module("pettingzoo.test")
            tests.api_test(copy.deepcopy(env), num_cycles=100)
            tests.seed_test(lambda: copy.deepcopy(env), num_cycles=50)


class _Lockstep:
    """An environment beside the rules of its game."""

    def __init__(self, env: Any, game: Game, position_of: Callable[[Any], Any] | None) -> None:
        self.env, self.game, self.position_of = env, game, position_of
        self.starts, self.most_steps = set[Position](), None
        with suppress(SearchTooLargeError):  # starts of too many to be listed
            self.starts = {*map(tuple, game.start_positions().tolist())}
        # Whether the opponent moves within a step; None until the first step shows it.
        self.replies: bool | None = None
        if isinstance(env, AECEnv):
            self.env, self.replies = _Turns(env), False
        else:
            self.starts |= {after for start in self.starts for _, after in game.moves(start)}
            with suppress(AttributeError):  # where there is no TimeLimit
                self.most_steps = env.get_wrapper_attr("_max_episode_steps")
        cycles = getattr(env.unwrapped, "max_cycles", None)
        self.most_moves = None if cycles is None else 2 * cycles
        self.num_actions = int(self.env.action_space.n)
        self.has_masks = self.illegal_raises = False

    def play(self, seed: int, before: Sequence[Position]) -> list[Position]:
        """Play a game, check each step, and return the positions at the steps.

        ``before`` are those that the same seed gave before, if it was played.
        """
        rng, game, steps, ended = np.random.default_rng(seed), self.game, 0, False
        self.writes, self.returned = seed % 2 == 1, list[tuple[Any, Any]]()
        self.before, self.met = before, list[Position]()
        begin = f"seed {seed}" + ", where returned arrays are written to" * self.writes
        self.where = f"{begin}, reset"
        seen, info = self.env.reset(seed=seed)
        position, moves = self.position(seen), int(info.get("seat", 0))
        if game.is_over(position) or (self.starts and position not in self.starts):
            raise ConformanceError(f"expected a start of {game!r}, found {position}")
        self.look(seen, info, game.actions(position))
        while not ended:
            legal = game.actions(position)
            is_illegal = seed % 3 == 2 and rng.random() < 0.2
            illegal = {*range(-1, self.num_actions + 1)}.difference(legal)
            action = int(rng.choice(sorted(illegal) if is_illegal else legal))
            kind = "illegal action" if is_illegal else "action"
            self.where = f"{begin}, move {moves + 1}, {kind} {action} at {position}"
            try:
                result = self.env.step(np.int64(action) if steps % 2 else action)
            except (LookupError, TypeError, AttributeError, ConformanceError):
                raise  # by accident
            except Exception:  # of whatever class a stranger chose
                if not is_illegal:
                    raise
                self.illegal_raises |= 0 <= action < self.num_actions
                continue
            seen, reward, terminated, truncated, info = result
            if is_illegal:
                _equal("a loss, reward and terminated", (reward, terminated), (-1, True))
                self.look(seen, info, [])
                break
            after = game.play(position, action)
            moves, steps = moves + 1, steps + 1
            cut = moves == self.most_moves
            position = self.position(seen, after, no_reply=cut or game.is_over(after))
            moves += position != after
            over = game.is_over(position)
            value = game.end_value(position) if over else 0
            _equal("the reward", reward, value if position != after else 0 - value)
            ends = over, steps == self.most_steps or (moves == self.most_moves and not over)
            _equal("terminated and truncated", (terminated, truncated), ends)
            opponents_turn = cut and self.replies is not False
            self.look(seen, info, [] if opponents_turn else game.actions(position))
            ended = any(ends)
        return self.met

    def position(
        self, seen: Any, after: Position | None = None, no_reply: bool = False
    ) -> Position:
        """Return the position of an observation: ``after`` a move, or the reply to it."""
        try:
            numbers = seen["observation"] if isinstance(seen, Mapping) else seen
            numbers = np.ravel(numbers) if self.position_of is None else self.position_of(seen)
            position = tuple(int(number) for number in numbers)
            options = [option for _, option in self.game.moves(after or position)]
        except Exception as error:  # position_of too may raise anything
            raise ConformanceError(
                f"expected a position that the observation or position_of= shows, found {error!r}"
            ) from error
        for before in self.before[len(self.met) : len(self.met) + 1]:
            _equal("the position, as the same seed gave before,", position, before)
        self.met.append(position)
        if after is None:
            return position
        if self.replies is None and not no_reply:
            self.replies = position != after
        if no_reply or not self.replies:
            _equal("the position", position, after)
        elif position not in options:
            raise ConformanceError(f"expected the opponent's move to {options}, found {position}")
        return position

    def look(self, seen: Any, info: Any, legal: list[int]) -> None:
        """Check the space and the mask of an observation, and that earlier arrays are as then."""
        self.has_masks |= _has_masks(seen, info, self.env, legal)
        for array, before in self.returned:
            _equal("a returned array to stay", array.tolist(), before.tolist())
        parts = [seen, *info.values(), *(seen.values() if isinstance(seen, Mapping) else ())]
        arrays = [part for part in parts if isinstance(part, np.ndarray) and part.flags.writeable]
        for array in arrays if self.writes else ():
            array[...] = array == 0
        self.returned = [(array, array.copy()) for array in arrays]


class _Turns:
    """A turn-based environment as one of Gymnasium, in which an agent plays both seats."""

    def __init__(self, env: Any) -> None:
        self.env, self.agents = env, list(env.possible_agents)
        self.action_space = env.action_space(self.agents[0])
        self.observation_space = env.observation_space(self.agents[0])

    def reset(self, *, seed: int) -> Any:
        """Begin a game."""
        self.env.reset(seed=seed)
        self.mover, self.other = self.agents
        return self.result(False, False)

    def step(self, action: Any) -> Any:
        """Make a move, and at the end the steps that take None."""
        env, mover = self.env, self.mover
        env.step(action)
        reward, over, cut = env.rewards[mover], env.terminations[mover], env.truncations[mover]
        self.mover, self.other = self.other, mover
        seen, info = self.result(over, cut)
        if over or cut:
            last = {}
            for _ in self.agents:
                last[env.agent_selection] = env.last(observe=False)[1]
                env.step(None)
            _equal("of last() the rewards", last, {self.mover: 0 - reward, mover: reward})
            _equal("at the end the agents", list(env.agents), [])
        return seen, reward, over, cut, info

    def result(self, over: bool, cut: bool) -> Any:
        """Return the observation and info of the agent to move; check what concerns the other."""
        env, agents = self.env, [self.mover, self.other]
        if not over and not cut:
            _equal("the agent to move", env.agent_selection, self.mover)
        _equal("rewards with the sum", sum(env.rewards[agent] for agent in agents), 0)
        _equal("the terminations", env.terminations, dict.fromkeys(agents, over))
        _equal("the truncations", env.truncations, dict.fromkeys(agents, cut))
        _has_masks(env.observe(self.other), env.infos[self.other], self, [])
        return env.observe(self.mover), copy.deepcopy(env.infos[self.mover])


def _has_masks(seen: Any, info: Any, env: Any, legal: list[int]) -> bool:
    """Check an observation and its masks; return whether there are any."""
    if not env.observation_space.contains(seen):
        raise ConformanceError(
            f"expected an observation in {env.observation_space}, found {seen!r}"
        )
    holders = [each for each in (seen, info) if isinstance(each, Mapping)]
    masks = [np.asarray(each["action_mask"]) for each in holders if "action_mask" in each]
    for mask in masks:
        _equal("a mask of the shape", mask.shape, (env.action_space.n,))
        _equal("a mask of the actions", np.flatnonzero(mask).tolist(), legal)
    return bool(masks)


def _equal(what: str, found: Any, expected: Any) -> None:
    """Raise unless a value is as expected."""
    if found != expected:
        raise ConformanceError(f"expected {what} {expected}, found {found}")


def check_game(game: Game) -> None:
    """Check a game's moves, and its solution or theorem by a plain search.

    All positions that play reaches are searched: there ``moves``, ``actions``, ``play`` and
    ``is_over`` must agree, play must end, and ``game.solution``, by the theorem of the game if it
    has one, must give the values and the actions that keep them. Where moves form cycles, values
    are compared with those after each move, and so are distances, which proves them: a win or a
    loss by induction on its distance, a draw as no player has to leave the drawn positions.

    Raises:
        ConformanceError: the game is wrong: at which position, what was expected and found.
        SearchTooLargeError: there are more than a million moves at all positions together: check
            a smaller board of the same game.
        TypeError: ``game`` is not a ``nim_envs.Game``.

    Example:
        >>> from nim_envs import check_game, make_game
        >>> check_game(make_game("kayles", heaps=(5, 2), misere=True))
    """
    if not isinstance(game, Game):
        raise TypeError(f"check_game takes a nim_envs.Game, not {game!r}")
    moves: dict[Position, list[tuple[int, Position]]] = {}
    waiting, count = [*map(tuple, game.start_positions().tolist())], 0
    while waiting:
        position = waiting.pop()
        if position in moves:
            continue
        moves[position], actions = game.moves(position), game.actions(position)
        played = [(action, game.play(position, action)) for action in sorted(set(actions))]
        _equal(f"at {position} by game.actions and game.play the moves", moves[position], played)
        _equal(f"at {position} is_over", game.is_over(position), not played)
        count += len(played)
        if count > MOST_MOVES:
            raise SearchTooLargeError(
                f"{game.summary} has more than {MOST_MOVES:,} moves, all of which check_game "
                "tries: check a smaller board"
            )
        waiting += [after for _, after in moves[position]]
    after_each = {position: [after for _, after in moves[position]] for position in moves}
    try:  # those after a move before it, so that values are proved by induction
        order = [*moves] if game.has_cycles else [*TopologicalSorter(after_each).static_order()]
    except CycleError as error:
        through = error.args[1][0]
        raise ConformanceError(f"expected play to end, found a cycle through {through}") from None
    solution, points = game.solution, np.array(order)
    values = dict(zip(order, solution.value(points).tolist(), strict=True))
    found = solution.distance(points).tolist() if game.has_cycles else []
    distances = dict(zip(order, found, strict=False))
    for number, position in enumerate(order):
        reached = [-values[after] for after in after_each[position]]
        value = max(reached) if reached else game.end_value(position)
        claim = f"of {solution.method} at {position}"
        _equal(f"{claim} the value", values[position], value)
        if number % max(1, len(order) // 1000) == 0:
            keeping = [action for action, after in moves[position] if -values[after] == value >= 0]
            actions = solution.keeping_actions(position).tolist()
            _equal(f"{claim} the actions that keep the value", actions, keeping)
        if distances:
            further = [distances[after] for _, after in moves[position] if -values[after] == value]
            longest = (min if value == 1 else max)(further, default=-1)
            _equal(f"{claim} the distance", distances[position], longest + 1 if value else -1)
