"""Solutions of games of one component, by theorems that do not extend to sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules.chomp_game import ChocolateBar
from nim_envs.rules.component import BYTES_OF_OPTION, NO_MOVE, NO_OPTION, Component
from nim_envs.rules.convention import Convention
from nim_envs.rules.fibonacci_game import FibonacciHeap
from nim_envs.rules.moores_game import HeapGroup
from nim_envs.rules.rules import Rules
from nim_envs.rules.wythoff_game import Queen
from nim_envs.theory import theorems, winning_moves
from nim_envs.theory.solution import Solution
from nim_envs.theory.winning_moves import WinningMoves
from nim_envs.typing import BoolArray, IntArray
from nim_envs.validation import largest_bytes


class Theorem(NamedTuple):
    """A theorem on who wins one component.

    Attributes:
        name: such as ``"Wythoff's theorem"``.
        wins: function from coordinates, int64 ``(n, fields)``, to whether each is an N-position,
            ``(n,)``.
        moves: function from the coordinates of one position to those after each winning move;
            ``None``: winning moves are found among all moves.
    """

    name: str
    wins: Callable[[IntArray], BoolArray]
    moves: WinningMoves | None = None


TheoremOfGame = Callable[[IntArray, tuple[int, ...]], BoolArray]
"""A theorem that a game brings: coordinates, int64 ``(n, fields)``, and the number of values of
each coordinate, to whether the player to move wins under the game's convention, ``(n,)``."""


def theorem_of_game(function: TheoremOfGame, rules: Rules) -> Theorem:
    """Return the own theorem of a game of one component, as a :class:`Theorem`.

    Args:
        function: the theorem.
        rules: rules of the game.
    """
    name = getattr(function, "__name__", type(function).__name__)
    return Theorem(f"the theorem {name}", partial(_checked_outcomes, function, rules.fields, name))


def _checked_outcomes(
    function: TheoremOfGame, fields: tuple[int, ...], name: str, coordinates: IntArray
) -> BoolArray:
    """Return the answer of a game's own theorem.

    Raises:
        InvalidGameError: it is not a boolean for each position.
    """
    answer = np.asarray(function(coordinates, fields))
    if answer.shape != coordinates.shape[:1] or answer.dtype != np.bool_:
        raise InvalidGameError(
            f"the theorem {name} must return booleans {coordinates.shape[:1]} of coordinates "
            f"{coordinates.shape}, not {answer.dtype} {answer.shape}"
        )
    return answer


class TheoremSolution(Solution):
    """A game of one component, solved by a theorem on its coordinates.

    Args:
        rules: rules of one component.
        convention: normal or misère play.
        theorem: one that holds under ``convention``.
    """

    def __init__(self, rules: Rules, convention: Convention, theorem: Theorem) -> None:
        super().__init__(rules, convention, theorem.name)
        self._wins = theorem.wins
        self._moves = theorem.moves

    def _winning(self, positions: IntArray) -> BoolArray:
        coordinates = self.rules.coordinates(positions)
        wins = self._wins(coordinates.reshape(-1, coordinates.shape[-1]))
        return np.asarray(wins, dtype=np.bool_).reshape(positions.shape[:-1])

    def _each_winning_action(self, position: IntArray) -> Iterator[int]:
        if self._moves is None:
            yield from super()._each_winning_action(position)
            return
        component = self.rules.components[0]
        for after in self._moves(self.rules.coordinate_tuple(position)):
            state = component.coordinate_system.states_at(np.array(after))
            option = int(component.option_to(position[0], state))
            if option == NO_OPTION:
                raise ValueError(f"no move of {self.rules.name} leads to {after}")
            yield option

    def _winning_actions(self, position: IntArray) -> IntArray:
        if self._moves is None:
            return super()._winning_actions(position)
        most = largest_bytes() // BYTES_OF_OPTION
        actions = list(islice(self._each_winning_action(position), most + 1))
        if len(actions) > most:
            raise SearchTooLargeError(
                f"there are more than {most} winning actions, the limit: iter_winning_actions "
                "yields them one by one"
            )
        return np.array(sorted(actions), dtype=np.int64)

    def _winning_options(self, positions: IntArray) -> BoolArray:
        after = self.rules.options(positions)
        legal = after != NO_MOVE
        winning = np.zeros(after.shape, dtype=np.bool_)
        winning[legal] = ~self._winning(after[legal][:, np.newaxis])
        return winning


def theorem_on(component: Component, convention: Convention) -> Theorem | None:
    """Return a theorem on who wins a component alone; ``None`` if this package has none.

    Args:
        component: any component.
        convention: normal or misère play.
    """
    normal = convention is Convention.NORMAL
    if isinstance(component, Queen):
        name = "Wythoff's theorem" if normal else "Fraenkel's theorem on misère Wythoff"
        return Theorem(
            name,
            partial(theorems.wythoff, convention=convention),
            partial(winning_moves.wythoff, convention=convention),
        )
    if isinstance(component, HeapGroup):
        return Theorem(
            "Moore's theorem",
            partial(theorems.moore, k=component.k, convention=convention),
            partial(winning_moves.moore, k=component.k, convention=convention),
        )
    if isinstance(component, FibonacciHeap):
        return Theorem(
            "Whinihan's theorem",
            partial(theorems.fibonacci_nim, convention=convention),
            partial(winning_moves.fibonacci_nim, convention=convention),
        )
    if (
        isinstance(component, ChocolateBar)
        and normal
        and min(component.rows, component.columns) <= 2
    ):
        return Theorem("Gale's theorem on two rows", theorems.chomp, winning_moves.chomp)
    return None
