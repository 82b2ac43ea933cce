"""Matches between two agents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from agents.base import Agent, Policy
from agents.training import DRAW, Env, Seat, play_and_learn
from nim_envs import GameEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.progress import progress_bar
from nim_envs.scoring import best_response

LARGEST_LIMIT = 1 << 20
"""Games of more positions have no attainable limit computed: it would take minutes."""


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match, for the agent that is named first.

    Attributes:
        games: games played.
        wins: games won, as ``player_0`` and as ``player_1``.
        draws: games without a winner.
        games_by_seat: games played, as ``player_0`` and as ``player_1``.
        win_rate: share of all games won.
        interval: Wilson interval of the win rate at ``confidence``.
        confidence: of the interval.
        limit: the win rate that the best possible player would expect in this match against
            this opponent, exactly; ``None`` where it cannot be computed.
    """

    games: int
    wins: tuple[int, int]
    draws: int
    games_by_seat: tuple[int, int]
    win_rate: float
    interval: tuple[float, float]
    confidence: float
    limit: float | None

    def __repr__(self) -> str:
        """Return the result in one line."""
        low, high = self.interval
        seats = ", ".join(
            f"{won} of {played} as {seat}"
            for won, played, seat in zip(self.wins, self.games_by_seat, PLAYERS, strict=True)
        )
        limit = "" if self.limit is None else f"; at most {100 * self.limit:.1f} % can be expected"
        return (
            f"MatchResult(won {100 * self.win_rate:.1f} % ({100 * low:.1f} to {100 * high:.1f} %) "
            f"of {self.games} games: {seats}; {self.draws} draws{limit})"
        )


def play_match(
    env: Env,
    agent: Agent,
    opponent: Agent,
    games: int,
    *,
    seed: int,
    confidence: float = 0.95,
    progress: bool = False,
    options: dict[str, Any] | None = None,
    limit: bool = True,
) -> MatchResult:
    """Play ``agent`` against ``opponent``; they swap seats after every game.

    Args:
        env: a two-player turn-based environment.
        agent: ``player_0`` in games 1, 3, 5, …
        opponent: ``player_0`` in the others.
        games: number of games, at least 1.
        seed: seeds starts and choices; same seed, same result.
        confidence: of the interval, between 0 and 1.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``; as they may change the start, no limit is
            computed with them.
        limit: whether to compute the attainable limit.

    Returns:
        The result; with the attainable limit where ``env`` is a :class:`nim_envs.GameEnv` with
        integer observations and without ``max_cycles``, the game has at most
        :data:`LARGEST_LIMIT` positions, and the opponent has ``action_probabilities``.

    Raises:
        ValueError: ``games`` is below 1.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    rng = np.random.default_rng(agent_seed)
    wins = [0, 0]
    draws = 0
    players = Seat(agent, learns=False), Seat(opponent, learns=False)
    env.reset(seed=int(env_seed), options=options)
    for game in progress_bar(range(games), desc="match", unit="game", shown=progress):
        if game:
            env.reset(options=options)
        seat = game % 2
        pair = players if seat == 0 else players[::-1]
        winner, _ = play_and_learn(env, pair, rng)
        draws += winner == DRAW
        wins[seat] += winner == seat
    total = sum(wins)
    by_seat = (games - games // 2, games // 2)
    return MatchResult(
        games=games,
        wins=(wins[0], wins[1]),
        draws=draws,
        games_by_seat=by_seat,
        win_rate=total / games,
        interval=wilson_interval(total, games, confidence),
        confidence=confidence,
        limit=_attainable(env, opponent, by_seat) if limit and not options else None,
    )


def _attainable(env: Env, opponent: Agent, by_seat: tuple[int, int]) -> float | None:
    """Return the best possible player's expected win rate against ``opponent``, if computable."""
    base = env.unwrapped
    if not isinstance(base, GameEnv) or not isinstance(opponent, Policy):
        return None
    game = base.game
    if game.rules.num_positions > LARGEST_LIMIT:
        return None
    if base.encoding.name != "integer" or base.max_cycles is not None:
        return None
    try:
        response = best_response(opponent, game)
        positions, probabilities = game.start.bind(game).support()
    except SearchTooLargeError:
        return None
    starts = game.rules.indices(positions)
    first = float(probabilities @ response.moving[starts])
    second = float(probabilities @ response.waiting[starts])
    return (by_seat[0] * first + by_seat[1] * second) / sum(by_seat)


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion.

    Args:
        successes: number of successes.
        trials: number of trials, at least 1.
        confidence: between 0 and 1.

    Raises:
        ValueError: an argument out of its range.

    References:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
        *Journal of the American Statistical Association* 22 (1927), 209-212.

    Example:
        >>> low, high = wilson_interval(8, 10)
        >>> round(low, 3), round(high, 3)
        (0.49, 0.943)
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(
            f"need 0 <= successes <= trials and trials >= 1, not {successes} of {trials}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence!r}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z**2 / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    scale = 1 + z**2 / trials
    # At 0 and 1 the bound is exact; rounding must not step outside.
    low = 0.0 if successes == 0 else (centre - spread) / scale
    high = 1.0 if successes == trials else (centre + spread) / scale
    return low, high
