"""Learning curves, visited positions, and the score of values on large boards."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import GameLearner, Learner, ScorableAgent, Transition
from agents.tabular.compiled_games.numba_intrinsics import without_reference_counts
from agents.tabular.index import sorted_index
from agents.tabular.position_values import GreedyValuePolicy
from agents.training import Env, TrainingLog, train
from nim_envs import Game, GameEnv
from nim_envs.compilation import compiled
from nim_envs.game import PLAYERS
from nim_envs.rules.compiled_moves import CompiledRules, index_after, write_position_after
from nim_envs.scoring import optimality
from nim_envs.typing import Array, FloatArray, IntArray, MaskArray, ValueArray
from nim_envs.validation import checked_integer

NO_GAMES = TrainingLog(np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int32), 0.0)


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

    games: npt.NDArray[np.int64]
    seconds: npt.NDArray[np.float64]
    percent: npt.NDArray[np.float64]
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
    def first_sustained(self) -> int | None:
        """Index of the first point from which the score stays 100 %; ``None`` if there is none."""
        below = np.flatnonzero(self.percent < 100)
        first = int(below[-1]) + 1 if len(below) else 0
        return first if first < len(self.percent) else None

    @property
    def games_to_sustained(self) -> int | None:
        """Games to the first sustained 100 %; ``None`` if it was not reached."""
        first = self.first_sustained
        return None if first is None else int(self.games[first])

    @property
    def seconds_to_sustained(self) -> float | None:
        """Training seconds to the first sustained 100 %; ``None`` if it was not reached."""
        first = self.first_sustained
        return None if first is None else float(self.seconds[first])


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

    Returns:
        The scores and the log of the training.

    Raises:
        ValueError: ``every`` is below 1.
        TypeError: a wrapper of ``env`` cannot be followed by scores.
    """
    checked_integer("every", every, minimum=1)
    learners: Sequence[Learner] = agents if isinstance(agents, tuple) else (agents,)
    sets = PLAYERS if len(learners) == 2 else ("all",)
    wrapped = env is not env.unwrapped and isinstance(env.unwrapped, GameEnv)
    scored: Any = env if wrapped else game
    points: list[tuple[int, float, float]] = []
    scoring = 0.0
    began = time.perf_counter()

    def curve(log: TrainingLog) -> LearningCurve:
        games, seconds, percent = zip(*points, strict=True) if points else ((), (), ())
        return LearningCurve(
            np.array(games, dtype=np.int64), np.array(seconds), np.array(percent), log
        )

    def score(games: int) -> bool:
        nonlocal scoring
        now = time.perf_counter()
        scores = [
            optimality(learner.greedy(), scored, positions)
            for learner, positions in zip(learners, sets, strict=True)
        ]
        weights = [score.count for score in scores]
        percent = float(np.average([score.percent for score in scores], weights=weights))
        points.append((games, now - began - scoring, percent))
        scoring += time.perf_counter() - now
        return stop is not None and stop(curve(NO_GAMES))

    log = train(
        env, agents, games, seed=seed, progress=progress, options=options, after_game=score,
        after_every=every,
    )  # fmt: skip
    compilation = time.perf_counter() - began - log.seconds
    finished = curve(log)
    return replace(finished, seconds=finished.seconds - compilation)


class LearnerWrapper:
    """Passes every call on to a learner.

    Args:
        learner: learner inside.

    Attributes:
        learner: as given.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._game_learner = learner if isinstance(learner, GameLearner) else None

    def __repr__(self) -> str:
        """Return the names of the wrapper and of the learner inside."""
        return f"{type(self).__name__}({self.learner!r})"

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return the learner's action."""
        return self.learner.act(observation, action_mask, rng)

    def begin_game(self) -> None:
        """Prepare the learner for a new game."""
        if self._game_learner is not None:
            self._game_learner.begin_game()

    def update(self, transition: Transition) -> None:
        """Let the learner learn from a turn."""
        self.learner.update(transition)

    def learn_from_game(self, transitions: Sequence[Transition]) -> None:
        """Let the learner learn from a game."""
        if self._game_learner is not None:
            self._game_learner.learn_from_game(transitions)

    def greedy(self) -> ScorableAgent:
        """Return the greedy policy of the learner."""
        return self.learner.greedy()


