"""Round-robin tournaments with Elo ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tabulate import tabulate
from tqdm import tqdm

from agents.evaluation.matches import play_match
from agents.training import Env
from nim_envs.players import AnyPlayer
from nim_envs.typing import FloatArray

SAMPLES = 1000
"""Posterior samples of the probabilities of winning, from which the intervals are computed."""

VIRTUAL_DRAWS = 1.0
"""Draws added to every pairing; without them a player that always wins has no finite rating."""

LARGEST_STEP = math.log(2)
"""Largest change of the difference of two ratings in a step of Newton's method. Within it the
curvature changes by less than a factor of 2, so every step increases the likelihood."""

STEPS = 200


@dataclass(frozen=True)
class Tournament:
    """The outcome of a round robin.

    Attributes:
        names: names of the players.
        points: points of the row's player against the column's, 1 for a win and 1/2 for a draw,
            float64 ``(players, players)``.
        games: games of each pairing, int64, same shape.
        elo: ratings with mean 0, float64 ``(players,)``; 400 points are odds of 10 to 1.
        intervals: 95 % credible intervals of the ratings, float64 ``(players, 2)``; see
            :func:`round_robin`.
    """

    names: tuple[str, ...]
    points: FloatArray
    games: npt.NDArray[np.int64]
    elo: FloatArray
    intervals: FloatArray

    def __repr__(self) -> str:
        """Return the ratings in one line, best first."""
        rated = ", ".join(f"{name} {elo:+.0f}" for name, elo, *_ in self.ranking())
        return f"Tournament({self.games.sum() // 2} games: {rated})"

    def _repr_html_(self) -> str:
        """Return the table of players, ratings and points, which a notebook shows."""
        ranking = self.ranking()
        names = [name for name, *_ in ranking]
        order = [self.names.index(name) for name in names]
        rows = [
            [name, *(f"{number:.0f}" for number in numbers)]
            + ["" if i == j else f"{self.points[i, j]:g}" for j in order]
            for i, (name, *numbers) in zip(order, ranking, strict=True)
        ]
        header = ["player", "Elo", "low", "high", *names]
        return str(tabulate(rows, header, tablefmt="html", disable_numparse=True))

    def ranking(self) -> list[tuple[str, float, float, float]]:
        """Return the name, the rating and the interval's ends of every player, best first."""
        order = np.argsort(-self.elo, kind="stable")
        return [(self.names[i], float(self.elo[i]), *map(float, self.intervals[i])) for i in order]


def round_robin(
    env: Env,
    agents: Mapping[str, AnyPlayer],
    games: int,
    *,
    seed: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
) -> Tournament:
    """Play a match between every two agents; they swap seats after every game.

    The intervals come from the posterior distribution of the probabilities of winning, drawing and
    losing in each pairing. The virtual draw counts as half a win and half a loss, which without
    draws is Jeffreys' prior of a proportion. So the interval of a player that has won every game
    still has a width.

    Args:
        env: a two-player turn-based environment.
        agents: at least two players by name, as for :func:`play_match`.
        games: number of games of each pairing.
        seed: seeds starts, actions and the intervals; same seed, same result.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``.

    Returns:
        The points of every pairing, and the ratings.

    Raises:
        ValueError: fewer than two agents, or ``games`` below 1.

    References:
        H. Jeffreys, *Theory of Probability* (1961), 3.10.
    """
    names = tuple(agents)
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two agents, not {list(names)}")
    points = np.zeros((len(names), len(names)))
    played = np.zeros(points.shape, dtype=np.int64)
    draws = np.zeros(points.shape, dtype=np.int64)
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    seeds = np.random.SeedSequence(seed).generate_state(len(pairs) + 1)
    total = max(games, 1) * len(pairs)
    with tqdm(
        desc="tournament", unit="game", total=total, disable=None if progress else True
    ) as bar:
        for (i, j), match_seed in zip(pairs, seeds, strict=False):
            result = play_match(
                env, agents[names[i]], agents[names[j]], games, seed=int(match_seed),
                options=options, limit=False, after_game=bar.update,
            )  # fmt: skip
            points[i, j] = sum(result.wins) + result.draws / 2
            points[j, i] = games - points[i, j]
            played[i, j] = played[j, i] = games
            draws[i, j] = draws[j, i] = result.draws
    elo = elo_ratings(points)
    samples = _ratings(_drawn_points(points, draws, np.random.default_rng(seeds[-1])))
    intervals = np.quantile(samples, [0.025, 0.975], axis=0).T
    return Tournament(names, points, played, elo, intervals)


def _drawn_points(
    points: FloatArray, draws: npt.NDArray[np.int64], rng: np.random.Generator
) -> FloatArray:
    """Draw samples of the expected points in each pairing, ``(SAMPLES, players, players)``."""
    samples = np.zeros((SAMPLES, *points.shape))
    for i in range(len(points)):
        for j in range(i):
            won, lost = (points[pair] - draws[i, j] / 2 for pair in ((i, j), (j, i)))
            prior = VIRTUAL_DRAWS / 2
            # Dirichlet samples of the games won, drawn and lost: normalised gamma samples.
            shapes = np.array([won + prior, draws[i, j], lost + prior])
            games = rng.standard_gamma(shapes, (SAMPLES, 3))
            games *= (points[i, j] + points[j, i]) / games.sum(axis=1, keepdims=True)
            samples[:, i, j] = games @ [1.0, 0.5, 0.0]
            samples[:, j, i] = games @ [0.0, 0.5, 1.0]
    return samples


def elo_ratings(points: FloatArray) -> FloatArray:
    """Return the maximum-likelihood ratings of ``points``, with mean 0.

    One virtual draw in every pairing keeps them finite.

    Args:
        points: points of the row's player against the column's, ``(players, players)``.

    References:
        R. A. Bradley & M. E. Terry, "Rank analysis of incomplete block designs", *Biometrika*
        39 (1952); Newton's method on the logarithm of their likelihood, which is concave.

    Example:
        >>> elo_ratings(np.array([[0.0, 9.5], [0.5, 0.0]])).round(1).tolist()
        [200.0, -200.0]
    """
    return _ratings(points + VIRTUAL_DRAWS / 2 * (1 - np.eye(len(points))))


def _ratings(points: FloatArray) -> FloatArray:
    """Return ratings ``(..., n)`` from points ``(..., n, n)``, positive off the diagonal."""
    games = points + np.swapaxes(points, -1, -2)
    strength = np.zeros(points.shape[:-1])  # natural logarithms
    for _ in range(STEPS):
        expected = games / (1 + np.exp(strength[..., np.newaxis, :] - strength[..., np.newaxis]))
        missing = (points - expected).sum(axis=-1)
        weights = expected * np.swapaxes(expected, -1, -2) / np.maximum(games, 1e-300)
        # Ratings are determined up to a constant; adding 1 everywhere selects the step of mean 0.
        curvature = 1 - weights
        np.einsum("...ii->...i", curvature)[...] += weights.sum(axis=-1)
        step = np.linalg.solve(curvature, missing[..., np.newaxis])[..., 0]
        largest = np.ptp(step, axis=-1, keepdims=True)
        strength += step * np.minimum(1, LARGEST_STEP / np.maximum(largest, LARGEST_STEP))
        if largest.max(initial=0) < 1e-10:
            break
    centred = strength - strength.mean(axis=-1, keepdims=True)
    return np.asarray(400 / math.log(10) * centred)
