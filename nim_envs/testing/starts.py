"""Checks of starting positions, the same for every interface.

- Games begin where ``start`` says: always at one position, or at any of a distribution with the
  right probabilities. The same holds for each ``reset(options={"start": ...})``.
- P-positions are lost for the player to move, N-positions won, drawn positions drawn, by the
  solution of the game.
- With ``seat="random"`` each seat is drawn with probability one half.
- Distinct seeds give distinct streams of random numbers, whichever of their 64 bits differ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from nim_envs.errors import ConformanceError, InvalidPositionError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.moves_between import legal_counts
from nim_envs.starts import ALL_NAMED_STARTS, FixedStart, OutcomeStart, Start
from nim_envs.testing.draws import Opening, OpponentDraws, far, largest_divergence, opening
from nim_envs.testing.positions import spread
from nim_envs.testing.requirements import text_of
from nim_envs.typing import FloatArray, IntArray

LEAST_GAMES = 64
"""Least number of games from each kind of start."""

MOST_GAMES = 4_000
"""Greatest number of games from the game's own start, and from uniform ones."""

MOST_LISTED_MOVES = 4_096
"""Most moves from the positions of a start, beyond which probabilities are not computed."""

BITS = 64
"""Number of bits of a seed."""

COINCIDENCE = 1e-9
"""Largest probability that two of the seeds by chance draw the same starts."""

Draw = Callable[[int, Any, Any], IntArray]
"""Function of a number of games, a seed and the options of ``reset``: it returns the seat and the
position of an agent's first move, ``(games, 1 + components)``."""


class StartKind(NamedTuple):
    """A kind of start.

    Attributes:
        options: of ``reset``.
        start: the distribution of positions.
        opening: the first positions that an agent meets; ``None``: too many to list.
    """

    options: dict[str, Any] | None
    start: Start
    opening: Opening | None


