"""Values of an agent, and the equations between those of a position and of the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import accumulate, pairwise, product
from typing import Any, Literal, NamedTuple

import numpy as np

from nim_envs.diagnosis.board import Board, evenly, greedy
from nim_envs.errors import InvalidPolicyError
from nim_envs.player_answers import as_array
from nim_envs.rules.convention import Convention
from nim_envs.scoring.policies import ScoredPolicy
from nim_envs.typing import BoolArray, FloatArray, IntArray, MaskArray

LARGEST = 1e6
"""Largest size of a value that is told from infinity."""

WIDTHS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Standard deviations of values about those of an equation that are compared; smaller errors are
none."""

UNTOUCHED = 0.005
"""Standard deviation about 0 of values that were never learned."""

SAME = 1e-5
"""Differences of values that are computed from the same numbers."""

MOST_UNTOUCHED = 0.5
"""Largest share of values that were never learned where those after them were: the moves at both
have been met about as often."""

CERTAIN = 0.75
"""Size of values from which they are those of a win or a loss."""

FIRST = 0.25
"""Standard deviation about 0 of the values of a network before it has learned."""

BROAD = 0.7
"""Mean size of values of which nothing is known."""

LEAST = 15.0
"""Largest log-likelihood that one value takes away."""

CLOSE = 0.2
"""Errors below which a value is that of an equation."""

INDEPENDENT = 40
"""Most values of a game that count as independent: errors of networks are correlated. Those of
moves that draw count as as many more, as they are few."""

STEPS = 12
"""Steps of expectation maximisation."""

TOGETHER = 1 << 13
"""Most predictions that are compared at a time: arrays of more do not fit into a cache."""

WAYS = ("greedy", "played", "half", "random")
"""Moves of a player by whose value a position is judged: best, as played, random, and between."""

Reply = Literal["greedy", "random", "right"]
"""Moves of the opponent in an equation over two moves."""


class Fit(NamedTuple):
    """Fit of some models to the values in one game.

    Attributes:
        logs: log-likelihoods, ``(models,)``.
        explained: shares of the values that are explained, or were never learned, ``(models,)``.
        at_ends: shares that are close to the model's, of moves that end the game or of positions
            where one does, ``(models,)``.
        elsewhere: the same of the others, ``(models,)``.
    """

    logs: FloatArray
    explained: FloatArray
    at_ends: FloatArray
    elsewhere: FloatArray

    def __add__(self, other: Any) -> Fit:
        """Return more models of the same game."""
        return Fit(*map(np.append, self, other))


def values_of(policy: Any, env_or_game: Any, board: Board, rows: IntArray) -> FloatArray | None:
    """Return the values that a policy has in its attribute ``values``; ``None`` without one.

    Args:
        policy: ``values`` is a function of observations ``(k, ...)`` and action masks
            ``(k, actions)``, or a table with a row for each position in the order of
            ``rules.indices``. Either has values of actions ``(k, actions)`` or of positions
            ``(k,)``, to the player to move.
        env_or_game: as :func:`nim_envs.optimality` takes it.
        board: positions of its game.
        rows: positions with a legal move, as rows of the board, ``(k,)``.

    Returns:
        Values to the player to move: of actions, ``(k, actions)``, not a number where unknown; or
        of positions, ``(k,)``.

    Raises:
        InvalidPolicyError: the values have another shape, or are no numbers.
    """
    given = getattr(policy, "values", None)
    if given is None:
        return None
    positions = board.positions[rows]
    rules = board.game.rules
    count, actions = len(rows), rules.num_actions
    if callable(given):
        masks: MaskArray = board.legal[rows].astype(np.int8)
        turns = ScoredPolicy(policy, env_or_game).turns(positions, masks)
        array, _ = as_array(given(turns[0], turns[1]))
    else:
        table, _ = as_array(given)
        if table.shape not in ((rules.num_positions,), (rules.num_positions, actions)):
            raise InvalidPolicyError(
                f"a table of values must have shape ({rules.num_positions}, {actions}) or "
                f"({rules.num_positions},), a row for each position, not {table.shape}"
            )
        array = table[rules.indices(positions)]
    if array.shape == (count, 1) and actions > 1:
        array = array[:, 0]
    if array.shape not in ((count,), (count, actions)) or array.dtype.kind not in "iufb":
        raise InvalidPolicyError(
            f"values must be numbers of shape ({count}, {actions}), one for each action, or "
            f"({count},), one for each position, not {array.dtype} of shape {array.shape}"
        )
    values: FloatArray = array.astype(np.float64)
    return values


