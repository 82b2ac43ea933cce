"""Start positions: fixed, from a list, uniform over a box, N-, P- or drawn positions, or balanced.

A :class:`Start` describes a distribution; :meth:`Start.sampler` returns its :class:`Sampler` for
one game. Positions of a box of up to 2**20 are listed, and drawn by index; of a larger one they are
drawn until one is wanted. All randomness comes from the generator that is passed in.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.graph import Graph, Part
from nim_envs.sums import Sum
from nim_envs.typing import BoolArray, FloatArray, IntArray, Position
from nim_envs.validation import integers_of, is_listing

LARGEST_SUPPORT = 2**20
"""Most positions of a box that are listed and drawn from by index."""

MOST_DRAWS = 10**4
"""Draws without a wanted position after which the start is refused."""

Bounds = int | tuple[int, ...]
"""One bound for all coordinates, or one for each."""


class Rejection:
    """Rejection sampling: positions are drawn, all equally likely, until one is wanted.

    They are of some states of each part, ``rows``; ``value`` is the wanted one to the player to
    move, ``None`` for any.
    """

    def __init__(self, game: Game, rows: list[IntArray], value: int | None) -> None:
        self.game, self.rows, self.value = game, rows, value
        self._groups = [
            GroupOfSlots(group, game.parts[group.start], [rows[slot] for slot in group])
            for group in Sum(game.parts).groups
        ]

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, ``(size, fields)``."""
        samples, missing, batch = [np.empty((0, len(self.game.fields)), np.int64)], size, 64
        while missing:
            before = rng.bit_generator.state
            points, wanted = self.propose(rng, max(missing, batch))
            indices = np.flatnonzero(wanted)[:missing]
            missing, batch = missing - len(indices), min(4 * batch, 2**16)
            if not missing:  # leave the generator in the state in which single draws would leave it
                rng.bit_generator.state = before
                rng.random((int(indices[-1]) + 1, len(self.rows)))
            samples.append(points[indices])
        return np.concatenate(samples)

    def propose(self, rng: np.random.Generator, size: int) -> tuple[IntArray, BoolArray]:
        """Return ``size`` points, ``(size, fields)``, and which are wanted positions."""
        numbers, board = rng.random((size, len(self.rows))), self.game.board
        columns = zip(self.rows, numbers.T, strict=True)
        drawn = [rows[(column * len(rows)).astype(np.int64)] for rows, column in columns]
        for slots in self._groups:
            drawn[slots.group.start : slots.group.stop] = slots.rows_of(numbers[:, slots.group]).T
        pairs = zip(self.game.parts, drawn, strict=True)
        points = np.concatenate([part.positions(rows) for part, rows in pairs], axis=1)
        return points, _wanted(self.game, board.find(points), self.value)


class GroupOfSlots:
    """States of a group of slots that suffice, all equally likely; ``rows`` are those of each slot.

    From the last slot to the first, the ways to fill the later ones are counted by the slots that
    play can still need; a state is drawn with the share of its completions.
    """

    def __init__(self, group: range, part: Part, rows: Sequence[IntArray]) -> None:
        self.group, self._rows = group, rows
        self._needed = [part.slots_needed[here] for here in rows]
        left = np.arange(len(group) + 1)[:, np.newaxis]
        after = np.ones(len(left))  # ways to fill no more slots, by the slots that are left
        self._sums: list[FloatArray] = []
        for needed in reversed(self._needed):
            ways = np.where(needed <= left, after[left - needed], 0.0)
            self._sums.insert(0, ways.cumsum(axis=1))
            after = ways.sum(axis=1)

    def rows_of(self, numbers: FloatArray) -> IntArray:
        """Return states by random numbers on [0, 1), ``(n, slots)`` to the same shape."""
        left = np.full(len(numbers), len(self.group))
        drawn = np.empty(numbers.shape, dtype=np.int64)
        for slot, (rows, needed, sums) in enumerate(
            zip(self._rows, self._needed, self._sums, strict=True)
        ):
            targets = numbers[:, slot] * sums[left, -1]
            chosen = (sums[left] <= targets[:, np.newaxis]).sum(axis=1)
            drawn[:, slot] = rows[chosen]
            left = left - needed[chosen]
        return drawn


def _wanted(game: Game, states: IntArray, value: int | None) -> BoolArray:
    """Return which states leave a move, and have the value that is wanted if it is not ``None``."""
    wanted = np.asarray(~game.board.is_over(states))
    if value is not None:
        wanted[wanted] = game.solution.state_values(states[wanted]) == value
    return wanted


