"""A policy's moves in one game, and their likelihood under a hypothesis.

- :func:`answers_of` asks the policy at every position of a small board.
- A hypothesis expects certain moves. A policy that it describes makes them with probability
  ``1 - ε`` at a position, and with ``ε`` a random legal move, since it was not trained for ever.
  The error rate ε does not fall with the distance from the end of the game, from where values are
  learned.
- A :class:`Case` has the answers at the positions that are not lost, shortest games first, and the
  likelihood of them for right agents and for agents with a fault. A right move wins, or keeps a
  draw where none wins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from nim_envs.diagnosis.board import ROUNDING, Board, evenly
from nim_envs.diagnosis.values import Backups, log_sum
from nim_envs.player_answers import NO_LEGAL_MOVE
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.typing import BoolArray, FloatArray, IntArray, MaskArray

ASKED_AGAIN = 100
"""Most positions that are asked about one at a time."""

PAIRS_OF_ORDERS = 4
"""Times that they are asked about in two orders, if the order matters."""

OFTEN = 0.1
"""Probability of illegal actions above which the answer counts as one of them."""

TOLERANCE = 1e-4
"""Probabilities that differ by less are the same, as small floats add up in another order."""

ERRORS = np.array([0.0, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
"""The error rates that are compared."""

PRIOR = np.array([0.35, 0.15, 0.1, *[0.04] * 10])
"""Probability of each error rate before the moves are seen: faults are looked for in agents that
were trained."""

SLIP = 1e-3
"""Probability of any action at all, legal or not, under every hypothesis."""

TINY = np.finfo(np.float64).tiny

TOGETHER = 1 << 16
"""Entries of the preferences that are computed at once."""

STEPS = 200
"""Steps in which the knowledge of a partly trained policy is added up."""


class Memory(NamedTuple):
    """Answers to calls of one position each, in two orders of the same positions.

    Attributes:
        now: calls with the other order's answer at the same position, and not its answer in the
            call after that on the position before.
        before: calls with the other order's answer in the call after that on the position before,
            as where answers are one call late, and not its answer at the same position.
        changed: whether any answer at a position depends on the order.
    """

    now: int
    before: int
    changed: bool


class Answers(NamedTuple):
    """Answers of a policy at every position of a board with a legal move.

    Attributes:
        rows: the positions, as rows of the board, ``(k,)``.
        probabilities: probabilities of actions, ``(k, actions)``.
        shares: 1 at the most probable action, equal shares where several are; one column more than
            there are actions, for ``NO_LEGAL_MOVE``, ``(k, actions + 1)``.
        memory: its answers when asked about one position at a time.
    """

    rows: IntArray
    probabilities: FloatArray
    shares: FloatArray
    memory: Memory


def answers_of(policy: Any, env_or_game: Any, board: Board, seed: int) -> Answers:
    """Ask a policy about all positions of a board.

    Args:
        policy: as :func:`nim_envs.optimality` takes it.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        board: positions of its game.
        seed: seed of random choices.

    Raises:
        TypeError: ``policy`` or ``env_or_game`` is of another kind.
        InvalidPolicyError: the policy returned neither actions nor probabilities.
    """
    scored = ScoredPolicy(policy, env_or_game, seed)
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(board.legal.any(axis=1))
    positions = board.positions[rows]
    masks: MaskArray = board.legal[rows].astype(np.int8)
    probabilities = scored.action_probabilities(positions, masks)
    some = rng.permutation(len(rows))[:ASKED_AGAIN]
    return Answers(
        rows,
        probabilities,
        _most_probable(probabilities, masks),
        _memory(scored, positions[some], masks[some], rng),
    )


def _most_probable(probabilities: FloatArray, masks: MaskArray) -> FloatArray:
    """Return equal shares of the most probable actions, of illegal ones where these are not rare.

    The last column is for no action.
    """
    illegal = probabilities * (masks == 0)
    often = illegal.sum(axis=1, keepdims=True) > OFTEN
    probabilities = np.where(often, illegal, probabilities)
    likeliest = probabilities >= probabilities.max(axis=1, keepdims=True) - TOLERANCE
    none = ~probabilities.any(axis=1, keepdims=True)
    return evenly(np.hstack([likeliest & ~none, none]))


def _memory(
    scored: ScoredPolicy, positions: IntArray, masks: MaskArray, rng: np.random.Generator
) -> Memory:
    """Ask about positions one by one, in two orders, and again if the order matters."""
    now = before = 0
    changed = False
    for _ in range(PAIRS_OF_ORDERS if len(positions) > 1 else 0):
        answers = _two_orders(scored, positions, masks, rng)
        now, before, changed = (
            now + answers.now,
            before + answers.before,
            changed or answers.changed,
        )
        if not changed:
            break
    return Memory(now, before, changed)


def _two_orders(
    scored: ScoredPolicy, positions: IntArray, masks: MaskArray, rng: np.random.Generator
) -> Memory:
    """Ask about positions one by one, in two orders."""
    count = len(positions)

    def answers_in_order(order: IntArray) -> IntArray:
        """Answers in the order of the calls."""
        actions = np.zeros(count, dtype=np.int64)
        for call, row in enumerate(order):
            one = slice(row, row + 1)
            probabilities = scored.action_probabilities(positions[one], masks[one])[0]
            actions[call] = probabilities.argmax() if probabilities.any() else NO_LEGAL_MOVE
        return actions

    first, second = rng.permutation(count), rng.permutation(count)
    one, two = answers_in_order(first), answers_in_order(second)
    call = np.argsort(second)  # of each position, in the second order
    # The first order's call k is about position first[k], and follows first[k - 1].
    here = call[first[1:]]
    follows = call[first[:-1]] + 1
    known = follows < count
    same_now = one[1:] == two[here]
    same_before = known & (one[1:] == two[np.minimum(follows, count - 1)])
    return Memory(
        int((same_now & ~same_before & known).sum()),
        int((same_before & ~same_now).sum()),
        changed=bool((one != two[call[first]]).any()),
    )


def log_likelihoods(shares: FloatArray, expected: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the log-likelihood of moves by error rate, ``(k, errors)``.

    Args:
        shares: the moves, equal shares of those between which the policy makes no difference,
            ``(k, actions + 1)``: the mean over them counts.
        expected: probabilities of actions by the hypothesis, ``(k, actions)``.
        noise: their probabilities among random moves, ``(k, actions)``.
    """
    slip = SLIP / shares.shape[1]
    rows, actions = np.nonzero(shares[:, :-1])
    probabilities = (
        expected[rows, actions, np.newaxis] * (1 - ERRORS)
        + noise[rows, actions, np.newaxis] * ERRORS
    )
    logs = shares[rows, actions, np.newaxis] * np.log((1 - SLIP) * probabilities + slip)
    sums = np.outer(shares[:, -1], np.full(len(ERRORS), np.log(slip)))
    np.add.at(sums, rows, logs)
    return sums


