"""Measurements of training, interval by interval: results, lengths, entropy, optimality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agents.base import Agent, Policy, Trainable
from agents.opponents import as_pair
from agents.rows import GameRows
from agents.training import TrainingLog
from nim_envs import Game
from nim_envs.game import PLAYERS
from nim_envs.scoring import optimality
from nim_envs.typing import FloatArray, IntArray
from nim_envs.validation import checked_integer


@dataclass(frozen=True)
class Entropy:
    """The mean entropy of each seat's moves, in nats.

    Attributes:
        policy: mean entropy of each seat's policy, float64 ``(2,)``; NaN for a seat that never
            moves.
        uniform: mean logarithm of the number of legal actions, the largest possible ``policy``,
            float64 ``(2,)``; in the addition game ``log k``.
    """

    policy: FloatArray
    uniform: FloatArray


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
    graph = GameRows(game).graph
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

    The optimality of the greedy policy is that over all N-positions for one learner, and for one in
    each seat that over those at which its seat can be to move.

    It draws no random numbers and changes nothing, so a run with it ends in the same tables.
    Give it to :func:`agents.training.train` as ``after_game``, with its ``every`` as
    ``after_every``.

    Args:
        agents: as for :func:`agents.training.train`: one for both seats, or one for each.
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
        self,
        agents: Agent | tuple[Agent, Agent] | list[Agent],
        game: Game,
        *,
        every: int = 500,
    ) -> None:
        checked_integer("every", every, minimum=1)
        GameRows(game)  # a game that is too large is refused before the training
        game.starts.sampler(game).support()
        self.every = every
        self._game = game
        first, second = as_pair(agents)
        self._policies: tuple[Policy, Policy] | None = None
        if isinstance(first, Policy) and isinstance(second, Policy) and not game.has_cycles:
            self._policies = first, second
        # By the set of positions to score it over.
        players = {"all": first} if first is second else {PLAYERS[0]: first, PLAYERS[1]: second}
        self._scored = {
            name: agent for name, agent in players.items() if isinstance(agent, Trainable)
        }
        self._entropies: dict[int, Entropy] = {}
        self._percents: dict[int, dict[str, float]] = {}

    def __call__(self, games: int) -> None:
        """Measure the learners as they are after ``games`` games."""
        if self._policies is not None:
            self._entropies[games] = mean_entropy(self._policies, self._game)
        self._percents[games] = {
            name: optimality(learner.greedy(), self._game, name).percent
            for name, learner in self._scored.items()
        }

    def measurements(self, log: TrainingLog) -> TrainingMeasurements:
        """Return the measurements, with the results of ``log``.

        Args:
            log: log of the run, complete or up to the game after which it was stopped.
        """
        games = np.array([*range(self.every, log.games, self.every), log.games], dtype=np.int64)
        games = games[games > 0]
        if log.games and log.games not in self._percents:
            self(log.games)  # stopped, or resumed at its end: the learners have not changed since
        firsts = np.concatenate([[0], games[:-1]]).astype(np.int64)[: len(games)]
        counts = games - firsts

        def mean(values: npt.NDArray[np.generic]) -> FloatArray:
            sums = np.add.reduceat(values.astype(np.float64), firsts) if len(games) else firsts
            return np.asarray(sums / counts)

        none = np.full(2, np.nan)
        unknown = Entropy(none, none)
        entropies = [self._entropies.get(end, unknown) for end in games.tolist()]
        return TrainingMeasurements(
            games=games,
            win_rates=np.stack([mean(log.winners == seat) for seat in range(2)]),
            lengths=mean(log.lengths),
            entropies=np.array([entropy.policy for entropy in entropies]).reshape(-1, 2).T,
            uniform_entropies=np.array([e.uniform for e in entropies]).reshape(-1, 2).T,
            optimality={
                name: np.array(
                    [self._percents.get(end, {}).get(name, np.nan) for end in games.tolist()]
                )
                for name in self._scored
            },
        )
