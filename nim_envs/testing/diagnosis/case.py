"""A policy's moves at the N-positions of one game, from the end of the game on."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nim_envs.testing.diagnosis.answers import Answers
from nim_envs.testing.diagnosis.board import Board
from nim_envs.testing.diagnosis.likelihood import ERRORS as RATES
from nim_envs.testing.diagnosis.likelihood import (
    SLIP,
    best_by_knowledge,
    best_likelihood,
    by_distance,
    evenly,
    log_chances,
    log_of_share,
    ranked,
)
from nim_envs.testing.diagnosis.values import Backups, Values
from nim_envs.typing import BoolArray, FloatArray, IntArray


class Expected(NamedTuple):
    """The moves that a fault expects at the N-positions of a case.

    Attributes:
        chances: probability of each action, ``(k, actions)``.
        moves: the actions that it expects, ``(k, actions)``.
        tells: positions where a right policy would play otherwise, ``(k,)``.
        any_action: whether illegal actions are expected, too.
    """

    chances: FloatArray
    moves: BoolArray
    tells: BoolArray
    any_action: bool = False


class Case:
    """The moves at the N-positions of one game; P-positions tell of illegal moves alone.

    Args:
        board: the game's positions.
        answers: the policy's answers there.
        values: the policy's values there, if it has any.

    Attributes:
        backups: terms of equations of the values; ``None`` without values.
        rows: the N-positions, as rows of the board, shortest games first, ``(k,)``.
        positions: the N-positions, ``(k, components)``.
        shares: the moves, as of :class:`Answers`, ``(k, actions + 1)``.
        legal: legal actions, ``(k, actions)``.
        winning: winning actions, ``(k, actions)``.
        hits: share of the move that wins, ``(k,)``.
    """

    def __init__(self, board: Board, answers: Answers, values: Values | None = None) -> None:
        self.board, self.answers = board, answers
        self.backups = None if values is None else Backups(board, values, answers.chances)
        won = np.flatnonzero(board.won[answers.rows])
        order = won[np.argsort(board.lengths[answers.rows[won]], kind="stable")]
        self.rows: IntArray = answers.rows[order]
        self.positions: IntArray = board.positions[self.rows]
        self.shares: FloatArray = answers.shares[order]
        self.chances: FloatArray = answers.chances[order]
        self.legal: BoolArray = board.legal[self.rows]
        self.winning: BoolArray = board.winning[self.rows]
        self.hits = self.of_moves(self.winning)

    def of_moves(self, table: BoolArray) -> FloatArray:
        """Return the share of each move that is in a table ``(k, actions)``, ``(k,)``."""
        found: FloatArray = (self.shares[:, :-1] * table).sum(axis=1)
        return found

    @property
    def at_random(self) -> FloatArray:
        """Share of winning moves among the legal ones, ``(k,)``."""
        share: FloatArray = self.winning.sum(axis=1) / self.legal.sum(axis=1)
        return share

    @property
    def percent(self) -> float:
        """Mean probability of a winning move, in percent, as ``nim_envs.optimality`` has it."""
        return 100 * float((self.chances * self.winning).sum(axis=1).mean())

    @cached_property
    def illegal(self) -> FloatArray:
        """Share of each answer that is illegal, ``(answers,)``, at P-positions too."""
        legal = self.board.legal[self.answers.rows]
        share: FloatArray = 1.0 - (self.answers.shares[:, :-1] * legal).sum(axis=1)
        return share.round(9)

    def expecting(
        self, moves: BoolArray, *, in_order: bool = False, any_action: bool = False
    ) -> Expected:
        """Return the expectation of a fault that makes certain moves.

        Which of several winning moves is made tells nothing: their probability is shared evenly.

        Args:
            moves: the moves, ``(k, actions)``; where there is none, any.
            in_order: whether the choice among them is by a fixed order of actions.
            any_action: whether illegal actions are among them.
        """
        allowed = np.ones_like(self.legal) if any_action else self.legal
        moves = moves & allowed
        moves = np.where(moves.any(axis=1, keepdims=True), moves, allowed)
        if in_order:
            everywhere = np.ones(len(moves))
            groups = np.zeros(len(moves), dtype=np.int64)
            moves = ranked(self.shares, moves, groups, everywhere)
        chances = evenly(moves)
        winning = (chances * self.winning).sum(axis=1, keepdims=True)
        chances = np.where(self.winning, winning * evenly(self.winning), chances)
        tells: BoolArray = np.asarray((moves & ~self.winning).any(axis=1))
        return Expected(chances, moves, tells, any_action)

    def with_fault(self, expected: Expected, in_order: bool = False) -> FloatArray:
        """Return the log-likelihood of each move with a fault, ``(k, errors)``.

        Args:
            expected: the moves with the fault.
            in_order: whether errors are by a fixed order of actions, rather than random.
        """
        errors = np.ones_like(self.legal) if expected.any_action else self.legal
        if in_order:
            groups = np.zeros(len(self.rows), dtype=np.int64)
            errors = ranked(self.shares, errors, groups, 1.0 - self.of_moves(expected.moves))
        return log_chances(self.shares, expected.chances, evenly(errors))

    def by_distance(self, likelihoods: FloatArray, rows: BoolArray) -> FloatArray:
        """Return sums over some rows of ``(k, errors)``, ``(distances, errors)``."""
        return by_distance(likelihoods[rows], self.board.lengths[self.rows[rows]])

    def of_illegal(self, any_action: bool) -> float:
        """Return the log-likelihood of how many answers at P-positions are illegal.

        Args:
            any_action: whether illegal actions are expected, with any probability; else they have
                that of a slip.
        """
        lost = ~self.board.won[self.answers.rows]
        number, wrong = int(lost.sum()), float(self.illegal[lost].sum())
        if any_action:
            return log_of_share(wrong, number - wrong)
        return wrong * math.log(SLIP) + (number - wrong) * math.log(1 - SLIP)

    @cached_property
    def random_moves(self) -> FloatArray:
        """Probabilities of random legal moves, ``(k, actions)``."""
        return evenly(self.legal)

    @cached_property
    def usual_errors(self) -> FloatArray:
        """Probabilities of moves by the order of preference in earlier errors, ``(k, actions)``."""
        groups = np.zeros(len(self.rows), dtype=np.int64)
        return evenly(ranked(self.shares, self.legal, groups, 1.0 - self.hits))

    @cached_property
    def usual_moves(self) -> FloatArray:
        """Probabilities of moves by the order of preference in all earlier ones."""
        groups = np.zeros(len(self.rows), dtype=np.int64)
        return evenly(ranked(self.shares, self.legal, groups, np.ones(len(self.rows))))

    def right(self, rows: BoolArray) -> float:
        """Return the log of the best likelihood of right but partly trained policies.

        They play random legal moves at the positions that they do not know, or those of a fixed
        order of preference.

        Args:
            rows: the positions that are compared, ``(k,)``.
        """
        return max(best_likelihood(self.by_distance(each, rows)) for each in self._as_right)

    def at_random_beyond(self, moves: int) -> float:
        """Return the log of the best likelihood of moves that are right near the end alone.

        Farther away they are random, or those of a fixed order of preference.

        Args:
            moves: length of the longest play from positions where they can be right.
        """
        near = self.board.lengths[self.rows] <= moves
        logs = [log_chances(self.shares, each, self.random_moves) for each in
                (self.random_moves, self.usual_moves)]  # fmt: skip
        far = max(best_likelihood(self.by_distance(each, ~near)) for each in logs)
        return self.right(near) + far

    def right_by_knowledge(self, wanted: float) -> FloatArray:
        """Return the same for all positions by knowledge, as :func:`best_by_knowledge` does.

        Args:
            wanted: knowledge that is asked for, in positions above the random policy's score.
        """
        rows = self.everywhere
        gained = (1 - self.at_random[:, np.newaxis]) * (1 - RATES) / wanted
        knowledge = self.by_distance(gained, rows)
        ways = [self.by_distance(each, rows) for each in self._as_right]
        found: FloatArray = np.max([best_by_knowledge(each, knowledge) for each in ways], axis=0)
        return found

    @cached_property
    def _as_right(self) -> list[FloatArray]:
        """Log-likelihoods of right policies with each kind of error, ``(k, errors)``."""
        return [
            log_chances(self.shares, evenly(self.winning), noise)
            for noise in (self.random_moves, self.usual_errors, self.usual_moves)
        ]

    @cached_property
    def by_chance(self) -> float:
        """Log-likelihood of all moves as those of the random policy."""
        return float(log_chances(self.shares, self.random_moves, self.random_moves)[:, 0].sum())

    @cached_property
    def everywhere(self) -> BoolArray:
        """True at all positions, ``(k,)``."""
        return np.ones(len(self.rows), dtype=np.bool_)

    @cached_property
    def seats(self) -> BoolArray:
        """Whether each player can be to move, ``(2, k)``."""
        rules = self.board.game.rules
        indices = rules.indices(self.positions)
        return self.board.game.positions_by_seat()[:, indices]
