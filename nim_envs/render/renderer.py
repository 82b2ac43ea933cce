"""Renderer of one game: text, a picture, or a window."""

from __future__ import annotations

from typing import NamedTuple

from nim_envs.game import Game
from nim_envs.render.frame import Frame
from nim_envs.render.picture import is_drawn
from nim_envs.render.scene import Scene
from nim_envs.render.screen import PICTURE_MODES, Screen
from nim_envs.render.text import render_text
from nim_envs.typing import IntArray


class LastMove(NamedTuple):
    """The move that a picture highlights."""

    before: IntArray  # the position before it, (components,)
    seat: int | None  # who made it; None where several moves are shown as one
    description: str  # who made which move; may be empty

    def followed_by(self, reply: LastMove) -> LastMove:
        """Return both moves as one."""
        return LastMove(self.before, None, f"{self.description}; {reply.description}")


class Renderer:
    """Shows positions in the render mode of an environment.

    Args:
        game: the game that is shown.
        mode: a render mode; ``None``: nothing is rendered.
        title: title of the window.
        show_winning_moves: whether pictures mark the winning moves.

    Raises:
        MissingPackageError: pictures are asked for and pygame is not installed.
    """

    def __init__(
        self,
        game: Game,
        mode: str | None,
        *,
        title: str = "nim_envs",
        show_winning_moves: bool = False,
    ) -> None:
        self.show_winning_moves = show_winning_moves
        self.game = game
        self.screen = Screen(game, mode, title) if mode in PICTURE_MODES else None

    def scene(
        self,
        position: IntArray,
        mover: int | None,
        winner: int | None = None,
        last_move: LastMove | None = None,
    ) -> Scene:
        """Return the scene of a position.

        Args:
            position: ``(components,)``.
            mover: the seat that is to move; ``None`` when the game is over.
            winner: the seat that has won, if one has.
            last_move: the move to highlight, if any.
        """
        position = self.game.rules.positions_at(position)
        with_moves = self.show_winning_moves and mover is not None
        return Scene(
            position=position,
            mover=mover,
            winner=winner,
            previous=None if last_move is None else self.game.rules.positions_at(last_move.before),
            last_mover=None if last_move is None else last_move.seat,
            last_move="" if last_move is None else last_move.description,
            winning=self.game.old_solution.keeping_actions(position) if with_moves else None,
            drawn=mover is None and winner is None and is_drawn(self.game, position),
        )

    def show(self, scene: Scene, frames_per_second: float) -> Frame | str | None:
        """Show a scene.

        Args:
            scene: contents of the picture.
            frames_per_second: maximum number of different scenes per second, in a window.

        Returns:
            In mode ``"rgb_array"`` the picture, ``(height, width, 3)``, uint8; in mode
            ``"ansi"`` text; in mode ``"human"`` nothing, as the window shows the picture.

        Raises:
            DisplayError: in mode ``"human"`` there is no display.
        """
        if self.screen is None:
            return render_text(self.game.rules, scene.position, scene.headline)
        return self.screen.show(scene, frames_per_second)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.screen is not None:
            self.screen.close()
