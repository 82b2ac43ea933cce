"""Round-robin tournaments with Elo ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent, FloatArray
from agents.evaluation.matches import play_match
from agents.training import Env
from nim_envs.progress import progress_bar

RESAMPLES = 200
VIRTUAL_DRAWS = 1.0
"""Draws added to every pairing; without them a player that always wins has no finite rating."""


@dataclass(frozen=True)
class Tournament:
    """The outcome of a round robin.

    Attributes:
        names: the players.
        points: points of the row's player against the column's, 1 for a win and 1/2 for a draw,
            float64 ``(players, players)``.
        games: games of each pairing, int64, same shape.
        elo: ratings with mean 0, float64 ``(players,)``; 400 points are odds of 10 to 1.
        intervals: 95 % intervals of the ratings, by resampling the games, float64
            ``(players, 2)``.
    """

    names: tuple[str, ...]
    points: FloatArray
    games: npt.NDArray[np.int64]
    elo: FloatArray
    intervals: FloatArray

    def ranking(self) -> list[tuple[str, float, float, float]]:
        """Return the name, the rating and the interval's ends of every player, best first."""
        order = np.argsort(-self.elo, kind="stable")
        return [(self.names[i], float(self.elo[i]), *map(float, self.intervals[i])) for i in order]


def round_robin(
    env: Env,
    agents: Mapping[str, Agent],
    games: int,
    *,
    seed: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
) -> Tournament:
    """Let every agent play every other; they swap seats after every game.

    Args:
        env: the environment.
        agents: the players by name, at least two.
        games: games of each pairing.
        seed: seeds starts, actions and the resampling; same seed, same result.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``.

    Returns:
        The points of every pairing, and the ratings.

    Raises:
        ValueError: fewer than two agents, or ``games`` below 1.
    """
    names = tuple(agents)
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two agents, not {list(names)}")
    points = np.zeros((len(names), len(names)))
    played = np.zeros(points.shape, dtype=np.int64)
    draws = np.zeros(points.shape, dtype=np.int64)
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    seeds = np.random.SeedSequence(seed).generate_state(len(pairs) + 1)
    for (i, j), match_seed in progress_bar(
        list(zip(pairs, seeds, strict=False)), desc="matches", unit="match", shown=progress
    ):
        result = play_match(
            env, agents[names[i]], agents[names[j]], games, seed=int(match_seed), options=options,
            limit=False,
        )  # fmt: skip
        points[i, j] = sum(result.wins) + result.draws / 2
        points[j, i] = games - points[i, j]
        played[i, j] = played[j, i] = games
        draws[i, j] = draws[j, i] = result.draws
    elo = elo_ratings(points)
    rng = np.random.default_rng(seeds[-1])
    samples = np.array(
        [elo_ratings(_resampled(points, draws, games, rng)) for _ in range(RESAMPLES)]
    )
    intervals = np.quantile(samples, [0.025, 0.975], axis=0).T
    return Tournament(names, points, played, elo, intervals)


def _resampled(
    points: FloatArray, draws: npt.NDArray[np.int64], games: int, rng: np.random.Generator
) -> FloatArray:
    """Resample the games of every pairing, with replacement."""
    again = np.zeros(points.shape)
    for i in range(len(points)):
        for j in range(i):
            wins = points[i, j] - draws[i, j] / 2
            shares = np.array([wins, draws[i, j], games - wins - draws[i, j]]) / games
            won, drawn, _ = rng.multinomial(games, shares)
            again[i, j] = won + drawn / 2
            again[j, i] = games - again[i, j]
    return again


def elo_ratings(points: FloatArray) -> FloatArray:
    """Return the maximum-likelihood ratings of ``points``, with mean 0.

    One virtual draw in every pairing keeps them finite.

    Args:
        points: points of the row's player against the column's, ``(players, players)``.

    References:
        R. A. Bradley & M. E. Terry, "Rank analysis of incomplete block designs", *Biometrika*
        39 (1952); the iteration of D. R. Hunter, "MM algorithms for generalized Bradley-Terry
        models", *Annals of Statistics* 32 (2004).

    Example:
        >>> elo_ratings(np.array([[0.0, 9.5], [0.5, 0.0]])).round(1).tolist()
        [200.0, -200.0]
    """
    count = len(points)
    scored = points + VIRTUAL_DRAWS / 2 * (1 - np.eye(count))
    met = scored + scored.T
    strength = np.ones(count)
    for _ in range(10_000):
        before = strength
        strength = scored.sum(axis=1) / (met / (strength[:, np.newaxis] + strength)).sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
        if np.abs(np.log(strength / before)).max() < 1e-10:
            break
    ratings: FloatArray = 400 * np.log10(strength)
    return ratings
