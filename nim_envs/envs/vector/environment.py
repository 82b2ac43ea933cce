"""The batched environment: many games of one kind, stepped together by compiled code."""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import error, logger, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import nim_envs.envs.vector.kernels as kernels
from nim_envs.compilation import announced_compilation
from nim_envs.encoding import Encoding, smallest_integer
from nim_envs.envs.opponents import OpponentFunction, Player, checked_opponent, checked_seat
from nim_envs.envs.rendering import LastMove, Renderer
from nim_envs.envs.vector.tables import (
    Grouping,
    Tables,
    WordArray,
    packed_states,
    row_layout,
    tabulate,
    unpacked_states,
)
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    ResetNeededError,
    SearchTooLargeError,
)
from nim_envs.game import PLAYERS, Game
from nim_envs.render.canvas import Frame
from nim_envs.render.scene import Scene
from nim_envs.rules.component import LARGEST_TABLE, BoolArray, IntArray
from nim_envs.rules.validation import checked_integer
from nim_envs.starts import Sampler, Start, as_start

Array = npt.NDArray[Any]
Observations = dict[str, Array]
StepResult = tuple[Observations, Array, Array, Array, dict[str, Any]]

ILLEGAL_MOVE_RULES = ("forfeit", "raise")
RENDER_MODES = ("rgb_array", "ansi")

ROUNDS = 1000
"""New games begun in a row, each ended by the opponent's first move, before giving up."""
CHUNK = 1 << 18


