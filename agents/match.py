"""Matches, games and tournaments between players."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from agents.games import game_of
from agents.loop import DRAW, Env, Seat, play_and_learn
from nim_envs import GameEnv
from nim_envs.errors import InvalidActionError
from nim_envs.game import PLAYERS
from nim_envs.player_answers import one_action
from nim_envs.players import Agent, AnyPlayer, PlayerAdapter, hint, is_player
from nim_envs.scored_policy import game_of as followed_game
from nim_envs.typing import Array, FloatArray, MaskArray, Position
from nim_envs.validation import checked_integer

Z = NormalDist().inv_cdf(0.975)
"""Standard deviations of half a 95 % interval."""


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match, from the view of the first agent.

    Attributes:
        games: games played.
        wins: games won, as ``player_0`` and as ``player_1``.
        draws: games without a winner: drawn, or truncated.
        win_rate: share of all games won; in games with an outcome of their own the mean score, a
            draw counting one half.
        interval: 95 % Wilson interval of the win rate.
        illegal: positions at which the first agent, and the second, lost a game by an illegal move;
            empty in environments of other packages.
    """

    games: int
    wins: tuple[int, int]
    draws: int
    win_rate: float
    interval: tuple[float, float]
    illegal: tuple[tuple[Position, ...], tuple[Position, ...]]

    @property
    def games_by_seat(self) -> tuple[int, int]:
        """Games played, as ``player_0`` and as ``player_1``."""
        return self.games - self.games // 2, self.games // 2

    def __repr__(self) -> str:
        """Return the result in one line."""
        low, high = self.interval
        seats = ", ".join(
            f"{won} of {played} as {seat}"
            for won, played, seat in zip(self.wins, self.games_by_seat, PLAYERS, strict=True)
        )
        draws_count = self.win_rate > sum(self.wins) / self.games
        drawn = "drawn" if draws_count else "without a winner"
        draws = f" won; {self.draws} {drawn}" if self.draws else ""
        return (
            f"MatchResult({'scored' if draws_count else 'won'} {100 * self.win_rate:.1f} % "
            f"({100 * low:.1f} to {100 * high:.1f} %) of {self.games} games: {seats}{draws})"
        )


class MatchedPlayer:
    """Any player as an agent, in one environment."""

    def __init__(self, player: AnyPlayer, env: Env) -> None:
        if not is_player(player):
            raise TypeError(
                "a match is played by agents, functions and objects with action_probabilities or "
                f"move, not by {player!r}{hint(player)}"
            )
        self._base: Any = env.unwrapped
        self._agent = player if isinstance(player, Agent) else None
        self.adapter = PlayerAdapter(player, game_of(env))
        if self.adapter.moves and env is not self._base:
            followed_game(env)  # a move is an action of the game, which wrappers must not change

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> Any:
        """Return the player's action, or -1 if it names no legal move."""
        if self._agent is not None:  # most players are agents, which need no batch
            answer: Any = self._agent.act(observation, action_mask, rng)
            return one_action(answer, len(action_mask), rng)
        try:
            return self.adapter.action(
                observation, action_mask, rng, lambda: self._base.position[np.newaxis]
            )
        except InvalidActionError as error:
            raise type(error)(f"the player's {error}") from None


def play_match(
    env: Env,
    agent: AnyPlayer,
    opponent: AnyPlayer,
    games: int,
    *,
    seed: int,
    progress: bool = False,
    options: dict[str, Any] | None = None,
) -> MatchResult:
    """Play ``agent`` against ``opponent``; they swap seats after every game.

    Args:
        env: a two-player turn-based environment.
        agent: ``player_0`` in games 1, 3, 5, …; an agent, or any other player that
            :func:`nim_envs.optimality` takes. The answer -1, no legal move, loses the game.
        opponent: ``player_0`` in the other games, likewise.
        games: number of games, at least 1.
        seed: seeds starts and choices; same seed, same result.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``.

    Raises:
        ValueError: ``games`` is below 1.
        TypeError: ``agent`` or ``opponent`` is no player.
        InvalidActionError: a player's answer is not an action.
    """
    checked_integer("games", games, minimum=1)
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    rng = np.random.default_rng(agent_seed)
    wins, draws = [0, 0], 0
    illegal: list[list[Position]] = [[], []]
    base = env.unwrapped
    players = Seat(MatchedPlayer(agent, env)), Seat(MatchedPlayer(opponent, env))
    env.reset(seed=int(env_seed), options=options)
    for game in tqdm(range(games), "match", unit="game", disable=None if progress else True):
        if game:
            env.reset(options=options)
        seat = game % 2
        winner, _ = play_and_learn(env, players if seat == 0 else players[::-1], rng)
        draws += winner == DRAW
        wins[seat] += winner == seat
        if winner != DRAW and isinstance(base, GameEnv) and not base.game.is_over(base.position):
            illegal[winner == seat].append(tuple(base.position.tolist()))
    may_be_drawn = isinstance(base, GameEnv) and base.game.has_outcome
    score = (sum(wins) + (draws / 2 if may_be_drawn else 0)) / games
    # Wilson's interval; with draws it is wider than need be.
    centre = (2 * games * score + Z**2) / (2 * (games + Z**2))
    half = Z * math.sqrt(4 * games * score * (1 - score) + Z**2) / (2 * (games + Z**2))
    interval = centre - half if score > 0 else 0.0, centre + half if score < 1 else 1.0
    positions = tuple(illegal[0]), tuple(illegal[1])
    return MatchResult(games, (wins[0], wins[1]), draws, score, interval, positions)