def by_distance(amounts: FloatArray, lengths: IntArray) -> FloatArray:
    """Return sums of rows ``(k, errors)`` over positions of equal length, ``(lengths, errors)``."""
    counts = np.bincount(lengths)
    sums = np.zeros((len(counts), amounts.shape[1]))
    np.add.at(sums, lengths, amounts)
    return sums[counts > 0]


def mean_likelihood(games: Sequence[FloatArray]) -> float:
    """Return the log of the likelihood's mean over error rates that never fall with the distance.

    With probability 1/2 there is one rate for all games and distances. Else each game has its own,
    which rises, once on average in two games, to any larger one.

    Args:
        games: log-likelihoods of each game, ``(distances, errors)``.
    """
    together = log_sum(np.sum([game.sum(axis=0) for game in games], axis=0) + np.log(PRIOR))
    apart = sum(_of_rising_errors(game) for game in games)
    return float(np.logaddexp(together, apart) - np.log(2))


@lru_cache
def _changes_of_rising_errors(distances: int) -> FloatArray:
    """Return the probabilities of the next error rate by that before, ``(errors, errors)``."""
    size = len(ERRORS)
    rise = 0.5 / distances
    rises = np.triu(np.ones((size, size)), k=1)
    rises /= np.maximum(rises.sum(axis=1, keepdims=True), 1)
    change = (1 - rise) * np.eye(size) + rise * rises
    change[-1, -1] = 1.0
    return change


def _of_rising_errors(likelihoods: FloatArray) -> float:
    """Return the log of the mean likelihood of one game, ``(distances, errors)``."""
    change = _changes_of_rising_errors(len(likelihoods))
    total = likelihoods[0] + np.log(PRIOR)
    for row in likelihoods[1:]:
        largest = total.max()
        total = np.log(np.exp(total - largest) @ change + TINY) + largest + row
    return log_sum(total)


def log_of_share(one: float, other: float) -> float:
    """Return the log-likelihood of two counts, where every share is equally probable."""
    return math.lgamma(one + 1) + math.lgamma(other + 1) - math.lgamma(one + other + 2)


