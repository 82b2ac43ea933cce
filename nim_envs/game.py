"""A game: its parts, who wins, and where play begins."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    InvalidGameError,
    InvalidPositionError,
    SearchTooLargeError,
)
from nim_envs.graph import Graph, Part
from nim_envs.sums import Sum, board_of, states_at
from nim_envs.typing import BoolArray, IntArray, MaskArray, Position, ValueArray
from nim_envs.validation import (
    checked_boolean,
    checked_integer,
    checked_name,
    integers_of,
    is_listing,
)

if TYPE_CHECKING:
    from nim_envs.solution import Solution
    from nim_envs.starts import Start

PLAYERS = ("player_0", "player_1")
"""The two players, by the index of their seat; ``player_0`` moves first."""

LAST_MOVE = "whoever makes the last move wins", "whoever makes the last move loses"
"""Who wins in normal play, and in misère play."""

MOST_POSITIONS = 2**24
"""Default limit on positions that are listed."""

MOST_PARTS, MOST_COORDINATES = 12, 25
"""Most parts, and most coordinates of one, that a summary shows."""


class Theorem(NamedTuple):
    """A theorem on who wins a game.

    Attributes:
        name: such as ``"Wythoff's theorem"``.
        wins: function of coordinates, int64 ``(n, fields)``, to whether the player to move wins,
            ``(n,)``. If the theorem is about both kinds of play, it takes ``misere``, too.
        misere: the kind of play that it is about; ``None``: both.
    """

    name: str
    wins: Callable[..., BoolArray]
    misere: bool | None = None


class Registration(NamedTuple):
    """Name and arguments with which :func:`nim_envs.make_game` makes a game."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Game:
    """A game: parts side by side, of which a move changes one, who wins, and where play begins.

    A position is a tuple of coordinates, those of all parts one after the other. Who moves is not
    part of it: the players take turns. Action ``part * options + option`` makes an option of a
    part, ``options`` being the largest number of options of one. Methods raise an
    ``InvalidPositionError`` for what is no position of the game, and an ``InvalidActionError`` for
    what is no integer of the action space.

    Args:
        name: short name of the game.
        parts: its parts. Several are a sum, which the last move decides; a game with an outcome has
            exactly one, whose ``outcome`` says who wins.
        start: the initial position, from which the rules begin; games begin at ``starts``.
        misere: whether the player who makes the last move loses.
        theorem: theorem on who wins, by which the game is then solved; or a function of
            coordinates, int64 ``(n, fields)``, and the number of values of each, ``(fields,)``,
            that returns booleans ``(n,)``, true where the player to move wins the kind of play
            that ``misere`` names. Pickles find it by its name, so that it stands at the top level
            of a module; :func:`nim_envs.check_game` compares it with search.
        starts: where games begin: a :class:`nim_envs.starts.Start`, the name of one, or a position.
        registered: name and arguments for :func:`nim_envs.make_game`, if that made the game.

    Raises:
        InvalidGameError: the parts are none, or do not fit who wins; or ``theorem`` cannot be
            pickled, or stands beside an outcome.
        InvalidPositionError: ``start`` or ``starts`` are not positions of the game, or games begin
            where no move is legal.

    Example:
        >>> from nim_envs.games import nim
        >>> game = nim(heaps=(1, 2, 4))
        >>> game.moves((1, 0, 2)), game.actions((1, 0, 2)), game.is_over((0, 0, 0))
        ([(0, (0, 0, 2)), (8, (1, 0, 1)), (9, (1, 0, 0))], [0, 8, 9], True)
        >>> game.solution.winning_actions((1, 2, 4)).tolist(), game.describe(8)
        ([8], 'heap 2: take 1')
    """

    name: str
    parts: tuple[Part, ...]
    start: Position
    misere: bool = False
    theorem: Any = field(default=None, compare=False, repr=False)
    starts: Start = field(default="fixed")  # type: ignore[assignment]
    registered: Registration | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        checked_name("name", self.name)
        if not self.parts or not all(isinstance(part, Part) for part in self.parts):
            raise InvalidGameError(f"parts must be Parts, one at least, not {self.parts!r}")
        object.__setattr__(self, "parts", tuple(self.parts))
        if len(self.parts) > 1 and any(part.outcome is not None for part in self.parts):
            raise InvalidGameError(
                "a game with an outcome of its own is no part of a sum, which the last move decides"
            )
        if len(self.parts) > 1 and any(part.has_passes for part in self.parts):
            raise InvalidGameError(
                "a game with extra turns is no part of a sum, in which the other player could move "
                "elsewhere instead of passing"
            )
        largest = tuple(size - 1 for part in self.parts for size in part.fields)
        numbers = integers_of(self.start)
        if (
            numbers is None
            or len(numbers) != len(largest)
            or not all(0 <= number <= most for number, most in zip(numbers, largest, strict=True))
        ):
            raise InvalidPositionError(
                f"start must be integers from 0 to {largest}, one for each coordinate, not "
                f"{self.start!r}"
            )
        checked_boolean("misere", self.misere)
        if self.misere and self.has_outcome:
            raise InvalidGameError(
                f"the outcome of {self.name} says who wins, and misere=True that the last move "
                "loses: give one of them"
            )
        if self.theorem is not None and not isinstance(self.theorem, Theorem):
            object.__setattr__(self, "theorem", _own_theorem(self))
        from nim_envs.starts import FixedStart, as_start, checked_start

        # The start of a part of a sum need not leave a move; that of a game is checked when played.
        fixed = as_start(self.starts) == FixedStart()
        starts = FixedStart() if fixed else checked_start(self.starts, self)
        object.__setattr__(self, "starts", starts)

    def __repr__(self) -> str:
        """Return its parts, who wins and where games begin."""
        return f"Game({self.summary}, start {self.starts.summary})"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of pickles what is computed on first access."""
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Return the game itself: it is immutable."""
        return self

    @property
    def has_outcome(self) -> bool:
        """Whether the game has an outcome of its own, by which it may be drawn."""
        return self.parts[0].outcome is not None

    @property
    def has_cycles(self) -> bool:
        """Whether play may never end, and is then drawn; such games have an outcome, too."""
        return self.parts[0].has_cycles

    def check_ends(self, needed_by: str) -> None:
        """Raise ``InvalidGameError`` if play may never end, naming what needs that it does."""
        if self.has_cycles:
            raise InvalidGameError(
                f"{needed_by} needs a game whose every play ends, and that of {self.name} may not"
            )

    @property
    def kind_of_play(self) -> str:
        """``"normal play"``, ``"misère play"`` or ``"play by outcome"``."""
        if self.has_outcome:
            return "play by outcome"
        return "misère play" if self.misere else "normal play"

    @property
    def who_wins(self) -> str:
        """Who wins, such as ``"whoever makes the last move wins"``."""
        drawn = "; play that never ends is drawn" if self.has_cycles else ""
        if len(self.parts) == 1 and self.parts[0].words.who_wins is not None:
            return self.parts[0].words.who_wins[self.misere] + drawn
        if self.has_outcome:
            return (
                f"the position in which play ends says who wins, or that the game is drawn{drawn}"
            )
        return LAST_MOVE[self.misere]

    @property
    def summary(self) -> str:
        """Name, initial position and who wins, such as ``"nim, heaps 3-4-5, normal play"``."""
        parts = self._position_summary()
        if len(self.fields) > len(self.parts) and parts[0].startswith(f"{self.name} "):
            return f"{parts[0]}, {self.kind_of_play}"  # the name is said once
        return ", ".join([self.name, *parts, self.kind_of_play])

    def _position_summary(self) -> list[str]:
        """Return the initial position by kind of part, such as ``["heaps 3-4-5"]``."""
        shown = []
        for part, here in zip(self.parts, self.split(self.start), strict=True):
            if any(here) or part.second is None:  # an empty slot is not shown
                more = ["…"] * (len(here) > MOST_COORDINATES)
                text = ", ".join([*map(str, here[:MOST_COORDINATES]), *more])
                shown.append((part.words.kind, text if len(here) == 1 else f"({text})"))
        summary = []
        for kind, group in groupby(shown, key=itemgetter(0)):
            texts = [text for _, text in group]
            joined = "-".join(texts[:MOST_PARTS] + ["…"] * (len(texts) > MOST_PARTS))
            summary.append(f"{kind}{'s' if len(texts) > 1 else ''} {joined}")
        return summary

    def split(self, position: Sequence[int]) -> list[Position]:
        """Return the coordinates of each part at a position."""
        rest = iter(position)
        return [tuple(next(rest) for _ in part.fields) for part in self.parts]

    @cached_property
    def board(self) -> Graph | Sum:
        """The positions and moves: one graph where they are few, else a sum.

        Environments walk on its tables by :mod:`nim_envs.envs.walks`.
        """
        return board_of(self.parts)

    @cached_property
    def solution(self) -> Solution:
        """The exact solution, computed on first access.

        Raises:
            SearchTooLargeError: the game cannot be solved within the default limit.
        """
        from nim_envs.solution import solve

        return solve(self)

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return self.board.num_actions

    @property
    def options(self) -> int:
        """Largest number of options of a part; action ``part * options + option`` is one."""
        return self.num_actions // len(self.parts)

    @property
    def fields(self) -> tuple[int, ...]:
        """Number of values of each coordinate."""
        return self.board.fields

    @property
    def final_values(self) -> ValueArray:
        """Values of positions without moves to the player to move, int8: 1, 0 or -1.

        With an outcome of its own ``(n,)``, by row; else ``()``, the same for all.
        """
        outcome = self.parts[0].outcome
        return np.array(1 if self.misere else -1, dtype=np.int8) if outcome is None else outcome

    def end_values(self, states: IntArray) -> ValueArray:
        """Return the values of states of :attr:`board` without moves to the player to move.

        Args:
            states: as the board has them: ``(...)`` of a graph, ``(..., parts)`` of a sum.

        Returns:
            int8 ``(...)``: 1 for a win, 0 for a draw, -1 for a loss.
        """
        values = self.final_values
        if self.has_outcome:
            return np.asarray(values[states])
        shape = np.shape(states) if isinstance(self.board, Graph) else np.shape(states)[:-1]
        return np.full(shape, values)

    def checked_state(self, position: Any) -> Any:
        """Return the state of :attr:`board` at one position."""
        given = position if type(position) is tuple else integers_of(position)
        if given is not None:
            if self.parts[0].has_passes and len(given) + 1 == len(self.fields):
                given = *given, 0
            try:
                state = self.board.state(given)
            except TypeError:  # something else than integers in it
                state = None
            if state is not None:
                return state
        raise self._no_position(position)

    def _no_position(self, position: Any) -> InvalidPositionError:
        """Return the error for something that is no position."""
        numbers, largest = integers_of(position), tuple(size - 1 for size in self.fields)
        if numbers is None or len(numbers) != len(largest):
            count = f"{len(largest)} integers" if len(largest) > 1 else "one integer"
            return InvalidPositionError(
                f"a position of {self.name} is {count} from 0 to {largest}, not {position!r}"
            )
        pairs = zip(self.parts, self.split(numbers), strict=True)
        if any(part.state(here) is None for part, here in pairs):
            return InvalidPositionError(
                f"{numbers} is no position of {self.name}, whose coordinates are from 0 to "
                f"{largest}"
            )
        return InvalidPositionError(
            f"{numbers} leaves too little room for what splits: there are {len(self.parts)} "
            f"{self.parts[0].words.kind}s"
        )

    def positions(self, limit: int = MOST_POSITIONS) -> IntArray:
        """Return all positions in lexicographic order, int64 ``(n, fields)``.

        Raises:
            SearchTooLargeError: there are more than ``limit``.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim", heaps=(1, 2)).positions().tolist()
            [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
        """
        board, number = self.board, self.board.num_positions
        if number > limit:
            raise SearchTooLargeError(
                f"{self.name} has {number} positions; at most {limit} are listed here"
            )
        states = np.arange(number) if isinstance(board, Graph) else board.states(limit)
        return board.positions(states)

    def mask(self, positions: Any) -> MaskArray:
        """Return which actions are legal: ``(..., fields)`` to int8 ``(..., actions)``."""
        return self.board.mask(states_at(self.board, positions))

    def step(self, positions: Any, actions: Any) -> IntArray:
        """Return the positions after actions, int64 ``(..., fields)``.

        Args:
            positions: ``(..., fields)``.
            actions: a legal action of each, ``(...)``.

        Raises:
            InvalidActionError: an action is no integer of the action space.
            IllegalMoveError: an action is not legal.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim").step([[3, 4, 5], [0, 0, 2]], [0, 11]).tolist()
            [[2, 4, 5], [0, 0, 0]]
        """
        board, chosen = self.board, np.asarray(actions)
        states = states_at(board, positions)
        if chosen.dtype.kind not in "iu" or ((chosen < 0) | (chosen >= self.num_actions)).any():
            raise InvalidActionError(
                f"actions are integers from 0 to {self.num_actions - 1}, not {actions!r}"
            )
        legal = np.take_along_axis(board.mask(states), chosen[..., np.newaxis], axis=-1)
        if not legal.all():
            raise IllegalMoveError(f"some of the actions {actions!r} are illegal at {positions!r}")
        return board.positions(board.step(states, chosen))

    def longest_play(self, positions: IntArray | None = None) -> int:
        """Return the largest number of moves of a game.

        Args:
            positions: where it begins, ``(n, fields)``; ``None``: any position, or an upper bound
                where heaps split and the positions are not listed.

        Raises:
            InvalidGameError: play may never end.
            InvalidPositionError: some are no positions of the game.
        """
        self.check_ends("longest_play")
        board, states = self.board, None if positions is None else states_at(self.board, positions)
        if isinstance(board, Graph):
            longest = board.longest_play
            return int((longest if states is None else longest[states]).max())
        if states is None:
            return sum(int(part.longest_play.max()) for part in self.parts)
        return int(board.longest_play(states).max())

    def moves(self, position: Any) -> list[tuple[int, Position]]:
        """List the legal moves at a position, for search.

        Args:
            position: one position, a tuple of coordinates; other sequences take longer.

        Returns:
            Pairs of an action and the position that it leads to, by ascending action; none where
            the game is over.

        Example:
            >>> from functools import cache
            >>> from nim_envs import make_game
            >>> game = make_game("nim")
            >>> @cache
            ... def value(position):  # to the player to move: 1 for a win, -1 for a loss
            ...     if game.is_over(position):
            ...         return game.end_value(position)
            ...     return max(-value(after) for _, after in game.moves(position))
            >>> value((3, 4, 5)), [action for action, after in game.moves((3, 4, 5))
            ...                    if value(after) < 0]
            (1, [1])
        """
        board: Any = self.board
        state = self.checked_state(position)
        move, position_of = board.move, board.position
        return [(action, position_of(move(state, action))) for action in board.actions(state)]

    def actions(self, position: Any) -> list[int]:
        """List the legal actions at one position, ascending; none where the game is over."""
        return [*self.board.actions(self.checked_state(position))]

    def play(self, position: Any, action: Any) -> Position:
        """Return the position after a move.

        Args:
            position: one position.
            action: a legal action, ``part * options + option``.

        Raises:
            IllegalMoveError: the action is not legal at the position.
        """
        state = self.checked_state(position)
        after: Any = self.board.move(state, self._checked_action(action))
        if after is None:
            raise self.illegal_move(state, action)
        return self.board.position(after)

    def is_over(self, position: Any) -> bool:
        """Return whether no move is legal at one position; :meth:`end_value` says who has won."""
        return not self.board.actions(self.checked_state(position))

    def end_value(self, position: Any) -> int:
        """Return the value of a finished game to the player whose turn it would be.

        Args:
            position: one position without a legal move.

        Returns:
            1 for a win, 0 for a draw, -1 for a loss; the player who made the last move gets the
            opposite. Without draws it is -1 in normal play and 1 in misère play.

        Raises:
            InvalidPositionError: it is not one position of the game, or leaves a legal move.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim").end_value((0, 0, 0))
            -1
        """
        state = self.checked_state(position)
        if self.board.actions(state):
            raise InvalidPositionError(
                f"{self.board.position(state)} leaves a legal move: the game is not over"
            )
        return int(self.end_values(np.asarray(state)))

    def describe(self, action: Any, position: Any = None) -> str:
        """Return an action in words, such as ``"heap 1: take 2"``.

        Args:
            action: ``part * options + option``.
            position: one position before the action, on which the words may depend; ``None``:
                words that hold at every position.

        Returns:
            The name of the part, if there are several, and the move.

        Example:
            >>> from nim_envs import make_game
            >>> game = make_game("euclid")
            >>> game.describe(1)
            'subtract 2 times the smaller number'
            >>> game.describe(1, (36, 13))
            'subtract 2 times 13, leave (10, 13)'
        """
        part, option = self.part_and_option(action, position)
        return option if len(self.parts) == 1 else f"{part}: {option}"

    def part_and_option(self, action: Any, position: Any = None) -> tuple[str, str]:
        """Return the name of the part that an action moves in, and its option, in words.

        Arguments and errors are those of :meth:`describe`.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim").part_and_option(6)
            ('heap 1', 'take 2')
        """
        index, option = divmod(self._checked_action(action), self.options)
        part, here = self.parts[index], None
        name = f"{part.words.kind} {index}"
        if option >= part.num_actions:
            return name, f"option {option}, which it does not have"
        if position is not None:
            here = self.split(self.board.position(self.checked_state(position)))[index]
        return name, part.describe(option, here)

    def describe_move(self, action: Any, position: Any) -> str:
        """Return a legal action in words, and the heaps that it removes.

        Args:
            action: as in :meth:`describe`.
            position: one position before the action.

        Example:
            >>> from nim_envs.games import grundy
            >>> grundy(heaps=(6,)).describe_move(1, (6,))
            'leave 2 and 4 (the 2 left has no move and is removed)'
        """
        words = self.describe(action, position)
        part, option = divmod(action, self.options)
        here = self.split((*map(int, position), 0))[part]  # 0 where no pass is named
        removed = self.parts[part].removal(option, here)
        return f"{words} ({removed})" if removed else words

    def _checked_action(self, action: Any) -> int:
        """Return an action as an integer of the action space."""
        if type(action) is int and 0 <= action < self.num_actions:
            return action
        return checked_integer("action", action, 0, self.num_actions - 1, error=InvalidActionError)

    def illegal_move(
        self, state: Any, action: int, *, of: str = "", where: str = ""
    ) -> IllegalMoveError:
        """Return the error that an illegal action raises.

        Args:
            state: state of :attr:`board`.
            action: an illegal action; a negative number where no legal move was named.
            of: beginning of the message, as in ``"the opponent's "``.
            where: which of several games, as in ``" in environment 2"``.
        """
        position = self.board.position(state)
        named = "no legal move" if action < 0 else self.describe(action, position)
        return IllegalMoveError(
            f"{of}action {action} ({named}){where} is illegal at {list(position)}; "
            f"legal actions are {self.board.actions(state)}"
        )

    def start_positions(self) -> IntArray:
        """Return every position that a game can start from, int64 ``(n, fields)``."""
        return np.asarray(self.starts.sampler(self).support()[0])


