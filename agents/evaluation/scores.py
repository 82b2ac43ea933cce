"""Exact scores of policies, and matches between agents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from agents.base import Agent, Array, FloatArray, Learner, MaskArray, Policy, Transition
from agents.players.random_agent import RandomAgent
from agents.training import DRAW, Env, play_and_learn
from nim_envs import Convention, Game, GameEnv
from nim_envs.errors import SearchTooLargeError
from nim_envs.theory.search import level_order, moves

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

SEATS = ("player_0", "player_1")
POSITION_SETS = ("all", "reachable", *SEATS)

LARGEST_LIMIT = 1 << 20
"""Positions above which a match comes without its attainable limit: it would take minutes."""

CHUNK_ENTRIES = 1 << 22
"""Positions are scored in pieces of about this many (position, action) pairs."""


@dataclass(frozen=True)
class Optimality:
    """How often a policy picks a winning move, over the N-positions of a set.

    Attributes:
        percent: mean probability of a move to a P-position, in percent; NaN if the set has no
            N-position.
        random_percent: the same of the random policy.
        illegal_percent: mean probability of an illegal move, in percent.
        positions: which set: ``"all"``, ``"reachable"``, ``"player_0"``, ``"player_1"`` or
            ``"given"``.
        count: number of N-positions in the set.
        fumbles: the N-positions where a most probable move does not win, int64
            ``(fumbles, components)``.
    """

    percent: float
    random_percent: float
    illegal_percent: float
    positions: str
    count: int
    fumbles: IntArray


def optimality(policy: Policy, game: Game, positions: str | npt.ArrayLike = "all") -> Optimality:
    """Score ``policy`` exactly: the mean probability of a winning move over the N-positions.

    P-positions do not count: every move loses there. Equal shares of a greedy policy's ties
    count as the fractions they are.

    Args:
        policy: an agent with ``action_probabilities``, such as ``learner.greedy()``.
        game: the game; observations are its positions (``encoding="integer"``).
        positions: ``"all"``; ``"reachable"`` by either player from the game's starts;
            ``"player_0"`` or ``"player_1"``, those that this player can be to move at; or an
            integer array ``(n, components)``.

    Returns:
        The score, with the random policy's beside it.

    Raises:
        ValueError: an unknown set of positions.
        TypeError: the agent has no ``action_probabilities``.
        InvalidPositionError: given positions that are not of this game.
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from agents import OptimalAgent
        >>> from nim_envs import make_game
        >>> game = make_game("addition", k=3, n=10)
        >>> score = optimality(OptimalAgent(game), game)
        >>> score.percent, score.count, round(score.random_percent, 1)
        (100.0, 8, 33.3)
    """
    if not isinstance(policy, Policy):
        raise TypeError(
            f"an exact score needs an agent with action_probabilities, which {policy!r} lacks"
        )
    name, chosen = _position_set(game, positions)
    rules, solution = game.rules, game.solution
    won = random_won = illegal = 0.0
    count = 0
    fumbles = [np.empty((0, len(rules.components)), dtype=np.int64)]
    random_policy = RandomAgent()
    for chunk in _chunks(chosen, rules.num_actions):
        winning_here = np.asarray(solution.is_winning(chunk)) & ~rules.is_terminal(chunk)
        here = chunk[winning_here]
        if not len(here):
            continue
        masks = rules.action_mask(here)
        winning = solution.winning_mask(here)
        probabilities = policy.action_probabilities(here, masks)
        won += float((probabilities * winning).sum())
        random_won += float((random_policy.action_probabilities(here, masks) * winning).sum())
        illegal += float((probabilities * (masks == 0)).sum())
        likeliest = probabilities == probabilities.max(axis=1, keepdims=True)
        fumbles.append(here[(likeliest & ~winning).any(axis=1)])
        count += len(here)

    def share(total: float) -> float:
        return 100.0 * total / count if count else math.nan

    return Optimality(
        share(won), share(random_won), share(illegal), name, count, np.concatenate(fumbles)
    )


def optimality_by_size(policy: Policy, game: Game) -> dict[int, Optimality]:
    """Score ``policy`` apart for every size of position.

    Args:
        policy: an agent with ``action_probabilities``.
        game: the game; observations are its positions.

    Returns:
        By size (the sum of a position's states: objects left, or the total), ascending, the
        score over the N-positions of that size; sizes without one are left out.

    Raises:
        TypeError: the agent has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    lattice = game.rules.lattice()
    sizes = lattice.sum(axis=1)
    scores = {
        int(size): optimality(policy, game, lattice[sizes == size]) for size in np.unique(sizes)
    }
    return {size: score for size, score in scores.items() if score.count}


class VisitRecorder:
    """A learner that also remembers the positions it was to move at.

    Args:
        learner: who learns.

    Example:
        >>> from agents import QLearning
        >>> from agents.training import train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(2,)))
        >>> learner = QLearning(env.observation_space("player_0"), env.action_space("player_0"))
        >>> recorder = VisitRecorder(learner)
        >>> _ = train(env, recorder, 50, seed=0, progress=False)
        >>> recorder.positions.tolist()
        [[1], [2]]
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._visited: set[tuple[int, ...]] = set()

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def update(self, transition: Transition) -> None:
        """Remember the position and let the learner learn."""
        self._visited.add(tuple(transition.observation.tolist()))
        self.learner.update(transition)

    def greedy(self) -> Policy:
        """Return what the learner has learned."""
        return self.learner.greedy()

    @property
    def positions(self) -> IntArray:
        """The positions visited, ``(n, components)``, for :func:`optimality`."""
        return np.array(sorted(self._visited), dtype=np.int64)


@dataclass(frozen=True)
class ValueAccuracy:
    """How well a guess of who wins tells N-positions from P-positions.

    Attributes:
        balanced: mean of the two recalls; 0.5 for always saying the same.
        n_recall: share of N-positions that were called so.
        p_recall: share of P-positions that were called so.
        plain: share of positions that were called right; about 0.9 for always saying "N".
    """

    balanced: float
    n_recall: float
    p_recall: float
    plain: float


def value_accuracy(winning: BoolArray, game: Game) -> ValueAccuracy:
    """Score a guess of who wins, over all positions that leave a legal move.

    Args:
        winning: whether each position is said to be an N-position, ``(num_positions,)`` by
            mixed-radix index; for action values, whether the best legal one is over 0.
        game: the game.

    Raises:
        ValueError: ``winning`` is of another shape.
        SearchTooLargeError: too many positions to enumerate.
    """
    if winning.shape != (game.rules.num_positions,):
        raise ValueError(
            f"winning must have shape ({game.rules.num_positions},), not {winning.shape}"
        )
    lattice = game.rules.lattice()
    playable = ~game.rules.is_terminal(lattice)
    truth = np.asarray(game.solution.is_winning(lattice))[playable]
    said = winning[game.rules.indices(lattice)][playable]
    n_recall = float(said[truth].mean()) if truth.any() else math.nan
    p_recall = float((~said[~truth]).mean()) if not truth.all() else math.nan
    return ValueAccuracy(
        (n_recall + p_recall) / 2, n_recall, p_recall, float((said == truth).mean())
    )


def _position_set(game: Game, positions: str | npt.ArrayLike) -> tuple[str, IntArray]:
    """The name of a set of positions, and its members ``(n, components)``."""
    rules = game.rules
    if not isinstance(positions, str):
        given = rules.checked_positions(positions)
        return "given", given.reshape(-1, len(rules.components))
    if positions == "all":
        return positions, rules.lattice()
    if positions not in POSITION_SETS:
        raise ValueError(f"positions must be one of {POSITION_SETS} or an array, not {positions!r}")
    by_seat = game.positions_by_seat()
    members = by_seat.any(axis=0) if positions == "reachable" else by_seat[SEATS.index(positions)]
    return positions, rules.positions(np.flatnonzero(members))


def _chunks(positions: IntArray, num_actions: int) -> Iterator[IntArray]:
    size = max(1, CHUNK_ENTRIES // num_actions)
    for first in range(0, len(positions), size):
        yield positions[first : first + size]


@dataclass(frozen=True)
class WinChances:
    """How often a player wins from every position, exactly.

    Attributes:
        moving: when it is to move, float64 ``(num_positions,)`` by mixed-radix index.
        waiting: when its opponent is to move.
    """

    moving: FloatArray
    waiting: FloatArray


def best_response(policy: Policy, game: Game) -> WinChances:
    """Compute how often an opponent that knows ``policy`` and plays best against it wins.

    Backward induction over all positions: the opponent takes the best option, the policy
    moves by its probabilities. It uses the rules alone, no theorem. Illegal moves of the
    policy forfeit.

    Args:
        policy: an agent with ``action_probabilities``.
        game: the game; observations are its positions.

    Returns:
        The winning probabilities of the best response.

    Raises:
        TypeError: the agent has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    if not isinstance(policy, Policy):
        raise TypeError(
            f"a best response needs an agent with action_probabilities, which {policy!r} lacks"
        )
    rules = game.rules
    rules.check_size(CHUNK_ENTRIES * 16)
    moving = np.zeros(rules.num_positions)
    waiting = np.zeros(rules.num_positions)
    # The player who cannot move wins in misère play: the last mover is the other one.
    stuck = float(game.convention is Convention.MISERE)
    size = max(1, CHUNK_ENTRIES // rules.num_actions)
    for level in level_order(rules):
        for first in range(0, len(level), size):
            indices = level[first : first + size]
            here = rules.positions(indices)
            probabilities = policy.action_probabilities(here, rules.action_mask(here))
            best = np.full(len(indices), -1.0)
            against = np.zeros(len(indices))
            kept = np.zeros(len(indices))
            for action, legal, after in moves(rules, indices):
                best[legal] = np.maximum(best[legal], waiting[after])
                against[legal] += probabilities[legal, action] * moving[after]
                kept[legal] += probabilities[legal, action]
            terminal = best < 0
            moving[indices] = np.where(terminal, stuck, best)
            waiting[indices] = np.where(terminal, 1 - stuck, against + (1 - kept))
    return WinChances(moving, waiting)


def win_chances(policy: Policy, opponent: Policy, game: Game) -> WinChances:
    """Compute how often ``policy`` wins against ``opponent`` from every position, exactly.

    Backward induction over all positions by the rules alone. Illegal moves forfeit.

    Args:
        policy: an agent with ``action_probabilities``.
        opponent: another one, or the same.
        game: the game; observations are its positions.

    Returns:
        The probabilities that ``policy`` wins, when it is to move and when it is not.

    Raises:
        SearchTooLargeError: too many positions to enumerate.

    Example:
        >>> from agents import OptimalAgent, RandomAgent
        >>> from nim_envs import make_game
        >>> game = make_game("nim", heaps=(2,))
        >>> win_chances(RandomAgent(), OptimalAgent(game), game).moving.tolist()
        [0.0, 1.0, 0.5]
    """
    rules = game.rules
    rules.check_size(CHUNK_ENTRIES * 16)
    moving, waiting = np.zeros((2, rules.num_positions))
    # The player who cannot move wins in misère play: the last mover is the other one.
    stuck = float(game.convention is Convention.MISERE)
    size = max(1, CHUNK_ENTRIES // rules.num_actions)
    for level in level_order(rules):
        for first in range(0, len(level), size):
            indices = level[first : first + size]
            here = rules.positions(indices)
            masks = rules.action_mask(here)
            ours, theirs = (
                player.action_probabilities(here, masks) * masks for player in (policy, opponent)
            )
            won = np.zeros(len(indices))
            lost = 1.0 - theirs.sum(axis=1)
            for action, legal, after in moves(rules, indices):
                won[legal] += ours[legal, action] * waiting[after]
                lost[legal] += theirs[legal, action] * moving[after]
            terminal = ~masks.any(axis=1)
            moving[indices] = np.where(terminal, stuck, won)
            waiting[indices] = np.where(terminal, 1 - stuck, lost)
    return WinChances(moving, waiting)


def beatable_share(policy: Policy, game: Game) -> float:
    """Return the share of N-positions that the policy, to move there, can be beaten from.

    The opponent knows the policy and has any chance at all of winning. 0 for the oracle.

    Args:
        policy: an agent with ``action_probabilities``.
        game: the game; observations are its positions.

    Raises:
        TypeError: the agent has no ``action_probabilities``.
        SearchTooLargeError: too many positions to enumerate.
    """
    lattice = game.rules.lattice()
    winnable = np.asarray(game.solution.is_winning(lattice)) & ~game.rules.is_terminal(lattice)
    waiting = best_response(policy, game).waiting[game.rules.indices(lattice)]
    return float((waiting[winnable] > 0).mean())


@dataclass(frozen=True)
class MatchResult:
    """The outcome of a match, as the first agent sees it.

    Attributes:
        games: games played.
        wins: games won by seat, ``(moving first, moving second)``.
        draws: games without a winner.
        games_by_seat: games played in each seat.
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
    """Play ``agent`` against ``opponent``, the two changing seats after every game.

    Args:
        env: a two-player turn-based environment.
        agent: moves first in games 1, 3, 5, …
        opponent: moves first in the others.
        games: number of games, at least 1.
        seed: seeds starts and choices; same seed, same result.
        confidence: of the interval, between 0 and 1.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``; with any there is no limit, as they may change
            the start.
        limit: whether to compute the attainable limit.

    Returns:
        The result, with the attainable limit beside it where ``env`` is one of this package
        with integer observations, plays the game's own starts and the opponent has
        ``action_probabilities``.

    Raises:
        ValueError: ``games`` is below 1.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    env_seed, agent_seed = np.random.SeedSequence(seed).generate_state(2)
    rng = np.random.default_rng(agent_seed)
    wins = [0, 0]
    draws = 0
    env.reset(seed=int(env_seed), options=options)
    for game in tqdm(range(games), desc="match", unit="game", disable=not progress):
        if game:
            env.reset(options=options)
        seat = game % 2
        pair = (agent, opponent) if seat == 0 else (opponent, agent)
        winner, _ = play_and_learn(env, pair, (None, None), rng)
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
    """The best possible player's expected win rate against ``opponent``, if computable."""
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
        raise ValueError(f"need 0 <= successes <= trials and a trial, not {successes} of {trials}")
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
