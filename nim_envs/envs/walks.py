"""Walks over the positions of a game: the position of a game in progress, move by move."""

from __future__ import annotations

from operator import add
from typing import Any

import numpy as np

from nim_envs.game import Game
from nim_envs.graph import Graph
from nim_envs.typing import IntArray, MaskArray, Position

INT64 = np.dtype(np.int64)  # which NumPy takes sooner than the class


class GraphWalk:
    """A walk over a graph: everything is a look-up at the state."""

    def __init__(self, game: Game, state: int) -> None:
        board: Any = game.board
        self.game, self.state = game, state
        self._after, self._legal, self._ends = board.after, board.legal, board.ends
        self._coordinates = board.wide
        self.is_over: bool = self._ends.item(state)

    def __reduce__(self) -> Any:
        """Return game and state, from which pickles make it."""
        return type(self), (self.game, self.state)

    def copy(self) -> GraphWalk:
        """Return another walk at the same position."""
        other = object.__new__(GraphWalk)
        other.__dict__ |= self.__dict__
        return other

    def position(self) -> IntArray:
        """Return the coordinates of the position, int64 ``(fields,)``, in a new array."""
        coordinates: IntArray = self._coordinates[self.state].astype(INT64)
        return coordinates

    def mask(self) -> MaskArray:
        """Return the legal actions, int8 ``(actions,)``, in a new array."""
        mask: MaskArray = self._legal[self.state].copy()
        return mask

    def move(self, action: int) -> bool:
        """Make a move, and return true; return false, and make none, if it is illegal."""
        after: int = self._after.item(self.state, action)
        if after < 0:
            return False
        self.state = after
        self.is_over = self._ends.item(after)
        return True


class SumWalk:
    """A walk over a sum: position and mask change where the part does that a move is in."""

    def __init__(self, game: Game, state: tuple[int, ...]) -> None:
        board: Any = game.board
        self.game, self._board, self._states = game, board, list(state)
        self._position = np.array(board.position(state), dtype=np.int64)
        self._mask: MaskArray = board.mask(state)
        rows = map(add, board.first_rows, state)
        self._open = sum(board.has_move[row] for row in rows)  # number of parts with a move
        self.is_over = not self._open

    def __reduce__(self) -> Any:
        """Return game and state, from which pickles make it."""
        return type(self), (self.game, self.state)

    def copy(self) -> SumWalk:
        """Return another walk at the same position."""
        other = object.__new__(SumWalk)
        other.__dict__ |= self.__dict__
        other._states = self._states.copy()
        other._position, other._mask = self.position(), self.mask()
        return other

    @property
    def state(self) -> tuple[int, ...]:
        """The state of each part."""
        return tuple(self._states)

    def position(self) -> IntArray:
        """Return the coordinates of the position, int64 ``(fields,)``, in a new array."""
        return self._position.copy()

    def mask(self) -> MaskArray:
        """Return the legal actions, int8 ``(actions,)``, in a new array."""
        return self._mask.copy()

    def move(self, action: int) -> bool:
        """Make a move, and return true; return false, and make none, if it is illegal."""
        board, states = self._board, self._states
        part, option = divmod(action, board.options)
        row = board.first_rows[part] + states[part]
        after = board.after.item(row, option)
        if after < 0:
            return False
        row_after = board.first_rows[part] + after
        self._open += board.has_move[row_after] - board.has_move[row]
        if board.is_plain:  # as `_put` does; a call takes 3 % of a step
            states[part] = self._position[part] = after
            self._mask[board.actions_of[part]] = board.legal[row_after]
        else:
            self._put(part, after, row_after)
        if board.second is not None:
            second = board.second.item(row, option)
            if second:
                slot = states.index(0, board.group_of[part].start)
                filled = board.first_rows[slot] + second
                self._open += board.has_move[filled]
                self._put(slot, second, filled)
        self.is_over = not self._open
        return True

    def _put(self, part: int, state: int, row: int) -> None:
        """Change the state of a part, ``row`` being that of the state in the tables of the sum."""
        board = self._board
        self._states[part] = state
        if board.is_plain:
            self._position[part] = state
        else:
            self._position[board.slices[part]] = board.parts[part].coordinates[state]
        self._mask[board.actions_of[part]] = board.legal[row]


Walk = GraphWalk | SumWalk


def walk_from(game: Game, position: Position) -> Walk:
    """Return a walk on a game from a position, which is not checked."""
    board: Any = game.board
    return (GraphWalk if isinstance(board, Graph) else SumWalk)(game, board.state(position))