def sum_of(games: Sequence[Game]) -> Game:
    """Return a disjunctive sum: a move is a move in one game, and play ends when all have ended.

    It is in normal play, from the initial position of each game; :func:`dataclasses.replace` gives
    it ``misere=True`` or other ``starts``.

    Args:
        games: the games, in the order of the parts.

    Raises:
        InvalidGameError: no games, or one of several that has an outcome of its own, as a sum is
            decided by the last move.

    References:
        *Winning Ways*, ch. 2; J. H. Conway, *On Numbers and Games*, ch. 7.

    Example:
        >>> from nim_envs.games import kayles, nim
        >>> sum_of([kayles(heaps=(3,)), nim(heaps=(4,))]).start
        (3, 0, 4)
    """
    if not is_listing(games) or not games or not all(isinstance(game, Game) for game in games):
        raise InvalidGameError(f"a sum must have games, at least one, not {games!r}")
    return Game(
        name=" + ".join(game.name for game in games),
        parts=tuple(part for game in games for part in game.parts),
        start=tuple(number for game in games for number in game.start),
    )


def _own_theorem(game: Game) -> Theorem:
    """Return the theorem that a game brings as a function, which pickles must find."""
    function: Any = game.theorem
    if not callable(function):
        raise InvalidGameError(f"theorem must be a function, not {function!r}")
    if game.has_outcome or len(game.parts) != 1:
        raise InvalidGameError(
            "a theorem says who wins a game of one part that the last move decides: leave theorem "
            f"out for {game.name}"
        )
    try:
        hash(function)
        pickle.dumps(function)
    except Exception as error:  # an object of the user's own may raise anything
        raise InvalidGameError(
            "theorem must be a function at the top level of a module, as pickles keep it by its "
            f"name, not {function!r}: {error}"
        ) from error
    name = getattr(function, "__name__", type(function).__name__)
    wins = partial(_checked_answer, function, game.parts[0].fields, name)
    return Theorem(f"the theorem {name}", wins, game.misere)


def _checked_answer(
    function: Callable[..., Any], fields: tuple[int, ...], name: str, coordinates: IntArray
) -> BoolArray:
    """Return the answer of a game's own theorem, which must be a boolean for each position."""
    answer = np.asarray(function(coordinates, fields))
    if answer.shape != coordinates.shape[:1] or answer.dtype != np.bool_:
        raise InvalidGameError(
            f"the theorem {name} must return booleans {coordinates.shape[:1]} of coordinates "
            f"{coordinates.shape}, not {answer.dtype} {answer.shape}"
        )
    return answer
