"""The batched environment: many games of one kind, stepped together by compiled code."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from nim_envs.caches import LimitedCache
from nim_envs.envs.arguments import (
    CACHED_STARTS,
    MOST_OPENINGS,
    ResetStarts,
    checked_options,
    is_seed,
    no_move_for_agent,
)
from nim_envs.envs.batched import kernels
from nim_envs.envs.batched.kernels import Games, Results, Settings, Starts
from nim_envs.envs.batched.tables import WORD_BYTES, Tables, tables_of
from nim_envs.envs.move_truth import moves_truth, no_move_yet, truth_of_moves
from nim_envs.envs.versus import NO_ACTIONS, VersusEnv
from nim_envs.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidGameError,
    InvalidResetError,
    ResetNeededError,
    SearchTooLargeError,
)
from nim_envs.game import Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.players import AnyPlayer, PlayerAdapter
from nim_envs.starts import Sampler
from nim_envs.typing import Array, BoolArray, IntArray, WordArray
from nim_envs.validation import check_bytes, checked_boolean, checked_choice, checked_integer

if TYPE_CHECKING:
    from nim_envs.render.batches import BatchRenderer
    from nim_envs.render.frame import Frame

RENDER_MODES = ("rgb_array", "ansi")

REUSED_BYTES, MOST_FREE_PIECES = 2**25, 2
"""Bytes of new rows from which on memory is used again, which the C library would give back to the
operating system: getting it anew takes longer than writing to it. And how many pieces are held."""

NO_ROWS = np.zeros((0, 1), dtype=np.uint64)

Infos = dict[str, Any]
StepResult = tuple[Any, Array, Array, Array, Infos]


class VectorGameEnv(VectorEnv[Any, IntArray, Array]):
    """Many games of one kind, played at the same time, by both players or against an opponent.

    ## Description
    Each game is that of :class:`nim_envs.envs.versus.VersusEnv` with the same arguments: on the
    same moves both agree in everything. *Versus* an opponent, a step makes the agent's move and
    then the opponent's reply. In *self-play* (``opponent=None``) every step makes one move in every
    game, for whichever player is to move.

    A batch uses one core, as a step takes less time than handing a part of it to another thread. To
    use several cores, run several processes, each with its own batch.

    ## Action Space
    ``MultiDiscrete``, ``(num_envs,)``, of the single ``Discrete(parts * options)``.
    :meth:`sample_actions` draws legal ones. In a step that begins a new game, the action for
    that game is ignored, but must be in the space.

    ## Observation Space
    The observations of ``VersusEnv``, stacked: a ``Dict`` of ``"observation"``,
    ``(num_envs, features)``, and ``"action_mask"``, int8 ``(num_envs, actions)``; with
    ``mask_in_observation=False`` the ``Box`` of ``"observation"`` alone.

    ## Starting State
    As in ``VersusEnv``. ``reset(seed=...)`` takes an integer, so that game ``i`` is seeded with
    ``seed + i``, or a sequence of integers and ``None``, one for each game. The random numbers of a
    game depend only on its own seed and its own history, not on the other games. Exceptions are
    starts out of more than 2**20 positions and an opponent that is a function: these draw from
    ``np_random``. ``options={"start": ...}`` chooses the starts of this reset, and
    ``options={"reset_mask": ...}``, a boolean array, the games that begin anew.

    ## Rewards
    Those of ``VersusEnv``, float32 ``(num_envs,)``.

    ## Episode End
    As in ``VersusEnv``. After the end, Gymnasium's ``autoreset_mode`` applies:

    - ``NEXT_STEP``: the step returns the last observation; the next one ignores the action,
      begins a new game and gives reward 0.
    - ``SAME_STEP``: the step begins a new game and returns its first observation; the last one
      of the old game is in the info, as Python objects, which makes this mode the slowest.
    - ``DISABLED``: the user begins a new game by ``reset(options={"reset_mask": ...})`` before
      the next step.

    ## Information
    The entries of ``VersusEnv``, in arrays with one for each game; where the step began a new game,
    those of a reset. As in Gymnasium, a key with ``"_"`` before it holds a boolean array: which
    games have an entry. In ``SAME_STEP`` mode, where a game ended, these describe the new game;
    ``"final_obs"`` and ``"final_info"`` describe the one that ended, with its winner and its last
    move.

    Args:
        game: the game.
        num_envs: number of games.
        opponent: as in ``VersusEnv``. A function of observations, action masks and a generator is
            given the whole batch, with masks of zeros where it is not to move. A function of
            observations and action masks, or an object with ``action_probabilities`` or ``move``,
            is given only the games in which it is to move. Of an agent,
            ``act(observation, action_mask, rng)`` is called for one game after the other, or
            ``act_many``, if it has it, for all at once.
        render_mode: ``"rgb_array"``: :meth:`render` returns a picture of each game, with no
            display; ``"ansi"``: a text for each.
        illegal_move: ``"forfeit"``, or ``"raise"`` to raise ``IllegalMoveError`` and leave all
            games unchanged.
        autoreset_mode: an ``AutoresetMode`` of Gymnasium, or its value.
        copy: as in ``gymnasium.vector.SyncVectorEnv``: whether each call returns new arrays of
            observations and action masks; else the next call overwrites them. All other arrays
            are always new.

    Raises:
        InvalidGameError, ResetNeededError, ClosedEnvironmentError, MissingPackageError: as of
            ``VersusEnv``.
        SearchTooLargeError: as of ``VersusEnv``; or tables, or the observations of all games, would
            take more than a GiB.

    Example:
        >>> from nim_envs import make_game
        >>> env = VectorGameEnv(make_game("nim", heaps=(1, 2)), num_envs=2, opponent=None)
        >>> observations, infos = env.reset(seed=0)
        >>> observations["observation"].tolist(), observations["action_mask"].tolist()
        ([[1, 2], [1, 2]], [[1, 0, 1, 1], [1, 0, 1, 1]])
        >>> observations, rewards, terminations, truncations, infos = env.step(np.array([0, 3]))
        >>> observations["observation"].tolist(), infos["seat"].tolist()
        ([[0, 2], [1, 0]], [1, 1])
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        name: str = "game",
        start: Any = None,
        opponent: str | float | AnyPlayer | None = "random",
        hurry: bool = False,
        seat: Literal[0, 1, "random"] | None = None,
        render_mode: str | None = None,
        encoding: str = "integer",
        mask_in_observation: bool = True,
        illegal_move: Literal["forfeit", "raise"] = "forfeit",
        max_cycles: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        show_winning_moves: bool = False,
        truth_in_info: bool = False,
    ) -> None:
        super().__init__()
        single = VersusEnv(
            game, name=name, start=start, opponent=opponent, hurry=hurry, seat=seat,
            encoding=encoding, mask_in_observation=mask_in_observation, illegal_move=illegal_move,
            max_cycles=max_cycles, show_winning_moves=show_winning_moves,
            truth_in_info=truth_in_info,
        )  # fmt: skip
        self.game = game = single.game
        self.opponent, self.hurry, self.seat = opponent, hurry, seat
        self.encoding, self.mask_in_observation = single.encoding, mask_in_observation
        self.illegal_move, self.max_cycles = illegal_move, max_cycles
        self.truth_in_info = truth_in_info
        self.num_envs = checked_integer("num_envs", num_envs, minimum=1)
        numbers = spaces.flatdim(single.observation_space)
        check_bytes(f"observations of {self.num_envs} games", self.num_envs * numbers)
        self.copy = checked_boolean("copy", copy)
        self.render_mode = checked_choice("render_mode", render_mode, RENDER_MODES, or_none=True)
        self._renderer: BatchRenderer | None = None
        if render_mode is not None:
            from nim_envs.render.batches import BatchRenderer

            self._renderer = BatchRenderer(
                game, render_mode, show_winning_moves=show_winning_moves, self_play=opponent is None
            )
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode)
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_action_space: spaces.Discrete = single.action_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.single_observation_space = single.observation_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._num_actions = game.num_actions
        self._opponent_player, epsilon = single.opponent_player, single.epsilon
        self._tables: Tables = tables_of(game, self.encoding, epsilon < 1.0, hurry)
        if truth_in_info and self._tables.graph is not None:
            _ = self._tables.values  # an error is raised now and not during an episode
        self._settings = Settings(
            has_opponent=opponent is not None,
            replies_in_python=self._opponent_player is not None,
            agent_seat=single.fixed_seat,
            epsilon=epsilon,
            most_moves=min(2 * (max_cycles or kernels.NO_LIMIT), kernels.NO_LIMIT),
            mask_column=self._tables.mask_column,
        )
        self._memory = RowMemory((self.num_envs, self._tables.words), copy)
        self._samplers = ResetStarts(game)
        self._own_starts = StartStates(self._samplers.sampler({}), self._tables, self.num_envs)
        self._other_starts: LimitedCache[Sampler, StartStates] = LimitedCache(CACHED_STARTS)
        chunk, rows = min(kernels.CHUNK, self.num_envs), len(self._own_starts.arrays.blocks)
        self._games = Games(
            words=np.zeros(self.num_envs, dtype=np.uint32),
            blocks=np.zeros((-(-self.num_envs // chunk), rows, chunk), dtype=np.uint32),
            due=np.full(self.num_envs, kernels.NEW_GAME),
            seats=np.zeros(self.num_envs, dtype=np.int8),
            moves=np.zeros(self.num_envs, dtype=np.int32),
            game_rng=np.zeros(self.num_envs, dtype=np.uint64),
            action_rng=np.zeros(self.num_envs, dtype=np.uint64),
        )
        self._seeded = self._ready = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Begin new games.

        Args:
            seed: seeds what the games draw from here on, as described above; ``None`` keeps the
                current random states.
            options: ``"start"`` and ``"reset_mask"`` as described above.

        Returns:
            The observations and the infos.

        Raises:
            InvalidResetError, InvalidPositionError: as of ``VersusEnv``.
            ResetNeededError: the first reset does not begin all games.
        """
        self._check_open()
        checked = checked_options(options, ("start", "reset_mask"))
        seeds = checked_seeds(seed, self.num_envs)
        which = checked_reset_mask(checked.get("reset_mask"), self.num_envs)
        if not self._ready and not which.all():
            raise ResetNeededError("no games are in progress: the first reset() must begin all")
        starts = self._own_starts
        if "start" in checked:
            sampler = self._samplers.sampler(checked)
            starts = self._other_starts.get_or_create(
                sampler, lambda: StartStates(sampler, self._tables, self.num_envs)
            )
        self._seed(seeds, which)
        self._ready = False
        rows = self._memory.rows()
        self._begin_and_reply(starts, rows, which)
        self._ready = True
        if self._renderer is not None:
            self._renderer.discard_last_step(which)
        truth = {}
        if self.truth_in_info:
            of_one = no_move_yet(self.game).items()
            truth = {key: np.full(self.num_envs, entry) for key, entry in of_one}
        no_winner = np.full(self.num_envs, -1, dtype=np.int8)
        infos = self._infos(which, rows, self._games.seats.copy(), no_winner, truth)
        return self._observed(rows, infos), infos

    def _seed(self, seed: int | list[int | None] | None, which: BoolArray) -> None:
        """Seed the games in ``which``; those never seeded before by the system's entropy."""
        if not self._seeded:
            seeds = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            self._seed_games(seeds, np.ones(self.num_envs, dtype=np.bool_))
            self._seeded = True
        if isinstance(seed, int):
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            seeds = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed % 2**64)
            self._seed_games(seeds, which)
        elif seed is not None:
            given = [one for one in seed if one is not None]
            self.np_random = np.random.default_rng(given or None)
            seeds = np.array([(one or 0) % 2**64 for one in seed], dtype=np.uint64)
            self._seed_games(seeds, which & [one is not None for one in seed])
        if seed is not None:
            # Prepared starts were drawn before the generator was seeded.
            for starts in (self._own_starts, *self._other_starts.values()):
                starts.arrays.used[:] = True

    def _seed_games(self, seeds: WordArray, which: BoolArray) -> None:
        """Seed the random numbers of the games in ``which``, each by its own entry of ``seeds``."""
        of_games = kernels.mixed(kernels.mixed(seeds[which] + kernels.GAMMA))
        self._games.game_rng[which] = of_games
        self._games.action_rng[which] = kernels.mixed(of_games ^ kernels.MIX_1)

    def _play(
        self,
        starts: StartStates,
        mover: np.uint8 = kernels.NOBODY,
        actions: IntArray = NO_ACTIONS,
        *,
        begins: bool = False,
        results: Results = kernels.NO_RESULTS,
        rows: WordArray = NO_ROWS,
    ) -> int:
        """Run the phases of a step; arguments and result are those of :func:`kernels.play`."""
        tables = self._tables
        waiting: int = kernels.play(
            tables.graph, tables.total, tables.targets, starts.arrays, self._games, self._settings,
            mover, actions, begins, results, rows,
        )  # fmt: skip
        return waiting

    def _begin_and_reply(
        self, starts: StartStates, rows: WordArray, replaced: BoolArray | None = None
    ) -> None:
        """Begin new games and make the opponent's moves where they are due, then write rows.

        New games are also due in place of those that are to be ``replaced``, if there are any.
        """
        if replaced is not None:
            self._games.words[replaced] &= kernels.ROW
            self._games.due[replaced] = kernels.NEW_GAME
        replies: IntArray | None = None
        for _ in range(MOST_OPENINGS):
            starts.prepare(self.np_random)
            waiting = self._play(starts, begins=True, rows=rows)
            if waiting and self._opponent_player is not None:
                replies = self._reply_in_python(self._opponent_player, starts)
                waiting = (self._games.due != kernels.AGENT).any()
                self._play(starts, rows=rows)
            if not waiting:
                return
        index = int((self._games.due != kernels.AGENT).argmax())
        reply = None if replies is None else int(replies[index])
        raise no_move_for_agent(self.game, self._positions()[index], reply)

    def _reply_in_python(self, opponent: PlayerAdapter, starts: StartStates) -> IntArray:
        """Make the due moves of an opponent in Python; return its actions."""
        rows = self._memory.rows()
        self._play(starts, rows=rows)
        tables = self._tables
        due = self._games.due == kernels.OPPONENT
        masks = tables.action_masks(rows) * due[:, np.newaxis]
        observations = tables.observations(rows)
        try:
            answer = opponent.actions(observations, masks, self.np_random, self._positions, due)
        except InvalidActionError as error:
            raise InvalidActionError(f"the opponent's {error}") from None
        actions = self._checked_actions(answer, kernels.OPPONENT)
        self._play(starts, kernels.OPPONENT, actions)
        return actions

    def step(self, actions: npt.ArrayLike) -> StepResult:
        """Make one move in every game, and let the opponent reply, if there is one.

        Args:
            actions: integers ``(num_envs,)`` of the action space.

        Returns:
            Observations; rewards, float32 ``(num_envs,)``; terminations and truncations,
            boolean ``(num_envs,)``; infos.

        Raises:
            ResetNeededError: before the first :meth:`reset`; or, in ``DISABLED`` mode, a game
                that is over.
            InvalidActionError, IllegalMoveError: as of ``VersusEnv``.
        """
        self._check_ready()
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            raise ResetNeededError(
                f"the games of environments {np.flatnonzero(self._over).tolist()} are over: begin "
                'new ones by reset(options={"reset_mask": terminations | truncations})'
            )
        checked = self._checked_actions(actions, kernels.AGENT)
        record = None
        if self._renderer is not None:
            record = self._renderer.before_step(self._positions(), self._games, checked)
        truth = self._truth(checked) if self.truth_in_info else {}
        self._ready = False
        starts, rows = self._own_starts, self._memory.rows()
        results = kernels.results_of(self.num_envs)
        starts.prepare(self.np_random)
        in_python = self._opponent_player is not None
        waiting = self._play(
            starts, kernels.AGENT, checked, begins=not in_python, results=results, rows=rows
        )
        if waiting or in_python:
            self._begin_and_reply(starts, rows)
        if in_python:
            self._play(starts, results=results)
        rewards, terminations, truncations, winners = results
        if self._renderer is not None and record is not None:
            record.rewards[:] = rewards
            self._renderer.last_step = record
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = self._replaced(terminations | truncations, rows, winners, truth)
        else:
            all_games = np.ones(self.num_envs, dtype=np.bool_)
            infos = self._infos(all_games, rows, self._games.seats.copy(), winners, truth)
        self._ready = True
        return self._observed(rows, infos), rewards, terminations, truncations, infos

    def _replaced(
        self, ended: BoolArray, rows: WordArray, winners: Array, truth: dict[str, Array]
    ) -> Infos:
        """Replace the games that ``ended`` by new ones, and write their rows.

        Return the infos of all games, with the last observations and infos of those that ended.
        """
        last, seats = rows[ended], self._games.seats * ended
        self._begin_and_reply(self._own_starts, rows, ended)
        if self._renderer is not None:
            self._renderer.discard_last_step(ended)
        ongoing = {key: values * ~ended for key, values in truth.items()}
        no_winner = np.full(self.num_envs, -1, dtype=np.int8)
        all_games = np.ones(self.num_envs, dtype=np.bool_)
        infos = self._infos(all_games, rows, self._games.seats.copy(), no_winner, ongoing)
        if not ended.any():
            return infos
        final_obs = np.full(self.num_envs, None, dtype=object)
        tables = self._tables
        observations, masks = tables.observations(last), tables.action_masks(last)
        for place, index in enumerate(np.flatnonzero(ended)):
            final_obs[index] = observations[place]
            if self.mask_in_observation:
                final_obs[index] = {"observation": observations[place], "action_mask": masks[place]}
        final_rows = np.zeros_like(rows)
        final_rows[ended] = last
        final_truth = {key: values * ended for key, values in truth.items()}
        final_infos = self._infos(ended, final_rows, seats, winners * ended, final_truth)
        infos["final_obs"], infos["_final_obs"] = final_obs, ended
        infos["final_info"], infos["_final_info"] = final_infos, ended
        return infos

    def _infos(
        self,
        which: BoolArray,
        rows: WordArray,
        seats: Array,
        winners: Array,
        truth: dict[str, Array],
    ) -> Infos:
        """Return the infos of the games in ``which``."""
        masks = self._tables.action_masks(rows)
        infos: Infos = {}
        entries = {"seat": seats, "action_mask": masks, "winner": winners, **truth}
        for key, values in entries.items():
            infos[key], infos[f"_{key}"] = values, which
        return infos

    def _truth(self, actions: IntArray) -> dict[str, Array]:
        """Return the infos on moves before they are made, false or 0 where a game is over."""
        moving, tables, board = ~self._over, self._tables, self._tables.board
        if tables.graph is None:
            states = self.game.board.find(self._positions())
            truth = moves_truth(self.game, states, actions)
            return {key: entries * moving for key, entries in truth.items()}
        rows = tables.states(self._games)
        before, after = tables.values[rows] * moving, board.after[rows, actions]
        return truth_of_moves(self.game, before, tables.values[after], moving & (after >= 0))

    def sample_actions(self) -> IntArray:
        """Return a legal action of every game, all equally likely, int64 ``(num_envs,)``.

        Where a game is over and no action is legal, it is any action. The draw depends on the seed
        of :meth:`reset`, and does not change the games.
        """
        self._check_ready()
        actions = np.empty(self.num_envs, dtype=np.int64)
        kernels.sample(self._tables.graph, self._tables.total, self._games, actions)
        return actions

    @property
    def positions(self) -> IntArray:
        """The positions of all games, int64 ``(num_envs, fields)``, a copy."""
        self._check_ready()
        return self._positions()

    def _positions(self) -> IntArray:
        tables: Any = self._tables
        positions: IntArray = tables.board.positions(tables.states(self._games))
        return positions

    @property
    def _over(self) -> BoolArray:
        """Which games are over, ``(num_envs,)``."""
        return np.asarray(self._games.words > kernels.ROW)

    def render(self) -> tuple[Frame, ...] | tuple[str, ...] | None:
        """Return a picture of each game, ``(height, width, 3)``, uint8, or a text."""
        if self._renderer is None:
            logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}; it is None")
            return None
        return self._renderer.show(self.positions, self._games, self.metadata["render_fps"])

    def _observed(self, rows: WordArray, infos: Infos) -> Any:
        """Return the observations in rows, in the form of the observation space."""
        observations = self._tables.observations(rows)
        if not self.mask_in_observation:
            return observations
        return {"observation": observations, "action_mask": infos["action_mask"]}

    def _checked_actions(self, actions: Any, mover: np.uint8) -> IntArray:
        """Return ``actions`` as int64 ``(num_envs,)``; legal, where illegal moves raise."""
        given, end, wrong = np.asarray(actions), self._num_actions, ""
        whose, least = (
            ("the opponent's", NO_LEGAL_MOVE) if mover == kernels.OPPONENT else ("the", 0)
        )
        if given.dtype.kind not in "iu" or given.shape != (self.num_envs,):
            wrong = f"not an array of dtype {given.dtype} and shape {given.shape}"
        elif given is not actions and any(isinstance(one, (bool, np.bool_)) for one in actions):
            wrong = "not booleans"  # which NumPy turns into 0 and 1
        checked = given.astype(np.int64, order="C", copy=False) if not wrong else NO_ACTIONS
        if not checked.flags.writeable:  # compiled for arrays that are
            checked = checked.copy()
        if not kernels.are_within(checked, least, end):
            index = int(((checked < least) | (checked >= end)).argmax())
            wrong = f"environment {index} was given {given[index]}"
        if wrong:
            raise InvalidActionError(
                f"{whose} actions must be integers from {least} to {end - 1}, of shape "
                f"({self.num_envs},): {wrong}"
            )
        if self.illegal_move == "raise":
            self._check_legal(checked, mover, whose)
        return checked

    def _check_legal(self, actions: IntArray, mover: np.uint8, whose: str) -> None:
        """Raise an error if an action is illegal where ``mover`` is due."""
        board: Any = self._tables.board
        due = np.flatnonzero((self._games.due == mover) & ~self._over)
        states, chosen = self._tables.states(self._games)[due], actions[due]
        legal = (chosen >= 0) & (board.mask(states)[np.arange(len(due)), chosen] == 1)
        if not legal.all():
            index = int(np.argmin(legal))
            state = self.game.checked_state(self._positions()[due[index]])
            where = f" in environment {due[index]}"
            raise self.game.illegal_move(state, int(chosen[index]), of=f"{whose} ", where=where)

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _check_ready(self) -> None:
        self._check_open()
        if not self._ready:
            raise ResetNeededError("no games are in progress: call reset() first")


class RowMemory:
    """Memory for the rows of observations and action masks, ``shape``, of one call after another.

    With ``copy`` every call has rows of its own, else all calls have the same ones.
    """

    def __init__(self, shape: tuple[int, int], copy: bool) -> None:
        self._shape, self._copy = shape, copy
        self._rows = np.zeros((0, 0) if copy else shape, dtype=np.uint64)
        self._is_large = shape[0] * shape[1] * WORD_BYTES >= REUSED_BYTES
        self._free: deque[memoryview] = deque(maxlen=MOST_FREE_PIECES)

    def __reduce__(self) -> Any:
        """Leave the memory out of pickles and copies."""
        return RowMemory, (self._shape, self._copy)

    def rows(self) -> WordArray:
        """Return an array for the rows of a call."""
        if not self._copy:
            return self._rows
        if not self._is_large:
            return np.empty(self._shape, dtype=np.uint64)
        free = self._free
        memory = free.pop() if free else np.empty(self._shape, dtype=np.uint64).reshape(-1).data
        # NumPy lets a view of a view refer to the first array. That is this one, as its memory is
        # given as a memoryview and not as an array: so it lives as long as any of its views.
        owner = np.frombuffer(memory, dtype=np.uint64)
        weakref.finalize(owner, free.append, memory).atexit = False
        return owner.reshape(self._shape)


class StartStates:
    """The starts of one distribution, as ``arrays`` for compiled functions.

    Positions that can be listed are listed once, and games draw from the list. Otherwise one start
    is drawn in advance for every game, and replaced once the game has begun from it.
    """

    def __init__(self, sampler: Sampler, tables: Tables, size: int) -> None:
        self._sampler, self._tables = sampler, tables
        sums, used = np.zeros(0), np.zeros(0, dtype=np.bool_)
        try:
            positions, probabilities = sampler.support()
            if not np.allclose(probabilities, 1 / len(probabilities), rtol=1e-9, atol=0.0):
                sums = np.cumsum(probabilities)
        except SearchTooLargeError:
            positions, used = np.repeat([tables.game.start], size, axis=0), np.ones(size, np.bool_)
        self.arrays = Starts(*tables.start_words(positions), sums, used)

    def prepare(self, rng: np.random.Generator) -> None:
        """Draw new starts for the games that have used theirs."""
        starts = self.arrays
        if len(starts.used) and starts.used.any():
            which = np.flatnonzero(starts.used)
            words = self._tables.start_words(self._sampler.sample(rng, len(which)))
            starts.words[which], starts.blocks[:, which] = words
            starts.used[which] = False


def checked_autoreset_mode(mode: Any) -> AutoresetMode:
    """Return ``mode``, or the ``AutoresetMode`` with this value."""
    try:
        # An array would be compared with the values entry by entry.
        return AutoresetMode(mode if isinstance(mode, (str, AutoresetMode)) else None)
    except ValueError:
        raise InvalidGameError(
            f"autoreset_mode must be one of {[str(mode) for mode in AutoresetMode]} or their "
            f"values {[mode.value for mode in AutoresetMode]}, not {mode!r}"
        ) from None


def checked_seeds(seed: Any, size: int) -> int | list[int | None] | None:
    """Return the seed of ``size`` games, or the seeds of each as a list."""
    if is_seed(seed):
        alone: int | None = seed
        return alone
    is_sequence = isinstance(seed, Sequence) and not isinstance(seed, (str, bytes))
    if not is_sequence or len(seed) != size or not all(map(is_seed, seed)):
        raise InvalidResetError(
            f"seed must be None, a Python integer of at least 0, or a sequence of {size} of "
            f"these, one for each environment, not {seed!r} of type {type(seed).__name__}"
        )
    return list(seed)


def checked_reset_mask(mask: Any, size: int) -> BoolArray:
    """Return a copy of ``mask``, boolean ``(size,)``, true somewhere; all true for ``None``."""
    if mask is None:
        return np.ones(size, dtype=np.bool_)
    is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (size,)
    if not is_mask or not mask.any():
        raise InvalidResetError(
            f"reset_mask must be a boolean array of shape ({size},) that is true somewhere, "
            f"not {mask!r}"
        )
    return np.array(mask)
