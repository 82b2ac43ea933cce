"""Measurements of training: results, lengths, entropy and optimality, and learning curves."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent, Learner, Policy, Trainable
from agents.loop import Env
from agents.opponents import as_pair
from agents.rows import graph_of
from agents.training import TrainingLog, train
from nim_envs import Game, GameEnv
from nim_envs.game import PLAYERS
from nim_envs.scoring import Optimality, optimality
from nim_envs.typing import Array, FloatArray, IntArray
from nim_envs.validation import checked_integer


def scores_of(agents: Any, game: Any) -> dict[str, Optimality]:
    """Return the score of each learner's greedy policy, by the set of positions.

    These are all for one learner, and for one in each seat those at which it can be to move.
    """
    pair = as_pair(agents)
    players = {"all": pair[0]} if pair[0] is pair[1] else dict(zip(PLAYERS, pair, strict=True))
    return {
        name: optimality(agent.greedy(), game, name)
        for name, agent in players.items()
        if isinstance(agent, Trainable)
    }


class Entropy(NamedTuple):
    """The mean entropy of each seat's moves, in nats, float64 ``(2,)``."""

    policy: FloatArray = np.full(2, np.nan)
    """Mean entropy of each seat's policy; NaN for a seat that never moves."""
    uniform: FloatArray = np.full(2, np.nan)
    """Mean logarithm of the number of legal actions, the largest possible ``policy``."""


def mean_entropy(policies: tuple[Policy, Policy], game: Game) -> Entropy:
    """Compute the exact mean entropy of each seat's moves in games between two policies.

    Each position is weighted by the probability that the seat is to move there, in a game from
    ``game.starts`` that both play by their ``action_probabilities``. Nothing is sampled: the mean
    over the moves of many such games converges to this value.

    Args:
        policies: policy of each seat; it may be the same one.
        game: rules and start; observations are its positions.

    Raises:
        SearchTooLargeError: too many positions, or starts, to enumerate.
        InvalidGameError: play may never end.

    Example:
        >>> from agents import OptimalAgent, RandomAgent
        >>> from nim_envs import make_game
        >>> game = make_game("addition", k=3, n=10)
        >>> mean_entropy((OptimalAgent(game), RandomAgent()), game).policy.round(4).tolist()
        [0.0, 1.0986]
    """
    game.check_ends("mean_entropy")
    graph = graph_of(game)
    visits = np.zeros((2, graph.num_positions))  # probability that a seat is to move there
    positions, probabilities = game.starts.sampler(game).support()
    np.add.at(visits[0], graph.find(positions), probabilities)
    entropy, uniform, count = np.zeros((3, 2))
    for level in reversed([*graph.levels()]):
        rows = level[visits[:, level].any(axis=0)]
        observations, masks = graph.positions(rows), graph.mask(rows)
        where, actions = np.nonzero(masks)
        for seat, policy in enumerate(policies if len(rows) else ()):
            probabilities = policy.action_probabilities(observations, masks)
            weights = visits[seat, rows]
            logarithms = np.log(np.where(probabilities > 0, probabilities, 1.0))
            entropy[seat] -= weights @ (probabilities * logarithms).sum(axis=1)
            uniform[seat] += weights @ np.log(masks.sum(axis=1, dtype=np.int64))
            count[seat] += weights.sum()
            after = graph.after[rows[where], actions]
            np.add.at(visits[1 - seat], after, weights[where] * probabilities[where, actions])
    count[count == 0] = np.nan
    return Entropy(entropy / count, uniform / count)


