"""Rendering of batched games: a picture or a text of each."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nim_envs.envs.batched.kernels import ROW, Games
from nim_envs.game import PLAYERS, Game
from nim_envs.render.frame import Frame
from nim_envs.render.renderer import LastMove, Renderer
from nim_envs.render.scene import Scene
from nim_envs.typing import BoolArray, IntArray


class StepRecord(NamedTuple):
    """A step of all games, one entry each."""

    positions: IntArray  # coordinates before it, (games, fields)
    seats: npt.NDArray[np.int8]  # of the movers
    actions: IntArray  # theirs
    rewards: npt.NDArray[np.float64]  # theirs, known after the step
    in_this_game: BoolArray  # whether no new game has begun since the step


class BatchRenderer:
    """Renders the games of a batch, with their last step.

    In self-play a step is one move, not the agent's and the opponent's. Where it draws, each
    step is recorded, as pictures show the last one.

    Raises:
        MissingPackageError: pictures are asked for and pygame is not installed.
    """

    def __init__(self, game: Game, mode: str, *, show_winning_moves: bool, self_play: bool) -> None:
        self._game = game
        self._renderer = Renderer(game, mode, show_winning_moves=show_winning_moves)
        self._self_play = self_play
        self.draws = self._renderer.draws
        self.last_step: StepRecord | None = None

    def show(
        self, positions: IntArray, games: Games, frames_per_second: float
    ) -> tuple[Frame, ...] | tuple[str, ...]:
        """Return a picture of each game, ``(height, width, 3)``, uint8, or a text.

        Positions are ``(games, fields)``.
        """
        scenes = (self.scene(index, each, games) for index, each in enumerate(positions))
        pictures: list[Any] = [self._renderer.show(scene, frames_per_second) for scene in scenes]
        return tuple(pictures)

    def before_step(
        self, positions: IntArray, games: Games, actions: IntArray
    ) -> StepRecord | None:
        """Return the record of a step before it is made; ``None`` where no picture shows it."""
        if not self.draws:
            return None
        rewards, ongoing = np.zeros(len(actions)), games.words <= ROW
        return StepRecord(positions, games.seats.copy(), actions.copy(), rewards, ongoing)

    def discard_last_step(self, which: BoolArray) -> None:
        """Discard the last step of games that are replaced by new ones."""
        if self.last_step is not None:
            self.last_step.in_this_game[which] = False

    def scene(self, index: int, position: IntArray, games: Games) -> Scene:
        """Return the contents of a picture of game ``index``."""
        over = bool(games.words[index] > ROW)
        winner, last_move, step = None, None, self.last_step
        if step is not None and step.in_this_game[index]:
            seat, before = int(step.seats[index]), step.positions[index]
            reward = step.rewards[index]
            last_move = LastMove(before, None, "")
            if self._self_play:
                action = int(step.actions[index])
                does = "made an illegal move and forfeits"
                if (position != before).any():
                    does = f"moved, {self._game.describe_move(action, before)}"
                last_move = LastMove(before, seat, f"{PLAYERS[seat]} {does}")
            if over and reward:
                winner = seat if reward > 0 else 1 - seat
        mover = None if over else int(games.seats[index])
        return self._renderer.scene(position, mover, winner, last_move)