def best_likelihood(likelihoods: FloatArray, rising: bool) -> float:
    """Return the log of the largest likelihood over error rates that never fall with the distance.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
        rising: whether the error rates never fall; else each may be any.
    """
    if not rising:
        return float(likelihoods.max(axis=1).sum())
    best = np.zeros(len(ERRORS))
    for row in likelihoods:
        best = np.maximum.accumulate(best) + row
    return float(best.max())


def best_by_knowledge(likelihoods: FloatArray, knowledge: FloatArray, rising: bool) -> FloatArray:
    """Return the largest likelihood of :func:`best_likelihood` by the knowledge of a policy.

    Args:
        likelihoods: logarithms, ``(distances, errors)``.
        knowledge: addition of each class to the knowledge, by error rate, in shares of the
            knowledge that is asked for, same shape.
        rising: whether the error rates never fall; else each may be any.

    Returns:
        ``(STEPS + 1,)`` by knowledge in steps, the last for all that is asked for; -inf where no
        error rates come to it.
    """
    steps = np.rint(knowledge * STEPS).astype(np.int64).clip(0, STEPS)
    best = np.full((len(ERRORS), STEPS + 1), -np.inf)
    best[0, 0] = 0.0
    for row, step in zip(likelihoods, steps, strict=True):
        before = np.maximum.accumulate(best, axis=0)
        if not rising:
            before[:] = before[-1]
        before += row[:, np.newaxis]
        best = np.full_like(best, -np.inf)
        for error, shift in enumerate(step.tolist()):
            best[error, shift:] = before[error, : STEPS + 1 - shift]
            best[error, STEPS] = before[error, STEPS - shift :].max()
    largest: FloatArray = best.max(axis=0)
    return largest


