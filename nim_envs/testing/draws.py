"""Checks of random draws: opponents, starts and sampled actions against their probabilities.

- An opponent draws from the actions that its name or number allows, at every position with the
  right probabilities.
- No number of draws is large enough to accuse what is right: all tests of one call together do so
  with probability ``FALSE_ALARM`` at most, by an inequality that holds for any number of draws. As
  every draw is seeded, the verdict is the same each time.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from nim_envs.envs.opponents import NAMED_OPPONENTS
from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.testing.positions import is_small
from nim_envs.testing.requirements import text_of
from nim_envs.testing.turns import first_of, positions_reached
from nim_envs.typing import BoolArray, FloatArray, IntArray

FALSE_ALARM = 1e-6
"""Largest probability that one check of an environment accuses right draws."""

FAMILIES = 16
"""Most families of tests in one check of an environment; each has an equal share of FALSE_ALARM."""


def far(sums: Any, means: Any, counts: Any) -> BoolArray:
    """Return whether sums of scores are farther from their means than chance allows.

    By Hoeffding's inequality, ``n`` independent scores from 0 to 1 whose mean is ``p`` have an
    average of ``q`` or beyond with probability ``exp(-n * KL(q || p))`` at most, where ``KL`` is
    the divergence between two coins.

    Args:
        sums: sums of scores, ``(tests,)``: one family of tests.
        means: their expectations, ``(tests,)``.
        counts: number of scores of each, ``(tests,)``.

    References:
        W. Hoeffding, "Probability inequalities for sums of bounded random variables", *Journal of
        the American Statistical Association* 58 (1963), Theorem 1.

    Example:
        >>> far([70, 90], [50, 50], [100, 100]).tolist()
        [False, True]
    """
    sums, means, counts = map(np.asarray, (sums, means, counts))
    most = np.maximum(counts, 1)
    # Outcomes of probability 0 or 1 are not drawn: only rounding comes close to these.
    p = np.clip(means / most, 1e-9, 1 - 1e-9)
    q = np.clip(sums / most, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.where(q > 0, q * np.log(q / p), 0.0)
        zeros = np.where(q < 1, (1 - q) * np.log((1 - q) / (1 - p)), 0.0)
    return np.asarray(counts * (ones + zeros) > largest_divergence(len(sums)))


def largest_divergence(tests: int) -> float:
    """Return the largest ``n * KL(q || p)`` of :func:`far` in a family of ``tests`` tests."""
    return math.log(2 * max(tests, 1) * FAMILIES / FALSE_ALARM)


def ranks(count: int) -> FloatArray:
    """Return scores that reveal a preference for the first or the last outcome."""
    return np.arange(count) / max(count - 1, 1)


class Choice(NamedTuple):
    """The moves of an opponent at one position, and the number of draws of each.

    Attributes:
        legal: actions, ``(n,)``.
        reached: positions after them, ``(n, components)``.
        wins: whether they win, ``(n,)``.
        probabilities: probabilities, ``(n,)``.
        counts: number of draws of each, ``(n,)``; shared out where several reach one position.
    """

    legal: IntArray
    reached: IntArray
    wins: BoolArray
    probabilities: FloatArray
    counts: FloatArray


class Draws:
    """Counts of actions that were drawn at known positions, and their tests.

    Args:
        who: name of the drawer, the beginning of messages.
    """

    def __init__(self, who: str) -> None:
        self.who = who
        self.choices: dict[bytes, Choice] = {}

    def check(self) -> None:
        """Check the numbers of draws: of winning actions, of first and last ones, and of each.

        Raises:
            ConformanceError: chance does not allow them.
        """
        rows = [one for one in self.choices.values() if one.counts.any()]
        if not rows:
            return
        draws = np.array([row.counts.sum() for row in rows])
        # Where the outcome is certain, there is nothing to test.
        win_probabilities = np.array([row.probabilities @ row.wins for row in rows])
        uncertain = (win_probabilities > 1e-9) & (win_probabilities < 1 - 1e-9)
        wins = np.array([row.counts @ row.wins for row in rows])
        wins_made = (wins * uncertain).sum()
        expected = (win_probabilities * draws * uncertain).sum()
        if far([wins_made], [expected], [(draws * uncertain).sum()]).any():
            raise ConformanceError(
                f"{self.who} made {wins_made:.0f} winning moves, "
                f"where about {expected:.0f} are expected"
            )
        several = [row for row in rows if (row.probabilities > 0).sum() > 1]
        scored = sum(self._ranked(row, row.counts) for row in several)
        expected = sum(row.counts.sum() * self._ranked(row, row.probabilities) for row in several)
        if far([scored], [expected], [sum(row.counts.sum() for row in several)]).any():
            raise ConformanceError(
                f"{self.who} does not draw evenly: on a scale from the first action, 0, to the "
                f"last, 1, its moves sum to {scored:.0f}, where about {expected:.0f} is expected"
            )
        self._check_each_action(several)

    @staticmethod
    def _ranked(row: Choice, weights: FloatArray) -> float:
        """Sum of ranks among the actions that can be drawn, as these or the rest are preferred."""
        scores = np.zeros(len(row.legal))
        possible = row.probabilities > 0
        scores[possible] = ranks(int(possible.sum()))
        return float(weights @ scores)

    def _check_each_action(self, rows: list[Choice]) -> None:
        """Check that no action is drawn too often or too rarely, at one position or at all."""
        if not rows:
            return
        actions = np.concatenate([row.legal for row in rows])
        counts = np.concatenate([row.counts for row in rows])
        totals = np.concatenate([np.full(len(row.legal), row.counts.sum()) for row in rows])
        expected = totals * np.concatenate([row.probabilities for row in rows])
        wrong = far(counts, expected, totals)
        if wrong.any():
            at = int(wrong.argmax())
            raise ConformanceError(
                f"{self.who} drew action {actions[at]} at one position {counts[at]:.0f} times of "
                f"{totals[at]:.0f}, where about {expected[at]:.0f} are expected"
            )
        named, where = np.unique(actions, return_inverse=True)
        pooled = [np.bincount(where, each) for each in (counts, expected, totals)]
        wrong = far(*pooled)
        if wrong.any():
            at = int(wrong.argmax())
            raise ConformanceError(
                f"{self.who} drew action {named[at]} {pooled[0][at]:.0f} times, where about "
                f"{pooled[1][at]:.0f} are expected"
            )


class LegalMoves(NamedTuple):
    """The legal moves at a position.

    Attributes:
        actions: the actions, ``(n,)``.
        reached: the positions after them, ``(n, components)``.
        ends: whether these end the game, ``(n,)``.
    """

    actions: IntArray
    reached: IntArray
    ends: BoolArray


class OpponentDraws(Draws):
    """Judges the moves of a named or numbered opponent by the solution of the game.

    An optimal opponent draws among the winning actions, or among all where none wins; a random one
    among all; a number is the probability of a random move. Others are not judged.

    Args:
        env: the environment, wrapped or not; or several of them.
        game: the game that is played.

    Attributes:
        judged: whether the opponent's moves are judged.
    """

    def __init__(self, env: Any, game: Game) -> None:
        opponent = getattr(first_of(env), "opponent", None)
        super().__init__(f"the opponent {opponent!r}")
        self._rules = game.rules
        self._legal_moves: dict[bytes, LegalMoves] = {}
        self._epsilon = 1.0
        if isinstance(opponent, str):
            self._epsilon = NAMED_OPPONENTS[opponent]
        elif isinstance(opponent, (int, float)):
            self._epsilon = float(opponent)
        self.judged = isinstance(opponent, (str, int, float))
        self._solution = None
        if self.judged and (self._epsilon < 1 or is_small(game.rules)):
            with suppress(SearchTooLargeError):
                self._solution = game.solution

    def legal_moves(self, position: IntArray) -> LegalMoves:
        """Return the legal moves at a position, which are computed once."""
        key = position.tobytes()
        if key not in self._legal_moves:
            actions = np.flatnonzero(self._rules.action_mask(position))
            reached = positions_reached(self._rules, position)
            ends = np.asarray(self._rules.is_terminal(reached))
            self._legal_moves[key] = LegalMoves(actions, reached, ends)
        return self._legal_moves[key]

    def move(self, before: IntArray, after: IntArray, where: str, *, counts: bool = False) -> None:
        """Check that a move of the opponent is one that it draws from.

        Args:
            before: position before the move.
            after: position afterwards.
            where: beginning of the message.
            counts: whether it is one of the draws that are tested: those whose positions do not
                depend on other draws.

        Raises:
            ConformanceError: it is not.
        """
        if not self.judged:
            return
        choice = self.choice(before)
        share = choice.probabilities * (choice.reached == after).all(axis=1)
        total = share.sum()
        if not total:
            raise ConformanceError(
                f"{where}, {self.who} moved from {before.tolist()} to "
                f"{after.tolist()}, and the actions that it draws from are "
                f"{text_of(choice.legal[choice.probabilities > 0])}"
            )
        if counts:
            choice.counts[:] += share / total

    def choice(self, position: IntArray) -> Choice:
        """Return the moves that can be made at a position, and their probabilities."""
        key = position.tobytes()
        if key not in self.choices:
            self.choices[key] = self._choice(position)
        return self.choices[key]

    def _choice(self, position: IntArray) -> Choice:
        legal, reached, _ = self.legal_moves(position)
        wins = np.zeros(len(legal), dtype=np.bool_)
        if self._solution is not None:
            wins = np.isin(legal, self._solution.keeping_actions(position))
        chosen = wins if wins.any() else ~wins
        random, best = self._epsilon / len(legal), (1 - self._epsilon) / chosen.sum()
        return Choice(legal, reached, wins, random + best * chosen, np.zeros(len(legal)))


class Opening(NamedTuple):
    """Seats and positions at which an agent can make its first move.

    Attributes:
        rows: the seat and the position, ``(n, 1 + components)``, all different.
        probabilities: their probabilities, ``(n,)``; ``None``: not known.
    """

    rows: IntArray
    probabilities: FloatArray | None


def opening(
    game: Game, starts: IntArray, probabilities: FloatArray, seat: Any, replies: OpponentDraws
) -> Opening | None:
    """Return the first positions that an agent meets, or ``None`` if it meets none.

    A game that the opponent's first move ends is replaced by another, and the agent never sees it.

    Args:
        game: the game that is played.
        starts: positions, ``(n, components)``.
        probabilities: their probabilities, ``(n,)``.
        seat: 0, 1 or ``"random"``.
        replies: the opponent.
    """
    rows, weights = [], []
    share = 0.5 if seat == "random" else 1.0
    if seat != 1:
        rows.append(np.insert(starts, 0, 0, axis=1))
        weights.append(share * probabilities)
    if seat != 0:
        for start, probability in zip(starts, probabilities.tolist(), strict=True):
            choice = replies.choice(start)
            goes_on = ~np.asarray(game.rules.is_terminal(choice.reached))
            rows.append(np.insert(choice.reached[goes_on], 0, 1, axis=1))
            weights.append(share * probability * choice.probabilities[goes_on])
    if not any(map(len, rows)):
        return None
    distinct, where = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    sums = np.bincount(where.reshape(-1), weights=np.concatenate(weights))
    known = replies.judged or seat == 0
    return Opening(distinct, sums / sums.sum() if known else None)
