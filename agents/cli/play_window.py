"""A window in which a person plays by mouse; pygame is imported when it opens."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from agents.cli.match import Match
from nim_envs.errors import SearchTooLargeError
from nim_envs.render import palette
from nim_envs.render.canvas import load_pygame
from nim_envs.render.geometry import Area
from nim_envs.render.picture import Picture
from nim_envs.render.shapes import Drawing
from nim_envs.render.window import Window

SIZE = (800, 640)
TOOLBAR = 54
SMALLEST = (420, 360)
PAUSE = 0.015
"""Seconds between two checks of the person's input."""


@dataclass(frozen=True)
class Button:
    """A button: its area, its label, and the function that a click calls."""

    area: Area
    label: str
    press: Callable[[], None]
    on: bool = False


class PlayWindow:
    """A match in a window.

    While the mouse points at a place, the picture previews the move that a click would make: in a
    heap it takes the object pointed at and those above it, on a track or a graph it moves to the
    place pointed at. Where a place does not determine a move, a click opens a list of moves. Keys:
    h shows the winning moves, u takes a move back, r begins a new game, q quits.
    """

    def __init__(
        self,
        match: Match,
        title: str = "nim_envs",
        reply_after: float = 0.7,
        size: tuple[int, int] = SIZE,
    ) -> None:
        self._pygame = pygame = load_pygame()
        self.match, self.reply_after, self.message = match, reply_after, ""
        self._mouse = (-1.0, -1.0)
        self.window = Window(title, size, needs_display=True)
        self.picture = Picture(match.game, size, TOOLBAR)
        self._tools = {
            "Hint (h)": self._toggle_hint,
            "Undo (u)": self._undo,
            "Restart (r)": self._restart,
            "Quit (q)": self.close,
        }
        keys = pygame.K_h, pygame.K_u, pygame.K_r, pygame.K_q, pygame.K_ESCAPE
        self._keys = dict(zip(keys, [*self._tools.values(), self._leave], strict=True))
        self._moved()

    def _moved(self) -> None:
        """Clear the hint, the preview and the list after a move, and begin to wait for a reply."""
        self.hint = False
        self.listed: list[int] = []
        self.pointed: int | None = None
        self._moved_at = time.monotonic()
        self._is_current = False

    @property
    def closed(self) -> bool:
        """Whether the window is closed."""
        return self.window.closed

    def close(self) -> None:
        """Close the window."""
        self.window.close()
        self.window.closed = True

    def run(self) -> None:
        """Play until the person closes the window."""
        try:
            while not self.closed:
                self.step()
                time.sleep(PAUSE)
        finally:
            self.close()

    def step(self) -> None:
        """Handle the person's input, make the agent's move if it is due, and draw."""
        for event in self.window.events():
            if not self.closed:
                self._handle(event)
        if self.closed:
            return
        if self.match.awaits_opponent and time.monotonic() >= self._moved_at + self.reply_after:
            self.match.reply()
            self._moved()
        width, height = self.window.size
        size = max(width, SMALLEST[0]), max(height, SMALLEST[1])
        if self.picture.size != size:
            self.picture = Picture(self.match.game, size, TOOLBAR)
            self._is_current = False
        if not self._is_current:
            self._draw()

    def _handle(self, event: Any) -> None:
        """Handle one event."""
        self._is_current = False
        if event.type == self._pygame.KEYDOWN and event.key in self._keys:
            self.message = ""
            self._keys[event.key]()
        elif event.type in (self._pygame.MOUSEMOTION, self._pygame.MOUSEBUTTONDOWN):
            self._mouse = event.pos
            self.pointed = None
            if self.match.awaits_person and not self.listed:
                self.pointed = self.picture.action_at(self.match.position, self._mouse)
            if event.type == self._pygame.MOUSEBUTTONDOWN and event.button == 1:
                self.message = ""
                self._click()

    def _click(self) -> None:
        for button in self.buttons():
            if button.area.contains(self._mouse):
                button.press()
                return
        if self.listed:
            self.listed = []
        elif self.pointed is not None:
            self._play(self.pointed)
        elif self.match.awaits_person:
            self.listed = self.picture.candidates_at(self.match.position, self._mouse)
            self.message = "" if self.listed else "no such move there"

    def _play(self, action: int) -> None:
        self.match.play(action)
        self._moved()

    def _toggle_hint(self) -> None:
        try:
            self.match.scene(winning=True)
            self.hint = not self.hint
        except SearchTooLargeError:
            self.message = "this game is too large to solve"

    def _undo(self) -> None:
        if not self.match.undo():
            self.message = "there is no move of yours to take back"
        self._moved()

    def _restart(self) -> None:
        self.match.restart()
        self._moved()

    def _leave(self) -> None:
        """Close the list, or else the window."""
        if self.listed:
            self.listed = []
        else:
            self.close()

    def buttons(self) -> list[Button]:
        """Return the buttons beside the picture, and those of the list of moves if it is open."""
        width, height = self.picture.size
        area = Area(12, height - TOOLBAR + 6, min(0.66 * width, 440), TOOLBAR - 18)
        places = [place.shrunk(3, 0, 3, 0) for place in area.grid(1, len(self._tools))]
        buttons = [
            Button(place, label, press, self.hint and label.startswith("Hint"))
            for place, (label, press) in zip(places, self._tools.items(), strict=True)
        ]
        if self.listed:
            room, rows, columns = self._list_room()
            winning = self.match.scene(winning=self.hint).winning
            places = room.shrunk(4, 34, 4, 4).grid(rows, columns)
            for place, action in zip(places, self.listed, strict=False):
                area = place.inset(min(4, 0.1 * place.height))
                _, label = self.match.game.part_and_option(action, self.match.position)
                wins = winning is not None and action in winning
                buttons.append(Button(area, label, partial(self._play, action), wins))
        return buttons

    def _list_room(self) -> tuple[Area, int, int]:
        """Area of the list of moves, and its numbers of rows and columns."""
        body = self.picture.body.inset(8)
        columns = min(len(self.listed), max(1, int(body.width // 210)))
        rows = math.ceil(len(self.listed) / columns)
        size = columns * min(240.0, body.width / columns), min(rows * 40 + 38, body.height)
        return Area(body.center.x - size[0] / 2, body.center.y - size[1] / 2, *size), rows, columns

    def _draw(self) -> None:
        """Draw the match, the buttons and the list, and show them."""
        self.picture.draw(self.match.scene(winning=self.hint, pointed=self.pointed))
        canvas = self.picture.canvas
        width, height = self.picture.size
        drawing = Drawing(canvas.text_width)
        if self.listed:
            room, _, _ = self._list_room()
            drawing.box(room.inset(-3), palette.LINE, radius=12)
            drawing.box(room, palette.PANEL, radius=10)
            label, _ = self.match.game.part_and_option(self.listed[0])
            drawing.text(label, (room.center.x, room.y + 18), 19, palette.GREY)
        buttons = self.buttons()
        for button in buttons:
            over = button.area.contains(self._mouse)
            color = palette.WINNING if button.on else palette.LINE if over else palette.FAINT
            drawing.box(button.area, color, radius=8)
            height_of_text = min(18, button.area.height)
            size = drawing.fitting(button.label, button.area.width - 10, height_of_text)
            ink = palette.WHITE if button.on else palette.INK
            drawing.text(button.label, button.area.center, size, ink)
        right = max(button.area.right for button in buttons[: len(self._tools)]) + 14
        about = self.match.status
        if self.pointed is not None:
            about = self.match.game.describe(self.pointed, self.match.position)
        label = drawing.shortened(self.message or about, width - right - 12, 18)
        drawing.text(label, (right, height - TOOLBAR / 2 - 3), 18, palette.GREY, anchor=(0, 0.5))
        canvas.draw(drawing.shapes)
        self.window.show(canvas.surface)
        self._is_current = True