@dataclass(frozen=True)
class TrainingMeasurements:
    """Measurements of a training run, in intervals of equally many games.

    Attributes:
        games: number of games played by the end of each interval, int64 ``(intervals,)``; the
            last interval may be shorter.
        win_rates: share of the interval's games that each seat won, float64 ``(2, intervals)``.
        lengths: mean number of moves in a game of the interval, float64 ``(intervals,)``.
        entropies: :func:`mean_entropy` of the behaviour policies, exploration included, at the
            end of each interval, float64 ``(2, intervals)``, in nats; NaN where not measured,
            where an agent has no ``action_probabilities``, and where play may never end.
        uniform_entropies: the same for the uniform policy at the positions that they reach.
        optimality: optimality of the greedy policy at the end of each interval, in percent,
            float64 ``(intervals,)``, by the set of positions: ``"all"``, or each learner's seat;
            NaN at intervals where not measured, and empty if never measured.
    """

    games: IntArray
    win_rates: FloatArray
    lengths: FloatArray
    entropies: FloatArray
    uniform_entropies: FloatArray
    optimality: dict[str, FloatArray]

    @property
    def first_seat_advantage(self) -> FloatArray:
        """Win rate of ``player_0`` minus that of ``player_1``, from -1 to 1, ``(intervals,)``."""
        return np.asarray(self.win_rates[0] - self.win_rates[1])


class TrainingRecorder:
    """Measures the learners during training.

    It draws no random numbers and changes nothing, so a run with it ends in the same tables.
    Give it to :func:`agents.training.train` as ``after_game``, ``every`` as ``after_every``.

    Args:
        agents: one for both seats, scored over all N-positions, or one for each, scored over those
            at which its seat can be to move.
        game: rules and start of the training games; observations are its positions.
        every: number of games in an interval.

    Raises:
        ValueError: ``every`` is below 1.
        TypeError: neither an agent nor a pair of them.
        SearchTooLargeError: the game has too many positions to enumerate.

    Example:
        >>> from agents import GradientBandit
        >>> from agents.training import train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("addition", k=3, n=10))
        >>> pair = GradientBandit(env.game), GradientBandit(env.game)
        >>> recorder = TrainingRecorder(pair, env.game, every=1000)
        >>> log = train(
        ...     env, pair, 20_000, seed=0, progress=False,
        ...     after_game=recorder, after_every=recorder.every,
        ... )
        >>> measured = recorder.measurements(log)
        >>> bool(measured.entropies[0, 0] > measured.entropies[0, -1])
        True
        >>> {seat: percent[-1].item() for seat, percent in measured.optimality.items()}
        {'player_0': 100.0, 'player_1': 100.0}
    """

    def __init__(
        self, agents: Agent | tuple[Agent, Agent] | list[Agent], game: Game, *, every: int = 500
    ) -> None:
        self.every = checked_integer("every", every, minimum=1)
        graph_of(game)  # a game that is too large is refused before the training
        game.starts.sampler(game).support()
        self._game = game
        self._pair: Any = as_pair(agents)
        self._has_entropy = not game.has_cycles and all(isinstance(a, Policy) for a in self._pair)
        self._measured: dict[int, tuple[Entropy, dict[str, float]]] = {}

    def __call__(self, games: int) -> None:
        """Measure the learners as they are after ``games`` games."""
        entropy = mean_entropy(self._pair, self._game) if self._has_entropy else Entropy()
        scores = scores_of(self._pair, self._game)
        self._measured[games] = entropy, {name: each.percent for name, each in scores.items()}

    def measurements(self, log: TrainingLog) -> TrainingMeasurements:
        """Return the measurements, with the results of ``log``.

        Args:
            log: log of the run, complete or up to the game after which it was stopped.
        """
        ends = [*range(self.every, log.games, self.every), log.games] if log.games else []
        if ends and log.games not in self._measured:
            self(log.games)  # stopped, or resumed at its end: the learners have not changed since

        def means(values: Array) -> FloatArray:
            return np.array([values[first:end].mean() for first, end in pairwise([0, *ends])])

        measured = [self._measured.get(end, (Entropy(), {})) for end in ends]
        entropies = np.array([entropy for entropy, _ in measured]).reshape(-1, 2, 2)
        names = [*measured[-1][1]] if measured else []
        return TrainingMeasurements(
            games=np.array(ends, dtype=np.int64),
            win_rates=np.stack([means(log.winners == seat) for seat in range(2)]),
            lengths=means(log.lengths),
            entropies=entropies[:, 0].T,
            uniform_entropies=entropies[:, 1].T,
            optimality={
                name: np.array([percents.get(name, np.nan) for _, percents in measured])
                for name in names
            },
        )


