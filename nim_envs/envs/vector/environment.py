"""The batched environment: many games of one kind, stepped together by compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import logger, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from nim_envs.compilation import announced_compilation
from nim_envs.encoding import Encoding, with_mask
from nim_envs.envs.move_truth import checked_truth_in_info, moves_truth, no_move_yet
from nim_envs.envs.opponents import (
    MOST_OPENINGS,
    checked_opponent,
    checked_seat,
    no_move_for_agent,
)
from nim_envs.envs.reset_arguments import checked_options
from nim_envs.envs.turn_based import ILLEGAL_MOVE_RULES
from nim_envs.envs.vector.checks import (
    checked_actions,
    checked_autoreset_mode,
    checked_reset_mask,
    checked_seeds,
)
from nim_envs.envs.vector.engine import Engine
from nim_envs.envs.vector.games import (
    AGENT,
    NO_LIMIT,
    ONGOING,
    OPPONENT,
    Games,
    Results,
    Settings,
    new_results,
)
from nim_envs.envs.vector.new_games import StartStates
from nim_envs.errors import ClosedEnvironmentError, InvalidActionError, ResetNeededError
from nim_envs.game import Game, checked_game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.players import AnyPlayer, BatchPlayerAdapter
from nim_envs.rules.component import read_only
from nim_envs.rules.convention import Convention
from nim_envs.rules.legality import illegal_move_error
from nim_envs.starts import as_start
from nim_envs.typing import Array, BoolArray, IntArray
from nim_envs.validation import checked_boolean, checked_choice, checked_integer

if TYPE_CHECKING:
    from nim_envs.render.batches import BatchRenderer
    from nim_envs.render.frame import Frame

RENDER_MODES = ("rgb_array", "ansi")

Infos = dict[str, Any]
StepResult = tuple[Any, Array, Array, Array, Infos]


class VectorGameEnv(VectorEnv[Any, IntArray, Array]):
    """Many games of one kind, played at the same time, by both players or against an opponent.

    ## Description
    Positions, actions, legality and winners are those of
    :class:`nim_envs.envs.turn_based.GameEnv`: on the same moves both agree in everything.

    *Versus* an opponent, a step makes the agent's move and then the opponent's reply. In
    *self-play* (``opponent=None``) the agent plays both seats: every step makes one move in
    every game, for whichever player is to move. The same arguments mean the same in
    :class:`nim_envs.envs.versus.VersusEnv`, which plays one such game.

    A batch uses one core, as a step takes less time than handing a part of it to another thread. To
    use several cores, run several processes, each with its own batch.

    ## Action Space
    ``MultiDiscrete``, ``(num_envs,)``, of the single ``Discrete(components * options)``.
    :meth:`sample_actions` draws legal ones. In a step that begins a new game, the action for
    that game is ignored, but must be in the space.

    ## Observation Space
    A ``Dict`` of ``"observation"``, ``(num_envs, components)`` in the smallest signed integer
    type that holds every state (or what ``encoding`` says, float32), and ``"action_mask"``,
    int8 ``(num_envs, actions)``: 1 where the action is legal; all zeros where the game has
    terminated, or was truncated with the opponent to move. In self-play both are those of the
    player who moves next: a step returns the observation of the mover's *opponent*. With
    ``mask_in_observation=False`` it is the ``Box`` of ``"observation"`` alone, for policies that
    take no dictionaries; the masks are then in the infos.

    ## Starting State
    As in :class:`nim_envs.envs.turn_based.GameEnv`. Versus an opponent, if the agent is
    ``player_1`` the opponent has already moved. If that move ends the game, another game begins in
    its place.

    ``reset(seed=...)`` takes an integer, so that game ``i`` is seeded with ``seed + i``, or a
    sequence of integers and ``None``, one for each game. The random numbers of a game depend only
    on its own seed and its own history, not on the other games.
    Exceptions are starts out of more than 2**20 positions and an opponent that is a function:
    these draw from ``np_random``. ``options={"start": ...}`` chooses the starts of this reset,
    and ``options={"reset_mask": ...}``, a boolean array, the games that begin anew.

    ## Rewards
    Float32 ``(num_envs,)``: in self-play the reward of the player who made the move, versus an
    opponent the agent's. +1 for a win, -1 for a loss or 0 for a draw in the step that ends a game,
    0 in all others. An illegal move forfeits the game: the player who makes it loses.

    In self-play the next observation is the opponent's, who wins what the mover loses, so the
    bootstrap has a minus sign: the target of a move is ``reward - discount * value(next)``. The
    return of an episode, as Gymnasium's ``RecordEpisodeStatistics`` records it, is the reward of
    its last mover, +1 for every game of normal play without forfeits: to see how often each seat
    wins, count ``infos["winner"]``.

    ## Episode End
    A game terminates when no legal move is left or after a forfeit. With ``max_cycles`` it is
    truncated, with reward 0, after that many moves of each player. ``player_0`` would move next,
    and its action mask is kept in the last observation. After the end, Gymnasium's
    ``autoreset_mode`` applies:

    - ``NEXT_STEP``: the step returns the last observation; the next one ignores the action,
      begins a new game and gives reward 0.
    - ``SAME_STEP``: the step begins a new game and returns its first observation; the last one
      of the old game is in the info, as Python objects, which makes this mode the slowest.
    - ``DISABLED``: the user begins a new game by ``reset(options={"reset_mask": ...})`` before
      the next step.

    ## Information
    Arrays with one entry for each game. As in Gymnasium, a key with ``"_"`` before it holds a
    boolean array: which games have an entry.

    - ``"seat"``, int8 ``(num_envs,)``, 0 for ``player_0`` and 1 for ``player_1``: the agent's; in
      self-play that of the player who moves next.
    - ``"action_mask"``, int8 ``(num_envs, actions)``: the one in the observation.
    - ``"winner"``, int8 ``(num_envs,)``: the seat that has won the game; -1 while it goes on,
      where it was drawn or truncated, and where the step began a new game.
    - With ``truth_in_info=True``, boolean ``(num_envs,)``, on the moves that the step was given:
      ``"winning"``, whether the position was won for the mover; ``"kept_win"``, whether it was won
      and still is after the move. An illegal move never keeps a win. Both are ``False`` in
      ``reset`` and where the step began a new game.
    - With ``truth_in_info=True``, in games with an outcome of their own, on the same moves:
      ``"value"``, int8 ``(num_envs,)``, 1, 0 or -1, whether the position was won, drawn or lost for
      the mover; ``"kept_value"``, boolean ``(num_envs,)``, whether it is the same after the move,
      ``False`` for an illegal one. They are 0 and ``False`` where the others are ``False``.

    In ``SAME_STEP`` mode, where a game ended, these describe the new game; ``"final_obs"`` and
    ``"final_info"`` describe the one that ended, with its winner and its last move.

    Args:
        game: rules, convention and start.
        num_envs: number of games.
        name: name of the environment, in its metadata.
        opponent: ``None``: self-play. ``"random"``; ``"optimal"``, which draws among the winning
            actions, at drawn positions among those that keep the draw, or among all where there are
            none; a probability of a random move, optimal otherwise. Or any player that
            :func:`nim_envs.optimality` scores. A function of observations, action masks and a
            generator is given the whole batch, with masks of zeros where it is not to move, and
            returns actions or probabilities. A function of observations and action masks, or an
            object with ``action_probabilities`` or ``move``, is given only the games in which it is
            to move. Of an agent, ``act(observation, action_mask, rng)`` is called for one game
            after the other, or ``act_many``, if it has it, for all at once. It may overwrite its
            arguments; an action of -1 means no legal move, and forfeits like an illegal one.
        seat: the agent's seat versus an opponent: 0 for ``player_0``, who moves first; 1 for
            ``player_1``; ``"random"``: drawn for each game; ``None``: 0. Must be ``None`` in
            self-play.
        render_mode: ``"rgb_array"``: :meth:`render` returns a picture of each game, with no
            display; ``"ansi"``: a text for each.
        encoding: encoding of observations; see :class:`nim_envs.encoding.Encoding`.
        mask_in_observation: whether observations hold the action masks.
        illegal_move: ``"forfeit"``, or ``"raise"`` to raise ``IllegalMoveError`` and leave all
            games unchanged.
        max_cycles: maximum number of moves of each player; ``None``: no limit, as every game ends.
        autoreset_mode: an ``AutoresetMode`` of Gymnasium, or its value.
        copy: as in ``gymnasium.vector.SyncVectorEnv``: whether each call returns new arrays of
            observations and action masks; else the next call overwrites them. All other arrays
            are always new.
        show_winning_moves: whether pictures mark the winning moves.
        truth_in_info: whether infos say which moves are right, as described above.

    Raises:
        InvalidGameError: an argument is not one of the values above.
        SearchTooLargeError: tables of the rules would take more than 1 GiB; or the game cannot be
            solved, for an opponent that plays optimally, ``show_winning_moves`` or
            ``truth_in_info``.
        MissingPackageError: pictures are asked for and pygame is not installed.

    ## Version History
    * v0: first version.

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
        opponent: str | float | AnyPlayer | None = "random",
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
        checked_game(game)
        self.illegal_move = checked_choice("illegal_move", illegal_move, ILLEGAL_MOVE_RULES)
        self.copy = checked_boolean("copy", copy)
        self.mask_in_observation = checked_boolean("mask_in_observation", mask_in_observation)
        self.truth_in_info = checked_truth_in_info(truth_in_info, game)
        self.game = game
        self.num_envs = checked_integer("num_envs", num_envs, minimum=1)
        self.render_mode = render_mode
        checked_choice("render_mode", render_mode, RENDER_MODES, or_none=True)
        if checked_boolean("show_winning_moves", show_winning_moves):
            _ = game.old_solution  # an error is raised now and not during an episode
        self._renderer: BatchRenderer | None = None
        if render_mode is not None:
            from nim_envs.render.batches import BatchRenderer

            self._renderer = BatchRenderer(
                game, render_mode, show_winning_moves=show_winning_moves, self_play=opponent is None
            )
        self.max_cycles = (
            None
            if max_cycles is None
            else checked_integer("max_cycles", max_cycles, minimum=1, maximum=NO_LIMIT // 2)
        )
        self.opponent = opponent
        self.seat = seat
        self._opponent_player, epsilon = checked_opponent(opponent, game)
        agent_seat = checked_seat(seat, self_play=opponent is None)
        self.autoreset_mode = checked_autoreset_mode(autoreset_mode)
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "render_fps": 2,
            "autoreset_mode": self.autoreset_mode,
        }
        rules, convention = game.rules, game.convention
        self.encoding = Encoding(encoding, game.fields, dtype=None)
        self._engine = Engine(
            game,
            self.encoding,
            self.num_envs,
            Settings(
                last_movers_reward=np.float32(
                    convention.last_movers_reward if isinstance(convention, Convention) else 0
                ),
                most_moves=np.int32(NO_LIMIT if self.max_cycles is None else 2 * self.max_cycles),
                has_opponent=opponent is not None,
                replies_in_python=self._opponent_player is not None,
                agent_seat=agent_seat,
                epsilon=epsilon,
            ),
        )
        self.single_action_space = spaces.Discrete(rules.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.single_observation_space: spaces.Space[Any] = self.encoding.space
        if mask_in_observation:
            self.single_observation_space = with_mask(self.encoding.space, rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

        # Read-only, as infos hold it.
        self._all_games = read_only(np.ones(self.num_envs, dtype=np.bool_))
        self._seeded = False
        self._ready = False
        with announced_compilation("the batched environment"):
            self._engine.compile(illegal_moves_raise=self.illegal_move == "raise")

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
            InvalidResetError: ``seed`` or ``options["reset_mask"]`` is not as described above; or
                ``options`` are not a dictionary, or have another key.
            InvalidPositionError: the start is not a position of this game that leaves a move;
                or the opponent's first move ends every game.
            ResetNeededError: the first reset does not begin all games.
            ClosedEnvironmentError: after ``close``.
        """
        self._check_open()
        checked = checked_options(options, ("start", "reset_mask"))
        seeds = checked_seeds(seed, self.num_envs)
        which = self._all_games
        if checked.get("reset_mask") is not None:
            which = checked_reset_mask(checked["reset_mask"], self.num_envs)
            if not self._ready and not which.all():
                raise ResetNeededError("no games are in progress: the first reset() must begin all")
        starts = self._engine.own_starts
        if "start" in checked:
            starts = self._engine.starts(as_start(checked["start"]))
        self._seed(seeds, which)
        self._ready = False
        self._engine.mark_for_new_games(which)
        self._begin_and_reply(starts)
        self._ready = True
        if self._renderer is not None:
            self._renderer.discard_last_step(which)
        observed = self._observations()
        no_winner = np.full(self.num_envs, -1, dtype=np.int8)
        infos = self._infos(
            which,
            observed["action_mask"],
            self._engine.games.seats,
            no_winner,
            {key: np.full(self.num_envs, entry) for key, entry in no_move_yet(self.game).items()}
            if self.truth_in_info
            else {},
        )
        return self._formatted(observed), infos

    def _seed(self, seed: int | list[int | None] | None, which: BoolArray) -> None:
        """Seed the games in ``which``; those never seeded before by the system's entropy."""
        if not self._seeded:
            seeds = self.np_random.integers(2**64, size=self.num_envs, dtype=np.uint64)
            self._engine.seed_games(seeds, self._all_games)
            self._seeded = True
        if isinstance(seed, int):
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            seeds = np.arange(self.num_envs, dtype=np.uint64) + np.uint64(seed % 2**64)
            self._engine.seed_games(seeds, which)
        elif seed is not None:
            given = [one for one in seed if one is not None]
            self.np_random = np.random.default_rng(given or None)
            seeds = np.array([(one or 0) % 2**64 for one in seed], dtype=np.uint64)
            self._engine.seed_games(seeds, which & [one is not None for one in seed])
        if seed is not None:
            self._engine.discard_starts()

    def _begin_and_reply(self, starts: StartStates) -> None:
        """Begin the new games that are due, and make the opponent's moves that are due."""
        replies: IntArray | None = None
        for _ in range(MOST_OPENINGS):
            self._engine.prepare_starts(starts, self.np_random)
            waiting = self._engine.play(starts, begins=True)
            if waiting and self._opponent_player is not None:
                replies = self._reply_in_python(self._opponent_player)
                waiting = (self._engine.games.due != AGENT).any()
            if not waiting:
                return
        index = int((self._engine.games.due != AGENT).argmax())
        reply = None if replies is None else int(replies[index])
        raise no_move_for_agent(self.game, self._places()[index], reply)

    def _reply_in_python(self, opponent: BatchPlayerAdapter) -> IntArray:
        """Make the due moves of an opponent in Python; return its actions."""
        observations = self._observations()
        due = self._engine.games.due == OPPONENT
        masks = observations["action_mask"] * due[:, np.newaxis]
        try:
            answer = opponent(observations["observation"], masks, self.np_random, self._places, due)
        except InvalidActionError as error:
            raise InvalidActionError(f"the opponent's {error}") from None
        actions = self._checked_actions(answer, OPPONENT)
        self._engine.play(self._engine.own_starts, mover=OPPONENT, actions=actions)
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
            InvalidActionError: not integers of the shape and range of the action space.
            IllegalMoveError: an illegal move where ``illegal_move="raise"``.
            ClosedEnvironmentError: after ``close``.
        """
        self._check_ready()
        if self.autoreset_mode is AutoresetMode.DISABLED and self._engine.games.outcomes.any():
            over = np.flatnonzero(self._engine.games.outcomes)
            raise ResetNeededError(
                f"the games of environments {over.tolist()} are over: begin new ones by "
                'reset(options={"reset_mask": terminations | truncations})'
            )
        checked = self._checked_actions(actions, AGENT)
        record = None
        if self._renderer is not None:
            record = self._renderer.before_step(self.coordinates, self._engine.games, checked)
        truth = self._truth(checked) if self.truth_in_info else {}
        self._ready = False
        observed, results, final_games = self._advance(checked)
        rewards, terminations, truncations, winners = results
        self._ready = True
        if self._renderer is not None and record is not None:
            record.rewards[:] = rewards
            self._renderer.last_step = record
            if self._same_step:
                self._renderer.discard_last_step(terminations | truncations)
        if final_games is None:
            seats = self._engine.games.seats
            infos = self._infos(self._all_games, observed["action_mask"], seats, winners, truth)
        else:
            infos = self._infos_of_same_step(
                observed["action_mask"], final_games, terminations | truncations, winners, truth
            )
        return self._formatted(observed), rewards, terminations, truncations, infos

    def _truth(self, actions: IntArray) -> dict[str, Array]:
        """Return the infos on moves before they are made, false or 0 where a game is over."""
        moving = self._engine.games.outcomes == ONGOING
        truth = moves_truth(self.game, self._places(), actions)
        return {key: entries * moving for key, entries in truth.items()}

    def _infos(
        self,
        which: BoolArray,
        masks: Array,
        seats: Array,
        winners: Array,
        truth: dict[str, Array],
    ) -> Infos:
        """Return the infos of the games in ``which``."""
        infos: Infos = {
            "seat": seats.copy(),
            "_seat": which,
            "action_mask": masks,
            "_action_mask": which,
            "winner": winners,
            "_winner": which,
        }
        for key, moves in truth.items():
            infos[key], infos[f"_{key}"] = moves, which
        return infos

    def _advance(self, actions: IntArray) -> tuple[dict[str, Array], Results, Games | None]:
        """Make the step.

        Returns:
            Observations; rewards, terminations, truncations and winners; and in ``SAME_STEP`` mode
            the games as they were before new ones began.
        """
        results, final_games = new_results(self.num_envs), None
        engine = self._engine
        starts = engine.own_starts
        if self._opponent_player is not None:
            engine.play(starts, mover=AGENT, actions=actions)
            self._begin_and_reply(starts)
            engine.play(starts, results=results)
            if self._same_step:
                final_games = engine.copied_games()
                engine.mark_for_new_games(final_games.outcomes != ONGOING)
                self._begin_and_reply(starts)
            return self._observations(), results, final_games
        rows = engine.new_rows(copy=self.copy)
        engine.prepare_starts(starts, self.np_random)
        if self._same_step:
            engine.play(starts, mover=AGENT, actions=actions, begins=True, results=results)
            final_games = engine.copied_games()
            engine.mark_for_new_games(final_games.outcomes != ONGOING)
            waiting = engine.play(starts, begins=True, rows=rows)
        else:
            waiting = engine.play(
                starts, mover=AGENT, actions=actions, begins=True, results=results, rows=rows
            )
        if waiting:
            self._begin_and_reply(starts)
            engine.write_rows(rows)
        return engine.observations_in(rows), results, final_games

    def _infos_of_same_step(
        self,
        masks: Array,
        final_games: Games,
        ended: BoolArray,
        winners: Array,
        truth: dict[str, Array],
    ) -> Infos:
        """Return the infos of the games in progress, and the last ones of those that ``ended``."""
        no_winner = np.full(self.num_envs, -1, dtype=np.int8)
        ongoing = {key: values * ~ended for key, values in truth.items()}
        infos = self._infos(self._all_games, masks, self._engine.games.seats, no_winner, ongoing)
        if not ended.any():
            return infos
        which = np.flatnonzero(ended)
        observed = self._engine.observations_of(final_games, which)
        final_obs = np.full(self.num_envs, None, dtype=object)
        if self.mask_in_observation:
            final_obs[which] = [
                {"observation": observation, "action_mask": mask}
                for observation, mask in zip(*observed.values(), strict=True)
            ]
        else:
            # Assigned at once, they would become a matrix of objects.
            for index, observation in zip(which, observed["observation"], strict=True):
                final_obs[index] = observation
        final_masks = np.zeros(masks.shape, dtype=np.int8)
        if self.max_cycles is not None:
            # The masks of games that have terminated are all zeros.
            final_masks[which] = observed["action_mask"]
        final_truth = {key: values * ended for key, values in truth.items()}
        infos["final_obs"], infos["_final_obs"] = final_obs, ended
        infos["final_info"] = self._infos(
            ended, final_masks, final_games.seats * ended, winners * ended, final_truth
        )
        infos["_final_info"] = ended
        return infos

    def sample_actions(self) -> IntArray:
        """Return a legal action of every game, all equally likely, int64 ``(num_envs,)``.

        Where a game is over and no action is legal, it is any action. The draw depends on the seed
        of :meth:`reset`, and does not change the games.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        self._check_ready()
        return self._engine.sample_actions()

    @property
    def positions(self) -> IntArray:
        """The positions of all games, state numbers, int64 ``(num_envs, components)``, a copy."""
        self._check_ready()
        return self._engine.positions()

    @property
    def coordinates(self) -> IntArray:
        """The coordinates of all games, int64 ``(num_envs, len(game.rules.fields))``, a copy.

        In games without coordinates they are the positions.
        """
        self._check_ready()
        return self._places()

    def _places(self) -> IntArray:
        return self.game.rules.coordinates(self._engine.positions())

    def render(self) -> tuple[Frame, ...] | tuple[str, ...] | None:
        """Return a picture of each game, ``(height, width, 3)``, uint8, or a text.

        Raises:
            ResetNeededError: before the first :meth:`reset`.
        """
        if self._renderer is None:
            logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}; it is None")
            return None
        return self._renderer.show(
            self.coordinates, self._engine.games, self.metadata["render_fps"]
        )

    def _formatted(self, observed: dict[str, Array]) -> Any:
        """Return the observations in the form of the observation space."""
        return observed if self.mask_in_observation else observed["observation"]

    def _observations(self) -> dict[str, Array]:
        """Return the observations and action masks of all games."""
        rows = self._engine.new_rows(copy=self.copy)
        self._engine.write_rows(rows)
        return self._engine.observations_in(rows)

    def _checked_actions(self, actions: Any, mover: np.uint8) -> IntArray:
        """Return ``actions`` as int64 ``(num_envs,)``; legal, where illegal moves raise."""
        rules = self.game.rules
        whose, least = ("the opponent's", NO_LEGAL_MOVE) if mover == OPPONENT else ("the", 0)
        checked = checked_actions(
            actions, rules.num_actions, self.num_envs, whose=whose, least=least
        )
        if self.illegal_move == "raise":
            index = self._engine.first_illegal(checked, mover)
            if index >= 0:
                raise illegal_move_error(
                    rules,
                    self._engine.positions()[index],
                    int(checked[index]),
                    of=f"{whose} ",
                    where=f" in environment {index}",
                )
        return checked

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environment is closed: make a new one")

    def _check_ready(self) -> None:
        self._check_open()
        if not self._ready:
            raise ResetNeededError("no games are in progress: call reset() first")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the games in progress."""
        self.__dict__.update(state)
        # Pickles do not keep this flag.
        self._all_games.setflags(write=False)
