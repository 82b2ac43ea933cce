"""Pictures of an environment, as arrays or in a window."""

from __future__ import annotations

import time
from functools import cached_property

import numpy as np

from nim_envs.game import Game
from nim_envs.render.canvas import load_pygame
from nim_envs.render.frame import Frame
from nim_envs.render.picture import SMALLEST_SIZE, Picture
from nim_envs.render.scene import Scene
from nim_envs.render.window import Window

PICTURE_MODES = ("human", "rgb_array")
"""The render modes that need pygame."""

PAUSE = 0.02
"""Seconds between two checks of the window's events."""


class Screen:
    """Shows scenes in a window, or returns them as arrays.

    Args:
        game: the game that is shown.
        mode: ``"human"``: in a window; ``"rgb_array"``: as arrays.
        title: title of the window.

    Raises:
        MissingPackageError: pygame is not installed.
    """

    def __init__(self, game: Game, mode: str, title: str = "nim_envs") -> None:
        load_pygame()
        self.game = game
        self.mode = mode
        self.title = title
        self._window: Window | None = None
        self._frame: Frame | None = None
        self._scene: Scene | None = None
        self._since = 0.0

    @cached_property
    def picture(self) -> Picture:
        """The picture of the game, in the size in which it was last drawn."""
        return Picture(self.game)

    def show(self, scene: Scene, frames_per_second: float) -> Frame | None:
        """Show a scene, after the previous one was shown long enough.

        Args:
            scene: contents of the picture.
            frames_per_second: most different scenes in a second, in a window.

        Returns:
            In mode ``"rgb_array"`` the picture, ``(height, width, 3)``, uint8.
        """
        if self.mode == "rgb_array":
            return self.picture.frame(scene)
        if self._window is None:
            self._window = Window(self.title, self.picture.size)
        if self._window.closed:
            return None
        frame = self.picture.frame(scene)
        if self._frame is None or not np.array_equal(frame, self._frame):
            if self._frame is not None:
                self._wait(self._window, self._since + 1 / frames_per_second)
            self._since = time.monotonic()
        self._scene = scene
        self._refresh(self._window)
        return None

    def _wait(self, window: Window, until: float) -> None:
        """Keep the window responding until the time ``until``."""
        while not window.closed:
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, PAUSE))
            self._refresh(window)

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
        """Close the window; showing something opens a new one."""
        if self._window is not None:
            self._window.close()
        self._window = self._frame = self._scene = None

    def __reduce__(self) -> tuple[type[Screen], tuple[Game, str, str]]:
        """Leave the window and surfaces out of pickles and copies, which make their own."""
        return Screen, (self.game, self.mode, self.title)
