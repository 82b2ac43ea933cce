"""The Gymnasium environment: one seat against an opponent, or both seats in self-play."""

from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from nim_envs.caches import LimitedCache
from nim_envs.encoding import Encoding, with_mask
from nim_envs.envs.arguments import (
    MOST_OPENINGS,
    checked_hurry,
    checked_opponent,
    checked_options,
    checked_seat,
    checked_seed,
    no_move_for_agent,
)
from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import InvalidActionError, ResetNeededError
from nim_envs.game import PLAYERS, Game
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.players import AnyPlayer
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import checked_boolean

CACHED_POSITIONS = 1 << 16
"""Maximum number of positions whose optimal actions are cached."""

SEATS = (np.int8(0), np.int8(1))
NO_WINNER = np.int8(-1)
NO_ACTIONS: IntArray = np.empty(0, dtype=np.int64)


class VersusEnv(gymnasium.Env[Any, Any]):
    """An exactly solvable game, in self-play or against an opponent that replies within the step.

    ## Description
    Positions, actions, legality and winners are those of
    :class:`nim_envs.envs.turn_based.GameEnv`, as are all arguments that are not listed below.
    *Versus* an opponent, a step makes the agent's move and then the opponent's reply. In
    *self-play* (``opponent=None``) the agent plays both seats: every step makes one move, for
    whichever player is to move. :class:`nim_envs.envs.batched.VectorGameEnv` plays many such games
    at once: on the same moves both agree in everything.

    ## Observation Space
    A ``Dict`` of ``"observation"``, ``(fields,)`` in the smallest signed integer type that
    holds every coordinate (or what ``encoding`` says, float32), and ``"action_mask"``, int8
    ``(actions,)``: 1 where the action is legal; all zeros where the game has terminated, or was
    truncated with the opponent to move. In self-play both are those of the player who moves next: a
    step returns the observation of the mover's *opponent*. With ``mask_in_observation=False`` it is
    the ``Box`` of ``"observation"`` alone, for policies that take no dictionaries; the mask is then
    in the info, and :meth:`action_masks` returns it.

    ## Starting State
    As in ``GameEnv``. If the agent is ``player_1`` the opponent has already moved. If that move
    ends the game, a new game is started in its place.

    ## Rewards
    Versus an opponent the agent's rewards, in self-play those of the player who made the move: +1
    for a win, -1 for a loss and 0 for a draw in the step that ends the game, 0 before. An illegal
    move forfeits: the player who makes it loses.

    In self-play the next observation is the opponent's, who wins what the mover loses, so the
    bootstrap has a minus sign: the target of a move is ``reward - discount * value(next)``. The
    return of an episode is the reward of its last mover, +1 for every game of normal play without
    forfeits: to see how often each seat wins, count ``info["winner"]``.

    ## Episode End
    The game terminates when no legal move is left or after a forfeit. With ``max_cycles`` it is
    truncated, with reward 0, after that many moves of each player. ``player_0`` would move next: an
    agent in this seat keeps its action mask, while that of ``player_1`` is all zeros.

    ## Information
    - ``"seat"``, int8, 0 for ``player_0`` and 1 for ``player_1``: the agent's; in self-play that
      of the player who moves next.
    - ``"action_mask"``, int8 ``(actions,)``, as in the observation.
    - ``"winner"``, int8: the seat that has won the game; -1 while it goes on, and where it was
      drawn or truncated.
    - With ``truth_in_info=True``, the entries of ``GameEnv`` on the move that the step was given;
      in ``reset`` those before a first move.

    Args:
        game: the game.
        opponent: ``None``: self-play. ``"random"``; ``"optimal"``, which draws among the winning
            actions, at drawn positions among those that keep the draw, or among all where there are
            none; a probability of a random move, optimal otherwise. Or any player that
            :func:`nim_envs.optimality` scores, such as an agent with
            ``act(observation, action_mask, rng)``, or a function of observations ``(1, ...)``,
            action masks ``(1, actions)`` and perhaps a generator, which can play a batch of games,
            too. It receives the observations of the turn-based environment with this ``encoding``,
            and may overwrite them; an action of -1 means no legal move, and forfeits.
        hurry: whether an opponent that plays optimally wins as soon as it can, and where it is lost
            resists as long as it can.
        seat: the agent's seat versus an opponent: 0 for ``player_0``, who moves first; 1 for
            ``player_1``; ``"random"``: drawn for each game; ``None``: 0. Must be ``None`` in
            self-play.
        mask_in_observation: whether observations hold the action mask.

    Raises:
        InvalidGameError: an argument is not one of the values above.
        SearchTooLargeError: as of ``GameEnv``; or the game cannot be solved, for an opponent that
            plays optimally.
        ResetNeededError, ClosedEnvironmentError, MissingPackageError: as of ``GameEnv``.

    Example:
        >>> import gymnasium, nim_envs
        >>> env = gymnasium.make("nim_envs/Nim-v0", heaps=(1, 2), opponent="optimal")
        >>> observation, info = env.reset(seed=0)
        >>> observation["observation"].tolist(), observation["action_mask"].tolist()
        ([1, 2], [1, 0, 1, 1])
        >>> observation, reward, terminated, truncated, info = env.step(2)
        >>> sorted(observation["observation"].tolist()), reward, terminated
        ([0, 1], 0.0, False)
        >>> env.step(int(info["action_mask"].argmax()))[1]
        1.0
    """

    def __init__(
        self,
        game: Game,
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
        show_winning_moves: bool = False,
        truth_in_info: bool = False,
    ) -> None:
        self._self_play = opponent is None
        self.fixed_seat = checked_seat(seat, self_play=self._self_play)
        self.mask_in_observation = checked_boolean("mask_in_observation", mask_in_observation)
        self._aec = GameEnv(
            game,
            name=name,
            start=start,
            render_mode=render_mode,
            encoding=encoding,
            illegal_move=illegal_move,
            max_cycles=max_cycles,
            show_winning_moves=show_winning_moves,
            truth_in_info=truth_in_info,
        )
        self.game = game = self._aec.game
        self.opponent_player, self.epsilon = checked_opponent(opponent, game)
        self.hurry = checked_hurry(hurry, game, self.epsilon)
        self.opponent = opponent
        self.seat = seat
        self.render_mode = render_mode
        self.illegal_move = illegal_move
        self.max_cycles = max_cycles
        self.truth_in_info = truth_in_info
        self.metadata: dict[str, Any] = {
            key: self._aec.metadata[key] for key in ("name", "render_modes", "render_fps")
        }
        self.encoding = Encoding(encoding, game.fields, dtype=None)
        self.action_space: spaces.Discrete = spaces.Discrete(game.num_actions)
        self.observation_space: spaces.Space[Any] = self.encoding.space
        if mask_in_observation:
            self.observation_space = with_mask(self.encoding.space, game.num_actions)
        self._optimal_actions: LimitedCache[Any, IntArray] = LimitedCache(CACHED_POSITIONS)
        if self.epsilon < 1.0:
            # Solved now, so that an error is raised here and not during an episode.
            game.solution.value(game.start)
        # The observing seat: the agent, or in self-play the player to move.
        self._seat = 0
        self._seeded = False
        self._ready = False
        self._last_reply: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game.

        Args:
            seed: seeds starts, seats and the opponent of this game and of those after it;
                ``None`` keeps the current generator.
            options: ``{"start": ...}`` as described above.

        Returns:
            The observation and the info.

        Raises:
            InvalidResetError: ``seed`` is not as described above, or ``options`` have another key.
            InvalidPositionError: the start is not a position of this game that leaves a move;
                or the opponent's first move ends every game.
        """
        # Errors are raised before the game in progress changes.
        self._aec.check_open()
        sampler = self._aec.starts.sampler(checked_options(options))
        checked_seed(seed)
        super().reset(seed=seed)
        start_seed = None
        if seed is not None or not self._seeded:
            start_seed = int(self.np_random.integers(2**63))
        self._ready = False
        for _ in range(MOST_OPENINGS):
            self._aec.begin_from(sampler, start_seed)
            self._seeded, start_seed = True, None
            self._seat = self.fixed_seat
            if self._seat < 0:
                self._seat = int(self.np_random.random() * len(PLAYERS))
            if self._seat == 1:
                self._reply()
            if not self._over:
                self._ready = True
                return self._observation_and_info(self._seat, NO_WINNER)
        raise no_move_for_agent(self.game, self._aec.position, self._last_reply)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Make the agent's move, and let the opponent reply; in self-play make one move.

        Args:
            action: an integer of the action space.

        Returns:
            Observation, reward, whether the game terminated, whether it was truncated, info.

        Raises:
            InvalidActionError: not an integer of the action space.
            IllegalMoveError: an illegal move where ``illegal_move="raise"``.
        """
        aec = self._aec
        if not self._ready:
            aec.check_open()
            raise ResetNeededError("no game is in progress: call reset()")
        aec.step(action)
        seat = self._seat
        if self._self_play:
            self._seat = 1 - seat
        elif not self._over:
            # If the opponent raises an error, the game cannot be continued.
            self._ready = False
            own_move = aec.last_move
            self._reply()
            if own_move is not None and aec.last_move is not None:
                aec.last_move = own_move.followed_by(aec.last_move)
        self._ready = not self._over
        agent = PLAYERS[seat]
        reward = aec.rewards[agent]
        winner = SEATS[seat if reward > 0 else 1 - seat] if reward else NO_WINNER
        observation, info = self._observation_and_info(seat, winner)
        return observation, reward, aec.terminations[agent], aec.truncations[agent], info

    @property
    def _over(self) -> bool:
        return self._aec.terminations[PLAYERS[0]] or self._aec.truncations[PLAYERS[0]]

    def _reply(self) -> None:
        """Make the opponent's move; it forfeits if it names no legal move."""
        try:
            action = self._last_reply = self._opponent_action()
            if isinstance(action, np.signedinteger) and action == NO_LEGAL_MOVE:
                self._aec.forfeit()
            else:
                self._aec.step(action)
        except InvalidActionError as error:
            raise type(error)(f"the opponent's {error}") from None

    def _opponent_action(self) -> Any:
        """Return the action of a player, or draw an optimal or a legal one."""
        player, rng, walk = self.opponent_player, self.np_random, self._aec.walk
        if player is not None:
            observed = self._aec.observe(self._aec.agent_selection)
            shown, mask = observed["observation"], observed["action_mask"]
            return player.action(shown, mask, rng, lambda: self._aec.position[np.newaxis])
        chosen = NO_ACTIONS
        if self.epsilon < 1.0 and rng.random() >= self.epsilon:
            chosen = self._optimal_actions.get_or_create(walk.state, self._keeping)
        if not len(chosen):
            chosen = walk.mask().nonzero()[0]
        return chosen.item(int(rng.random() * len(chosen)))

    def _keeping(self) -> IntArray:
        """Return the optimal actions: those that keep the value, none at a loss, or that hurry."""
        if self.hurry:
            return np.flatnonzero(self.game.solution.hurrying_mask(self._aec.position))
        return np.flatnonzero(self.game.solution.state_keeping(np.array(self._aec.walk.state)))

    def _observation_and_info(self, mover: int, winner: np.int8) -> tuple[Any, dict[str, Any]]:
        """Return observation and info, after a move of the seat ``mover``."""
        observed = self._aec.observe(PLAYERS[self._seat])
        mask = observed["action_mask"]
        info: dict[str, Any] = {"seat": SEATS[self._seat], "action_mask": mask, "winner": winner}
        if self.truth_in_info:
            info |= self._aec.infos[PLAYERS[mover]]
        observation = observed["observation"].astype(self.encoding.space.dtype, copy=False)
        if not self.mask_in_observation:
            return observation, info
        return {"observation": observation, "action_mask": mask.copy()}, info

    def action_masks(self) -> BoolArray:
        """Return the action mask of the last observation, boolean ``(actions,)``."""
        return self._aec.observe(PLAYERS[self._seat])["action_mask"].astype(np.bool_)

    @property
    def position(self) -> IntArray:
        """Copy of the current position, int64 ``(fields,)``."""
        return self._aec.position

    def __repr__(self) -> str:
        """Return the game in short, the position and whose turn it is."""
        return repr(self._aec).replace(type(self._aec).__name__, type(self).__name__, 1)

    def _repr_png_(self) -> bytes | None:
        """Return the picture of the position, which a notebook shows."""
        return self._aec._repr_png_()

    def render(self) -> Any:
        """Render as :meth:`nim_envs.envs.turn_based.GameEnv.render` does."""
        return self._aec.render()

    def close(self) -> None:
        """Close the window, if there is one; later resets and steps raise an error."""
        self._aec.close()
        self._ready = False

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without caches, for pickles and copies."""
        return {**self.__dict__, "_optimal_actions": LimitedCache(CACHED_POSITIONS)}
