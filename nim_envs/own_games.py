"""Games from a function of moves."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from nim_envs.errors import InvalidGameError
from nim_envs.game import Game
from nim_envs.rules.convention import LISTED_OUTCOME, Convention
from nim_envs.rules.from_moves import rules_from_moves
from nim_envs.rules.listing.array_moves import ArrayMoves, ArrayOutcome
from nim_envs.rules.listing.end_values import Outcome
from nim_envs.rules.listing.listing import LARGEST_LISTING
from nim_envs.rules.listing.readers import Moves
from nim_envs.typing import Position
from nim_envs.validation import checked_boolean


def game_from_moves(
    name: str,
    start: Position,
    moves: Moves | ArrayMoves,
    *,
    outcome: Outcome | ArrayOutcome | None = None,
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
) -> Game:
    """Return the game that a function of moves describes.

    Its positions are tuples of integers, the *coordinates*: observations, starts, solutions and
    pictures show them.

    Args:
        name: short name of the game.
        start: the initial position, a tuple of integers of at least 0.
        moves: function of a position, such a tuple, that gives its moves as pairs of a label, a
            string or an integer, and the position that the move leads to; none where play ends.
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
            label, and the position after it, ``(moves, coordinates)``; ``outcome`` gives ``(n,)``.

    Raises:
        InvalidGameError: as :func:`nim_envs.rules.rules_from_moves`, whose message names the
            position; or both ``outcome`` and ``misere``.
        InvalidPositionError: ``starts`` are no starts of this game.
        SearchTooLargeError: as :func:`nim_envs.rules.rules_from_moves`.

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
    if checked_boolean("misere", misere) and outcome is not None:
        raise InvalidGameError(
            "outcome says who wins a finished game, and misere=True that the last move loses: give "
            "one of them"
        )
    rules = rules_from_moves(
        name,
        start,
        moves,
        outcome=outcome,
        positions=positions,
        actions=actions,
        describe=describe,
        kind=kind,
        board=board,
        picture=picture,
        move_in_words=move_in_words,
        limit=limit,
        vectorized=vectorized,
    )
    convention = Convention.from_misere(misere) if outcome is None else LISTED_OUTCOME
    return Game(rules, convention, starts)
