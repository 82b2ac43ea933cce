"""Solutions of games: who wins each position, and by which moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidPositionError
from nim_envs.rules.component import NO_MOVE
from nim_envs.rules.convention import AnyConvention, Convention
from nim_envs.rules.rules import Rules
from nim_envs.theory.theorems import sprague_grundy, tame_misere
from nim_envs.theory.values import ComponentValues, component_values
from nim_envs.typing import BoolArray, IntArray, ValueArray

Positions = Sequence[int] | npt.NDArray[np.integer]


class Solution(ABC):
    """The exact solution of a game: the outcome of every position.

    A subclass defines ``_winning`` and ``_winning_options``; with draws also ``_value``,
    ``_keeping_actions`` and ``_keeping_options``. Their positions are checked, as state numbers.

    Attributes:
        rules: rules of the game solved.
        convention: normal or misère play, or an outcome of its own.
        method: name of the theorem or search used.
    """

    def __init__(self, rules: Rules, convention: AnyConvention, method: str) -> None:
        self.rules = rules
        self.convention = convention
        self.method = method

    def __repr__(self) -> str:
        """Return a summary of the game, and the method."""
        solved = f"{self.rules.summary}, {self.convention.play}"
        return f"{type(self).__name__}({solved}, by {self.method})"

    @property
    def is_complete(self) -> bool:
        """Whether questions are answered without further search."""
        return True

    def for_many_positions(self) -> Solution:
        """Return the faster solution for many positions: this one, or one that is complete."""
        return self

    def is_winning(self, positions: Positions) -> Any:
        """Return whether the player to move wins with correct play.

        At a terminal position the answer is the convention's: the player who cannot
        move has lost in normal play and won in misère play; a game with an outcome of its own lists
        it. Where draws exist, a position that is not winning may be drawn: see :meth:`value`.

        Args:
            positions: one position ``(components,)`` or an array ``(..., components)``; or its
                coordinates, ``(fields,)`` or ``(..., fields)``.

        Returns:
            A ``bool`` for one position, else a boolean array ``(...)``.

        Raises:
            InvalidPositionError: not positions of this game.
        """
        winning = self._winning(self.rules.checked_positions(positions))
        return bool(winning) if winning.ndim == 0 else winning

    def is_losing(self, positions: Positions) -> Any:
        """Return whether the player to move loses against correct play.

        Args:
            positions: as in :meth:`is_winning`.

        Returns:
            A ``bool`` for one position, else a boolean array ``(...)``.

        Raises:
            InvalidPositionError: not positions of this game.
        """
        losing = self._value(self.rules.checked_positions(positions)) == -1
        return bool(losing) if losing.ndim == 0 else losing

    def value(self, positions: Positions) -> Any:
        """Return the value to the player to move: 1 for a win, 0 for a draw, -1 for a loss.

        Args:
            positions: as in :meth:`is_winning`.

        Returns:
            An ``int`` for one position, else an int8 array ``(...)``.

        Raises:
            InvalidPositionError: not positions of this game.
        """
        values = self._value(self.rules.checked_positions(positions))
        return int(values) if values.ndim == 0 else values

    def winning_actions(self, position: Positions) -> IntArray:
        """Return all actions that move to a P-position, ascending; empty where none wins.

        Args:
            position: one position, ``(components,)``, or its coordinates, ``(fields,)``.

        Raises:
            InvalidPositionError: not one position of this game.
        """
        return self._winning_actions(self._one_position("winning_actions", position))

    def iter_winning_actions(self, position: Positions) -> Iterator[int]:
        """Return an iterator of all actions that move to a P-position.

        Where a theorem gives the winning moves, as in Nim, Wythoff's game, Euclid, Fibonacci Nim
        and Moore's Nim, the first one takes time in proportion to the digits of the numbers, and
        no list of all moves is made.

        Args:
            position: one position, ``(components,)``, or its coordinates, ``(fields,)``.

        Raises:
            InvalidPositionError: not one position of this game.
            SearchTooLargeError: the moves have to be listed, and are too many.

        Example:
            >>> from nim_envs import make_game
            >>> game = make_game("wythoff", queens=((10**9, 10**9),))
            >>> action = next(game.solution.iter_winning_actions((10**9, 10**9)))
            >>> game.rules.describe_action(action, game.rules.initial)
            'queen 0: move diagonally 1000000000, to (0, 0)'
        """
        return self._each_winning_action(self._one_position("iter_winning_actions", position))

    def _one_position(self, method: str, position: Positions) -> IntArray:
        """Return one position, checked.

        Raises:
            InvalidPositionError: not one position of this game.
        """
        checked = self.rules.checked_positions(position)
        if checked.ndim != 1:
            raise InvalidPositionError(
                f"{method} takes one position of shape ({len(self.rules.components)},), "
                f"not an array of shape {checked.shape}; winning_mask takes arrays"
            )
        return checked

    def winning_mask(self, positions: Positions) -> BoolArray:
        """Return which actions move to a P-position.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., num_actions)``.

        Raises:
            InvalidPositionError: not positions of this game.
            SearchTooLargeError: the components are too large to tabulate their options.
        """
        checked = self.rules.checked_positions(positions)
        mask = self._winning_options(checked)
        return mask.reshape(*checked.shape[:-1], self.rules.num_actions)

    def keeping_actions(self, position: Positions) -> IntArray:
        """Return all actions that keep the value of a position that is not lost, ascending.

        At a win these are the winning moves, at a draw those that keep the draw, and there are none
        at a loss. In games without draws they are :meth:`winning_actions`.

        Args:
            position: one position, ``(components,)``, or its coordinates, ``(fields,)``.

        Raises:
            InvalidPositionError: not one position of this game.
        """
        return self._keeping_actions(self._one_position("keeping_actions", position))

    def keeping_mask(self, positions: Positions) -> BoolArray:
        """Return which actions keep the value of positions that are not lost.

        Args:
            positions: ``(..., components)``.

        Returns:
            ``(..., num_actions)``; nothing at lost positions. See :meth:`keeping_actions`.

        Raises:
            InvalidPositionError: not positions of this game.
            SearchTooLargeError: the components are too large to tabulate their options.
        """
        checked = self.rules.checked_positions(positions)
        mask = self._keeping_options(checked)
        return mask.reshape(*checked.shape[:-1], self.rules.num_actions)

    def grundy_value(self, positions: Positions) -> Any:
        """Return the normal-play Grundy value, whatever the convention.

        It is the nim-sum of the components' values.

        Args:
            positions: one position ``(components,)`` or an array ``(..., components)``.

        Returns:
            An ``int`` for one position, else an int64 array ``(...)``.

        Raises:
            InvalidPositionError: not positions of this game.
            InvalidGameError: the game has an outcome of its own, not that of the last move.
        """
        checked = self.rules.checked_positions(positions)
        values = np.bitwise_xor.reduce(self._values(checked), axis=-1)
        return int(values) if values.ndim == 0 else values

    @cached_property
    def component_values(self) -> tuple[ComponentValues, ...]:
        """The values of each component; equal components share theirs."""
        distinct = {component: component_values(component) for component in self.rules.components}
        return tuple(distinct[component] for component in self.rules.components)

    def _values(self, positions: IntArray, misere: bool = False) -> IntArray:
        """Grundy values of the components, or misère ones: ``(..., components)``."""
        values = [
            one.misere(positions[..., i]) if misere else one.normal(positions[..., i])
            for i, one in enumerate(self.component_values)
        ]
        return np.stack(values, axis=-1)

    @abstractmethod
    def _winning(self, positions: IntArray) -> BoolArray: ...

    def _value(self, positions: IntArray) -> ValueArray:
        return np.where(self._winning(positions), np.int8(1), np.int8(-1))

    def _keeping_actions(self, position: IntArray) -> IntArray:
        return self._winning_actions(position)

    def _keeping_options(self, positions: IntArray) -> BoolArray:
        return self._winning_options(positions)

    def _winning_actions(self, position: IntArray) -> IntArray:
        return np.flatnonzero(self._winning_options(position))

    def _each_winning_action(self, position: IntArray) -> Iterator[int]:
        yield from self._winning_actions(position).tolist()

    @abstractmethod
    def _winning_options(self, positions: IntArray) -> BoolArray:
        """``(..., components)`` to ``(..., components, num_options)``."""


class SumSolution(Solution):
    """A sum solved by the Grundy values of its components: normal play, or tame misère play.

    Let ``rest`` be the nim-sum of the Grundy values of the other components. In normal play the
    winning options of a component are those of Grundy value ``rest``. In misère play with tame
    components they are the same if another component is firm, else those of *misère* Grundy value
    ``rest``.
    """

    def _winning(self, positions: IntArray) -> BoolArray:
        normal = self._values(positions)
        if self.convention is Convention.NORMAL:
            return sprague_grundy(normal)
        return tame_misere(normal, self._values(positions, misere=True))

    def target_values(self, positions: IntArray) -> tuple[IntArray, BoolArray]:
        """Return for each component the value that makes a P-position together with the others.

        Args:
            positions: ``(..., components)``.

        Returns:
            The values, and whether each is a misère Grundy value; both ``(..., components)``.
        """
        normal = self._values(positions)
        rest = np.bitwise_xor.reduce(normal, axis=-1, keepdims=True) ^ normal
        if self.convention is Convention.NORMAL:
            return rest, np.zeros(rest.shape, dtype=np.bool_)
        firm = normal == self._values(positions, misere=True)
        others_firm = firm.sum(axis=-1, keepdims=True) - firm > 0
        return rest, ~others_firm

    def _winning_actions(self, position: IntArray) -> IntArray:
        return np.concatenate(list(self._winning_actions_by_component(position)))

    def _each_winning_action(self, position: IntArray) -> Iterator[int]:
        for actions in self._winning_actions_by_component(position):
            yield from actions.tolist()

    def _winning_actions_by_component(self, position: IntArray) -> Iterator[IntArray]:
        rest, use_misere = self.target_values(position)
        for i, values in enumerate(self.component_values):
            options = values.options_with_value(int(position[i]), int(rest[i]), bool(use_misere[i]))
            yield options + i * self.rules.num_options

    def _winning_options(self, positions: IntArray) -> BoolArray:
        rest, use_misere = self.target_values(positions)
        options, seconds = self.rules.options(positions), self.rules.second_options(positions)
        winning = np.zeros(options.shape, dtype=np.bool_)
        for i, values in enumerate(self.component_values):
            first = np.maximum(options[..., i, :], 0)
            splits = values.component.splits
            second = seconds[..., i, :] if splits and seconds is not None else None
            reached = values.after_moves(first, second, misere=False)
            if self.convention is Convention.MISERE:
                other = values.after_moves(first, second, misere=True)
                reached = np.where(use_misere[..., i, np.newaxis], other, reached)
            winning[..., i, :] = reached == rest[..., i, np.newaxis]
        return np.asarray(winning & (options != NO_MOVE))
