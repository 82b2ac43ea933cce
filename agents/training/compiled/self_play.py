"""The compiled road of training: which runs it can take, and how it takes them."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from agents.base import Agent, IntArray, Learner
from agents.learners.afterstate import AfterstateTD
from agents.tabular.index import ObservationIndex
from agents.tabular.schedules import Exploration
from agents.tabular.shaping import NimSumShaping
from agents.tabular.symmetry import HeapSymmetry, Symmetry
from agents.training.compiled.games import compiled_rows, play_games
from nim_envs import Game, GameEnv
from nim_envs.compilation import announced_compilation
from nim_envs.theory.grundy import levels


@runtime_checkable
class CompiledLearner(Learner, Protocol):
    """A learner with a compiled form; see :mod:`agents.training.compiled.games`."""

    def compiled_state(self, longest_game: int) -> Any:
        """Return its state, a ``NamedTuple`` whose arrays are its own.

        Args:
            longest_game: largest number of moves in a game.
        """
        ...


class SelfPlay:
    """Plays blocks of games in compiled code; same games and tables as the step-by-step loop.

    Args:
        env: an environment that was reset.
        pair: the learner of each seat.
        options: of every reset.
    """

    def __init__(
        self,
        env: GameEnv,
        pair: tuple[CompiledLearner, CompiledLearner],
        options: dict[str, Any] | None,
    ) -> None:
        self._env = env
        self._learners = pair[:1] if pair[0] is pair[1] else pair
        self._options = options
        self._begun = False
        rules = env.game.rules
        longest = sum(int(levels(component).max()) for component in rules.components)
        states = [learner.compiled_state(longest) for learner in self._learners]
        self._states = (states[0], states[-1])
        symmetry = _symmetry(pair[0])
        self._rows = compiled_rows(env.game, symmetry)
        self._order = symmetry.order if symmetry else np.empty(0, dtype=np.int64)
        unused = np.random.default_rng(0)
        self._generators = [getattr(_inner(learner), "rng", unused) for learner in pair]
        self._explorations = [_exploration(learner) for learner in pair]
        with announced_compilation("self-play of " + type(pair[0]).__name__):
            self._play(np.empty((0, len(rules.shape)), dtype=np.int64), unused, *_results(0))

    def continue_run(self) -> None:
        """Say that the next game is not the first: it starts where the next reset would."""
        self._begun = True

    def play(
        self,
        rng: np.random.Generator,
        winners: npt.NDArray[np.int8],
        lengths: npt.NDArray[np.int32],
    ) -> None:
        """Play as many games as ``winners`` has room for; the first from where ``env`` is.

        Args:
            rng: the players' source of randomness.
            winners: changed in place, ``(games,)``.
            lengths: changed in place, ``(games,)``.
        """
        games = len(winners)
        if self._begun:
            starts = self._env.next_starts(games, self._options)
        else:
            self._begun = True
            later = self._env.next_starts(games - 1, self._options)
            starts = np.concatenate([self._env.position[np.newaxis], later])
        self._play(starts, rng, winners, lengths)

    def _play(
        self,
        starts: IntArray,
        rng: np.random.Generator,
        winners: npt.NDArray[np.int8],
        lengths: npt.NDArray[np.int32],
    ) -> None:
        ended = np.array([exploration.ended for exploration in self._explorations])
        play_games(
            self._states[0],
            self._states[1],
            len(self._learners) == 1,
            self._rows,
            self._order,
            np.ascontiguousarray(starts),
            np.stack([exploration.ahead(len(starts)) for exploration in self._explorations]),
            ended,
            rng,
            self._generators[0],
            self._generators[1],
            winners,
            lengths,
        )
        # One learner of both seats is counted in the first row alone.
        for number in range(len(self._learners)):
            self._explorations[number].finish_many(ended[number].tolist())


def _inner(agent: Any) -> Any:
    """The learner inside wrappers such as reward shaping, or the agent itself."""
    while hasattr(agent, "learner"):
        agent = agent.learner
    return agent


def _symmetry(agent: Any) -> Symmetry | None:
    """The symmetry by which a learner sees positions, if any."""
    return agent.symmetry if isinstance(agent, HeapSymmetry) else None


def _exploration(learner: Any) -> Exploration:
    """The learner's exploration; a constant one that nobody looks at where it has none."""
    exploration = getattr(_inner(learner), "exploration", None)
    return exploration if exploration is not None else Exploration(0.0)


def _results(games: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    return np.empty(games, dtype=np.int8), np.empty(games, dtype=np.int32)


def compiled_road(
    env: Any, pair: tuple[Agent, Agent], options: dict[str, Any] | None
) -> SelfPlay | None:
    """Return the compiled road for a run, or ``None`` where it must go step by step.

    It can be taken in self-play of learners with a compiled form, in one of this package's
    environments without wrappers, limits or pictures, whose observations are positions.
    """
    if (
        type(env) is not GameEnv
        or env.encoding.name != "integer"
        or env.max_cycles is not None
        or env.render_mode is not None
    ):
        return None
    if not all(_fits(agent, env.game) for agent in pair):
        return None
    if (_symmetry(pair[0]) is None) != (_symmetry(pair[1]) is None):
        return None  # each would have to see positions of its own
    return SelfPlay(env, pair, options)  # type: ignore[arg-type]


def _fits(agent: Agent, game: Game) -> bool:
    """Whether an agent has a compiled form, and tables for just this game."""
    inner = agent
    while isinstance(inner, (HeapSymmetry, NimSumShaping)):
        if isinstance(inner, HeapSymmetry) and (
            inner is not agent or inner.game.rules != game.rules
        ):
            return False
        inner = inner.learner
    if not isinstance(inner, CompiledLearner):
        return False
    if isinstance(inner, AfterstateTD):
        return (inner.game.rules, inner.game.convention) == (game.rules, game.convention)
    index = getattr(inner, "index", None)
    return (
        isinstance(index, ObservationIndex)
        and index.offset == 0
        and index.size == game.rules.num_positions
        and np.array_equal(index.strides, game.rules.strides)
    )