class Sampler:
    """Draws start positions of one game, each with a legal move.

    A sample of ``n`` positions equals ``n`` single draws, and leaves the generator in the same
    state, so that a batch of games has the starts that single games would have.

    Args:
        pools: lists of positions, int64 ``(n, fields)``, or samplers by rejection; one pool is
            chosen, then a position of it, all equally likely.
    """

    def __init__(self, *pools: IntArray | Rejection) -> None:
        self.pools = pools
        self._lists = [pool for pool in pools if not isinstance(pool, Rejection)]
        self._sizes = np.array([*map(len, self._lists)])
        self._first = np.cumsum(self._sizes) - self._sizes

    @cached_property
    def _all(self) -> IntArray:
        return np.concatenate(self._lists)

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return one position, int64 ``(fields,)``."""
        pool = self.pools[int(rng.random() * len(self.pools)) if len(self.pools) > 1 else 0]
        if isinstance(pool, Rejection):
            pool = pool.sample(rng, 1)
        drawn: IntArray = pool[int(rng.random() * len(pool)) if len(pool) > 1 else 0]
        return drawn.copy()

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return ``size`` positions, int64 ``(size, fields)``."""
        if len(self.pools) == 1 or not size:
            return _sampled(self.pools[0], rng, size)
        if len(self._lists) < len(self.pools) or self._sizes.min() == 1:
            return np.stack([self.draw(rng) for _ in range(size)])
        numbers = rng.random((size, 2))
        chosen = (numbers[:, 0] * len(self.pools)).astype(np.int64)
        rows = (numbers[:, 1] * self._sizes[chosen]).astype(np.int64) + self._first[chosen]
        return np.asarray(self._all.take(rows, axis=0))

    def support(self) -> tuple[IntArray, FloatArray]:
        """Return all positions that are drawn, ``(n, fields)``, and their probabilities, ``(n,)``.

        Raises:
            SearchTooLargeError: they are too many to list.
        """
        for pool in self.pools:
            if isinstance(pool, Rejection):
                raise SearchTooLargeError(
                    f"the box of starts has {math.prod(map(len, pool.rows))} points; the limit for "
                    f"listing its positions is {LARGEST_SUPPORT}"
                )
        shares = [np.full(len(pool), 1 / len(pool)) / len(self.pools) for pool in self._lists]
        return self._all, np.concatenate(shares)


def _sampled(pool: IntArray | Rejection, rng: np.random.Generator, size: int) -> IntArray:
    """Return positions of one pool, ``(size, fields)``."""
    if isinstance(pool, Rejection):
        return pool.sample(rng, size)
    if len(pool) == 1:
        return np.repeat(pool, size, axis=0)
    return pool.take((rng.random(size) * len(pool)).astype(np.int64), axis=0)


class Start(ABC):
    """A distribution of start positions, for any game."""

    @property
    def summary(self) -> str:
        """Name of the start, or its ``repr`` if it has none."""
        return next((name for name, start in NAMED_STARTS.items() if start == self), repr(self))

    @abstractmethod
    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return the sampler of this start for a game, which is solved here if need be.

        Args:
            game: the game.
            search: whether it may be solved by induction on all its positions.

        Raises:
            InvalidPositionError: the game has no such start, or needs a search that is not allowed.
            SearchTooLargeError: the game has too many positions to be solved.
        """


@dataclass(frozen=True)
class FixedStart(Start):
    """Always the same position: the game's initial one unless another is given."""

    position: Position | None = None

    @property
    def summary(self) -> str:
        """The position, or ``"fixed"``."""
        return "fixed" if self.position is None else str(self.position)

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return a sampler of the one position."""
        return ListStart((game.start if self.position is None else self.position,)).sampler(game)


@dataclass(frozen=True)
class ListStart(Start):
    """One of some positions, at least one, each as probable as it is frequent among them."""

    positions: tuple[Position, ...]

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return a sampler of the positions."""
        for position in filter(game.is_over, self.positions):
            raise InvalidPositionError(
                f"a start must leave a legal move, and {position} leaves none"
            )
        board: Any = game.board
        positions = [board.position(game.checked_state(each)) for each in self.positions]
        return Sampler(np.array(positions, dtype=np.int64))


@dataclass(frozen=True)
class UniformStart(Start):
    """Every position of a box that leaves a legal move, all equally likely.

    Args:
        low: smallest value of every coordinate, or one for each.
        high: the same for the largest value; ``None``: the largest that there is.
    """

    low: Bounds = 0
    high: Bounds | None = None

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return a sampler of the box."""
        return _box_sampler(game, self.low, self.high, [None])


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
    low: Bounds = 0
    high: Bounds | None = None

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return a sampler of the N-positions, P-positions or drawn positions of the box."""
        if self.winning is None and not game.has_outcome:
            raise InvalidPositionError(
                f"{game.name} has no drawn position to start at: the last move decides it"
            )
        value = 0 if self.winning is None else 1 if self.winning else -1
        return _box_sampler(game, self.low, self.high, [value], search=search)


@dataclass(frozen=True)
class BalancedStart(Start):
    """An N-position or a P-position of a box with probability one half each.

    In games with an outcome of their own, a won, a lost or a drawn position with the same
    probability; of these three those that the box has. Arguments are those of `UniformStart`.
    """

    low: Bounds = 0
    high: Bounds | None = None

    def sampler(self, game: Game, *, search: bool = True) -> Sampler:
        """Return a sampler that first draws the value of the position."""
        values = [1, -1, 0] if game.has_outcome else [1, -1]
        return _box_sampler(game, self.low, self.high, values, search=search)