class VisitRecorder(LearnerWrapper):
    """A wrapper that records the positions at which the learner was to move.

    Args:
        learner: learner that acts and learns.

    Example:
        >>> from agents import QLearning
        >>> from agents.training import train
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim", heaps=(2,)))
        >>> learner = QLearning.for_env(env)
        >>> recorder = VisitRecorder(learner)
        >>> _ = train(env, recorder, 50, seed=0, progress=False)
        >>> recorder.positions.tolist()
        [[1], [2]]
    """

    def __init__(self, learner: Learner) -> None:
        super().__init__(learner)
        self._visited: set[tuple[int, ...]] = set()

    def update(self, transition: Transition) -> None:
        """Record the position and let the learner learn."""
        self._visited.add(tuple(transition.observation.tolist()))
        super().update(transition)

    @property
    def positions(self) -> IntArray:
        """The positions visited, ``(n, components)``, for :func:`optimality`."""
        return np.array(sorted(self._visited), dtype=np.int64)


CHUNK = 1 << 20
"""Positions whose outcomes are computed at a time."""


@compiled
def _score(
    values: Array,
    rules: CompiledRules,
    order: IntArray | None,
    solved: ValueArray,
    totals: FloatArray,
) -> None:
    """Sum the greedy policy's probabilities of a right move, and count the scored positions.

    Args:
        values: values of positions for the player to move, ``(num_positions,)``.
        rules: rules of the game as arrays.
        order: order in which components are sorted; ``None``: they are not.
        solved: true value of each position to the player to move, ``(num_positions,)``; -1 where
            a point of the lattice is not a position.
        totals: sum of probabilities, and count, ``(2,)``; updated in place.
    """
    rules = without_reference_counts(rules)
    components = len(rules.strides)
    position: IntArray = np.zeros(components, dtype=np.int64)
    following: IntArray = np.zeros(components, dtype=np.int64)
    for index in range(len(solved)):
        if solved[index] < 0:
            continue
        left = index
        for component in range(components):
            position[component] = left // rules.strides[component]
            left -= position[component] * rules.strides[component]
        least, ties, right = np.inf, 0, 0
        for component in range(components):
            before = position[component]
            for number in range(rules.legal_counts[component, before]):
                option = rules.legal_options[component, before, number]
                if order is None:
                    second_table = rules.second_table
                    after = index_after(rules, second_table, position, index, component, option)[0]
                    value = values[after]
                else:
                    after = write_position_after(
                        rules, position, index, component, option, following
                    )
                    value = values[sorted_index(following, rules.strides, order)]
                # The lower the value for the opponent, the better.
                if value > least:
                    continue
                if value < least:
                    least, ties, right = value, 0, 0
                ties += 1
                right += solved[after] == -solved[index]
        if ties:
            totals[0] += right / ties
            totals[1] += 1


def value_optimality(policy: GreedyValuePolicy, game: Game) -> float:
    """Return the optimality of a greedy policy over all positions that are not lost, in percent.

    The percentage equals that of :func:`nim_envs.optimality`, and is computed a hundred
    times faster and with one byte per position.

    Args:
        policy: greedy policy by a table of position values.
        game: the game that the values are of.
    """
    rules, solution = game.rules, game.old_solution
    solved = np.full(rules.num_positions, -1, dtype=np.int8)
    for first in range(0, len(solved), CHUNK):
        indices = np.arange(first, min(first + CHUNK, len(solved)), dtype=np.int64)
        points = rules.positions(indices)
        real = rules.is_position(points)
        solved[indices[real]] = solution.value(points[real])
    totals = np.zeros(2)
    known = policy.positions
    _score(known.values, known.rules, known.order, solved, totals)
    return float(100 * totals[0] / totals[1])