@dataclass(frozen=True)
class LearningCurve:
    """Scores of the greedy policy during training.

    Attributes:
        games: games played when each score was taken, int64 ``(points,)``.
        seconds: training time by then, without scoring and compilation, float64 ``(points,)``.
        percent: optimality of the greedy policy, float64 ``(points,)``; with one learner for each
            seat, the mean over both seats' positions.
        log: winners and lengths of all games of the run.
    """

    games: IntArray
    seconds: FloatArray
    percent: FloatArray
    log: TrainingLog

    def __repr__(self) -> str:
        """Return the last score, and the game from which it stayed at 100 %."""
        if not len(self.games):
            return "LearningCurve(no points)"
        since = self.games_to_sustained
        perfect = "" if since is None else f"; 100 % from {since} games on"
        return (
            f"LearningCurve({len(self.games)} points, {self.percent[-1]:.1f} % after "
            f"{self.games[-1]} games{perfect})"
        )

    @property
    def games_to_sustained(self) -> int | None:
        """Games to the first score from which it stays 100 %; ``None`` if it was not reached."""
        return next(iter(self.games[self._sustained].tolist()), None)

    @property
    def seconds_to_sustained(self) -> float | None:
        """Training seconds by then; ``None`` if it was not reached."""
        return next(iter(self.seconds[self._sustained].tolist()), None)

    @property
    def _sustained(self) -> slice:
        """The points after the last one below 100 %."""
        return slice(int(np.max(np.flatnonzero(self.percent < 100), initial=-1)) + 1, None)


def learning_curve(
    env: Env,
    agents: Learner | tuple[Learner, Learner],
    game: Game,
    games: int,
    *,
    seed: int,
    every: int,
    progress: bool = True,
    options: dict[str, Any] | None = None,
    stop: Callable[[LearningCurve], bool] | None = None,
) -> LearningCurve:
    """Train in self-play and score the greedy policy at intervals.

    Scoring draws no random numbers, so the learners end as they do after
    :func:`agents.training.train`.

    Args:
        env: environment to train in.
        agents: one learner for both seats, scored over all N-positions, or one for each seat,
            scored over those at which that seat can be to move.
        game: the game of ``env``, for the scores; these are of its process where it has wrappers.
        games: number of games to play.
        seed: seeds the environment's starts and the agents' choices.
        every: games between two scores; there is always a score after the last game.
        progress: whether to show a progress bar.
        options: passed to every ``env.reset``.
        stop: called after every score with the curve so far; the run ends if it returns true.

    Raises:
        ValueError: ``every`` is below 1.
        TypeError: no agent learns, or a wrapper of ``env`` cannot be followed by scores.
    """
    checked_integer("every", every, minimum=1)
    if not any(isinstance(agent, Trainable) for agent in as_pair(agents)):
        raise TypeError(f"there is no learner to score in {agents!r}")
    wrapped = env is not env.unwrapped and isinstance(env.unwrapped, GameEnv)
    points: list[tuple[float, ...]] = []
    scoring = 0.0
    began = time.perf_counter()

    def curve(log: TrainingLog) -> LearningCurve:
        games, seconds, percent = np.array(points).reshape(-1, 3).T
        return LearningCurve(games.astype(np.int64), seconds, percent, log)

    def score(games: int) -> bool:
        nonlocal scoring
        now = time.perf_counter()
        scores = [*scores_of(agents, env if wrapped else game).values()]
        weights = [score.count for score in scores]
        percent = float(np.average([score.percent for score in scores], weights=weights))
        points.append((games, now - began - scoring, percent))
        scoring += time.perf_counter() - now
        so_far = TrainingLog(np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int32), 0.0)
        return stop is not None and stop(curve(so_far))

    log = train(
        env, agents, games, seed=seed, progress=progress, options=options, after_game=score,
        after_every=every,
    )  # fmt: skip
    compilation = time.perf_counter() - began - log.seconds
    finished = curve(log)
    return replace(finished, seconds=finished.seconds - compilation)
