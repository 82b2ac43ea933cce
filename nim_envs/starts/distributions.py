"""The distributions of start positions, for any game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPositionError
from nim_envs.rules.rules import Rules
from nim_envs.starts.choice import SolvedGame, box_sampler
from nim_envs.starts.samplers import BalancedSampler, ListSampler, Sampler
from nim_envs.validation import integers_of, is_listing


class Start(ABC):
    """A distribution of start positions, for any game."""

    @property
    def summary(self) -> str:
        """Name of the start, or its ``repr`` if it has none."""
        names = (name for name, start in ALL_NAMED_STARTS.items() if start == self)
        return next(names, repr(self))

    @abstractmethod
    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return the sampler of this start for ``game``; searches and counts are done here.

        Args:
            game: rules, convention and solution.
            search: whether the game may be solved by a search if no theorem applies.

        Raises:
            InvalidPositionError: the game has no such start, or needs a search that is not allowed.
            SearchTooLargeError: there are too many starts to count, or to search where no theorem
                applies.
        """


@dataclass(frozen=True)
class FixedStart(Start):
    """Always the same position: the rules' initial one unless another is given."""

    position: tuple[int, ...] | None = None

    @property
    def summary(self) -> str:
        """The position, or ``"fixed"``."""
        return "fixed" if self.position is None else str(self.position)

    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return a sampler of the one position."""
        return self.sampler_of(game.rules)

    def sampler_of(self, rules: Rules) -> ListSampler:
        """Return a sampler of the one position, which takes no more than the rules.

        Args:
            rules: rules of the game.

        Raises:
            InvalidPositionError: the game has no such position, or it leaves no legal move.
        """
        given = rules.initial if self.position is None else self.position
        position = rules.checked_position(given)
        if rules.is_terminal(position):
            raise InvalidPositionError(
                f"a start must leave a legal move, and {rules.coordinate_tuple(position)} leaves "
                "none"
            )
        return ListSampler(position[np.newaxis])


@dataclass(frozen=True)
class ListStart(Start):
    """One of some positions, each as probable as it is frequent among them.

    Args:
        positions: at least one; a position may be repeated, which is its weight.
    """

    positions: tuple[tuple[int, ...], ...]

    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return a sampler of the positions."""
        return self.sampler_of(game.rules)

    def sampler_of(self, rules: Rules) -> ListSampler:
        """Return a sampler of the positions, which takes no more than the rules.

        Args:
            rules: rules of the game.

        Raises:
            InvalidPositionError: the game has no such position, or it leaves no legal move.
        """
        fixed = [FixedStart(position).sampler_of(rules) for position in self.positions]
        return ListSampler(np.concatenate([sampler.support()[0] for sampler in fixed]))


@dataclass(frozen=True)
class UniformStart(Start):
    """Every position of a box that leaves a legal move, all equally likely.

    Args:
        low: smallest state of every component, or one bound for each component; of games with
            coordinates the smallest value of every coordinate, or one for each.
        high: the same for the largest state; ``None``: the largest that the component has.
    """

    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return a sampler of the box."""
        return box_sampler(game, self.low, self.high, value=None, search=search)


@dataclass(frozen=True)
class OutcomeStart(Start):
    """Every N-position of a box, every P-position or every drawn one, all equally likely.

    Args:
        winning: N-positions if true, P-positions that leave a legal move if false; drawn positions
            that leave one if ``None``, in games with an outcome of their own.
        low: as in :class:`UniformStart`.
        high: as in :class:`UniformStart`.
    """

    winning: bool | None
    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    @property
    def value(self) -> int:
        """The value of the positions to the player to move: 1, 0 or -1."""
        return 0 if self.winning is None else 1 if self.winning else -1

    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return a sampler of the N-positions, P-positions or drawn positions of the box.

        Raises:
            InvalidPositionError: drawn positions of a game that the last move decides.
        """
        if self.winning is None and not game.rules.has_outcome:
            raise InvalidPositionError(
                f"{game.rules.name} has no drawn position to start at: the last move decides it"
            )
        return box_sampler(game, self.low, self.high, self.value, search=search)


@dataclass(frozen=True)
class BalancedStart(Start):
    """An N-position or a P-position of a box with probability one half each.

    In games with an outcome of their own, a won, a lost or a drawn position with the same
    probability; of these three those that the box has.

    Args:
        low: as in :class:`UniformStart`.
        high: as in :class:`UniformStart`.
    """

    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    def sampler(self, game: SolvedGame, *, search: bool = True) -> Sampler:
        """Return a sampler that first draws the value of the position."""
        starts = [OutcomeStart(winning, self.low, self.high) for winning in (True, False, None)]
        if not game.rules.has_outcome:
            return BalancedSampler(*(start.sampler(game, search=search) for start in starts[:2]))
        samplers = []
        for start in starts:
            with suppress(InvalidPositionError):  # the box has no such position
                samplers.append(start.sampler(game, search=search))
        if not samplers:
            return starts[0].sampler(game, search=search)  # which raises the reason
        return BalancedSampler(*samplers)


NAMED_STARTS: dict[str, Start] = {
    "fixed": FixedStart(),
    "uniform": UniformStart(),
    "n_position": OutcomeStart(winning=True),
    "p_position": OutcomeStart(winning=False),
    "balanced": BalancedStart(),
}
"""The starts of any game by name, as in ``reset(options={"start": "p_position"})``."""

ALL_NAMED_STARTS = NAMED_STARTS | {"draw_position": OutcomeStart(winning=None)}
"""The starts by name, with the one that only games with an outcome of their own have."""


def as_start(start: Any) -> Start:
    """Return ``start`` as a :class:`Start`.

    Args:
        start: a :class:`Start`, a key of :data:`ALL_NAMED_STARTS`, a position, or a list of
            positions, in which repeats are weights.

    Raises:
        InvalidPositionError: none of these.
    """
    if isinstance(start, Start):
        return start
    if isinstance(start, str) and start in ALL_NAMED_STARTS:
        return ALL_NAMED_STARTS[start]
    listed = start.tolist() if isinstance(start, np.ndarray) else start
    if is_listing(listed):
        position = integers_of(listed)
        if position is not None:
            return FixedStart(position)
        positions = [integers_of(each) for each in listed]
        if None not in positions:
            return ListStart(tuple(each for each in positions if each is not None))
    raise InvalidPositionError(
        f"a start must be one of {tuple(ALL_NAMED_STARTS)}, a Start, a position as a sequence of "
        f"integers, or a list of positions, not {start!r}"
    )


def checked_start(start: Any, game: Any) -> Start:
    """Return ``start`` as a :class:`Start` of a game.

    Args:
        start: as in :func:`as_start`.
        game: the game. Boxes are checked by their samplers, as that may take a search.

    Raises:
        InvalidPositionError: ``start`` is not a start, or has a position that is outside the box
            or leaves no legal move.
    """
    checked = as_start(start)
    if isinstance(checked, (FixedStart, ListStart)):
        checked.sampler_of(game.rules)
    return checked
