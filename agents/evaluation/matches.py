"""Matches between two agents."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from tqdm import tqdm

from agents.training import DRAW, Env, Seat, play_and_learn
from nim_envs import GameEnv
from nim_envs.errors import InvalidActionError, SearchTooLargeError
from nim_envs.game import PLAYERS
from nim_envs.player_answers import one_action
from nim_envs.players import Agent, AnyPlayer, BatchPlayerAdapter, Policy, hint, is_player
from nim_envs.scoring import best_response
from nim_envs.scoring.scored_game import scored_game
from nim_envs.typing import Array, MaskArray
from nim_envs.validation import checked_integer, checked_number

LARGEST_LIMIT = 1 << 20
"""Most positions of a game whose attainable limit is computed; it would take minutes for more."""


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match, from the view of the first agent.

    Attributes:
        games: games played.
        wins: games won, as ``player_0`` and as ``player_1``.
        draws: games without a winner: drawn, or truncated.
        games_by_seat: games played, as ``player_0`` and as ``player_1``.
        win_rate: share of all games won; in games with an outcome of their own the mean score, a
            draw counting one half.
        interval: Wilson interval of the win rate at ``confidence``.
        confidence: confidence level of the interval.
        limit: exact expected score of the best possible player in this match against this
            opponent; ``None`` where it cannot be computed.
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
        draws = f" won; {self.draws} drawn" if self.draws else ""
        return (
            f"MatchResult({'scored' if self.draws else 'won'} {100 * self.win_rate:.1f} % "
            f"({100 * low:.1f} to {100 * high:.1f} %) of {self.games} games: {seats}{draws}{limit})"
        )


class MatchedPlayer:
    """Any player as an agent, in one environment.

    Args:
        player: any player that :func:`nim_envs.optimality` takes, or an agent without known
            probabilities.
        env: turn-based environment; for a player with ``move``, one of ``nim_envs``.

    Raises:
        TypeError: ``player`` is no player, or has ``move`` and ``env`` is not of ``nim_envs``.
    """

    def __init__(self, player: AnyPlayer, env: Env) -> None:
        if not is_player(player):
            raise TypeError(
                "a match is played by agents, functions and objects with action_probabilities or "
                f"move, not by {player!r}{hint(player)}"
            )
        base = env.unwrapped
        rules = base.game.rules if isinstance(base, GameEnv) else None
        self._base = base
        self._agent = player if isinstance(player, Agent) else None
        self._adapter = BatchPlayerAdapter(player, rules)
        self._num_actions: int | None = None
        if env is base or rules is None:
            return
        if self._adapter.moves:
            scored_game(env)  # a move is an action of the game, which wrappers must not change
            return
        space: Any = env.action_space(PLAYERS[0])
        self._num_actions = int(space.n)
        self._adapter = BatchPlayerAdapter(player, rules, self._num_actions)

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the player's action, or -1 if it names no legal move.

        Raises:
            InvalidActionError, InvalidPolicyError: the player's answer is not an action.
        """
        if self._agent is not None:
            # Most players are agents, which need no batch.
            answer: Any = self._agent.act(observation, action_mask, rng)
            size = self._num_actions or len(action_mask)
            return cast(int, one_action(answer, size, rng))
        try:
            return cast(int, self._action(observation, action_mask, rng))
        except InvalidActionError as error:
            raise type(error)(f"the player's {error}") from None

    def _action(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> Any:
        """The action of a player that takes batches of observations."""
        base: Any = self._base
        batch = observation[np.newaxis], action_mask[np.newaxis]
        actions = np.asarray(self._adapter(*batch, rng, lambda: base.position[np.newaxis]))
        if actions.shape != (1,):
            raise InvalidActionError(
                f"actions must be an array of shape (1,), not of shape {actions.shape}"
            )
        return actions[0]


def play_match(
    env: Env,
    agent: AnyPlayer,
    opponent: AnyPlayer,
    games: int,
    *,
    seed: int,
    confidence: float = 0.95,
    progress: bool = False,
    options: dict[str, Any] | None = None,
    limit: bool = True,
    after_game: Callable[[], object] | None = None,
) -> MatchResult:
    """Play ``agent`` against ``opponent``; they swap seats after every game.

    Args:
        env: a two-player turn-based environment.
        agent: ``player_0`` in games 1, 3, 5, …; an agent, or any other player that
            :func:`nim_envs.optimality` takes. The answer -1, no legal move, loses the game.
        opponent: ``player_0`` in the other games, likewise.
        games: number of games, at least 1.
        seed: seeds starts and choices; same seed, same result.
        confidence: confidence level of the interval, between 0 and 1.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``; as they may change the start, no limit is
            computed with them.
        limit: whether to compute the attainable limit.
        after_game: called after every game.

    Returns:
        The result; with the attainable limit where ``env`` is a :class:`nim_envs.GameEnv` with
        integer observations and without ``max_cycles``, wrapped only as scores can follow; the game
        has at most :data:`LARGEST_LIMIT` positions, and the
        opponent has ``action_probabilities``.

    Raises:
        ValueError: ``games`` is below 1.
        TypeError: ``agent`` or ``opponent`` is no player.
        InvalidActionError: a player's answer is not an action.
    """
    checked_integer("games", games, minimum=1)
    checked_number("confidence", confidence, 0, 1, open_low=True, open_high=True)
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    rng = np.random.default_rng(agent_seed)
    wins = [0, 0]
    draws = 0
    players = Seat(MatchedPlayer(agent, env)), Seat(MatchedPlayer(opponent, env))
    env.reset(seed=int(env_seed), options=options)
    for game in tqdm(range(games), "match", unit="game", disable=None if progress else True):
        if game:
            env.reset(options=options)
        seat = game % 2
        pair = players if seat == 0 else players[::-1]
        winner, _ = play_and_learn(env, pair, rng)
        draws += winner == DRAW
        wins[seat] += winner == seat
        if after_game is not None:
            after_game()
    base = env.unwrapped
    may_be_drawn = isinstance(base, GameEnv) and base.game.has_outcome
    score = (sum(wins) + (draws / 2 if may_be_drawn else 0)) / games
    by_seat = (games - games // 2, games // 2)
    return MatchResult(
        games=games,
        wins=(wins[0], wins[1]),
        draws=draws,
        games_by_seat=by_seat,
        win_rate=score,
        interval=_wilson(score, games, confidence),
        confidence=confidence,
        limit=_limit(env, opponent, by_seat) if limit and not options else None,
    )


def _wilson(score: float, games: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval of a mean score; with draws it is wider than need be."""
    from scipy.special import ndtri  # loading it takes as long as some matches

    z = ndtri(0.5 + 0.5 * confidence)
    denominator = 2 * (games + z**2)
    centre = (2 * games * score + z**2) / denominator
    half = z / denominator * math.sqrt(4 * games * score * (1 - score) + z**2)
    low = 0.0 if score == 0 else float(centre - half)
    return low, 1.0 if score == 1 else float(centre + half)


def _limit(env: Env, opponent: AnyPlayer, by_seat: tuple[int, int]) -> float | None:
    """Return the best possible player's expected score against ``opponent``, if computable."""
    base = env.unwrapped
    if not isinstance(base, GameEnv) or not isinstance(opponent, Policy):
        return None
    game = base.game
    if game.rules.num_positions > LARGEST_LIMIT:
        return None
    if base.encoding.name != "integer" or base.max_cycles is not None:
        return None
    try:
        response = best_response(opponent, env)
        positions, probabilities = game.start.sampler(game).support()
    except (SearchTooLargeError, TypeError):  # or its wrappers cannot be followed
        return None
    starts = game.rules.indices(positions)
    first = float(probabilities @ response.moving[starts])
    second = float(probabilities @ response.waiting[starts])
    return (by_seat[0] * first + by_seat[1] * second) / sum(by_seat)
