"""A window in which a person plays by mouse; pygame is imported when it opens."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
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
    place pointed at. The wheel or the arrow keys select the neighbouring moves. Where a place does
    not determine a move, a click opens a list of moves. Keys: h shows the winning moves, u takes a
    move back, r begins a new game, q quits.

    Args:
        match: game in progress, with its players.
        title: title of the window.
        reply_after: seconds before an agent moves, so that the person can follow.
        size: initial width and height, in pixels.

    Raises:
        MissingPackageError: pygame is not installed.
        DisplayError: there is no display.
    """

    def __init__(
        self,
        match: Match,
        title: str = "nim_envs",
        reply_after: float = 0.7,
        size: tuple[int, int] = SIZE,
    ) -> None:
        self._pygame = load_pygame()
        self.match = match
        self.reply_after = reply_after
        self.hint = False
        self.message = ""
        self.pointed: int | None = None
        self.listed: list[int] = []
        self._first_listed = 0
        self._mouse = (-1.0, -1.0)
        self._shift = 0
        self._reply_at: float | None = None
        self._is_current = False
        self.window = Window(title, size, needs_display=True)
        self.picture = Picture(match.game, size, TOOLBAR)
        self._keys: dict[int, Callable[[], None]] = {
            self._pygame.K_h: self._toggle_hint,
            self._pygame.K_u: self._undo,
            self._pygame.K_r: self._restart,
            self._pygame.K_q: self.close,
            self._pygame.K_ESCAPE: self._leave,
            self._pygame.K_UP: lambda: self._turn(1),
            self._pygame.K_DOWN: lambda: self._turn(-1),
        }

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
        if self.match.awaits_opponent:
            now = time.monotonic()
            if self._reply_at is None:
                self._reply_at = now + self.reply_after
            if now >= self._reply_at:
                self.match.reply()
                self._moved()
        if self.picture.size != self._size():
            self.picture = Picture(self.match.game, self._size(), TOOLBAR)
            self._is_current = False
        if not self._is_current:
            self._draw()

    def _size(self) -> tuple[int, int]:
        width, height = self.window.size
        return max(width, SMALLEST[0]), max(height, SMALLEST[1])

    def _handle(self, event: Any) -> None:
        """Handle one event."""
        self._is_current = False
        if event.type == self._pygame.MOUSEMOTION:
            self._mouse, self._shift = event.pos, 0
            self._point()
        elif event.type == self._pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._mouse = event.pos
            self._click()
        elif event.type == self._pygame.MOUSEWHEEL:
            self._turn(event.y)
        elif event.type == self._pygame.KEYDOWN and event.key in self._keys:
            self._keys[event.key]()

    def _point(self) -> None:
        """Find the action that a click would choose now."""
        self.pointed = None
        if not self.match.awaits_person or self.listed:
            return
        action = self.picture.action_at(self.match.position, self._mouse)
        if action is not None and self._shift:
            near = self.match.legal_actions(action // self.match.game.options)
            place = near.index(action) + self._shift
            action = near[min(max(place, 0), len(near) - 1)]
        self.pointed = action

    def _click(self) -> None:
        self.message = ""
        for button in self.buttons():
            if button.area.contains(self._mouse):
                button.press()
                return
        if self.listed:
            self.listed = []
            return
        if not self.match.awaits_person:
            return
        self._point()
        if self.pointed is not None:
            self._play(self.pointed)
            return
        part = self.picture.part_at(self._mouse)
        if part is None:
            return
        actions = self.match.legal_actions(part)
        candidates = self.picture.candidates_at(self.match.position, self._mouse)
        self.listed, self._first_listed = candidates, 0
        if not candidates:
            self.message = "no such move there" if actions else "no move there"

    def _turn(self, steps: int) -> None:
        """Select a neighbouring move, or scroll the list."""
        if self.listed:
            _, rows, columns = self._list_room()
            last = max(0, math.ceil(len(self.listed) / columns) - rows) * columns
            self._first_listed = min(max(0, self._first_listed - steps * columns), last)
        elif self.pointed is not None:
            self._shift += steps
            self._point()

    def _play(self, action: int) -> None:
        self.match.play(action)
        self._moved()

    def _moved(self) -> None:
        """Clear the hint, the preview, the list and the time of a reply after a move."""
        self.hint = False
        self._reply_at = None
        self.listed, self.pointed, self._shift = [], None, 0
        self._is_current = False

    def _toggle_hint(self) -> None:
        self.message = ""
        if self.hint:
            self.hint = False
            return
        try:
            self.match.scene(winning=True)
        except SearchTooLargeError:
            self.message = "this game is too large to solve"
            return
        self.hint = True

    def _undo(self) -> None:
        undone = self.match.undo()
        self._moved()
        self.message = "" if undone else "there is no move of yours to take back"

    def _restart(self) -> None:
        self.match.restart()
        self._moved()
        self.message = ""

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
        tools = (
            ("Hint (h)", self._toggle_hint, self.hint),
            ("Undo (u)", self._undo, False),
            ("Restart (r)", self._restart, False),
            ("Quit (q)", self.close, False),
        )
        buttons = [
            Button(place.shrunk(3, 0, 3, 0), label, press, on)
            for place, (label, press, on) in zip(area.grid(1, len(tools)), tools, strict=True)
        ]
        return buttons + self._list_buttons()

    def _list_room(self) -> tuple[Area, int, int]:
        """Area of the list of moves, and its numbers of rows and columns."""
        body = self.picture.body.inset(8)
        columns = min(len(self.listed), max(1, int(body.width // 210)))
        rows = min(math.ceil(len(self.listed) / columns), max(1, int((body.height - 40) // 40)))
        size = columns * min(240.0, body.width / columns), rows * 40 + 38
        return Area(body.center.x - size[0] / 2, body.center.y - size[1] / 2, *size), rows, columns

    def _list_buttons(self) -> list[Button]:
        if not self.listed:
            return []
        room, rows, columns = self._list_room()
        visible = self.listed[self._first_listed : self._first_listed + rows * columns]
        winning = self.match.scene(winning=True).winning if self.hint else None
        return [
            Button(
                place.inset(4),
                self._option_in_words(action),
                lambda action=action: self._play(action),  # type: ignore[misc]
                winning is not None and action in winning,
            )
            for place, action in zip(
                room.shrunk(4, 34, 4, 4).grid(rows, columns), visible, strict=False
            )
        ]

    def _draw(self) -> None:
        """Draw the match, the buttons and the list, and show them."""
        if not self.match.awaits_person:
            self.pointed = None
        scene = self.match.scene(winning=self.hint, pointed=self.pointed)
        self.picture.draw(scene)
        canvas = self.picture.canvas
        width, height = self.picture.size
        drawing = Drawing(canvas.text_width)
        if self.listed:
            room, rows, columns = self._list_room()
            drawing.box(room.inset(-3), palette.LINE, radius=12)
            drawing.box(room, palette.PANEL, radius=10)
            index = self.listed[0] // self.match.game.options
            label = f"{self.match.game.parts[index].words.kind} {index}"
            if len(self.listed) > rows * columns:
                label += f" ({len(self.listed)} moves; turn the wheel)"
            drawing.text(label, (room.center.x, room.y + 18), 19, palette.GREY)
        buttons = self.buttons()
        for button in buttons:
            over = button.area.contains(self._mouse)
            color = palette.WINNING if button.on else palette.LINE if over else palette.FAINT
            drawing.box(button.area, color, radius=8)
            size = drawing.fitting(button.label, button.area.width - 10, 18)
            ink = palette.WHITE if button.on else palette.INK
            drawing.text(button.label, button.area.center, size, ink)
        right = max(button.area.right for button in buttons[:4]) + 14
        label = self.message or self._about_pointed()
        label = drawing.shortened(label, width - right - 12, 18)
        drawing.text(label, (right, height - TOOLBAR / 2 - 3), 18, palette.GREY, anchor=(0, 0.5))
        canvas.draw(drawing.shapes)
        self.window.show(canvas.surface)
        self._is_current = True

    def _option_in_words(self, action: int) -> str:
        """Return a move without the name of its part."""
        game = self.match.game
        index, option = divmod(action, game.options)
        return game.parts[index].describe(option, game.split(self.match.position)[index])

    def _about_pointed(self) -> str:
        """Return the move that a click would make, in words, or else whose turn it is."""
        if self.pointed is None:
            return self.match.status
        return self.match.game.describe(self.pointed, self.match.position)