class Starts:
    """Checks of the starts of one environment.

    Args:
        draw: begins games.
        game: the game that is played.
        seat: the agent's seat: 0, 1 or ``"random"``.
        replies: the opponent.
        effort: share of the usual games that are played, from 0 to 1.
    """

    def __init__(
        self, draw: Draw, game: Game, seat: Any, replies: OpponentDraws, *, effort: float
    ) -> None:
        self._draw = draw
        self._effort = effort
        self._game = game
        self._seat = seat
        self._replies = replies
        self._own = self._kind(None, game.start)
        named = [self._kind({"start": name}, start) for name, start in ALL_NAMED_STARTS.items()]
        self._kinds = [kind for kind in (self._own, *named) if kind is not None]

    def _kind(self, options: dict[str, Any] | None, start: Start) -> StartKind | None:
        """Return a kind of start; ``None``: the game has none, or only a search could tell."""
        try:
            sampler = start.sampler(self._game, search=options is None)
        except (InvalidPositionError, SearchTooLargeError):
            return None
        try:
            positions, probabilities = sampler.support()
        except SearchTooLargeError:
            return StartKind(options, start, None)
        moves = 0 if self._seat == 0 else legal_counts(self._game.rules, positions).sum()
        if max(len(positions), int(moves)) > MOST_LISTED_MOVES:
            return StartKind(options, start, None)
        first_positions = opening(self._game, positions, probabilities, self._seat, self._replies)
        return None if first_positions is None else StartKind(options, start, first_positions)

    def check(self) -> None:
        """Check every kind of start."""
        for kind in self._kinds:
            thorough = kind.options in (None, {"start": "uniform"})
            games = self._enough(kind.opening) if thorough else LEAST_GAMES
            rows = self._draw(max(2, int(games * self._effort)), 0, kind.options)
            self.check_rows(kind, rows, f"after reset(options={kind.options})")

    @staticmethod
    def _enough(first_positions: Opening | None) -> int:
        """Return the number of games after which each first position should have occurred."""
        games = 1 if first_positions is None else len(first_positions.rows)
        if games > 1:
            games = min(MOST_GAMES, math.ceil(games * largest_divergence(2 * games)))
        return max(LEAST_GAMES, games)

    def check_own(self, rows: IntArray, where: str) -> None:
        """Check the first positions of games from the game's own start, as :meth:`check_rows`."""
        if self._own is not None:
            self.check_rows(self._own, rows, where)

    def check_rows(self, kind: StartKind, rows: IntArray, where: str) -> None:
        """Check the first positions of some games.

        Args:
            kind: expected start.
            rows: seats and positions, ``(games, 1 + components)``.
            where: beginning of the message.
        """
        self._check_outcomes(kind.start, rows, where)
        if kind.opening is None:
            return
        possible, probabilities = kind.opening
        count = len(possible)
        all_rows, places = np.unique(np.concatenate([possible, rows]), axis=0, return_inverse=True)
        places = places.reshape(-1)
        if len(all_rows) > count:
            new = rows[~np.isin(places[count:], places[:count])][0]
            raise ConformanceError(
                f"{where}, player_{new[0]} first moves at {new[1:].tolist()}, where no game begins"
                + (f": all begin at {possible[0, 1:].tolist()}" if count == 1 else "")
            )
        if probabilities is None:
            return
        counts = np.bincount(places[count:], minlength=count)[places[:count]]
        self._check_counts(possible, probabilities, counts.astype(np.float64), where)

    def _check_outcomes(self, start: Start, rows: IntArray, where: str) -> None:
        """Check that P-positions are lost, N-positions won, and drawn positions drawn."""
        if not isinstance(start, OutcomeStart):
            return
        positions = rows[rows[:, 0] == 0, 1:]  # elsewhere the opponent has already moved
        with suppress(SearchTooLargeError):
            values = self._game.solution.value(positions)
            wrong = values != start.value
            if wrong.any():
                named = ("drawn ", "N-", "P-")[start.value]
                outcome = ("drawn", "won", "lost")[values[wrong][0]]
                raise ConformanceError(
                    f"{where}, where {named}positions were to be drawn, "
                    f"{positions[wrong][0].tolist()} is {outcome} for the player to move"
                )

    def _check_counts(
        self, possible: IntArray, probabilities: FloatArray, counts: FloatArray, where: str
    ) -> None:
        """Check how often each first position, each value in it and each outcome was met."""
        sets = []
        for column in range(possible.shape[1]):
            what = f"component {column - 1} at" if column else "player"
            values = np.unique(possible[:, column])
            sets += [(f"{what} {value}", possible[:, column] == value) for value in values]
        with suppress(SearchTooLargeError):
            values = self._game.solution.value(possible[:, 1:])
            sets.append(("a won position", values == 1))
            if self._game.has_outcome:
                sets.append(("a drawn position", values == 0))
        masks = np.array([mask for _, mask in sets], dtype=np.float64).reshape(-1, len(possible))
        sums = np.concatenate([counts, masks @ counts])
        total = counts.sum()
        means = total * np.concatenate([probabilities, masks @ probabilities])
        wrong = far(sums, means, np.full(len(sums), total))
        if wrong.any():
            at = int(wrong.argmax())
            named = [f"{text_of(row[1:])} as player {row[0]}" for row in possible]
            named += [name for name, _ in sets]
            raise ConformanceError(
                f"{where}, of {total:.0f} games {sums[at]:.0f} begin with {named[at]}, where about "
                f"{means[at]:.0f} are expected"
            )

    def check_seeds(self) -> None:
        """Check that seeds that differ in one bit only draw different starts."""
        kind = max(self._kinds, key=self._surprise)
        surprise = self._surprise(kind)
        if not surprise:
            return  # every game begins alike
        bits = spread(BITS, max(4, int(BITS * self._effort))).tolist()
        seeds = [0, *(1 << bit for bit in bits)]
        games = math.ceil(math.log(len(seeds) ** 2 / COINCIDENCE) / surprise)
        seed_of: dict[bytes, int] = {}
        for seed in seeds:
            start = self._draw(games, seed, kind.options).tobytes()
            if start in seed_of:
                raise ConformanceError(
                    f"reset(seed={seed}) and reset(seed={seed_of[start]}) give the same {games} "
                    f"starts, with options={kind.options}: the seed is not used whole"
                )
            seed_of[start] = seed

    @staticmethod
    def _surprise(kind: StartKind) -> float:
        """Return minus the logarithm of the probability that two games begin alike, or 0."""
        if kind.opening is None:
            return 0.0 if isinstance(kind.start, FixedStart) else math.log(LEAST_GAMES)
        if kind.opening.probabilities is None:
            return 0.0
        return max(0.0, -math.log(float(kind.opening.probabilities @ kind.opening.probabilities)))