SAMPLES = 1000
"""Posterior samples of the probabilities of winning, from which the intervals are computed."""

VIRTUAL_DRAWS = 1.0
"""Draws added to every pairing; without them a player that always wins has no finite rating."""

STEPS, LARGEST_STEP = 200, math.log(2)
"""Most steps of Newton's method, and the largest change of the difference of two ratings in one:
within it the curvature changes by less than a factor of 2, so each increases the likelihood."""


@dataclass(frozen=True)
class Tournament:
    """The outcome of a round robin.

    Attributes:
        names: names of the players.
        points: points of the row's player against the column's, 1 for a win and 1/2 for a draw,
            float64 ``(players, players)``.
        games: games of each pairing.
        elo: ratings with mean 0, float64 ``(players,)``; 400 points are odds of 10 to 1.
        intervals: 95 % credible intervals of the ratings, float64 ``(players, 2)``; see
            :func:`round_robin`.
        illegal: positions at which each player lost a game by an illegal move.
    """

    names: tuple[str, ...]
    points: FloatArray
    games: int
    elo: FloatArray
    intervals: FloatArray
    illegal: dict[str, list[Position]]

    def __repr__(self) -> str:
        """Return the ratings in one line, best first."""
        rated = ", ".join(f"{name} {elo:+.0f}" for name, elo, *_ in self.ranking())
        return f"Tournament({self.games} games of each pairing: {rated})"

    def ranking(self) -> list[tuple[str, float, float, float]]:
        """Return the name, the rating and the interval's ends of every player, best first."""
        rows = zip(self.names, self.elo.tolist(), *self.intervals.T.tolist(), strict=True)
        return sorted(rows, key=lambda row: -row[1])


def round_robin(
    env: Env, agents: Mapping[str, AnyPlayer], games: int, *, seed: int, progress: bool = True
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

    Raises:
        ValueError: fewer than two agents, or ``games`` below 1.

    References:
        H. Jeffreys, *Theory of Probability* (1961), 3.10.
    """
    names, players = tuple(agents), tuple(agents.values())
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two agents, not {list(names)}")
    points = np.zeros((len(names), len(names)))
    draws = np.zeros(points.shape, dtype=np.int64)
    illegal: dict[str, list[Position]] = {name: [] for name in names}
    pairs = [*zip(*np.tril_indices(len(names), -1), strict=True)]
    seeds = np.random.SeedSequence(seed).generate_state(len(pairs) + 1)
    bar = tqdm(pairs, "tournament", unit="match", disable=None if progress else True)
    for (i, j), match_seed in zip(bar, seeds, strict=False):
        result = play_match(env, players[i], players[j], games, seed=int(match_seed))
        points[i, j] = sum(result.wins) + result.draws / 2
        points[j, i] = games - points[i, j]
        draws[i, j] = draws[j, i] = result.draws
        illegal[names[i]] += result.illegal[0]
        illegal[names[j]] += result.illegal[1]
    samples = _ratings(_drawn_points(points, draws, np.random.default_rng(seeds[-1])))
    intervals = np.quantile(samples, [0.025, 0.975], axis=0).T
    return Tournament(names, points, games, elo_ratings(points), intervals, illegal)


def _drawn_points(
    points: FloatArray, draws: npt.NDArray[np.int64], rng: np.random.Generator
) -> FloatArray:
    """Draw samples of the expected points in each pairing, ``(SAMPLES, players, players)``."""
    samples = np.zeros((SAMPLES, *points.shape))
    for i, j in zip(*np.tril_indices(len(points), -1), strict=True):
        # Dirichlet samples of the games won, drawn and lost: normalised gamma samples.
        won, lost = np.array([points[i, j], points[j, i]]) + (VIRTUAL_DRAWS - draws[i, j]) / 2
        games = rng.standard_gamma([won, draws[i, j], lost], (SAMPLES, 3))
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
