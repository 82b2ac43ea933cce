"""Games from a function of moves."""

import math
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np

from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.game import LAST_MOVE, Game
from nim_envs.graph import Part, Picture, Words
from nim_envs.listing import LARGEST_LISTING, PASS, Moves, called, part_from_moves, say_label
from nim_envs.typing import Position
from nim_envs.validation import (
    checked_boolean,
    checked_choice,
    checked_integer,
    checked_integers,
    checked_name,
)

PIECES = ("crosses", "discs")
"""Pictures of two players' pieces on a board: cells 0 empty, 1 and 2 the pieces of each."""

PICTURES = ("piece", "cells", "rows", "coins", *PIECES)
"""Pictures of positions."""


def game_from_moves(
    name: str,
    start: Position,
    moves: Moves,
    *,
    outcome: Callable[[Any], Any] | None = None,
    positions: Iterable[Position] | None = None,
    actions: Iterable[Hashable] | None = None,
    describe: Callable[[Any], str] | None = None,
    misere: bool = False,
    starts: Any = "fixed",
    kind: str | None = None,
    board: tuple[int, ...] | None = None,
    picture: str | None = None,
    move_in_words: str | None = None,
    limit: int = LARGEST_LISTING,
    vectorized: bool = False,
    cycles: str | None = None,
) -> Game:
    """Return the game that a function of moves describes.

    Its positions are tuples of integers, the *coordinates*: observations, starts, solutions and
    pictures show them.

    Args:
        name: short name of the game.
        start: the initial position, a tuple of integers of at least 0.
        moves: function of a position, such a tuple, that gives its moves as pairs of a label, a
            string or an integer, and the position that the move leads to; none where play ends. A
            third element ``True`` says that the same player moves again: the other player then
            makes one move, the pass, which is the last action, and positions have one coordinate
            more, the last, 1 where that pass is due. Without it, a position given has none due.
        outcome: function of a position without moves that gives its value to the player to move
            there: 1 for a win, 0 for a draw, -1 for a loss; by default the last move decides who
            wins. Where both players do not have the same moves, the position says whose turn it is.
        positions: further positions to list, and all that moves lead to from them.
        actions: the labels in the order of the actions; by default those that occur, in natural
            order, in which ``"left 2"`` comes before ``"left 10"``.
        describe: function of a label that returns the move in words; by default the label is.
        misere: whether the player who makes the last move loses.
        starts: start of games, as ``start`` of :func:`nim_envs.make_game`.
        kind: name of the component in descriptions; by default ``name``.
        board: shape into which the coordinates reshape, such as ``(4, 4)``.
        picture: style of pictures: ``"piece"``, a piece on a board, whose one or two coordinates
            are its place; ``"cells"``, those that are not 0, on ``board`` or else in a circle;
            ``"rows"`` of squares or stacks of ``"coins"``, as many as each coordinate says;
            ``"crosses"`` and circles, or ``"discs"`` of two colours: two players' pieces, 1 and 2,
            on ``board``, further coordinates in words; ``None``: numbers in boxes.
        move_in_words: a move in words, as in ``"move the queen left, down or diagonally"``.
        limit: most positions to list.
        vectorized: whether ``moves`` and ``outcome`` are functions of arrays of positions, int64
            ``(n, coordinates)``: ``moves`` then gives three arrays, the row of each move, its
            label, and the position after it, ``(moves, coordinates)``, and perhaps a fourth,
            booleans, whether the same player moves again; ``outcome`` gives ``(n,)``.
        cycles: ``"draw"``: moves may form cycles, and play that never ends is drawn; environments
            then need ``max_cycles``. ``None``: every play must end.

    Raises:
        InvalidGameError: the functions give anything else, a label twice at a position, labels
            that differ in case or spaces alone or are the forced pass's, or moves that form a cycle
            and may not, in one sentence with the position; or both ``outcome`` and ``misere``.
        InvalidPositionError: ``starts`` are no starts of this game.
        SearchTooLargeError: there are too many positions, or positions times labels.

    Example:
        >>> def moves(position):  # Wythoff's game: a queen moves towards the corner
        ...     a, b = position
        ...     for n in range(1, max(a, b) + 1):
        ...         if n <= a: yield f"left {n}", (a - n, b)
        ...         if n <= b: yield f"down {n}", (a, b - n)
        ...         if n <= min(a, b): yield f"both {n}", (a - n, b - n)
        >>> game = game_from_moves("wythoff", start=(8, 8), moves=moves)
        >>> game.solution.is_winning((8, 8)), game.solution.is_winning((3, 5))
        (True, False)
        >>> def sowing(position):  # in turn, each player adds 1 or 2 to their own side
        ...     mine, yours, turns = position
        ...     return [(n, (yours, mine + n, turns - 1)) for n in (1, 2) if turns]
        >>> game = game_from_moves(  # the larger side wins
        ...     "sowing", (0, 0, 4), sowing, outcome=lambda p: (p[0] > p[1]) - (p[0] < p[1]))
        >>> game.solution.value((0, 0, 4)), game.solution.keeping_actions((0, 0, 4)).tolist()
        (0, [1])
    """
    checked_name("name", name)
    if isinstance(start, str):
        raise InvalidPositionError(
            f"start is the initial position, a tuple of integers, not {start!r}; where games begin "
            "is given as starts="
        )
    if not callable(moves):
        raise InvalidGameError(f"moves must be a function of a position, not {moves!r}")
    if outcome is not None and not callable(outcome):
        raise InvalidGameError(
            f"outcome must be a function of a position without moves, not {outcome!r}"
        )
    checked_choice("cycles", cycles, ("draw",), or_none=True)
    if move_in_words is not None:
        checked_name("move_in_words", move_in_words)
    words = Words(name if kind is None else checked_name("kind", kind), say_label, move_in_words)
    part = part_from_moves(
        start,
        moves,
        words,
        outcome=outcome,
        positions=() if positions is None else positions,
        actions=actions,
        limit=checked_integer("limit", limit, 1),
        vectorized=checked_boolean("vectorized", vectorized),
        cycles=cycles is not None,
    )
    if part.has_cycles and part.outcome is None:  # which says who made the last move
        loses, misere = checked_boolean("misere", misere), False
        part.words = words._replace(who_wins=(LAST_MOVE[loses],) * 2)
        part.outcome = np.where(part.ends, 1 if loses else -1, 0).astype(np.int8)
    part.picture = _checked_picture(picture, board, part.fields)
    if describe is not None:
        part.labels = _descriptions(describe, part)
    first = *map(int, start), *[0] * part.has_passes
    return Game(name, (part,), first, misere=misere, starts=starts)