class Equation(NamedTuple):
    """An equation of values: r + c U(s') + b R(s') + d W(s'), with r at moves that end the game.

    U(s') is the value of the next position to the opponent, who moves there. R(s') is the
    opponent's reward from its reply, and W(s') the value to the mover of the position after it.
    Results of -1 may count less: as 0, and draws as 1/2, values are expected scores.

    Attributes:
        reward: factor of the reward where a move ends the game.
        shift: constant that is added there.
        spread: standard deviation of a further addend there, which is unknown.
        next: c, -γ in a right agent.
        reply: b, -1 in a right agent that bootstraps from its own next turn.
        own: d, γ in such an agent.
        convention: convention by which games are won; ``None``: that of the game.
        illegal: whether the maximum in U is over illegal actions, too.
        loss: factor of rewards below 0.
        draw: result of a draw by the mover's move.
        drawn_reply: result of a draw by the reply.
    """

    reward: float = 1.0
    shift: float = 0.0
    spread: float = 0.0
    next: float = 0.0
    reply: float = 0.0
    own: float = 0.0
    convention: Convention | None = None
    illegal: bool = False
    loss: float = 1.0
    draw: float = 0.0
    drawn_reply: float = 0.0

    def credited(self, rewards: FloatArray, draw: float) -> FloatArray:
        """Return the mover's credit for the rewards of moves that end a game."""
        decided = np.where(rewards > 0, rewards, self.loss * rewards)
        return np.where(rewards == 0, draw, decided)


