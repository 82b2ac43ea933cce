"""The batched environment: many games of one kind, stepped together by compiled code."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import error, logger, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from nim_envs.compilation import announced_compilation
from nim_envs.encoding import Encoding, smallest_integer
from nim_envs.envs.legality import checked_illegal_move, illegal_move_error
from nim_envs.envs.opponents import (
    MOST_OPENINGS,
    OpponentFunction,
    Player,
    checked_opponent,
    checked_seat,
    no_move_for_agent,
)
from nim_envs.envs.vector import kernels
from nim_envs.envs.vector.checks import (
    checked_actions,
    checked_autoreset_mode,
    checked_reset_mask,
    checked_seeds,
)
from nim_envs.envs.vector.engine import Engine, Results
from nim_envs.envs.vector.pictures import RENDER_MODES, BatchRenderer, StepRecord
from nim_envs.envs.vector.start_states import StartStates
from nim_envs.errors import InvalidGameError, ResetNeededError
from nim_envs.game import Game
from nim_envs.render.canvas import Frame
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.validation import checked_integer
from nim_envs.starts import as_start

Array = npt.NDArray[Any]
Observations = dict[str, Array]
StepResult = tuple[Observations, Array, Array, Array, dict[str, Any]]


class VectorGameEnv(VectorEnv[Observations, IntArray, Array]):
    """Many games of one kind, played at the same time, by both players or against an opponent.

    ## Description
    The rules are those of :class:`nim_envs.envs.aec.GameEnv`, and so are positions, actions,
    legality and who wins: on the same moves both agree in everything.

    There are two forms. In *self-play* (``opponent=None``) every :meth:`step` makes one move
    in every game, for whichever player is to move. *Versus* an opponent, a step makes the
    agent's move and then the opponent's reply.

    ## Action Space
    ``MultiDiscrete``, ``(num_envs,)``, of the single ``Discrete(components * options)``.
    :meth:`sample_actions` draws legal ones. In a step that begins a new game, the action for
    that game is ignored, but must be in the space.

    ## Observation Space
    A ``Dict`` of ``"observation"``, ``(num_envs, components)`` in the smallest signed integer
    type that holds every state (or what ``encoding`` says, float32), and ``"action_mask"``,
    int8 ``(num_envs, actions)``: 1 where the action is legal; all zeros where the game has
    terminated, or was truncated with the opponent to move.

    ## Starting State
    As in :class:`nim_envs.envs.aec.GameEnv`. Versus an opponent, where the agent is ``player_1``
    the opponent has already moved. If that move ends the game, another game begins in its place.

    ``reset(seed=...)`` takes an integer, so that game ``i`` is seeded with ``seed + i``, or a
    sequence of integers and ``None``, one for each game. What a game draws depends only on its
    own seed and on what happened in it, not on the other games or the number of threads.
    Exceptions are starts out of more than 2**20 positions and an opponent that is a function:
    these draw from ``np_random``. ``options={"start": ...}`` chooses the starts of this reset,
    and ``options={"reset_mask": ...}``, a boolean array, the games that begin anew.

    ## Rewards
    Float32 ``(num_envs,)``: in self-play the reward of the player who made the move, versus an
    opponent the agent's. +1 for a win or -1 for a loss in the step that ends a game, 0 in all
    others. An illegal move forfeits the game: whoever makes it loses.

    ## Episode End
    A game terminates when no legal move is left or after a forfeit. With ``max_cycles`` it is
    truncated, with reward 0, after that many moves of each player. It would then be the turn of
    ``player_0``, whose action mask is kept in the last observation. What happens after the end
    is Gymnasium's ``autoreset_mode``:

    - ``NEXT_STEP``: the step returns the last observation; the next one ignores the action,
      begins a new game and gives reward 0.
    - ``SAME_STEP``: the step begins a new game and returns its first observation; the last one
      of the old game is in the info, as Python objects, which makes this mode the slowest.
    - ``DISABLED``: the user begins a new game by ``reset(options={"reset_mask": ...})`` before
      the next step.

    ## Information
    ``"seat"``, int8 ``(num_envs,)``, 0 for ``player_0`` and 1 for ``player_1``: in self-play the
    player to move, else the agent. In ``SAME_STEP`` mode, for the games that ended,
    ``"final_obs"`` and ``"final_info"``.

    Args:
        game: the game.
        num_envs: number of games.
        name: name of the environment, in its metadata.
        opponent: ``None``: self-play. ``"random"``; ``"optimal"``, which draws among the winning
            actions, or among all where none wins; a number: optimal but for a random move with
            that probability. A function of the observations, the action masks and a
            generator, that returns actions: all for the whole batch, the masks all zeros where
            it is not to move. Or an agent with ``act(observation, action_mask, rng)``, which
            acts in one game after the other.
        seat: versus an opponent, the agent's: 0 for ``player_0``, who moves first, 1 for
            ``player_1``, or ``"random"``: drawn for each game. 0 by default.
        render_mode: ``"rgb_array"``: :meth:`render` returns a picture of each game, with no
            display; ``"ansi"``: a text for each.
        encoding: how positions are observed; see :class:`nim_envs.encoding.Encoding`.
        illegal_move: ``"forfeit"``, or ``"raise"`` to raise ``IllegalMoveError`` and leave all
            games unchanged.
        max_cycles: most moves of each player; ``None``: no limit, as every game ends.
        autoreset_mode: an ``AutoresetMode`` of Gymnasium, or its value.
        copy: as in ``gymnasium.vector.SyncVectorEnv``: whether each call returns new arrays of
            observations; else the next call overwrites them. All other arrays are always new.
        num_threads: threads that share the games. More than one pays off from some hundred
            thousand games on.
        show_winning_moves: whether pictures mark the winning moves.

    Raises:
        InvalidGameError: an argument is not one of the values above.
        SearchTooLargeError: tables of the rules would take more than 1 GiB; or, versus an opponent
            that plays optimally or to show winning moves, no theorem solves the game and it has
            too many positions.
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
        self.illegal_move = checked_illegal_move(illegal_move)
        if not isinstance(copy, bool):
            raise InvalidGameError(f"copy must be True or False, not {copy!r}")
        self.copy = copy
        self.game = game
        self.num_envs = checked_integer("num_envs", num_envs, minimum=1)
        self.num_threads = checked_integer("num_threads", num_threads, minimum=1)
        self.render_mode = render_mode
        self._renderer = BatchRenderer(
            game, render_mode, show_winning_moves=show_winning_moves, self_play=opponent is None
        )
        self.max_cycles = (
            None
            if max_cycles is None
            else checked_integer("max_cycles", max_cycles, minimum=1, maximum=kernels.NO_LIMIT // 2)
        )
        self.opponent = opponent
        self.seat = seat
        self._opponent_function, epsilon = (
            (None, 1.0) if opponent is None else checked_opponent(opponent)
        )
        if opponent is None and seat is not None:
            raise InvalidGameError(f"in self-play there is no seat to choose; seat was {seat!r}")
        agent_seat = checked_seat(0 if seat is None else seat)
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode)
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        rules = game.rules
        self.encoding = Encoding(encoding, rules, dtype=smallest_integer(max(rules.shape) - 1))
        self._engine = Engine(
            game,
            self.encoding,
            self.num_envs,
            has_opponent=opponent is not None,
            replies_in_python=self._opponent_function is not None,
            epsilon=epsilon,
            agent_seat=agent_seat,
            max_cycles=self.max_cycles,
            num_threads=self.num_threads,
        )
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

        self._all = np.ones(self.num_envs, dtype=np.bool_)
        self._all.setflags(write=False)
        self._seeded = False
        self._ready = False
        with announced_compilation("the batched environment"):
            self._engine.compile(illegal_moves_raise=self.illegal_move == "raise")

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin new games.

        Args:
            seed: seeds what the games draw from here on, as described above; ``None`` keeps the
                current random states.
            options: ``"start"`` and ``"reset_mask"`` as described above; other keys are ignored.

        Returns:
            The observations and the infos.

        Raises:
            ValueError: ``seed`` or ``options["reset_mask"]`` is not as described above.
            InvalidPositionError: the start is not a position of this game that leaves a move;
                or the opponent's first move ends every game.
            ResetNeededError: the first reset does not begin all games.
        """
        self._check_open()
        if type(seed) is int and seed < 0:
            raise ValueError(f"seed must be at least 0, not {seed}")
        options = options or {}
        which = self._all
        if options.get("reset_mask") is not None:
            which = checked_reset_mask(options["reset_mask"], self.num_envs)
            if not self._ready and not which.all():
                raise ResetNeededError("no games are in progress: the first reset() must begin all")
        starts = self._engine.own_starts
        if "start" in options:
            starts = self._engine.starts(as_start(options["start"]))
        self._seed(seed, which)
        self._ready = False
        self._engine.begin(which)
        self._begin_and_reply(starts)
        self._ready = True
        self._renderer.begin(which)
        infos = {"seat": self._engine.games.seats.copy(), "_seat": which}
        return self._observations(), infos

    def _seed(self, seed: Any, which: BoolArray) -> None:
        """Seed the games in ``which``; those that have no seed yet by the system's entropy."""
        seeds = None if seed is None or type(seed) is int else checked_seeds(seed, self.num_envs)
        if not self._seeded:
            drawn = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            self._engine.seed_games(drawn, self._all.copy())
            self._seeded = True
        if type(seed) is int:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            numbers = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed % 2**64)
            self._engine.seed_games(numbers, which.copy())
        elif seeds is not None:
            given = [one for one in seeds if one is not None]
            self.np_random = np.random.default_rng(given or None)
            numbers = np.array([(one or 0) % 2**64 for one in seeds], dtype=np.uint64)
            self._engine.seed_games(numbers, which & [one is not None for one in seeds])
        if seed is not None:
            self._engine.discard_starts()

    def _begin_and_reply(self, starts: StartStates) -> None:
        """Begin the new games that are due, and make the opponent's moves that are due."""
        for _ in range(MOST_OPENINGS):
            self._engine.prepare_starts(starts, self.np_random)
            waiting = self._engine.play(kernels.BEGIN_AND_REPLY, starts)
            if waiting and self._opponent_function is not None:
                self._reply_in_python(self._opponent_function)
                waiting = (self._engine.games.due != kernels.AGENT).any()
            if not waiting:
                return
        raise no_move_for_agent()

    def _reply_in_python(self, opponent: OpponentFunction) -> None:
        """Make the moves of an opponent that is a Python function, where they are due."""
        observations = self._observations()
        due = self._engine.games.due == kernels.OPPONENT
        masks = observations["action_mask"] * due[:, np.newaxis]
        actions = self._checked_actions(
            opponent(observations["observation"], masks, self.np_random),
            "the opponent's",
            kernels.OPPONENT,
        )
        self._engine.play(kernels.OPPONENT_MOVE, self._engine.own_starts, actions)

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
        if self.autoreset_mode is AutoresetMode.DISABLED and self._engine.games.outcomes.any():
            over = np.flatnonzero(self._engine.games.outcomes)
            raise ResetNeededError(
                f"the games of environments {over.tolist()} are over: begin new ones by "
                'reset(options={"reset_mask": terminations | truncations})'
            )
        checked = self._checked_actions(actions, "the", kernels.AGENT)
        record = (
            StepRecord.begun(self._engine.positions(), self._engine.games, checked)
            if self._renderer.draws
            else None
        )
        self._ready = False
        rewards = np.empty(self.num_envs, dtype=np.float32)
        terminations = np.empty(self.num_envs, dtype=np.bool_)
        truncations = np.empty(self.num_envs, dtype=np.bool_)
        observations, last = self._advance(checked, (rewards, terminations, truncations))
        self._ready = True
        infos: dict[str, Any] = {"seat": self._engine.games.seats.copy(), "_seat": self._all}
        if record is not None:
            record.rewards[:] = rewards
            self._renderer.last_step = record
            if self._same_step:
                self._renderer.begin(terminations | truncations)
        if last is not None:
            ended = terminations | truncations
            if ended.any():
                self._add_final(infos, ended, last)
        return observations, rewards, terminations, truncations, infos

    def _advance(
        self, actions: IntArray, results: Results
    ) -> tuple[Observations, kernels.Games | None]:
        """Make the step; write rewards, terminations and truncations.

        Returns:
            Observations, and the games as they were before new ones began in ``SAME_STEP`` mode.
        """
        last = None
        engine = self._engine
        starts = engine.own_starts
        if self._opponent_function is not None:
            engine.play(kernels.AUTORESET | kernels.MOVE, starts, actions)
            self._begin_and_reply(starts)
            engine.play(kernels.RESULTS, starts, results=results)
            if self._same_step:
                last = engine.copied_games()
                engine.play(kernels.AUTORESET, starts)
                self._begin_and_reply(starts)
            return self._observations(), last
        rows = engine.new_rows(copy=self.copy)
        engine.prepare_starts(starts, self.np_random)
        phases = kernels.AUTORESET | kernels.MOVE | kernels.BEGIN_AND_REPLY | kernels.RESULTS
        if self._same_step:
            engine.play(phases, starts, actions, results)
            last = engine.copied_games()
            phases = kernels.AUTORESET | kernels.BEGIN_AND_REPLY
        if engine.play(phases | kernels.OBSERVE, starts, actions, results, rows):
            self._begin_and_reply(starts)
            engine.observe(rows)
        return engine.observations_in(rows), last

    def _add_final(self, infos: dict[str, Any], ended: BoolArray, last: kernels.Games) -> None:
        """Add the last observations and infos of the games that ended, out of ``last``."""
        which = np.flatnonzero(ended)
        observations = self._engine.observations_of(last, which)
        final = np.full(self.num_envs, None, dtype=object)
        final[which] = [
            {"observation": observation, "action_mask": mask}
            for observation, mask in zip(
                observations["observation"], observations["action_mask"], strict=True
            )
        ]
        infos["final_obs"], infos["_final_obs"] = final, ended
        infos["final_info"] = {"seat": last.seats * ended, "_seat": ended}
        infos["_final_info"] = ended

    def sample_actions(self) -> IntArray:
        """Return a legal action of every game, all equally likely, int64 ``(num_envs,)``.

        Where a game is over and no action is legal, it is any action. What is drawn depends on
        the seed of :meth:`reset`, and drawing it changes nothing else.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        self._check_ready()
        return self._engine.sample_actions()

    @property
    def positions(self) -> IntArray:
        """The positions of all games, int64 ``(num_envs, components)``, as a copy."""
        self._check_ready()
        return self._engine.positions()

    def render(self) -> tuple[Frame, ...] | tuple[str, ...] | None:
        """Return a picture of each game, ``(height, width, 3)``, uint8, or a text.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        if self.render_mode is None:
            logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}; it is None")
            return None
        return self._renderer.show(self.positions, self._engine.games, self.metadata["render_fps"])

    def _observations(self) -> Observations:
        """Return the observations and action masks of all games."""
        rows = self._engine.new_rows(copy=self.copy)
        self._engine.observe(rows)
        return self._engine.observations_in(rows)

    def _checked_actions(self, actions: Any, whose: str, mover: np.uint8) -> IntArray:
        """Return ``actions`` as int64 ``(num_envs,)``; legal, where illegal moves raise."""
        rules = self.game.rules
        checked = checked_actions(actions, rules.num_actions, self.num_envs, whose=whose)
        if self.illegal_move == "raise":
            index = self._engine.first_illegal(checked, mover)
            if index >= 0:
                raise illegal_move_error(
                    rules,
                    self._engine.position(index),
                    int(checked[index]),
                    of=f"{whose} ",
                    where=f" in environment {index}",
                )
        return checked

    def _check_open(self) -> None:
        if self.closed:
            raise error.ClosedEnvironmentError("the environment is closed: make a new one")

    def _check_ready(self) -> None:
        self._check_open()
        if not self._ready:
            raise ResetNeededError("no games are in progress: call reset() first")

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        # Some versions of Gymnasium close an environment even if its constructor raised.
        if "_engine" in self.__dict__:
            self._engine.close()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the games in progress."""
        self.__dict__.update(state)
        # Pickles forget it.
        self._all.setflags(write=False)
