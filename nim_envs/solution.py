"""Who wins each position of a game, and by which moves: four methods.

A theorem beside the game; the Grundy values of a sum's parts; induction on a graph; induction on a
sum without a table of its moves.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial, wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from nim_envs import theorems
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game, Theorem
from nim_envs.graph import AT_ONCE, Graph, Part, Sources, rows_by_value
from nim_envs.index import Index
from nim_envs.sums import Sum, graph_of, states_at
from nim_envs.typing import BoolArray, Int32Array, IntArray, ValueArray
from nim_envs.validation import checked_choice, checked_integer

LARGEST_SEARCH = 50_000_000
"""Default limit on the number of positions of an induction on a sum."""

MOST_WITHOUT_QUOTIENT = 2**20
"""Positions of a sum up to which induction takes a second, and no misère quotient is tried."""

Values = TypeVar("Values")

StateValues = Callable[[IntArray], ValueArray]
"""Function of states to their values to the player to move."""


class Solution:
    """The exact solution of a game: the value of every position to the player to move.

    It is 1 for a win, 0 for a draw and -1 for a loss, with correct play of both players.

    Args:
        board: positions and moves.
        method: name of the theorem, or of the search.
        values: the values of states of the board.

    Example:
        >>> from nim_envs.games import nim
        >>> solution = solve(nim(heaps=(3, 4, 5)))
        >>> solution.method, solution.value((3, 4, 5)), solution.winning_actions((3, 4, 5)).tolist()
        ("Bouton's theorem", 1, [1])
    """

    def __init__(self, board: Graph | Sum, method: str, values: StateValues) -> None:
        self.board, self.method, self._values = board, method, values

    def __repr__(self) -> str:
        """Return the number of positions and the method."""
        return f"Solution({self.board.num_positions} positions, by {self.method})"

    def value(self, positions: npt.ArrayLike) -> Any:
        """Return the values of positions: ``(..., fields)`` to int8 ``(...)``, of one an ``int``.

        Raises:
            InvalidPositionError: they are not positions of the game.
        """
        values = self.state_values(states_at(self.board, positions))
        return int(values) if values.ndim == 0 else values

    def is_winning(self, positions: npt.ArrayLike) -> Any:
        """Return where the player to move wins; arguments and errors are those of :meth:`value`."""
        return self.value(positions) == 1

    def is_losing(self, positions: npt.ArrayLike) -> Any:
        """Return where the player to move loses; arguments and errors as of :meth:`value`."""
        return self.value(positions) == -1

    def keeping_mask(self, positions: npt.ArrayLike) -> BoolArray:
        """Return which actions keep the value of positions that are not lost; none of lost ones.

        ``(..., fields)`` to ``(..., actions)``. At a win these are the winning moves.
        """
        return self.state_keeping(states_at(self.board, positions))

    def winning_mask(self, positions: npt.ArrayLike) -> BoolArray:
        """Return which actions win: ``(..., fields)`` to ``(..., actions)``."""
        states = states_at(self.board, positions)
        is_won = self.state_values(states) == 1
        return np.asarray(self.state_keeping(states) & np.asarray(is_won)[..., np.newaxis])

    def keeping_actions(self, position: npt.ArrayLike) -> IntArray:
        """Return the actions that keep the value of one position, ascending; none of a lost one."""
        return np.flatnonzero(self.keeping_mask(position))

    def winning_actions(self, position: npt.ArrayLike) -> IntArray:
        """Return the actions that win from one position, ascending."""
        return np.flatnonzero(self.winning_mask(position))

    def distance(self, positions: npt.ArrayLike) -> Any:
        """Return the moves to the end when the winner hurries and the loser delays.

        ``(..., fields)`` to int32 ``(...)``, of one position an ``int``; -1 where play is drawn.

        Raises:
            InvalidPositionError: they are not positions of the game.
            SearchTooLargeError: there are too many positions to list.

        Example:
            >>> from nim_envs.games import nim
            >>> nim(heaps=(5, 5)).solution.distance([[5, 5], [5, 4], [0, 0]]).tolist()
            [10, 9, 0]
        """
        graph, _, by_row = self._retrograde
        distances = by_row[states_at(graph, positions)]
        return int(distances) if distances.ndim == 0 else distances

    def hurrying_mask(self, positions: npt.ArrayLike) -> BoolArray:
        """Return which actions win soonest, keep a draw, or where lost resist longest.

        ``(..., fields)`` to ``(..., actions)``; errors are those of :meth:`distance`.
        """
        graph, values, distances = self._retrograde
        states = states_at(graph, positions)
        value, distance = values[states][..., np.newaxis], distances[states][..., np.newaxis]
        after = graph.after[states]
        hurries = (value == 0) | (distances[after] == distance - 1)
        return np.asarray((after >= 0) & (values[after] == -value) & hurries)

    @cached_property
    def _retrograde(self) -> tuple[Graph, ValueArray, Int32Array]:
        """All positions as one graph, and value and distance of every row."""
        board = self.board
        graph = board if isinstance(board, Graph) else graph_of(board.parts, "the game")
        values, ends = np.zeros(graph.num_positions, dtype=np.int8), np.flatnonzero(graph.ends)
        values[ends] = self.value(graph.positions(ends))
        return graph, *retrograde(graph.after, values)

    @cached_property
    def table(self) -> ValueArray:
        """Value of every row of a graph, int8 ``(n,)``."""
        return self._values(np.arange(self.board.num_positions))

    def state_values(self, states: IntArray) -> ValueArray:
        """Return the values of states, ``(...)``."""
        if isinstance(self.board, Graph):
            return np.asarray(self.table[states])
        return self._values(states)

    def state_keeping(self, states: IntArray) -> BoolArray:
        """Return which actions keep the value of states that are not lost, ``(..., actions)``."""
        values = self.state_values(states)[..., np.newaxis]
        if isinstance(self.board, Graph):
            after = self.board.after[states]
            return np.asarray((after >= 0) & (-self.table[after] == values) & (values > -1))
        flat, wanted = states.reshape(-1, states.shape[-1]), values.reshape(-1)
        mask = self.board.mask(flat).view(np.bool_)
        mask[wanted == -1] = False
        rows, actions = mask.nonzero()
        before = flat.take(rows, axis=0)  # sooner than flat[rows]
        mask[rows, actions] = -self._values(self.board.step(before, actions)) == wanted[rows]
        return mask.reshape(*states.shape[:-1], self.board.num_actions)


def solve(
    game: Game,
    misere: bool | None = None,
    limit: int = LARGEST_SEARCH,
    *,
    method: str | None = None,
) -> Solution:
    """Solve a game exactly, by the first method that applies.

    - A theorem that stands beside the game.
    - Of a game that the last move decides: the Sprague-Grundy theorem in normal play, and the
      theorem on tame misère sums, with the values of the parts.
    - Induction on the graph of all positions; retrograde analysis where moves form cycles.
    - Of a sum without one, in misère play: the misère quotient of its parts where positions are
      many and the quotient is small (:mod:`nim_envs.cgt.misere_quotients`); else induction.

    Args:
        game: the game.
        misere: whether the player who makes the last move loses; ``None``: as the game says.
        limit: most positions of an induction on a sum.
        method: ``"quotient"``: by the misère quotient, of any size; ``None``: as above.

    Raises:
        TypeError: ``game`` is not a ``nim_envs.Game``.
        InvalidGameError: ``misere`` is true of a game whose outcome says who wins, or no boolean;
            ``limit`` is no integer of at least 1; ``method`` is unknown, or a quotient is asked for
            and play is not misère.
        SearchTooLargeError: no theorem applies, there are more positions than ``limit``, and there
            is no small misère quotient.

    Example:
        >>> from nim_envs.games import kayles
        >>> wild = solve(kayles(heaps=(12,) * 8), misere=True)
        >>> wild.method, wild.value((12,) * 8 + (0,) * 40)
        ('misère quotient, proven by its transition algebra', 1)
    """
    if not isinstance(game, Game):
        raise TypeError(f"solve takes a nim_envs.Game, not {game!r}")
    checked_integer("limit", limit, 1)
    checked_choice("method", method, ("quotient",), or_none=True)
    if misere is not None:
        game = replace(game, misere=misere)
    if method is not None:
        if not game.misere:
            raise InvalidGameError(f"a misère quotient solves misère play, not {game.summary}")
        from nim_envs.cgt.misere_quotients.quotient_solution import quotient_solution

        return quotient_solution(game)
    board, theorem, last_move_loses = game.board, game.theorem, game.misere
    if not needs_search(game):
        if theorem is not None and theorem.misere in (None, last_move_loses):
            values = partial(_values_by_theorem, board, theorem, last_move_loses)
            return Solution(board, theorem.name, values)
        name = "theorem on tame misère sums" if last_move_loses else "Sprague-Grundy theorem"
        return Solution(board, name, partial(_values_by_parts, board, game.parts, last_move_loses))
    if isinstance(board, Graph):
        outcome = game.parts[0].outcome
        if outcome is not None and game.has_cycles:
            table = retrograde(board.after, outcome)[0]
            return Solution(board, "retrograde analysis", table.__getitem__)
        ends = np.int8(1) if outcome is None else outcome
        return Solution(board, "exhaustive search", graph_values(board, ends).__getitem__)
    if board.num_positions > min(limit, MOST_WITHOUT_QUOTIENT):
        from nim_envs.cgt.misere_quotients.quotient_solution import SMALL, quotient_solution

        try:
            return quotient_solution(game, SMALL)
        except SearchTooLargeError as error:
            if board.num_positions > limit:
                raise SearchTooLargeError(
                    f"no theorem known here solves misère play of {game.name}, which has "
                    f"{board.num_positions} positions; at most {limit} are searched. Nor is there "
                    f"a misère quotient to use: {error}"
                ) from None
    return Solution(board, "exhaustive search", SumValues(board, np.int8(1), limit))


def needs_search(game: Game) -> bool:
    """Return whether a game is solved by induction on all positions."""
    if game.has_outcome:
        return True
    if game.theorem is not None and game.theorem.misere in (None, game.misere):
        return False
    return game.misere and any(misere_values(part) is None for part in game.parts)


def _values_by_theorem(
    board: Graph | Sum, theorem: Theorem, misere: bool, states: IntArray
) -> ValueArray:
    """Return the values of states by a theorem on their coordinates."""
    coordinates = board.positions(states)
    both = {"misere": misere} if theorem.misere is None else {}
    wins = theorem.wins(coordinates.reshape(-1, coordinates.shape[-1]), **both)
    return np.where(wins, np.int8(1), np.int8(-1)).reshape(coordinates.shape[:-1])


def _values_by_parts(
    board: Graph | Sum, parts: tuple[Part, ...], misere: bool, states: IntArray
) -> ValueArray:
    """Return the values of states by those of the parts, all tame in misère play."""
    states = part_states(board, parts, states)
    normal = _values_of_each([grundy_values(part) for part in parts], states)
    wins = theorems.sprague_grundy(normal)
    if misere:
        tame = [values for part in parts if (values := misere_values(part)) is not None]
        wins = theorems.tame_misere(normal, _values_of_each(tame, states))
    return np.where(wins, np.int8(1), np.int8(-1))


def part_states(board: Graph | Sum, parts: tuple[Part, ...], states: IntArray) -> IntArray:
    """Return the states of each part, ``(..., parts)``, at states of the board."""
    if isinstance(board, Part):
        return states[..., np.newaxis]
    return Sum(parts).find(board.positions(states)) if isinstance(board, Graph) else states


def _values_of_each(values: Sequence[IntArray], states: IntArray) -> IntArray:
    """Return the value of each part, ``(..., parts)``; ``values`` are those of all its states."""
    return np.stack([of_part[states[..., i]] for i, of_part in enumerate(values)], axis=-1)


def _computed_once(compute: Callable[[Part], Values]) -> Callable[[Part], Values]:
    """Return a function of parts that computes each result once while the part is in use."""
    known: WeakKeyDictionary[Part, Values] = WeakKeyDictionary()

    @wraps(compute)
    def values(part: Part) -> Values:
        if part not in known:
            known[part] = compute(part)
        return known[part]

    return values


@_computed_once
def grundy_values(part: Part) -> IntArray:
    """Return the Grundy value of every position: the mex of the values of its options.

    An option that leaves two parts has the nim-sum of their values. The values are ``(n,)``.

    References:
        R. P. Sprague (1935); P. M. Grundy (1939); *Winning Ways*, ch. 4.
    """
    values = np.zeros(part.num_positions, dtype=np.int64)
    for rows in _some_at_a_time(part):
        first = part.after[rows]
        reached = values[first]
        if part.second is not None:
            reached ^= values[part.second[rows]]
        values[rows] = _mex(reached, first >= 0)
    return values


@_computed_once
def misere_values(part: Part) -> IntArray | None:
    """Return the misère Grundy value of every position; ``None`` where some is not tame.

    A position is tame if its values in normal and misère play are (0, 1) or (1, 0), *fickle*, or
    equal, *firm*, and so are those after its moves. An option of two parts has the values of their
    sum by the theorem on tame misère sums (:func:`nim_envs.theorems.tame_misere`), whose
    proof uses no more than the two values of each option.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 12.
    """
    normal = grundy_values(part)
    misere = np.ones(part.num_positions, dtype=np.int64)
    for rows in _some_at_a_time(part):
        first = part.after[rows]
        fickle = normal[first] != misere[first]
        reached = normal[first]
        if part.second is not None:
            second = part.second[rows]
            fickle &= normal[second] != misere[second]
            reached ^= normal[second]
        misere[rows] = _mex(reached ^ fickle, first >= 0)
        firm = misere[rows] == normal[rows]
        if not (firm | ((normal[rows] <= 1) & (misere[rows] == 1 - normal[rows]))).all():
            return None
    return misere


def _mex(values: IntArray, legal: BoolArray) -> IntArray:
    """Return the least number that no legal option of a row has: ``(n, options)`` to ``(n,)``."""
    present = np.zeros((len(values), values.shape[1] + 1), dtype=np.bool_)
    row, option = np.nonzero(legal & (values <= values.shape[1]))
    present[row, values[row, option]] = True
    return np.asarray(np.argmin(present, axis=1))


def _some_at_a_time(graph: Graph) -> Iterator[IntArray]:
    """Yield the rows with a move, after those of their moves, in pieces."""
    step = max(1, AT_ONCE // max(1, graph.num_actions))
    for rows in graph.levels():
        for begin in range(0, len(rows), step):
            yield rows[begin : begin + step]


def graph_values(graph: Graph, ends: ValueArray | np.int8) -> ValueArray:
    """Return the value of every position to the player to move, by induction, ``(n,)``.

    ``ends`` are the values of positions without moves, one or ``(n,)``.
    """
    values = np.where(graph.ends, ends, np.int8(0))
    for rows in _some_at_a_time(graph):
        after = graph.after[rows]
        values[rows] = np.where(after >= 0, -values[after], np.int8(-1)).max(axis=1)
    return values


def retrograde(after: Int32Array, ends: ValueArray) -> tuple[ValueArray, Int32Array]:
    """Return the value of every position and its distance to the end, by retrograde analysis.

    Backwards from the ends, one move at a time: a move to a lost position wins, and a position is
    lost when all moves lead to won ones. Positions that are neither are drawn.

    Args:
        after: row after each move, ``(n, actions)``, -1 for none; moves may form cycles.
        ends: values of positions without moves to the player to move, int8 ``(n,)``; 0 elsewhere.

    Returns:
        Values, int8 ``(n,)``, and distances as of :meth:`Solution.distance`, int32 ``(n,)``.

    References:
        K. Thompson, "Retrograde analysis of certain endgames", *ICCA Journal* 9 (1986).
    """
    sources = Sources(after)
    values, not_won = ends.copy(), sources.num_moves
    distances = np.full(len(values), -1, dtype=np.int32)
    rows, distance = np.flatnonzero(values), 0
    while len(rows):
        distances[rows] = distance
        before, value = sources.of(rows), np.repeat(values[rows], sources.counts[rows])
        np.subtract.at(not_won, before[value > 0], 1)
        won = before[(value < 0) & (values[before] == 0)]
        lost = before[(value > 0) & (not_won[before] == 0)]
        values[won], values[lost] = 1, -1
        rows, distance = np.unique(np.concatenate([won, lost])), distance + 1
    return values, distances


class SumValues:
    """Values of a sum's positions by induction, without a table of moves.

    Positions without moves have the value ``end`` to the player to move; ``SearchTooLargeError`` if
    there are over ``limit`` positions.
    """

    def __init__(self, total: Sum, end: np.int8, limit: int) -> None:
        states = total.states(limit)
        self._rows_of = Index([part.num_positions for part in total.parts], states).rows
        self.values = np.full(len(states), end, dtype=np.int8)
        for level in rows_by_value(total.longest_play(states)):
            step = max(1, AT_ONCE // total.num_actions)
            for begin in range(0, len(level), step):
                rows = level[begin : begin + step]
                here = states[rows]
                best = np.full(len(rows), -1, dtype=np.int8)
                row, action = np.nonzero(total.mask(here))
                reached = -self.values[self._rows_of(total.step(here[row], action))]
                np.maximum.at(best, row, reached)
                self.values[rows] = best

    def __call__(self, states: IntArray) -> ValueArray:
        """Return the values of states, ``(..., parts)`` to ``(...)``."""
        return np.asarray(self.values[self._rows_of(states)])