class Backups:
    """The terms of equations at all moves of one game.

    Args:
        board: the game's positions.
        rows: positions with a legal move, as rows of the board, ``(k,)``.
        values: an agent's values at these positions, as of :func:`values_of`.
        played: its action probabilities there, ``(k, actions)``.

    Attributes:
        of_actions: whether values are those of actions, not of positions.
        learned_values: the agent's values that equations are to explain, of legal moves or of
            positions, ``(m,)``.
        as_right: fits of a right agent's equations, by discount, computed once.
    """

    def __init__(
        self, board: Board, rows: IntArray, values: FloatArray, played: FloatArray
    ) -> None:
        self.board, self.rows, self.values = board, rows, values
        self.of_actions = values.ndim == 2
        legal = board.legal[rows]
        self.where, self.actions = np.nonzero(legal)
        self.sources = rows[self.where]
        self.after = board.after[self.sources, self.actions]
        self.ends: BoolArray = board.ending[self.sources, self.actions]
        self._first = np.searchsorted(self.where, np.arange(len(rows)))
        self._played = played[self.where, self.actions]
        raw = values[self.where, self.actions] if self.of_actions else values
        learned_values = np.nan_to_num(raw, nan=LARGEST, posinf=LARGEST, neginf=-LARGEST)
        self.learned_values = learned_values.clip(-LARGEST, LARGEST)
        self.as_right: dict[float, Fit] = {}
        # Many equations have the same terms.
        self._next = cache(self._next_positions)
        self._replied = cache(self._replies)

    def _at(self, of_rows: FloatArray) -> FloatArray:
        """Return numbers of positions ``(k,)`` by row of the board, 0 at the end of the game."""
        numbers = np.zeros(len(self.board.positions))
        numbers[self.rows] = of_rows
        return numbers

    def _of_rows(self, of_moves: FloatArray, way: str) -> FloatArray:
        """Return the value of each position from those of its moves, ``(k,)``."""
        if way == "greedy":
            return np.maximum.reduceat(of_moves, self._first)
        if way == "played":
            return np.add.reduceat(of_moves * self._played, self._first)
        counts = np.diff(np.append(self._first, len(of_moves)))
        mean = np.add.reduceat(of_moves, self._first) / counts
        if way == "half":
            return (mean + np.maximum.reduceat(of_moves, self._first)) / 2
        return mean

    @cached_property
    def _of_positions(self) -> FloatArray:
        """Value of each position to the player to move, ``(k,)``; of actions, the largest."""
        if self.of_actions:
            return self._of_rows(self.learned_values, "greedy")
        return np.nan_to_num(self.values).clip(-LARGEST, LARGEST)

    def _next_positions(self, way: str, illegal: bool) -> FloatArray:
        """U at each move, ``(moves,)``."""
        of_rows = self._of_positions
        if way != "greedy":
            of_rows = self._of_rows(self.learned_values, way)
        if illegal and self.of_actions:
            every = np.where(np.isfinite(self.values), self.values, -np.inf)
            of_rows = np.maximum(every.max(axis=1), of_rows)
        return self._at(of_rows)[self.after]

    def _results(self, convention: Convention | None) -> FloatArray:
        """Rewards of moves to the mover, by the game or by a convention, ``(n, actions)``."""
        board = self.board
        if convention is None or board.game.has_outcome:
            return board.rewards
        return board.rewards_of(board.end_values_by(convention))

    def _replies(
        self, way: Reply, convention: Convention | None, draw: float
    ) -> tuple[dict[int, FloatArray], FloatArray]:
        """Chances of each reward of the opponent by a reply, and W, at each move, ``(moves,)``.

        Args:
            way: the opponent's moves.
            convention: as that of an :class:`Equation`.
            draw: result of a draw for the opponent.
        """
        legal = self.board.legal[self.rows]
        ends = self.board.ending[self.rows]
        rewards = self._results(convention)[self.rows]
        own = self._at(self._of_positions)[self.board.after[self.rows]]
        chosen = legal
        if way == "greedy":
            ranks = np.full(legal.shape, -np.inf)
            if self.of_actions:
                ranks[self.where, self.actions] = self.learned_values
            else:  # to the position that is worst for who moves next
                results = np.where(rewards == 0, draw, rewards)
                ranks = np.where(legal, np.where(ends, results, -own), -np.inf)
            chosen = greedy(ranks)
        elif way == "right":
            keeps = self.board.keeping[self.rows]
            chosen = np.where(keeps.any(axis=1, keepdims=True), keeps, legal)
        probabilities = evenly(chosen)
        ended = {
            result: self._at((probabilities * (ends & (rewards == result))).sum(axis=1))[self.after]
            for result in np.unique(rewards[ends]).astype(int).tolist()
        }
        return ended, self._at((probabilities * ~ends * own).sum(axis=1))[self.after]

    def predicted(self, equation: Equation) -> list[FloatArray]:
        """Return the values by an equation, ``(m,)``, one array for each way to play."""
        rewards = self._results(equation.convention)[self.sources, self.actions]
        ended = equation.credited(equation.reward * rewards, equation.draw) + equation.shift
        ways: tuple[str, ...] = ("greedy", "half", "random")
        if equation.illegal or not equation.next or not self.of_actions:
            ways = ("greedy",)
        replies: tuple[Reply, ...] = ("greedy",)
        if equation.reply or equation.own:
            replies = ("greedy", "random", "right")
        values = []
        for way, reply in product(ways, replies):
            later: Any = 0.0
            if equation.next:
                later = equation.next * self._next(way, equation.illegal)
            if equation.reply or equation.own:
                over, own = self._replied(reply, equation.convention, equation.draw)
                for result, chance in over.items():
                    credited = equation.credited(
                        np.array(equation.reply * result), equation.drawn_reply
                    )
                    later = later + credited * chance
                later = later + equation.own * own
            moves = np.where(self.ends, ended, later)
            if self.of_actions:
                values.append(moves)
            else:
                values += [self._of_rows(moves, each) for each in WAYS]
        return values

    def of_equations(self, equations: Sequence[Equation]) -> Fit:
        """Return the fit of each equation to the values."""
        predicted = [self.predicted(equation) for equation in equations]
        # Those of positions are averaged over moves, so that the spread is not theirs.
        spreads = [
            (equation.spread if self.of_actions else 0.0) * self._last
            for equation, arrays in zip(equations, predicted, strict=True)
            for _ in arrays
        ]
        fits = self._fit(np.concatenate(predicted), np.array(spreads))
        rows = []
        for first, end in pairwise(accumulate(map(len, predicted), initial=0)):
            logs = fits.logs[first:end]
            best = first + int(logs.argmax())
            rows.append((log_sum(logs) - np.log(end - first), *(part[best] for part in fits[1:])))
        return Fit(*np.array(rows).T)

    def of_groups(self, groups: IntArray) -> Fit:
        """Return the fit of a model by which values are equal within groups of positions.

        Each value is predicted by the mean of the others of its group, for the same action. They
        are equal, not about so: an agent computes them from the same numbers.

        Args:
            groups: group of each position, ``(k,)``.
        """
        keys = groups
        if self.of_actions:
            keys = groups[self.where] * self.board.legal.shape[1] + self.actions
        _, keys = np.unique(keys, return_inverse=True)
        sums, counts = np.bincount(keys, self.learned_values)[keys], np.bincount(keys)[keys]
        with np.errstate(invalid="ignore", divide="ignore"):
            others = (sums - self.learned_values) / (counts - 1)  # 0 / 0 where there are none
        # Where all values are that of a win or a loss, or draws, they are equal for other reasons.
        usual = np.median(self.learned_values)
        if abs(usual) > CERTAIN:
            others[np.abs(others - usual) < WIDTHS[0]] = np.nan
        if self.board.has_draws:
            others[np.abs(others) < WIDTHS[0]] = np.nan
        differences = np.abs(others - self.learned_values)
        if (differences[~np.isnan(others)] > SAME * np.maximum(1.0, abs(usual))).any():
            return _unexplained(self.nothing - LEAST)
        fit = self._fit(others[np.newaxis])
        return fit._replace(at_ends=np.ones(1), elsewhere=np.ones(1))

    def of_one_value(self) -> Fit:
        """Return the fit of a model by which all values are about the same, as before learning.

        That value is small, as the outputs of a network are at first.
        """
        usual = float(np.median(self.learned_values))
        fit = self._fit(np.full((1, len(self.learned_values)), usual))
        return _unexplained(
            float(fit.logs[0]) - 0.5 * (usual / FIRST) ** 2 - np.log(FIRST * np.sqrt(2 * np.pi))
        )

    def of_first_network(self) -> Fit:
        """Return the fit of a model by which values depend on the next position alone.

        They do in targets of any network, and are small in those of one that has not learned. The
        first value of each next position is any small one, and predicts those after it.
        """
        if not self.of_actions:
            return _unexplained(self.nothing)
        rewards = self.board.rewards[self.sources, self.actions]
        predicted = np.where(self.ends, rewards, np.nan)
        order = np.argsort(self.after, kind="stable")
        later, learned_values = self.after[order], self.learned_values[order]
        begins = np.append(True, later[1:] != later[:-1])
        first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
        before = np.cumsum(learned_values) - learned_values
        index = np.arange(len(learned_values)) - first
        mean = (before - before[first]) / np.maximum(index, 1)
        ends = self.ends[order]
        again = (index > 0) & ~ends
        predicted[order[again]] = mean[again]
        small = 0.5 * (learned_values[(index == 0) & ~ends] / FIRST) ** 2
        fit = self._fit(predicted[np.newaxis])
        close = np.mean(np.abs(learned_values[(index == 0) & ~ends]) < 2 * FIRST, keepdims=True)
        return fit._replace(
            logs=fit.logs + self._tempered(-small.clip(max=LEAST), order[~again & ~ends]),
            elsewhere=np.minimum(fit.elsewhere, close),
        )

    def of_noise(self, width: float) -> Fit:
        """Return the fit of values anywhere from ``-width`` to ``width``."""
        inside = np.abs(self.learned_values) <= width
        logs = np.log(np.where(inside, 1 / (2 * width), np.exp(-2 * LEAST)))
        return _unexplained(self._tempered(logs))

    def of_any_size(self) -> Fit:
        """Return the fit of values of any order of magnitude."""
        size = np.abs(self.learned_values)
        span = 2 * np.log(LARGEST)
        far = 0.5 / (np.maximum(size, 1.0) * span)
        return _unexplained(self._tempered(np.log(np.where(size > 1.0, far, 0.25))))

    @cached_property
    def nothing(self) -> float:
        """Log-likelihood of values of which no equation holds."""
        return float(self._fit(np.full((1, len(self.learned_values)), np.nan)).logs[0])

    def _fit(self, predicted: FloatArray, spread: FloatArray | float = 0.0) -> Fit:
        """Return the fit of predictions to the values, with the best widths and shares.

        A value is that of the equation up to an error, or was never learned, or is any.

        Args:
            predicted: ``(predictions, m)``, not a number where nothing is expected.
            spread: standard deviations besides the width, ``(predictions, m)``.
        """
        learned_values = self.learned_values
        size = np.abs(learned_values)
        count = len(learned_values)
        broad = np.exp(-size / BROAD) / (2 * BROAD) + 1e-9
        others = np.stack([_normal(learned_values, UNTOUCHED), broad])
        difference = np.where(
            np.isnan(predicted) | (size >= LARGEST), np.inf, learned_values - predicted
        )
        widths = np.array(WIDTHS)[:, np.newaxis, np.newaxis]
        spread = np.broadcast_to(spread, predicted.shape)
        likelihoods = np.empty((len(WIDTHS), *predicted.shape))
        unexplained = np.empty((len(WIDTHS), len(predicted)))
        block = max(1, TOGETHER // count)
        for first in range(0, len(predicted), block):
            some = slice(first, first + block)
            deviations = np.hypot(widths, spread[some]) if spread[some].any() else widths
            near = _normal(difference[some], deviations).reshape(-1, count)
            mixed = np.empty_like(near)
            share, shares = np.full((len(near), 1), 1 / 3), np.full((len(near), 2), 1 / 3)
            for _ in range(STEPS):
                np.multiply(share, near, out=mixed)
                mixed += shares @ others
                np.reciprocal(mixed, out=mixed)
                # Each value is of one of the three; these are how many are expected to be of it.
                shares *= mixed @ others.T
                shares += 1 / 3
                shares /= count + 1
                np.minimum(shares[:, 0], MOST_UNTOUCHED, out=shares[:, 0])
                share = 1 - shares.sum(axis=1, keepdims=True)
            np.multiply(share, near, out=mixed)
            mixed += shares @ others
            likelihoods[:, some] = mixed.reshape(len(WIDTHS), -1, count)
            unexplained[:, some] = shares[:, 1].reshape(len(WIDTHS), -1)
        logs = self._tempered(np.log(likelihoods, out=likelihoods))
        best = logs.argmax(axis=0), np.arange(len(predicted))
        allowed = np.maximum(CLOSE, 1.5 * spread)
        close = (np.abs(difference) < allowed) | np.isnan(predicted)
        touched = size > UNTOUCHED
        # Play from one start, as usual in games with draws, meets a part of the positions.
        many = touched.mean() > MOST_UNTOUCHED or self.board.has_draws
        known = touched if many else np.ones_like(touched)
        rest = known & ~self._last
        last = self._last & touched if self.board.has_draws else self._last
        return Fit(
            logs[best],
            1 - unexplained[best],
            close[:, last].mean(axis=1) if last.any() else np.ones(len(predicted)),
            close[:, rest].mean(axis=1) if rest.any() else np.ones(len(predicted)),
        )

    def _of_values(self, of_moves: BoolArray) -> BoolArray:
        """Return whether each value is of one of these moves, or of a position with one."""
        if self.of_actions:
            return of_moves
        result: BoolArray = np.logical_or.reduceat(of_moves, self._first)
        return result

    @cached_property
    def _last(self) -> BoolArray:
        """Whether each value is of a move that ends the game, or of a position with one."""
        return self._of_values(self.ends)

    def _tempered(self, logs: FloatArray, chosen: Any = slice(None)) -> Any:
        """Return sums of log-likelihoods of values, of which few are independent.

        Args:
            logs: ``(..., m)``.
            chosen: indices of these values, if not all.
        """
        weight = min(1.0, INDEPENDENT / len(self.learned_values))
        if not self._drawing.any():
            return logs.sum(axis=-1) * weight
        of_draws = min(1.0, INDEPENDENT / int(self._drawing.sum()))
        return logs @ np.where(self._drawing[chosen], of_draws, weight)

    @cached_property
    def _drawing(self) -> BoolArray:
        """Whether each value is of a move that draws at once, or of a position with one."""
        rewards = self.board.rewards[self.sources, self.actions]
        return self._of_values(self.ends & (rewards == 0))

    def drawn_as(self, results: Sequence[float]) -> FloatArray | None:
        """Return shares of the moves that draw whose values are close to a result, ``(results,)``.

        They are in shares of the moves that end the game otherwise and have been learned from.

        Args:
            results: the results.

        Returns:
            At most 1; ``None`` where there are no such moves, or values of positions alone.
        """
        draws = self._drawing
        if not self.of_actions or not draws.any():
            return None
        is_touched = np.abs(self.learned_values[self.ends & ~draws]) > UNTOUCHED
        if not is_touched.any():
            return None
        far = np.abs(self.learned_values[draws] - np.array(results)[:, np.newaxis])
        shares: FloatArray = ((far < CLOSE).mean(axis=1) / is_touched.mean()).clip(max=1.0)
        return shares


def _normal(differences: FloatArray, deviation: Any) -> Any:
    """Return densities of the normal distribution, by the difference from its mean."""
    return np.exp(-0.5 * (differences / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def _unexplained(log: float) -> Fit:
    """Return the fit of a model that explains no value."""
    return Fit(np.array([log]), np.zeros(1), np.zeros(1), np.zeros(1))


def log_sum(logs: FloatArray) -> float:
    """Return the logarithm of a sum of numbers with given logarithms."""
    return float(np.logaddexp.reduce(logs))