def _descriptions(describe: Callable[[Any], str], part: Part) -> list[str]:
    """Return the description of each label but the forced pass; they must differ."""
    label_of: dict[str, Any] = {}
    for label in part.labels:
        is_pass = part.has_passes and label == PASS
        words = label if is_pass else called("describe", describe, label)
        other = label_of.setdefault(checked_name(f"the words of label {label!r}", words), label)
        if other is not label:
            raise InvalidGameError(
                f"two labels are alike in words, {words!r}: {other!r} and {label!r}"
            )
    return list(label_of)


def _checked_picture(
    style: str | None, board: tuple[int, ...] | None, fields: tuple[int, ...]
) -> Picture:
    """Return the look of positions, which must fit the numbers of values of their coordinates."""
    checked_choice("picture", style, PICTURES, or_none=True)
    board = None if board is None else checked_integers("board", board, 1)
    cells = 0 if board is None else math.prod(board)
    if style == "piece" and len(fields) > 2:
        raise InvalidGameError(
            f"the picture 'piece' shows one or two coordinates, not {len(fields)}; choose another "
            f"of {PICTURES}, or None"
        )
    if style in PIECES:
        if board is None or cells > len(fields):
            raise InvalidGameError(
                f"the picture {style!r} needs board=(rows, columns) with at most {len(fields)} "
                f"cells, the number of coordinates, not {board!r}"
            )
        if max(fields[:cells]) > 3:
            raise InvalidGameError(
                f"the picture {style!r} shows cells of 0, 1 or 2, not of {max(fields[:cells]) - 1}"
            )
    elif board is not None and cells != len(fields):
        raise InvalidGameError(f"{len(fields)} coordinates do not reshape into {board!r}")
    return Picture(style, board=board)
