"""A game: rules, the convention that says who wins, and the start position."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.rules.convention import AnyConvention, Convention, ListedOutcome, require_last_move
from nim_envs.rules.forward_model import ForwardModel
from nim_envs.rules.rules import Rules
from nim_envs.solver import solve, theorem_for
from nim_envs.starts import FixedStart, Start, checked_start
from nim_envs.theory.reach import reachable
from nim_envs.theory.solution import Solution
from nim_envs.theory.theorem_solution import TheoremOfGame
from nim_envs.typing import BoolArray, IntArray, Position

PLAYERS = ("player_0", "player_1")
"""The two players, by the index of their seat; ``player_0`` moves first."""


class Registration(NamedTuple):
    """Name and arguments with which :func:`nim_envs.make_game` makes a game."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Game:
    """Rules, the convention that says who wins, and the start position.

    Args:
        rules: components and their moves; see :mod:`nim_envs.rules`.
        convention: normal or misère play; or :data:`nim_envs.rules.convention.LISTED_OUTCOME`, for
            rules that list who wins.
        start: the distribution of start positions, the name of one, or a position; the rules'
            initial one by default.
        registered: name and arguments for :func:`nim_envs.make_game`, if that made the game.
        theorem: function that says who wins under this convention, where the rules have one
            component: of coordinates, int64 ``(n, fields)``, and the number of values of each
            coordinate, ``(fields,)``, it returns booleans ``(n,)``, true where the player to move
            wins. The game is then solved by it, however many positions there are, and
            :func:`nim_envs.check_game` compares it with search. Pickles find it by its
            name, so that it stands at the top level of a module.

    Raises:
        InvalidGameError: ``rules`` are no :class:`Rules`; ``convention`` is none, or does not fit
            the rules; or ``theorem`` cannot be pickled, or the game is a sum or has an outcome of
            its own.
        InvalidPositionError: ``start`` is not a start, or a fixed one that is outside the box or
            leaves no legal move.

    Example:
        >>> from nim_envs.rules import nim
        >>> game = Game(nim(heaps=(1, 2, 4)), Convention.MISERE)
        >>> game.solution.winning_actions((1, 2, 4)).tolist()
        [8]
        >>> game.describe(8)
        'heap 2: take 1'
    """

    rules: Rules
    convention: AnyConvention
    start: Start = field(default_factory=FixedStart)
    registered: Registration | None = field(default=None, compare=False, repr=False)
    theorem: TheoremOfGame | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise InvalidGameError(f"rules must be nim_envs.Rules, not {self.rules!r}")
        if not isinstance(self.convention, (Convention, ListedOutcome)):
            raise InvalidGameError(
                f"convention must be one of {list(Convention)}, not {self.convention!r}"
            )
        if self.has_outcome != self.rules.has_outcome:
            lists = "list" if self.rules.has_outcome else "do not list"
            raise InvalidGameError(
                f"the rules of {self.rules.name} {lists} who wins a finished game; "
                f"{self.convention.play} does not fit them"
            )
        if self.theorem is not None:
            require_last_move(self.convention, "a theorem that says who wins")
            _check_theorem(self.theorem, self.rules)
        object.__setattr__(self, "start", checked_start(self.start, self.rules))

    def __repr__(self) -> str:
        """Return its rules in short, the convention and the start."""
        return f"Game({self.summary}, start {self.start.summary})"

    @property
    def summary(self) -> str:
        """Rules and convention, such as ``"nim, heaps 3-4-5, normal play"``."""
        return f"{self.rules.summary}, {self.convention.play}"

    @property
    def has_outcome(self) -> bool:
        """Whether the game has an outcome of its own, by which it may be drawn."""
        return isinstance(self.convention, ListedOutcome)

    @cached_property
    def solution(self) -> Solution:
        """The exact solution, computed on first access.

        Raises:
            SearchTooLargeError: the game cannot be solved within the default limit.
        """
        return solve(self)

    def solution_without_search(self) -> Solution:
        """Return the solution, if it is known already or follows from a theorem.

        Raises:
            InvalidPositionError: it takes a search, which ``reset`` does not make.
        """
        known = "solution" in vars(self) and self.solution.is_complete
        if not known and self.theorem is None and theorem_for(self.rules, self.convention) is None:
            raise InvalidPositionError(
                f"no theorem known here says who wins {self.convention.value} play of "
                f"{self.rules.name}, and reset() does not search: a start by outcome must be "
                "given to make(), as start=..., which solves the game"
            )
        return self.solution

    @cached_property
    def forward_model(self) -> ForwardModel:
        """Moves from single positions; its methods are those of the game.

        Raises:
            SearchTooLargeError: the options of single positions would take over a GiB.
        """
        return ForwardModel(self.rules)

    def moves(self, position: Any) -> list[tuple[int, Position]]:
        """List the legal moves at a position, for search: a move takes a fraction of a microsecond.

        Args:
            position: one position, a tuple of coordinates, ``(len(rules.fields),)``; in games
                without coordinates these are the states of the components. Lists, arrays and
                state numbers, ``(components,)``, are converted first, which takes longer.

        Returns:
            Pairs of an action and the position that it leads to, a tuple of coordinates, by
            ascending action; none where the game is over. Who moves is not part of a position:
            the players take turns.

        Raises:
            InvalidPositionError: it is not one position of the game.
            SearchTooLargeError: the options of single positions would take over a GiB.

        Example:
            >>> from nim_envs import make_game
            >>> game = make_game("nim")
            >>> game.moves((1, 0, 2))
            [(0, (0, 0, 2)), (10, (1, 0, 1)), (11, (1, 0, 0))]
            >>> from functools import cache
            >>> @cache
            ... def value(position):  # to the player to move: 1 for a win, -1 for a loss
            ...     if game.is_over(position):
            ...         return game.end_value(position)
            ...     return max(-value(after) for _, after in game.moves(position))
            >>> value((3, 4, 5)), [action for action, after in game.moves((3, 4, 5))
            ...                    if value(after) < 0]
            (1, [1])
        """
        return self.forward_model.moves(position)

    def actions(self, position: Any) -> list[int]:
        """List the legal actions at a position, ascending; none where the game is over.

        Args:
            position: one position, as in :meth:`moves`.

        Raises:
            InvalidPositionError: it is not one position of the game.
            SearchTooLargeError: the options of single positions would take over a GiB.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim").actions((1, 0, 2))
            [0, 10, 11]
        """
        return self.forward_model.actions(position)

    def play(self, position: Any, action: Any) -> Position:
        """Return the position after a move, a tuple of coordinates.

        Args:
            position: one position, as in :meth:`moves`.
            action: a legal action, ``component * rules.num_options + option``.

        Raises:
            InvalidPositionError: ``position`` is not one position of the game.
            InvalidActionError: not an integer of the action space.
            IllegalMoveError: the action is not legal at the position.
            SearchTooLargeError: the options of single positions would take over a GiB.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("wythoff").play((9, 7), 16)
            (8, 6)
        """
        return self.forward_model.play(position, action)

    def is_over(self, position: Any) -> bool:
        """Return whether no move is legal at a position, so that the game is over.

        Who has won then, :meth:`end_value` says.

        Args:
            position: one position, as in :meth:`moves`.

        Raises:
            InvalidPositionError: it is not one position of the game.
            SearchTooLargeError: the options of single positions would take over a GiB.

        Example:
            >>> from nim_envs import make_game
            >>> make_game("nim").is_over((0, 0, 0))
            True
        """
        return self.forward_model.is_over(position)

    def end_value(self, position: Any) -> int:
        """Return the value of a finished game to the player whose turn it would be.

        Args:
            position: one position without a legal move, as in :meth:`moves`.

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
        checked = self.rules.checked_position(position)
        if not self.rules.is_terminal(checked):
            raise InvalidPositionError(
                f"{self.rules.coordinate_tuple(checked)} leaves a legal move: the game is not over"
            )
        return int(self.convention.end_values(self.rules, checked))

    def describe(self, action: int, position: Any = None) -> str:
        """Return an action in words, such as ``"heap 1: take 2"``.

        Args:
            action: ``component * rules.num_options + option``.
            position: one position before the action, as in :meth:`moves`; the words may depend on
                it. ``None``: words that hold at every position.

        Raises:
            InvalidActionError: not an integer of the action space.
            InvalidPositionError: ``position`` is not one position of the game.

        Example:
            >>> from nim_envs import make_game
            >>> game = make_game("euclid")
            >>> game.describe(1)
            'pair 0: subtract 2 times the smaller number'
            >>> game.describe(1, (36, 13))
            'pair 0: subtract 2 times 13, leave (10, 13)'
        """
        checked = None if position is None else self.rules.checked_position(position)
        return self.rules.describe_action(action, checked)

    def start_positions(self) -> IntArray:
        """Return every position that a game can start from, ``(n, components)``.

        Raises:
            SearchTooLargeError: there are too many to list.
        """
        return self.start.sampler(self).support()[0]

    def positions_by_seat(self) -> BoolArray:
        """Return the positions at which each player can be to move, in games from a start.

        Returns:
            Boolean ``(2, num_positions)`` by seat and mixed-radix index.

        Raises:
            SearchTooLargeError: there are too many positions to enumerate.
        """
        return reachable(self.rules, self.start_positions())

    def __getstate__(self) -> dict[str, Any]:
        """Leave the solution out of pickles: it is computed again when needed."""
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Return the game itself: it is immutable."""
        return self


def _check_theorem(theorem: Any, rules: Rules) -> None:
    """Check that a game can have a theorem, and that pickles can keep it.

    Raises:
        InvalidGameError: they cannot.
    """
    if not callable(theorem):
        raise InvalidGameError(f"theorem must be a function, not {theorem!r}")
    if len(rules.components) != 1:
        raise InvalidGameError(
            f"a theorem says who wins {rules.name} alone, and a sum of {len(rules.components)} "
            "components needs Grundy values: leave theorem out"
        )
    try:
        hash(theorem)
        pickle.dumps(theorem)
    except Exception as error:  # an object of the user's own may raise anything
        raise InvalidGameError(
            "theorem must be a function at the top level of a module, as pickles keep it by its "
            f"name, not {theorem!r}: {error}"
        ) from error


def checked_game(game: Any) -> Game:
    """Return ``game``.

    Raises:
        InvalidGameError: it is not a :class:`Game`.
    """
    if not isinstance(game, Game):
        raise InvalidGameError(f"game must be a nim_envs.Game, not {game!r}")
    return game
