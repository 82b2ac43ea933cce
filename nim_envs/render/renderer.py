"""Renderer of one game: text, a picture as an array, or a window."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from nim_envs.game import Game
from nim_envs.render.canvas import load_pygame
from nim_envs.render.frame import Frame
from nim_envs.render.picture import SMALLEST_SIZE, Picture, is_drawn
from nim_envs.render.scene import Coordinates, Scene
from nim_envs.render.text import render_text
from nim_envs.render.window import Window

PICTURE_MODES = ("human", "rgb_array")
"""The render modes that need pygame."""

PAUSE = 0.02
"""Seconds between two checks of the window's events."""


class LastMove(NamedTuple):
    """The move that a picture highlights."""

    before: Coordinates  # coordinates of the position before it
    seat: int | None  # who made it; None where several moves are shown as one
    description: str  # who made which move; may be empty

    def followed_by(self, reply: LastMove) -> LastMove:
        """Return both moves as one."""
        return LastMove(self.before, None, f"{self.description}; {reply.description}")


class Renderer:
    """Shows positions in the render mode of an environment.

    With the mode ``None`` nothing is rendered. ``draws``: whether it makes pictures.

    Raises:
        MissingPackageError: pictures are asked for and pygame is not installed.
    """

    def __init__(
        self,
        game: Game,
        mode: str | None,
        title: str = "nim_envs",
        show_winning_moves: bool = False,
    ) -> None:
        self.game, self.mode, self.title = game, mode, title
        self.show_winning_moves = show_winning_moves
        self.draws = mode in PICTURE_MODES
        if self.draws:
            load_pygame()
        self._window: Window | None = None
        self._frame: Frame | None = None
        self._scene: Scene | None = None
        self._since = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the window and surfaces out of pickles and copies, which make their own."""
        return Renderer, (self.game, self.mode, self.title, self.show_winning_moves)

    @cached_property
    def picture(self) -> Picture:
        """The picture of the game, in the size in which it was last drawn."""
        return Picture(self.game)

    def scene(
        self,
        position: Coordinates,
        mover: int | None,
        winner: int | None = None,
        last_move: LastMove | None = None,
    ) -> Scene:
        """Return the scene of a position.

        ``mover`` is ``None`` when the game is over; the last move is highlighted.
        """
        winning = None
        if self.show_winning_moves and mover is not None:
            winning = self.game.solution.keeping_actions(np.asarray(position))
        previous, last_mover, said = (None, None, "") if last_move is None else last_move
        drawn = mover is None and winner is None and is_drawn(self.game, position)
        return Scene(position, mover, winner, previous, last_mover, said, winning, drawn=drawn)

    def show(self, scene: Scene, frames_per_second: float) -> Frame | str | None:
        """Show a scene; in a window, after the previous one was shown long enough.

        A picture is ``(height, width, 3)``, uint8; a window shows it, and nothing is
        returned.
        """
        if not self.draws:
            return render_text(self.game, scene.position, scene.headline)
        if self.mode == "rgb_array":
            return self.picture.frame(scene)
        if self._window is None:
            self._window = Window(self.title, self.picture.size)
        if self._window.closed:
            return None
        frame = self.picture.frame(scene)
        if self._frame is None or not np.array_equal(frame, self._frame):
            # The window responds until the last picture was shown long enough.
            until = self._since + 1 / frames_per_second if self._frame is not None else 0.0
            while not self._window.closed and (left := until - time.monotonic()) > 0:
                time.sleep(min(left, PAUSE))
                self._refresh(self._window)
            self._since = time.monotonic()
        self._scene = scene
        self._refresh(self._window)
        return None

    def _refresh(self, window: Window) -> None:
        """Show the scene again, in the size that the window has now."""
        window.events()
        if window.closed or self._scene is None:
            return
        size = max(window.size[0], SMALLEST_SIZE[0]), max(window.size[1], SMALLEST_SIZE[1])
        if size != self.picture.size:
            self.picture = Picture(self.game, size)
        window.show(self.picture.draw(self._scene))
        self._frame = self.picture.canvas.frame()

    def close(self) -> None:
        """Close the window, if there is one; showing something opens a new one."""
        if self._window is not None:
            self._window.close()
        self._window = self._frame = self._scene = None
