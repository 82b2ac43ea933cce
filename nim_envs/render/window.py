"""A window on the screen; pygame is imported when one is opened."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from nim_envs.errors import DisplayError
from nim_envs.render.canvas import load_pygame

IN_MEMORY = ("dummy", "offscreen")
"""SDL's video drivers that show nothing."""


class Window:
    """A window whose size the user can change.

    Where there is no display, a window that does not need one is drawn in memory by SDL. One
    that the user has closed stays closed.

    pygame has only one window at a time: opening another closes this one, and :meth:`show`
    opens it again.

    Raises:
        MissingPackageError: pygame is not installed.
        DisplayError: there is no display to open it on, and it needs one.
    """

    _on_screen: ClassVar[Window | None] = None

    def __init__(self, title: str, size: tuple[int, int], *, needs_display: bool = False) -> None:
        self._pygame = load_pygame()
        self.title = title
        self.size = size
        self.needs_display = needs_display
        self.closed = False
        self._open()

    def _open(self) -> None:
        display = self._pygame.display
        try:
            display.init()
            # Where there is no screen, SDL may draw in memory of its own accord.
            in_memory = display.get_driver() in IN_MEMORY and "SDL_VIDEODRIVER" not in os.environ
            if in_memory and self.needs_display:
                raise self._pygame.error("no screen was found")
            display.set_mode(self.size, self._pygame.RESIZABLE)
        except self._pygame.error as error:
            display.quit()
            if self.needs_display:
                raise DisplayError(
                    f"a window needs a display, and there is none here ({error}); "
                    'render_mode="rgb_array" needs none'
                ) from error
            os.environ["SDL_VIDEODRIVER"] = "dummy"
            display.init()
            display.set_mode(self.size, self._pygame.RESIZABLE)
        self._pygame.display.set_caption(self.title)
        Window._on_screen = self

    def events(self) -> list[Any]:
        """Return pygame's events since the last call.

        Also updates ``size`` and ``closed``.
        """
        if self.closed or Window._on_screen is not self:
            return []
        events = self._pygame.event.get()
        for event in events:
            if event.type == self._pygame.QUIT:
                self.close()
                self.closed = True
            elif event.type == self._pygame.VIDEORESIZE and not self.closed:
                self.size = (event.w, event.h)
        return list(events)

    def show(self, surface: Any) -> None:
        """Show a surface; nothing happens once the user has closed the window."""
        if self.closed:
            return
        if Window._on_screen is not self:
            self._open()
        self._pygame.display.get_surface().blit(surface, (0, 0))
        self._pygame.display.flip()

    def close(self) -> None:
        """Take the window off the screen, if it is there."""
        if Window._on_screen is self:
            Window._on_screen = None
            self._pygame.display.quit()