def both(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the largest likelihoods of two games together, as :func:`best_by_knowledge` does."""
    known = np.arange(STEPS + 1)
    sums = one[:, np.newaxis] + other
    largest = np.full(STEPS + 1, -np.inf)
    np.maximum.at(largest, np.minimum(known[:, np.newaxis] + known, STEPS), sums)
    return largest


def ranked(
    shares: FloatArray, candidates: BoolArray, groups: Any = 0, learned_from: Any = 1.0
) -> BoolArray:
    """Return the moves that a fixed order of preference would make, known from the moves before.

    In each group of positions, an action that was preferred to another is expected to be preferred
    again. The expectation at a position uses earlier rows alone, so that expectations have
    probabilities as if they had been announced.

    Args:
        shares: the moves, as :func:`log_likelihoods` takes them.
        candidates: the actions among which each was chosen, ``(k, actions)``.
        groups: the group of each row, ``(k,)``; or one for all.
        learned_from: weight of each row in the preference, ``(k,)``; or one for all.

    Returns:
        The expected actions, ``(k, actions)``; all candidates where nothing is known of them.
    """
    count, size = candidates.shape
    learned = np.maximum(np.broadcast_to(learned_from, count), 0.0)[:, np.newaxis]
    learned = learned * (candidates * shares[:, :-1])
    of_row = np.broadcast_to(groups, count)
    expected = candidates.copy()
    block = max(1, TOGETHER // size**2)
    numbers, sizes = np.unique(of_row, return_counts=True)
    for group in numbers[sizes > 1]:  # a single row has none before it
        rows = np.flatnonzero(of_row == group)
        wins = np.zeros((1, size, size))
        for first in range(0, len(rows), block):
            some = rows[first : first + block]
            among = candidates[some]
            added = learned[some][:, :, np.newaxis] * among[:, np.newaxis]
            wins = np.cumsum(np.concatenate([wins[-1:], added]), axis=0)
            better = wins[:-1].swapaxes(1, 2) > wins[:-1] + ROUNDING
            best = among & ~(among[:, np.newaxis] & better).any(axis=2)
            expected[some] = np.where(best.any(axis=1, keepdims=True), best, among)
    return expected


class ExpectedMoves(NamedTuple):
    """The moves that a fault expects at the positions of a case.

    Attributes:
        probabilities: probability of each action, ``(k, actions)``.
        moves: the actions that it expects, ``(k, actions)``.
        tells: positions where a right policy would play otherwise, ``(k,)``.
        any_action: whether illegal actions are expected, too.
    """

    probabilities: FloatArray
    moves: BoolArray
    tells: BoolArray
    any_action: bool = False


class Case:
    """The moves at the positions of one game that are not lost; others tell of illegal moves alone.

    Args:
        board: the game's positions.
        answers: the policy's answers there.
        values: the policy's values there, as of :func:`values_of`; ``None``: it has none.

    Attributes:
        backups: terms of equations of the values; ``None`` without values.
        rows: positions that are not lost, as rows of the board, shortest games first, ``(k,)``.
        positions: the same, ``(k, components)``.
        shares: the moves, as of :class:`Answers`, ``(k, actions + 1)``.
        probabilities: probabilities of actions, ``(k, actions)``.
        legal: legal actions, ``(k, actions)``.
        keeping: right actions: they win, or keep a draw where none wins, ``(k, actions)``.
        hits: share of the move that is right, ``(k,)``.
    """

    def __init__(self, board: Board, answers: Answers, values: FloatArray | None) -> None:
        self.board, self.answers = board, answers
        self.backups = None
        if values is not None:
            self.backups = Backups(board, answers.rows, values, answers.probabilities)
        counted = np.flatnonzero(board.counted[answers.rows])
        order = counted[np.argsort(board.lengths[answers.rows[counted]], kind="stable")]
        self.rows: IntArray = answers.rows[order]
        self.positions: IntArray = board.positions[self.rows]
        self.shares: FloatArray = answers.shares[order]
        self.probabilities: FloatArray = answers.probabilities[order]
        self.legal: BoolArray = board.legal[self.rows]
        self.keeping: BoolArray = board.keeping[self.rows]
        self.hits = self.of_moves(self.keeping)

    def of_moves(self, table: BoolArray) -> FloatArray:
        """Return the share of each move that is in a table ``(k, actions)``, ``(k,)``."""
        shares: FloatArray = (self.shares[:, :-1] * table).sum(axis=1)
        return shares

    @property
    def at_random(self) -> FloatArray:
        """Share of right moves among the legal ones, ``(k,)``."""
        share: FloatArray = self.keeping.sum(axis=1) / self.legal.sum(axis=1)
        return share

    @cached_property
    def illegal(self) -> FloatArray:
        """Share of each answer that is illegal, ``(answers,)``, at lost positions too."""
        legal = self.board.legal[self.answers.rows]
        share: FloatArray = 1.0 - (self.answers.shares[:, :-1] * legal).sum(axis=1)
        return share.round(9)

    def expecting(
        self, moves: BoolArray, *, in_order: bool = False, any_action: bool = False
    ) -> ExpectedMoves:
        """Return the expectation of a fault that makes certain moves.

        Which of several right moves is made tells nothing: their probability is shared evenly.

        Args:
            moves: the moves, ``(k, actions)``; where there is none, any.
            in_order: whether the choice among them is by a fixed order of actions.
            any_action: whether illegal actions are among them.
        """
        allowed = np.ones_like(self.legal) if any_action else self.legal
        moves = moves & allowed
        moves = np.where(moves.any(axis=1, keepdims=True), moves, allowed)
        if in_order:
            moves = ranked(self.shares, moves)
        probabilities = evenly(moves)
        right = (probabilities * self.keeping).sum(axis=1, keepdims=True)
        probabilities = np.where(self.keeping, right * evenly(self.keeping), probabilities)
        tells: BoolArray = np.asarray((moves & ~self.keeping).any(axis=1))
        return ExpectedMoves(probabilities, moves, tells, any_action)

    @cached_property
    def as_right(self) -> ExpectedMoves:
        """Expectation of a fault that shows nowhere: right moves."""
        return ExpectedMoves(evenly(self.keeping), self.keeping, self.everywhere)

    def with_fault(self, expected: ExpectedMoves) -> list[FloatArray]:
        """Return the log-likelihoods of the moves with a fault, ``(k, errors)``.

        Args:
            expected: the moves with the fault.

        Returns:
            Two arrays: for random errors, and for those by a fixed order of actions.
        """
        if expected is self.as_right:  # shared by the faults that do not show in this game
            return self._as_right[:2]
        errors = np.ones_like(self.legal) if expected.any_action else self.legal
        wrong = 1.0 - self.of_moves(expected.moves)
        in_order = ranked(self.shares, errors, learned_from=wrong)
        return [
            log_likelihoods(self.shares, expected.probabilities, evenly(each))
            for each in (errors, in_order)
        ]

    def by_distance(self, amounts: FloatArray, rows: BoolArray) -> FloatArray:
        """Return sums over positions of equal distance from the end, ``(distances, errors)``.

        Args:
            amounts: amounts at all positions, ``(k, errors)``.
            rows: the positions that count, ``(k,)``.
        """
        return by_distance(amounts[rows], self.board.lengths[self.rows[rows]])

    def of_illegal(self, any_action: bool) -> float:
        """Return the log-likelihood of the count of illegal answers at lost positions.

        Args:
            any_action: whether illegal actions are expected, with any probability; else they have
                that of a slip.
        """
        lost = ~self.board.counted[self.answers.rows]
        count, wrong = int(lost.sum()), float(self.illegal[lost].sum())
        if any_action:
            return log_of_share(wrong, count - wrong)
        return wrong * math.log(SLIP) + (count - wrong) * math.log(1 - SLIP)

    @cached_property
    def random_moves(self) -> FloatArray:
        """Probabilities of random legal moves, ``(k, actions)``."""
        return evenly(self.legal)

    @cached_property
    def usual_moves(self) -> FloatArray:
        """Probabilities of moves by the order of preference in all earlier ones."""
        return evenly(ranked(self.shares, self.legal))

    def right(self, rows: BoolArray) -> float:
        """Return the log of the best likelihood of right but partly trained policies.

        They play random legal moves at the positions that they do not know, or those of a fixed
        order of preference.

        Args:
            rows: the positions that are compared, ``(k,)``.
        """
        return max(self._best(each, rows) for each in self._as_right)

    def _best(self, likelihoods: FloatArray, rows: BoolArray) -> float:
        """Return the log of the largest likelihood over error rates of some rows."""
        classes = by_distance(likelihoods[rows], self._classes[rows])
        return best_likelihood(classes, rising=not self.board.has_draws)

    def at_random_beyond(self, moves: int) -> float:
        """Return the log of the best likelihood of moves that are right near the end alone.

        Farther away they are random, or those of a fixed order of preference.

        Args:
            moves: length of the longest play from positions where they can be right.
        """
        near = self.board.lengths[self.rows] <= moves
        logs = [log_likelihoods(self.shares, each, self.random_moves) for each in
                (self.random_moves, self.usual_moves)]  # fmt: skip
        far = max(self._best(each, ~near) for each in logs)
        return self.right(near) + far

    def right_by_knowledge(self, required: float) -> FloatArray:
        """Return the likelihood of right policies at all positions, as :func:`best_by_knowledge`.

        Args:
            required: knowledge that is asked for, in positions above the random policy's score.
        """
        gained = (1 - self.at_random[:, np.newaxis]) * (1 - ERRORS) / required
        knowledge, *ways = (by_distance(each, self._classes) for each in (gained, *self._as_right))
        rising = not self.board.has_draws
        largest: FloatArray = np.max(
            [best_by_knowledge(each, knowledge, rising) for each in ways], axis=0
        )
        return largest

    @cached_property
    def _as_right(self) -> list[FloatArray]:
        """Log-likelihoods of right policies with each kind of error, ``(k, errors)``.

        The first two are those of :meth:`with_fault`.
        """
        usual_errors = ranked(self.shares, self.legal, learned_from=1.0 - self.hits)
        noises = [self.random_moves, evenly(usual_errors), self.usual_moves]
        if self.board.has_draws:
            in_order = ranked(self.shares, self._not_lost)
            noises += [evenly(self._not_lost), evenly(in_order)]
        return [log_likelihoods(self.shares, evenly(self.keeping), noise) for noise in noises]

    @cached_property
    def _not_lost(self) -> BoolArray:
        """Legal actions that do not lose, but any where one wins at once, ``(k, actions)``.

        Who knows no win yet, but which moves lose, plays these; losses are learned from wins.
        """
        board = self.board
        safe = self.legal & (board.values[board.after[self.rows]] <= 0)
        wins = (board.rewards[self.rows] > 0).any(axis=1, keepdims=True)
        return np.where(wins, self.legal, safe)

    @cached_property
    def _classes(self) -> IntArray:
        """Class of each row, of equal error rates of right agents, ``(k,)``.

        The length of the longest play; where there are draws also whether the position is one, as
        play from one start meets few of the positions near the end, and wins and draws apart.
        """
        lengths = self.board.lengths[self.rows]
        if not self.board.has_draws:
            return lengths
        groups: IntArray = 2 * lengths + (self.board.values[self.rows] == 0)
        return groups

    @cached_property
    def by_chance(self) -> float:
        """Log-likelihood of all moves as those of the random policy."""
        return float(log_likelihoods(self.shares, self.random_moves, self.random_moves)[:, 0].sum())

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
