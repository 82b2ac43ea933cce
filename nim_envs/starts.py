"""Start positions: fixed, uniform over a box, N-positions, P-positions, or balanced.

A :class:`Start` describes a distribution; :meth:`Start.bind` returns its :class:`Sampler` for
one game. All randomness comes from the generator that is passed in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.rules import Rules
from nim_envs.theory.solution import Solution

LARGEST_SUPPORT = 1 << 20
"""Boxes of at most this many positions are enumerated once and sampled by index."""

DRAWS_BEFORE_GIVING_UP = 1 << 20
"""After this many draws from a larger box without a position of the wanted kind: an error."""

FloatArray = npt.NDArray[np.float64]


class Playable(Protocol):
    """What a start needs of a game."""

    @property
    def rules(self) -> Rules:
        """The rules."""
        ...

    @property
    def solution(self) -> Solution:
        """The exact solution."""
        ...


class Sampler(ABC):
    """Draws start positions of one game.

    Many positions sampled at once are the same as those drawn one by one, and leave the
    generator in the same state, so that a batch of games starts where single games would.
    """

    @abstractmethod
    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, components)``, none of them terminal."""

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position, ``(components,)``, in a new array."""
        position: IntArray = self.sample(rng, 1)[0].copy()
        return position

    @abstractmethod
    def support(self) -> tuple[IntArray, FloatArray]:
        """Return every possible start, ``(n, components)``, and its probability, ``(n,)``.

        Raises:
            SearchTooLargeError: there are too many to list.
        """


class Start(ABC):
    """A distribution of start positions, for any game."""

    @abstractmethod
    def bind(self, game: Playable) -> Sampler:
        """Return the sampler of this start for ``game``.

        Raises:
            InvalidPositionError: the game has no such start.
        """


@dataclass(frozen=True)
class FixedStart(Start):
    """Always the same position: the rules' initial one unless another is given."""

    position: tuple[int, ...] | None = None

    def bind(self, game: Playable) -> Sampler:
        """Return a sampler of the one position."""
        rules = game.rules
        position = rules.checked_positions(
            rules.initial if self.position is None else self.position
        )
        if position.ndim != 1:
            raise InvalidPositionError(
                f"a start is one position of {len(rules.components)} components, not "
                f"{self.position!r}"
            )
        if rules.is_terminal(position):
            raise InvalidPositionError(
                f"a start must leave a legal move, and {tuple(position.tolist())} leaves none"
            )
        return _Listed(position[np.newaxis], np.ones(1))


@dataclass(frozen=True)
class UniformStart(Start):
    """Every position of a box that leaves a legal move, all equally likely.

    Args:
        low: smallest state of every component, or one bound for each component.
        high: the same for the largest state; ``None``: the largest that the component has.
    """

    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    def bind(self, game: Playable) -> Sampler:
        """Return a sampler of the box."""
        return _listed_if_small(_Box(game, self.low, self.high, wanted=None))


@dataclass(frozen=True)
class OutcomeStart(Start):
    """Every N-position of a box, or every P-position, all equally likely.

    Args:
        winning: N-positions if true, P-positions that leave a legal move if false.
        low: as in :class:`UniformStart`.
        high: as in :class:`UniformStart`.
    """

    winning: bool
    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    def bind(self, game: Playable) -> Sampler:
        """Return a sampler of the N- or P-positions of the box."""
        return _listed_if_small(_Box(game, self.low, self.high, wanted=self.winning))


@dataclass(frozen=True)
class BalancedStart(Start):
    """An N-position or a P-position of a box with probability one half each.

    Args:
        low: as in :class:`UniformStart`.
        high: as in :class:`UniformStart`.
    """

    low: int | tuple[int, ...] = 0
    high: int | tuple[int, ...] | None = None

    def bind(self, game: Playable) -> Sampler:
        """Return a sampler that first draws which of the two it will be."""
        return _Mixed(
            OutcomeStart(True, self.low, self.high).bind(game),
            OutcomeStart(False, self.low, self.high).bind(game),
        )


NAMED_STARTS: dict[str, Start] = {
    "fixed": FixedStart(),
    "uniform": UniformStart(),
    "n_position": OutcomeStart(winning=True),
    "p_position": OutcomeStart(winning=False),
    "balanced": BalancedStart(),
}
"""The starts by name, as in ``reset(options={"start": "p_position"})``."""


def as_start(start: Any) -> Start:
    """Return ``start`` as a :class:`Start`.

    Args:
        start: a :class:`Start`, a key of :data:`NAMED_STARTS`, or a position.

    Raises:
        InvalidPositionError: none of these.
    """
    if isinstance(start, Start):
        return start
    if isinstance(start, str) and start in NAMED_STARTS:
        return NAMED_STARTS[start]
    if isinstance(start, (Sequence, np.ndarray)) and not isinstance(start, (str, bytes)):
        array = np.asarray(start, dtype=object)
        if array.ndim == 1 and all(
            isinstance(state, (int, np.integer)) and not isinstance(state, bool) for state in array
        ):
            return FixedStart(tuple(int(state) for state in array))
    raise InvalidPositionError(
        f"a start must be one of {tuple(NAMED_STARTS)}, a Start, or a position as a sequence of "
        f"integers, not {start!r}"
    )


