"""The fast path of training: conditions for its use, and blocks of compiled games."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent
from agents.tabular.compiled_games.play import Block, Board, empty_records, self_play_loop
from agents.tabular.compiled_games.position_rows import are_listed, rows_of
from agents.tabular.learner import TabularLearner
from nim_envs import GameEnv
from nim_envs.compilation import announced_compilation
from nim_envs.theory.longest_play import longest_play
from nim_envs.typing import IntArray


class CompiledSelfPlay:
    """Plays blocks of games in compiled code; same games and tables as the step-by-step loop.

    Args:
        env: environment after a reset.
        pair: learner of each seat.
        options: options of every reset.
        resumed: whether the position of ``env`` has been played from; else the next game starts
            there, and only later ones where the next resets would.
        by_coordinates: whether the learners number the coordinates of positions.
    """

    def __init__(
        self,
        env: GameEnv,
        pair: tuple[TabularLearner, TabularLearner],
        options: dict[str, Any] | None,
        resumed: bool = False,
        by_coordinates: bool = False,
    ) -> None:
        self._env = env
        self._options = options
        self._start_used = resumed
        rules = env.game.rules
        first, second = pair[0], None if pair[0] is pair[1] else pair[1]
        self._learners = [learner for learner in (first, second) if learner is not None]
        self._play_games = self_play_loop(first.rule, second and second.rule)
        self._states = first.state, second and second.state
        self._generators = first.generator, second and second.generator
        self._by_coordinates = by_coordinates
        rows = rows_of(env.game, by_coordinates=by_coordinates)
        recorded = any(learner.learns_from_games for learner in self._learners)
        self._board = Board(
            rows,
            empty_records(rows, longest_play(rules)) if recorded else None,
        )
        # A block of no games compiles the loop.
        none = np.empty(0, dtype=np.int8), np.empty(0, dtype=np.int32)
        with announced_compilation("self-play of " + type(pair[0]).__name__):
            self._play(
                np.empty((0, len(rules.shape)), dtype=np.int64), np.random.default_rng(0), *none
            )

    def play(
        self,
        rng: np.random.Generator,
        winners: npt.NDArray[np.int8],
        lengths: npt.NDArray[np.int32],
    ) -> None:
        """Play ``len(winners)`` games; the first game of a run begins at the position of ``env``.

        Args:
            rng: generator of the players' choices.
            winners: buffer for the winner of each game, ``(games,)``.
            lengths: buffer for the number of moves of each game, ``(games,)``.
        """
        games = len(winners)
        if self._start_used:
            starts = self._env.next_starts(games, self._options)
        else:
            self._start_used = True
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
        if not self._by_coordinates:
            starts = self._env.game.rules.positions_at(starts)
        explorations = [learner.exploration for learner in self._learners]
        by_seat = np.array([exploration.games_by_seat for exploration in explorations])
        epsilons = np.stack([each.next_epsilons(len(starts)) for each in explorations])
        block = Block(
            np.ascontiguousarray(starts), epsilons, by_seat, by_seat.max(axis=1), winners, lengths
        )
        self._play_games(self._states, self._generators, self._board, block, rng)
        for exploration, games in zip(explorations, by_seat.tolist(), strict=True):
            exploration.set_games(games)


def compiled_self_play(
    env: Any, pair: tuple[Agent, Agent], options: dict[str, Any] | None, *, resumed: bool = False
) -> CompiledSelfPlay | None:
    """Return the fast path for a run, or ``None`` if the run has to be played step by step.

    It is for self-play of table learners, in environments of ``nim_envs`` without wrappers,
    limits or pictures, whose observations are positions.

    Learners made for the space of coordinates have an entry for each point of their box. They play
    compiled games where the box is small enough to list it.

    Args:
        env: environment after a reset.
        pair: agent of each seat.
        options: options of every reset.
        resumed: whether the run is resumed; see :class:`CompiledSelfPlay`.

    Warns:
        UserWarning: the box of coordinates is too large, or of one of the learners alone.
    """
    if (
        type(env) is not GameEnv
        or env.encoding.name != "integer"
        or env.max_cycles is not None
        or env.render_mode is not None
    ):
        return None
    learners = [agent for agent in pair if isinstance(agent, TabularLearner)]
    if len(learners) < 2:
        return None
    by_coordinates = [learner for learner in learners if learner.fits_coordinates(env.game)]
    if by_coordinates:
        rules = env.game.rules
        listed = are_listed(rules, rules.fields)
        if listed and len(by_coordinates) == len(learners):
            return CompiledSelfPlay(env, (learners[0], learners[1]), options, resumed, True)
        why = "which the other has not" if listed else "which are too many to list"
        warnings.warn(
            "games are played step by step, a hundred times slower than in compiled code: "
            f"{by_coordinates[0]!r} has an entry for each of the {math.prod(rules.fields)} points "
            f"in the box of coordinates of {rules.name}, {why}. Made by for_env(env) it has one "
            "for each position, and plays compiled games",
            stacklevel=3,
        )
        return None
    if not all(learner.fits(env.game) for learner in learners):
        return None
    return CompiledSelfPlay(env, (learners[0], learners[1]), options, resumed)
