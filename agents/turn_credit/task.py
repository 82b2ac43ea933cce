"""A game as one seat sees it: its turns against a fixed opponent, as arrays over positions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nim_envs.game import Game
from nim_envs.typing import BoolArray, FloatArray, IntArray
from nim_envs.validation import checked_number

EPSILON = 0.5
"""Chance that the opponent plays a random legal move instead of an optimal one."""


def softmax(logits: FloatArray, legal: BoolArray) -> FloatArray:
    """Return ``exp(logits)`` over the legal actions, normalised; zero where none is legal.

    Args:
        logits: ``(..., positions, actions)``.
        legal: ``(positions, actions)``.

    Returns:
        Probabilities, in the shape of ``logits``.
    """
    raised = np.where(legal, logits, -np.inf)
    highest = np.where(legal.any(axis=-1), raised.max(axis=-1), 0.0)[..., np.newaxis]
    weights = np.exp(raised - highest)
    total = weights.sum(axis=-1, keepdims=True)
    return np.asarray(weights / np.where(total > 0, total, 1.0))


@dataclass(frozen=True)
class Task:
    """An agent's seat in a game against an epsilon-optimal opponent.

    It earns 1 for a win, one half for a draw and 0 for a loss.

    Positions are numbered by their place in ``game.rules.lattice()``. A *context* is a start and a
    seat: the start is drawn as the game draws it, the seat by a fair coin. In the second seat the
    opponent moves first, and may end the game before the agent has had a turn.

    Args:
        game: the game; its start says where games begin.
        epsilon: chance of a random legal move of the opponent, 0 to 1. Otherwise it plays one of
            its winning moves, or those that keep a draw, all equally likely; or any legal move
            where the position is lost.

    Raises:
        ValueError: ``epsilon`` is outside 0 to 1.
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from nim_envs import make_game
        >>> task = Task(make_game("nim", heaps=(3, 4, 5)))
        >>> task.legal.shape, len(task.contexts)
        ((120, 15), 2)
    """

    game: Game
    epsilon: float = EPSILON

    def __post_init__(self) -> None:
        checked_number("epsilon", self.epsilon, 0, 1)

    @cached_property
    def positions(self) -> IntArray:
        """Every position, ``(positions, components)``."""
        return self.game.rules.lattice()

    @cached_property
    def legal(self) -> BoolArray:
        """Whether an action is legal, ``(positions, actions)``."""
        return self.game.rules.action_mask(self.positions).astype(np.bool_)

    @cached_property
    def index_after(self) -> IntArray:
        """Index of the position after each action, ``(positions, actions)``; 0 where illegal."""
        at, action = np.nonzero(self.legal)
        after = np.zeros(self.legal.shape, dtype=np.int64)
        after[at, action] = self._rows_of(self.game.rules.step(self.positions[at], action))
        return after

    @cached_property
    def terminal(self) -> BoolArray:
        """Whether no move is legal, ``(positions,)``."""
        return np.asarray(~self.legal.any(axis=1))

    @cached_property
    def _scores(self) -> FloatArray:
        """Score of best play to the player to move, also where the game is over."""
        return np.asarray((1 + self.game.solution.value(self.positions)) / 2)

    @cached_property
    def minimax(self) -> FloatArray:
        """Minimax value of a position to the agent that is to move there, ``(positions,)``.

        1 where it can win, one half where it can draw, and 0 where it is lost or without a move.
        """
        return np.asarray(self._scores * ~self.terminal)

    @cached_property
    def keeps_win(self) -> BoolArray:
        """Whether a legal action keeps a win, or a draw if that is best, ``(positions, actions)``.

        False throughout at lost positions, where there is nothing to keep.
        """
        return np.asarray((self.score_left == self.minimax[:, np.newaxis]) & (self.score_left > 0))

    @cached_property
    def score_left(self) -> FloatArray:
        """Minimax value of each action to the mover, 0 where illegal, ``(positions, actions)``."""
        return np.asarray((1 - self._scores[self.index_after]) * self.legal)

    @cached_property
    def end_scores(self) -> FloatArray:
        """Score of a finished game to the player whose turn it would be; 0 where it goes on."""
        ends = self.game.convention.end_values(self.game.rules, self.positions)
        return np.asarray((1 + ends) / 2 * self.terminal)

    @cached_property
    def opponent(self) -> FloatArray:
        """Probabilities of the opponent's actions, ``(positions, actions)``."""
        best = np.where(self.minimax[:, np.newaxis] > 0, self.keeps_win, self.legal)
        return (1 - self.epsilon) * _uniform(best) + self.epsilon * _uniform(self.legal)

    @cached_property
    def reply_probabilities(self) -> FloatArray:
        """Probability of each position after the opponent's reply, ``(positions, positions)``.

        Rows are the positions that the agent leaves; those of terminal positions are zero.
        """
        return self.transitions(self.opponent)

    def transitions(self, policy: FloatArray) -> FloatArray:
        """Return the probabilities of the position after a move, ``(positions, positions)``.

        Args:
            policy: probabilities of the mover's actions, ``(positions, actions)``.
        """
        count = len(self.positions)
        pairs = np.arange(count)[:, np.newaxis] * count + self.index_after
        probabilities = np.zeros(count**2)
        np.add.at(probabilities, pairs[self.legal], policy[self.legal])
        return probabilities.reshape(count, count)

    @cached_property
    def nonterminal_reply(self) -> FloatArray:
        """:attr:`reply_probabilities` of positions that are not terminal; 0 for the others."""
        return self.reply_probabilities * ~self.terminal

    @cached_property
    def reply_win_probability(self) -> FloatArray:
        """Expected score of games that the reply ends, ``(positions,)``."""
        return self.reply_probabilities @ self.end_scores

    @cached_property
    def last_result(self) -> FloatArray:
        """Expected reward of a turn, ``(positions, actions)``, where the result is the only reward.

        It is the expected score of games that end in this turn, reply included.
        """
        ends = (self.terminal - self.end_scores)[self.index_after]
        return (ends + self.reply_win_probability[self.index_after]) * self.legal

    @cached_property
    def _starts(self) -> tuple[IntArray, FloatArray]:
        positions, probabilities = self.game.start.sampler(self.game).support()
        return self._rows_of(positions), np.asarray(probabilities, dtype=np.float64)

    @cached_property
    def contexts(self) -> IntArray:
        """Start and seat of every context, ``(contexts, 2)``: index of a position, and 0 or 1."""
        starts = np.repeat(self._starts[0], 2)
        return np.stack([starts, np.arange(len(starts)) % 2], axis=-1)

    @cached_property
    def context_probabilities(self) -> FloatArray:
        """Probability of every context, ``(contexts,)``."""
        return np.repeat(self._starts[1] / 2, 2)

    @cached_property
    def first_position(self) -> FloatArray:
        """Probability of each position at the agent's first turn, ``(contexts, positions)``.

        A row adds up to less than 1 where the opponent may end the game before.
        """
        start, seat = self.contexts.T
        at_once = np.eye(len(self.positions))[start]
        return np.asarray(
            np.where(seat[:, np.newaxis] == 0, at_once, self.nonterminal_reply[start])
        )

    @cached_property
    def won_before(self) -> FloatArray:
        """Expected score of games that end before the agent's first turn, ``(contexts,)``."""
        start, seat = self.contexts.T
        return np.where(seat == 0, 0.0, self.reply_win_probability[start])

    @cached_property
    def turns(self) -> int:
        """Largest number of turns of the agent in a game."""
        at, turns = self.first_position > 0, 0
        while at.any():
            left = np.zeros_like(at)
            rows, here = np.nonzero(at)
            options = self.legal[here]
            left[np.repeat(rows, options.sum(axis=1)), self.index_after[here][options]] = True
            at = (left @ self.nonterminal_reply) > 0
            turns += 1
        return turns

    @cached_property
    def optimal_win_probability(self) -> float:
        """Expected score of best play against this opponent: the J* of the task."""
        value = np.zeros(len(self.positions))
        for _ in range(self.turns):
            moves = self.last_result + (self.nonterminal_reply @ value)[self.index_after]
            value = np.where(self.terminal, 0.0, np.where(self.legal, moves, -1.0).max(axis=1))
        return float(self.context_probabilities @ (self.won_before + self.first_position @ value))

    def _rows_of(self, positions: IntArray) -> IntArray:
        """Return the rows in :attr:`positions` of positions ``(..., components)``."""
        return np.searchsorted(
            self.game.rules.indices(self.positions), self.game.rules.indices(positions)
        )


def _uniform(mask: BoolArray) -> FloatArray:
    counts = mask.sum(axis=1, keepdims=True)
    return np.asarray(mask / np.maximum(counts, 1))