class _Listed(Sampler):
    """Draws by index from a list of positions."""

    def __init__(self, positions: IntArray, probabilities: FloatArray) -> None:
        self._positions = positions
        self._probabilities = probabilities

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        if len(self._positions) == 1:
            return np.repeat(self._positions, size, axis=0)
        # With at most 2**20 positions the bias by rounding is too small to be measured.
        chosen = (rng.random(size) * len(self._positions)).astype(np.int64)
        # Several times faster than indexing by ``[chosen]``.
        return self._positions.take(chosen, axis=0)

    def draw(self, rng: np.random.Generator) -> IntArray:
        number = len(self._positions)
        chosen = int(rng.random() * number) if number > 1 else 0
        position: IntArray = self._positions[chosen].copy()
        return position

    def support(self) -> tuple[IntArray, FloatArray]:
        return self._positions, self._probabilities


class _Mixed(Sampler):
    """Draws from one of two samplers with equal probability."""

    def __init__(self, first: Sampler, second: Sampler) -> None:
        self._first = first
        self._second = second

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        if size == 0:
            return self._first.sample(rng, 0)
        return np.stack([self.draw(rng) for _ in range(size)])

    def draw(self, rng: np.random.Generator) -> IntArray:
        return (self._first if rng.random() < 0.5 else self._second).draw(rng)

    def support(self) -> tuple[IntArray, FloatArray]:
        parts = [self._first.support(), self._second.support()]
        return (
            np.concatenate([positions for positions, _ in parts]),
            np.concatenate([probabilities / 2 for _, probabilities in parts]),
        )


class _Box(Sampler):
    """Rejection sampling from a box: terminal positions and unwanted outcomes are rejected."""

    def __init__(self, game: Playable, low: Any, high: Any, wanted: bool | None) -> None:
        self._game = game
        self._wanted = wanted
        top = tuple(states - 1 for states in game.rules.shape)
        self._low = self._bound("low", low, top)
        self._high = np.array(top) if high is None else self._bound("high", high, top)
        if (self._low > self._high).any():
            raise InvalidPositionError(
                f"the box of starts is empty: low {self._low.tolist()} exceeds high "
                f"{self._high.tolist()}"
            )

    def _bound(self, name: str, bound: Any, top: tuple[int, ...]) -> IntArray:
        try:
            broadcast = np.broadcast_to(np.asarray(bound), (len(top),))
        except ValueError:
            broadcast = None
        if broadcast is None or broadcast.dtype.kind not in "iu":
            raise InvalidPositionError(
                f"{name} must be an integer or {len(top)} integers, one for each component, "
                f"not {bound!r}"
            )
        return self._game.rules.checked_points(broadcast)

    @property
    def num_positions(self) -> int:
        """Number of points in the box."""
        return int(np.prod((self._high - self._low + 1).astype(object)))

    def accepts(self, positions: IntArray) -> BoolArray:
        """Return which positions leave a legal move and have the wanted outcome."""
        accepted = ~self._game.rules.is_terminal(positions)
        accepted &= self._game.rules.is_position(positions)
        if self._wanted is not None:
            winning = np.asarray(self._game.solution.is_winning(positions[accepted]))
            accepted[accepted] = winning == self._wanted
        return accepted

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        found = [np.empty((0, len(self._low)), dtype=np.int64)]
        missing, tried = size, 0
        while missing:
            before = rng.bit_generator.state
            rows = self._rows(rng, max(missing, 64))
            accepted = np.flatnonzero(self.accepts(rows))
            tried += len(rows)
            if len(accepted) >= missing:
                # Leave the generator in the state in which single draws would have.
                accepted = accepted[:missing]
                rng.bit_generator.state = before
                self._rows(rng, int(accepted[-1]) + 1)
            found.append(rows[accepted])
            missing -= len(accepted)
            if missing == size and tried >= DRAWS_BEFORE_GIVING_UP:
                raise InvalidPositionError(f"{self._describe()} was found in {tried} draws")
        return np.concatenate(found)

    def _rows(self, rng: np.random.Generator, size: int) -> IntArray:
        """Draw ``size`` points of the box, ``(size, components)``."""
        spans = self._high - self._low + 1
        steps: IntArray = (rng.random((size, len(spans))) * spans).astype(np.int64)
        return self._low + steps

    def support(self) -> tuple[IntArray, FloatArray]:
        if self.num_positions > LARGEST_SUPPORT and not self._game.rules.slot_groups:
            raise SearchTooLargeError(
                f"the box of starts has {self.num_positions} positions; the limit for listing "
                f"them is {LARGEST_SUPPORT}"
            )
        box = self._game.rules.positions_between(
            self._low.tolist(), self._high.tolist(), LARGEST_SUPPORT
        )
        positions = box[self.accepts(box)]
        if not len(positions):
            raise InvalidPositionError(f"{self._describe()} exists")
        return positions, np.full(len(positions), 1 / len(positions))

    def _describe(self) -> str:
        kind = {None: "position", True: "N-position", False: "P-position"}[self._wanted]
        return f"no {kind} with a legal move between {self._low.tolist()} and {self._high.tolist()}"


def _listed_if_small(box: _Box) -> Sampler:
    try:
        return _Listed(*box.support())
    except SearchTooLargeError:
        return box