class VectorGameEnv(VectorEnv[Observations, IntArray, Array]):
    """Many games of one kind, played at the same time in one seat's or in both seats' shoes.

    ## Description
    The rules are those of :class:`nim_envs.envs.aec.GameEnv`, and so are positions, actions,
    legality and who wins: on the same moves both agree in everything.

    There are two forms. In *self-play* (``opponent=None``) every :meth:`step` makes one move
    in every game, for whichever seat is to move. *Versus* an opponent, a step makes the
    agent's move and then the opponent's reply.

    ## Action Space
    ``MultiDiscrete``, ``(num_envs,)``, of the single ``Discrete(components * options)``.
    :meth:`sample_actions` draws legal ones. What is passed for a game that only begins anew
    in this step is not played, but must be in the space.

    ## Observation Space
    A ``Dict`` of ``"observation"``, ``(num_envs, components)`` in the smallest signed integer
    type that holds every state (or what ``encoding`` says, float32), and ``"action_mask"``,
    int8 ``(num_envs, actions)``: what is legal for the one to step; all zeros where the game
    has terminated, or was truncated with the opponent to move.

    ## Starting State
    As in :class:`nim_envs.envs.aec.GameEnv`. Versus an opponent, where the agent has the second
    seat the opponent has already moved. A game that its first move ends is not shown: another
    begins in its place.

    ``reset(seed=...)`` takes an integer, so that game ``i`` is seeded with ``seed + i``, or a
    sequence of integers and ``None``, one for each game. What a game draws depends on its own
    seed and on what happened in it alone, not on the other games or the number of threads; but
    for starts out of more than 2**20 positions and for an opponent that is a function, which
    draw from ``np_random``. ``options={"start": ...}`` chooses the starts of this reset, and
    ``options={"reset_mask": ...}``, a boolean array, the games that begin anew.

    ## Rewards
    Float32, to the one who stepped: in self-play the mover, else the agent. +1 or -1 in the
    step that ends a game, 0 otherwise. An illegal move forfeits: -1 to whoever made it.

    ## Episode End
    A game terminates when no legal move is left or after a forfeit. With ``max_cycles`` it is
    truncated, with reward 0, after that many moves of each player. It would then be the turn of
    seat 0, whose action mask is kept in the last observation. What happens after the end is
    Gymnasium's ``autoreset_mode``:

    - ``NEXT_STEP``: the step shows the last position; the next one ignores the action, begins a
      new game and gives reward 0.
    - ``SAME_STEP``: the step begins a new game and shows its start; the last position is in the
      info. This makes Python objects of the last observations, and takes the longer for it.
    - ``DISABLED``: the game must be begun by ``reset(options={"reset_mask": ...})`` before the
      next step.

    ## Information
    ``"seat"``, int8 ``(num_envs,)``: in self-play who is to move, else the agent's seat. In
    ``SAME_STEP`` mode, for the games that ended, ``"final_obs"`` and ``"final_info"``.

    Args:
        game: the game.
        num_envs: how many are played.
        name: name of the environment, in its metadata.
        opponent: ``None``: self-play. ``"random"``; ``"optimal"``, which draws among the winning
            actions, or among all where none wins; a number: optimal but for a random move with
            that probability. A function of the observations, the action masks and a
            generator, that returns actions: all for the whole batch, the masks all zeros where
            it is not to move. Or an agent with ``act(observation, action_mask, rng)``, which is
            asked game by game.
        seat: versus an opponent, whether the agent moves first (0) or second (1), or
            ``"random"``: drawn for each game. 0 by default.
        render_mode: ``"rgb_array"``: :meth:`render` returns a picture of each game, with no
            display; ``"ansi"``: a text for each.
        encoding: how positions are observed; see :class:`nim_envs.encoding.Encoding`.
        illegal_move: ``"forfeit"``, or ``"raise"`` to raise ``IllegalMoveError`` and leave every
            game as it was.
        max_cycles: most moves of each player; ``None``: no limit, as every game ends.
        autoreset_mode: an ``AutoresetMode`` of Gymnasium, or its value.
        copy: as in ``gymnasium.vector.SyncVectorEnv``: whether each call returns observations of
            their own; else the next call overwrites them. All other arrays are always new.
        num_threads: threads that share the games. More than one pays off from some hundred
            thousand games on.
        show_winning_moves: whether pictures mark the winning moves.

    Raises:
        InvalidGameError: an argument is not one of the values above.
        SearchTooLargeError: a component, or slots that share what splits, are too large to
            tabulate; or, versus an opponent that plays optimally or to show winning moves, the
            game has too many positions.
        MissingPackageError: pictures are asked for and pygame is not installed.

    ## Version History
    * v0: first version.

    Example:
        >>> from nim_envs import make_game
        >>> env = VectorGameEnv(make_game("nim", heaps=(1, 2)), num_envs=2)
        >>> observations, infos = env.reset(seed=0)
        >>> observations["observation"].tolist(), observations["action_mask"].tolist()
        ([[1, 2], [1, 2]], [[1, 0, 1, 1], [1, 0, 1, 1]])
        >>> observations, rewards, terminations, truncations, infos = env.step(np.array([0, 3]))
        >>> observations["observation"].tolist(), infos["seat"].tolist()
        ([[0, 2], [1, 0]], [1, 1])
    """

    # Some versions of Gymnasium close an environment even if its constructor raised.
    _pool: ThreadPoolExecutor | None = None

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        name: str = "game",
        opponent: str | float | Player | OpponentFunction | None = None,
        seat: Literal[0, 1, "random"] | None = None,
        render_mode: str | None = None,
        encoding: str = "integer",
        illegal_move: Literal["forfeit", "raise"] = "forfeit",
        max_cycles: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int = 1,
        show_winning_moves: bool = False,
    ) -> None:
        super().__init__()
        if illegal_move not in ILLEGAL_MOVE_RULES:
            raise InvalidGameError(
                f"illegal_move must be one of {ILLEGAL_MOVE_RULES}, not {illegal_move!r}"
            )
        if not isinstance(copy, bool):
            raise InvalidGameError(f"copy must be True or False, not {copy!r}")
        self.game = game
        self.num_envs = checked_integer("num_envs", num_envs, minimum=1)
        self.num_threads = checked_integer("num_threads", num_threads, minimum=1)
        self.render_mode = render_mode
        self._renderer = Renderer(
            game, render_mode, RENDER_MODES, show_winning_moves=show_winning_moves
        )
        self._last_step: _LastStep | None = None
        self.illegal_move = illegal_move
        self.copy = copy
        self.max_cycles = (
            None
            if max_cycles is None
            else checked_integer("max_cycles", max_cycles, minimum=1, maximum=kernels.NO_LIMIT // 2)
        )
        self.opponent = opponent
        self.seat = seat
        self._called, self._epsilon = (
            (None, 1.0) if opponent is None else checked_opponent(opponent)
        )
        if opponent is None and seat is not None:
            raise InvalidGameError(f"in self-play there is no seat to choose; seat was {seat!r}")
        self._agent_seat = checked_seat(0 if seat is None else seat)
        self.autoreset_mode = _checked_mode(autoreset_mode)
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        rules = game.rules
        self.encoding = Encoding(encoding, rules, dtype=smallest_integer(max(rules.shape) - 1))
        self._grouping = Grouping(rules)
        self._bind_tables()
        self.single_action_space = spaces.Discrete(rules.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        mask = spaces.Box(low=0, high=1, shape=(rules.num_actions,), dtype=np.int8)
        # A plain dict would be sorted by key; the observation comes first.
        single: OrderedDict[str, spaces.Space[Any]] = OrderedDict(
            observation=self.encoding.space, action_mask=mask
        )
        batch = OrderedDict(
            (key, batch_space(space, self.num_envs)) for key, space in single.items()
        )
        self.single_observation_space = spaces.Dict(single)
        self.observation_space = spaces.Dict(batch)

        self._games = self._new_games()
        self._seeded = False
        self._ready = False
        self._own_starts = self._new_starts(game.start)
        self._other_starts: dict[Start, _Starts] = {}
        with announced_compilation("the batched environment"):
            self._compile()

    def _new_games(self) -> kernels.Games:
        size = self.num_envs
        groups = len(self._grouping.members)
        return kernels.Games(
            states=np.zeros((groups, size), dtype=np.uint64),
            outcomes=np.zeros(size, dtype=np.uint8),
            due=np.full(size, kernels.NEW_GAME),
            seats=np.zeros(size, dtype=np.int8),
            moves=np.zeros(size, dtype=np.int32),
            game_bits=np.zeros(size, dtype=np.uint64),
            action_bits=np.zeros(size, dtype=np.uint64),
        )

    def _bind_tables(self) -> None:
        """Make what follows from the arguments alone, and is left out of pickles."""
        rules = self.game.rules
        self._tables = tabulate(self._grouping, self.encoding)
        self._layout = row_layout(rules, self.encoding)
        self._rows = np.zeros((self.num_envs, self._layout.words), dtype=np.uint64)
        optimal = self._epsilon < 1.0
        self._settings = kernels.Settings(
            last_mover_reward=np.float32(
                1.0 if self.game.convention.winner(last_mover=0) == 0 else -1.0
            ),
            most_moves=np.int32(
                kernels.NO_LIMIT if self.max_cycles is None else 2 * self.max_cycles
            ),
            versus=self.opponent is not None,
            called=self._called is not None,
            epsilon=self._epsilon,
            lost=_lost_positions(self.game, self._grouping)
            if optimal
            else np.zeros(0, dtype=np.bool_),
            strides=(
                self._grouping.strides.astype(np.uint64) if optimal else np.zeros(0, np.uint64)
            ),
            agent_seat=self._agent_seat,
        )
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._no_actions = np.zeros(0, dtype=np.int64)
        self._no_ends = (np.zeros(0, np.float32), np.zeros(0, np.bool_), np.zeros(0, np.bool_))
        self._all = np.ones(self.num_envs, dtype=np.bool_)
        self._all.setflags(write=False)
        self._parts = _parts(self.num_envs, self.num_threads)
        if len(self._parts) > 1:
            self._pool = ThreadPoolExecutor(len(self._parts) - 1, thread_name_prefix="nim_envs")

    def _compile(self) -> None:
        """Call every compiled function on no game at all."""
        nobody = np.zeros(self.num_envs, dtype=np.bool_)
        self._seed_games(np.zeros(self.num_envs, dtype=np.uint64), nobody)
        kernels.first_outside(self._no_actions, 1)
        if self.illegal_move == "raise":
            self._check_legal(self._no_actions, "the", kernels.AGENT)
        self._sample(self._no_actions, 0, 0)
        self._play(0, self._own_starts)
        self._show(self._rows, 0, 0)

    def _play(
        self,
        phases: int,
        starts: _Starts,
        actions: IntArray | None = None,
        ends: tuple[Array, Array, Array] | None = None,
        rows: WordArray | None = None,
    ) -> int:
        """Go through ``phases`` of a step of all games; return how many are left to settle."""
        return self._run(
            *(kernels.play, self._tables, starts.arrays, self._games, self._settings, phases),
            *(self._no_actions if actions is None else actions, *(ends or self._no_ends)),
            *(self._layout.mask_column, self._rows if rows is None else rows),
        )

    def _run(self, kernel: Callable[..., Any], *arguments: Any) -> int:
        """Call ``kernel`` on all games, shared among the threads; return the sum of its results."""
        if self._pool is None:
            return kernel(*arguments, 0, self.num_envs) or 0
        others = [self._pool.submit(kernel, *arguments, *part) for part in self._parts[1:]]
        result = kernel(*arguments, *self._parts[0]) or 0
        return result + sum(other.result() or 0 for other in others)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin new games.

        Args:
            seed: seeds what the games draw from here on, as described above; ``None`` goes on.
            options: ``"start"`` and ``"reset_mask"`` as described above; other keys are ignored.

        Returns:
            The observations and the infos.

        Raises:
            ValueError: a seed or a mask that is none.
            InvalidPositionError: the start is not a position of this game that leaves a move;
                or the opponent's first move ends every game.
            ResetNeededError: a mask that leaves games out before all have begun once.
        """
        self._check_open()
        if type(seed) is int and seed < 0:
            raise ValueError(f"seed must be at least 0, not {seed}")
        options = options or {}
        which = self._checked_reset_mask(options.get("reset_mask"))
        starts = self._own_starts
        if "start" in options:
            starts = self._starts(as_start(options["start"]))
        self._seed(seed, which)
        self._ready = False
        self._games.outcomes[which] = kernels.GOES_ON
        self._games.due[which] = kernels.NEW_GAME
        self._settle(starts)
        self._ready = True
        if self._last_step is not None:
            self._last_step.played[which] = False
        infos = {"seat": self._games.seats.copy(), "_seat": which}
        return self._shown_observations(), infos

    def _checked_reset_mask(self, mask: Any) -> BoolArray:
        if mask is None:
            return self._all
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (self.num_envs,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            raise ValueError(
                f"reset_mask must be a boolean array of shape ({self.num_envs},) that is true "
                f"somewhere, not {mask!r}"
            )
        if not self._ready and not mask.all():
            raise ResetNeededError("no games are in progress: the first reset() must begin all")
        return mask.copy()

    def _starts(self, start: Start) -> _Starts:
        """The starts of ``start``, remembered: listing its positions takes time."""
        starts = self._other_starts.get(start)
        if starts is None:
            if len(self._other_starts) >= 64:
                self._other_starts.clear()
            starts = self._new_starts(start)
            self._other_starts[start] = starts
        return starts

    def _new_starts(self, start: Start) -> _Starts:
        return _Starts(start.bind(self.game), self._grouping, self._tables, self.num_envs)

    def _seed(self, seed: Any, which: BoolArray) -> None:
        """Seed the games in ``which``; those that have no seed yet by the system's entropy."""
        seeds = None if seed is None or type(seed) is int else _checked_seeds(seed, self.num_envs)
        if not self._seeded:
            drawn = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            self._seed_games(drawn, self._all.copy())
            self._seeded = True
        if type(seed) is int:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            numbers = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed % 2**64)
            self._seed_games(numbers, which.copy())
        elif seeds is not None:
            given = [one for one in seeds if one is not None]
            self.np_random = np.random.default_rng(given or None)
            numbers = np.array([(one or 0) % 2**64 for one in seeds], dtype=np.uint64)
            self._seed_games(numbers, which & [one is not None for one in seeds])
        if seed is not None:
            for starts in (self._own_starts, *self._other_starts.values()):
                starts.forget()

    def _seed_games(self, seeds: WordArray, which: BoolArray) -> None:
        kernels.seed_games(self._games.game_bits, self._games.action_bits, seeds, which)

    def _settle(self, starts: _Starts) -> None:
        """Begin the games that are to, and let the opponent move where it is to."""
        for _ in range(ROUNDS):
            starts.prepare(self.np_random, self._tables)
            left = self._play(kernels.SETTLE, starts)
            if left and self._called is not None:
                self._ask_opponent()
                left = (self._games.due != kernels.AGENT).any()
            if not left:
                return
        raise InvalidPositionError(
            f"the opponent's first move ended {ROUNDS} games in a row: these starts leave the "
            "agent in seat 1 no move"
        )

    def _ask_opponent(self) -> None:
        """Make the called opponent's moves where it is to move."""
        assert self._called is not None
        observations = self._shown_observations()
        due = self._games.due == kernels.OPPONENT
        masks = observations["action_mask"] * due[:, np.newaxis]
        actions = self._checked_actions(
            self._called(observations["observation"], masks, self.np_random), "the opponent's"
        )
        if self.illegal_move == "raise":
            self._check_legal(actions, "the opponent's", kernels.OPPONENT)
        self._play(kernels.ANSWER, self._own_starts, actions)

    def step(self, actions: npt.ArrayLike) -> StepResult:
        """Make one move in every game, and let the opponent reply.

        Args:
            actions: integers ``(num_envs,)`` of the action space.

        Returns:
            Observations; rewards, float32 ``(num_envs,)``; terminations and truncations,
            boolean ``(num_envs,)``; infos.

        Raises:
            ResetNeededError: before the first :meth:`reset`; or, in ``DISABLED`` mode, a game
                that is over.
            InvalidActionError: not integers of the shape and range of the action space.
            IllegalMoveError: an illegal move where ``illegal_move="raise"``.
        """
        self._check_ready()
        checked = self._checked_actions(actions, "the")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._games.outcomes.any():
            over = np.flatnonzero(self._games.outcomes)
            raise ResetNeededError(
                f"the games of environments {over.tolist()} are over: begin new ones by "
                'reset(options={"reset_mask": terminations | truncations})'
            )
        if self.illegal_move == "raise":
            self._check_legal(checked, "the", kernels.AGENT)
        last_step = None if self._renderer.screen is None else self._step_to_show(checked)
        self._ready = False
        rewards = np.empty(self.num_envs, dtype=np.float32)
        terminations = np.empty(self.num_envs, dtype=np.bool_)
        truncations = np.empty(self.num_envs, dtype=np.bool_)
        ends = (rewards, terminations, truncations)
        observations, last = self._advance(checked, ends)
        self._ready = True
        infos: dict[str, Any] = {"seat": self._games.seats.copy(), "_seat": self._all}
        if last_step is not None:
            last_step.rewards[:] = rewards
            if self._same_step:
                last_step.played[terminations | truncations] = False
            self._last_step = last_step
        if last is not None:
            ended = terminations | truncations
            if ended.any():
                self._add_final(infos, ended, last)
        return observations, rewards, terminations, truncations, infos

    def _advance(
        self, actions: IntArray, ends: tuple[Array, Array, Array]
    ) -> tuple[Observations, kernels.Games | None]:
        """Make the step; write rewards, terminations and truncations.

        Returns:
            Observations, and the games as they were before new ones began in ``SAME_STEP`` mode.
        """
        last = None
        starts = self._own_starts
        if self._called is not None:
            self._play(kernels.RENEW | kernels.MOVE, starts, actions)
            self._settle(starts)
            self._play(kernels.FINISH, starts, ends=ends)
            if self._same_step:
                last = self._copied_games()
                self._play(kernels.RENEW, starts)
                self._settle(starts)
            return self._shown_observations(), last
        rows = self._new_rows()
        starts.prepare(self.np_random, self._tables)
        phases = kernels.RENEW | kernels.MOVE | kernels.SETTLE | kernels.FINISH
        if self._same_step:
            self._play(phases, starts, actions, ends)
            last = self._copied_games()
            phases = kernels.RENEW | kernels.SETTLE
        if self._play(phases | kernels.SHOW, starts, actions, ends, rows):
            self._settle(starts)
            self._run(self._show, rows)
        return self._observations(rows), last

    def _copied_games(self) -> kernels.Games:
        return kernels.Games._make(array.copy() for array in self._games)

    def _add_final(self, infos: dict[str, Any], ended: BoolArray, last: kernels.Games) -> None:
        """Add what ``SAME_STEP`` mode tells about the games that ended, out of ``last``."""
        which = np.flatnonzero(ended)
        rows = np.empty((len(which), self._layout.words), dtype=np.uint64)
        states = np.ascontiguousarray(last.states[:, which])
        self._show_states(states, last.outcomes[which], rows, 0, len(which))
        seen = self._observations(rows)
        final = np.full(self.num_envs, None, dtype=object)
        final[which] = [
            {"observation": observation, "action_mask": mask}
            for observation, mask in zip(seen["observation"], seen["action_mask"], strict=True)
        ]
        infos["final_obs"], infos["_final_obs"] = final, ended
        infos["final_info"] = {"seat": last.seats * ended, "_seat": ended}
        infos["_final_info"] = ended

    def sample_actions(self) -> IntArray:
        """Return a legal action of every game, all equally likely, int64 ``(num_envs,)``.

        Where a game is over and no action is legal, it is any. What is drawn depends on the
        seed of :meth:`reset`, and drawing it changes nothing else.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        self._check_ready()
        actions = np.empty(self.num_envs, dtype=np.int64)
        self._run(self._sample, actions)
        return actions

    def _sample(self, actions: IntArray, first: int, last: int) -> None:
        tables, games = self._tables, self._games
        kernels.sample(
            tables.groups,
            tables.legal_actions,
            games.states,
            games.action_bits[first:last],
            actions[first:last],
            first,
            last,
        )

    @property
    def positions(self) -> IntArray:
        """The positions of all games, int64 ``(num_envs, components)``, as a copy."""
        self._check_ready()
        return self._grouping.positions(unpacked_states(self._games.states))

    def render(self) -> tuple[Frame, ...] | tuple[str, ...] | None:
        """Return a picture of each game, ``(height, width, 3)``, uint8, or a text.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        if self.render_mode is None:
            logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}; it is None")
            return None
        self._check_ready()
        shown: list[Any] = [
            self._renderer.show(self._scene(index, position), self.metadata["render_fps"])
            for index, position in enumerate(self.positions)
        ]
        return tuple(shown)

    def _step_to_show(self, actions: IntArray) -> _LastStep:
        """Return what pictures show of a step, as far as it is known before the step."""
        return _LastStep(
            positions=self.positions,
            seats=self._games.seats.copy(),
            actions=actions.copy(),
            rewards=np.zeros(self.num_envs),
            played=self._games.outcomes == kernels.GOES_ON,
        )

    def _scene(self, index: int, position: IntArray) -> Scene:
        """Return what a picture of game ``index`` shows."""
        over = bool(self._games.outcomes[index])
        winner, last_move = None, None
        step = self._last_step
        if step is not None and step.played[index]:
            seat, reward = int(step.seats[index]), step.rewards[index]
            before = step.positions[index]
            last_move = LastMove(before, None, "")
            if self.opponent is None:
                action = int(step.actions[index])
                description = (
                    f"moved, {self.game.rules.describe_action(action, before)}"
                    if (position != before).any()
                    else "made an illegal move and forfeits"
                )
                last_move = LastMove(before, seat, f"{PLAYERS[seat]} {description}")
            if over and reward:
                winner = seat if reward > 0 else 1 - seat
        mover = None if over else int(self._games.seats[index])
        return self._renderer.scene(position, mover, winner, last_move)

    def _new_rows(self) -> WordArray:
        return np.empty_like(self._rows) if self.copy else self._rows

    def _show(self, rows: WordArray, first: int, last: int) -> None:
        self._show_states(self._games.states, self._games.outcomes, rows, first, last)

    def _show_states(
        self, states: WordArray, outcomes: Array, rows: WordArray, first: int, last: int
    ) -> None:
        tables = self._tables
        kernels.show(
            tables.groups,
            tables.words,
            tables.columns,
            tables.shared,
            states,
            outcomes,
            self._layout.mask_column,
            rows,
            first,
            last,
        )

    def _observations(self, rows: WordArray) -> Observations:
        return {
            "observation": self._layout.observations(rows),
            "action_mask": self._layout.action_masks(rows),
        }

    def _shown_observations(self) -> Observations:
        rows = self._new_rows()
        self._run(self._show, rows)
        return self._observations(rows)

    def _checked_actions(self, actions: Any, whose: str) -> IntArray:
        """Return ``actions`` as int64 ``(num_envs,)``, in an array that compiled code takes."""
        number = self.game.rules.num_actions
        given = np.asarray(actions)
        allowed = f"{whose} actions must be integers from 0 to {number - 1}, ({self.num_envs},)"
        if given.dtype.kind not in "iu" or given.shape != (self.num_envs,):
            raise InvalidActionError(
                f"{allowed}, not an array of dtype {given.dtype} and shape {given.shape}"
            )
        array = np.ascontiguousarray(given, dtype=np.int64)
        if not array.flags.writeable:
            array = array.copy()
        outside = kernels.first_outside(array, number)
        if outside >= 0:
            raise InvalidActionError(f"{allowed}; environment {outside} was given {given[outside]}")
        return array

    def _check_legal(self, actions: IntArray, whose: str, mover: np.uint8) -> None:
        """Raise if an action is illegal where ``mover`` is due."""
        index = kernels.first_illegal(self._tables, self._games, actions, mover)
        if index < 0:
            return
        rules, action = self.game.rules, int(actions[index])
        states = unpacked_states(self._games.states[:, index : index + 1])
        position = self._grouping.positions(states)[0]
        raise IllegalMoveError(
            f"{whose} action {action} ({rules.describe_action(action, position)}) in environment "
            f"{index} is illegal at {position.tolist()}; legal actions are "
            f"{np.flatnonzero(rules.action_mask(position)).tolist()}"
        )

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the environment is closed: make a new one")

    def _check_ready(self) -> None:
        self._check_open()
        if not self._ready:
            raise ResetNeededError("no games are in progress: call reset() first")

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def __getstate__(self) -> dict[str, Any]:
        """Leave tables, buffers and threads out of pickles and copies."""
        made = {"_tables", "_layout", "_rows", "_settings", "_all", "_parts", "_pool"}
        return {name: value for name, value in self.__dict__.items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the games in progress, and make the rest again."""
        self.__dict__.update(state)
        self._bind_tables()


class _LastStep(NamedTuple):
    """What pictures tell about a step; one entry a game."""

    positions: IntArray  # before it, (games, components)
    seats: npt.NDArray[np.int8]  # of those who stepped
    actions: IntArray  # theirs
    rewards: Array  # theirs
    played: BoolArray  # whether the game on show is the one that the step was made in


class _Starts:
    """Start positions as the compiled functions take them.

    What can be listed is listed once, and games draw from the list. What cannot is drawn by
    the sampler, one start for every game, and again for those that took theirs.
    """

    def __init__(self, sampler: Sampler, grouping: Grouping, tables: Tables, size: int) -> None:
        self._sampler = sampler
        self._grouping = grouping
        try:
            positions, probabilities = sampler.support()
        except SearchTooLargeError:
            states = np.zeros((len(grouping.members), size), dtype=np.uint64)
            self.arrays = kernels.Starts(
                states, np.zeros(0), prepared=True, used=np.ones(size, dtype=np.uint8)
            )
            return
        equal = np.allclose(probabilities, 1 / len(probabilities), rtol=1e-9, atol=0.0)
        self.arrays = kernels.Starts(
            packed_states(tables, grouping.states(positions)),
            np.zeros(0) if equal else np.cumsum(probabilities),
            prepared=False,
            used=np.zeros(0, dtype=np.uint8),
        )

    def forget(self) -> None:
        """Let every start be drawn anew, by a generator that was seeded since."""
        self.arrays.used[:] = 1

    def prepare(self, rng: np.random.Generator, tables: Tables) -> None:
        """Draw new starts for the games that took theirs."""
        if self.arrays.prepared:
            used = np.flatnonzero(self.arrays.used)
            if len(used):
                drawn = self._sampler.sample(rng, len(used))
                self.arrays.states[:, used] = packed_states(tables, self._grouping.states(drawn))
                self.arrays.used[used] = 0


def _checked_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise InvalidGameError(
            f"autoreset_mode must be one of {[str(mode) for mode in AutoresetMode]} or their "
            f"values {[mode.value for mode in AutoresetMode]}, not {mode!r}"
        ) from None


def _checked_seeds(seed: Any, size: int) -> list[int | None]:
    """Return the seed of each game, out of a sequence."""
    if (
        isinstance(seed, (str, bytes))
        or not isinstance(seed, Sequence)
        or len(seed) != size
        or not all(one is None or (type(one) is int and one >= 0) for one in seed)
    ):
        raise ValueError(
            f"seed must be None, an integer of at least 0, or a sequence of {size} of these, "
            f"one for each environment, not {seed!r}"
        )
    return list(seed)


def _lost_positions(game: Game, grouping: Grouping) -> BoolArray:
    """Return whether the player to move loses, by the number that the groups' states give."""
    number = math.prod(grouping.sizes)
    if number > LARGEST_TABLE:
        game.rules.check_size(LARGEST_TABLE)
    lost = np.empty(number, dtype=np.bool_)
    for first in range(0, number, CHUNK):
        numbers = np.arange(first, min(first + CHUNK, number))
        states = np.stack(np.unravel_index(numbers, grouping.sizes)).astype(np.uint32)
        lost[numbers] = ~np.asarray(game.solution.is_winning(grouping.positions(states)))
    return lost


def _parts(size: int, threads: int) -> list[tuple[int, int]]:
    """Return which games each thread takes: whole blocks, as equal as they can be."""
    blocks = -(-size // kernels.BLOCK)
    threads = min(threads, blocks)
    ends = [min(blocks * part // threads * kernels.BLOCK, size) for part in range(threads + 1)]
    return list(itertools.pairwise(ends))