NAMED_STARTS: dict[str, Start] = {
    "fixed": FixedStart(),
    "uniform": UniformStart(),
    "n_position": OutcomeStart(winning=True),
    "p_position": OutcomeStart(winning=False),
    "balanced": BalancedStart(),
    "draw_position": OutcomeStart(winning=None),
}
"""The starts by name, as in ``reset(options={"start": "p_position"})``."""


def as_start(start: Any) -> Start:
    """Return ``start`` as a :class:`Start`.

    Args:
        start: a :class:`Start`, a key of :data:`NAMED_STARTS`, a position, or a list of positions,
            in which repeats are weights.

    Raises:
        InvalidPositionError: none of these.
    """
    if isinstance(start, Start):
        return start
    if isinstance(start, str) and start in NAMED_STARTS:
        return NAMED_STARTS[start]
    listed = start.tolist() if isinstance(start, np.ndarray) else start
    if is_listing(listed):
        position = integers_of(listed)
        if position is not None:
            return FixedStart(position)
        positions = [integers_of(each) for each in listed]
        if None not in positions:
            return ListStart(tuple(each for each in positions if each is not None))
    raise InvalidPositionError(
        f"a start must be one of {tuple(NAMED_STARTS)}, a Start, a position as a sequence of "
        f"integers, or a list of positions, not {start!r}"
    )


def checked_start(start: Any, game: Game) -> Start:
    """Return ``start`` as a :class:`Start` of a game; arguments are those of :func:`as_start`.

    Raises:
        InvalidPositionError: it is no start, or has a position that is none of the game or leaves
            no legal move. Boxes are checked by their samplers, as that may take a search.
    """
    checked = as_start(start)
    if isinstance(checked, (FixedStart, ListStart)):
        checked.sampler(game)
    return checked


def _box_sampler(
    game: Game, low: Bounds, high: Bounds | None, values: list[Any], *, search: bool = True
) -> Sampler:
    """Return a sampler of the positions in a box that leave a move, one pool for each value."""
    from nim_envs.solution import needs_search

    top = tuple(size - 1 for size in game.fields)
    first, last = _corner(top, "low", low), top if high is None else _corner(top, "high", high)
    if any(a > b for a, b in zip(first, last, strict=True)):
        raise InvalidPositionError(
            f"the box of starts is empty: low {list(first)} exceeds high {list(last)}"
        )
    if not search and "solution" not in vars(game) and needs_search(game):
        raise InvalidPositionError(
            f"no theorem known here says who wins {game.kind_of_play} of {game.name}, and reset() "
            "does not search: a start by outcome must be given to make(), as start=..., which "
            "solves the game"
        )
    board, bounds = game.board, zip(game.split(first), game.split(last), strict=True)
    rows = [_within(part, *corners) for part, corners in zip(game.parts, bounds, strict=True)]
    states = None
    if isinstance(board, Graph):
        states = _within(board, first, last)
    elif board.count(rows) <= LARGEST_SUPPORT:
        states = board.states(LARGEST_SUPPORT, rows)
    is_listed = states is not None and len(states) <= LARGEST_SUPPORT
    pools: dict[int | None, IntArray | Rejection] = {}
    for value in values:
        if states is not None and is_listed:
            wanted = states[_wanted(game, states, value)]
            if len(wanted):
                pools[value] = board.positions(wanted)
        else:
            rejection = Rejection(game, rows, value)
            if rejection.propose(np.random.default_rng(0), MOST_DRAWS)[1].any():
                pools[value] = rejection
    missing = [value for value in values if value not in pools]
    if missing and not (game.has_outcome and pools):
        kind = {1: "N-position", 0: "drawn position", -1: "P-position"}.get(missing[0], "position")
        found = "exists" if is_listed else f"was found in {MOST_DRAWS} draws"
        raise InvalidPositionError(
            f"no {kind} with a legal move between {list(first)} and {list(last)} {found}"
        )
    return Sampler(*pools.values())


def _within(graph: Graph, low: Position, high: Position) -> IntArray:
    """Return the rows of a graph whose coordinates are between two corners of a box."""
    inside = (graph.coordinates >= np.array(low)) & (graph.coordinates <= np.array(high))
    return np.flatnonzero(inside.all(axis=1))


def _corner(top: Position, name: str, bound: Any) -> Position:
    """Return the corner of a box, whose coordinates are at most ``top``, by its bound."""
    given = np.asarray(bound)
    corner = tuple(np.broadcast_to(given, len(top)).tolist()) if given.size == 1 else (*bound,)
    if (
        given.dtype.kind not in "iu"
        or len(corner) != len(top)
        or not all(0 <= value <= most for value, most in zip(corner, top, strict=True))
    ):
        raise InvalidPositionError(
            f"{name} must be an integer or {len(top)} integers, one for each coordinate, from 0 to "
            f"{top}, not {bound!r}"
        )
    return corner
