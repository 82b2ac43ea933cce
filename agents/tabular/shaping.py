"""Reward shaping that any learner can use; off unless asked for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.base import Array, IntArray, Learner, Transition
from agents.tabular.protocol import (
    FinishedGame,
    Turn,
    begin_game,
    choose,
    draw_numbers,
    implements,
    learn,
    learn_from_game,
    shaping_bonus,
)
from agents.tabular.wrapper import CompiledWrapper
from nim_envs.compilation import compiled


@compiled
def nim_sum_bonus(heaps: Array, bonus: float) -> float:
    """Return ``bonus`` if the nim-sum of ``heaps``, ``(components,)``, is 0, else 0."""
    nim_sum = 0
    for heap in heaps:
        nim_sum ^= heap
    return bonus if nim_sum == 0 else 0.0


class NimSumShapingState(NamedTuple):
    """What :class:`NimSumShaping` is to compiled self-play."""

    learner: Any  # the state of who is paid
    bonus: float


@implements(shaping_bonus, NimSumShapingState)
def _shaping_bonus(learner: NimSumShapingState, reply_observation: Array) -> float:
    return nim_sum_bonus(reply_observation, learner.bonus)


@implements(begin_game, NimSumShapingState)
def _begin_game(learner: NimSumShapingState) -> None:
    begin_game(learner.learner)


@implements(choose, NimSumShapingState)
def _choose(
    learner: NimSumShapingState,
    observation: Array,
    state: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    return choose(learner.learner, observation, state, legal_actions, first_move, epsilon, uniform)


@implements(draw_numbers, NimSumShapingState)
def _draw_numbers(
    learner: NimSumShapingState, finished_games: int, generator: np.random.Generator | None
) -> None:
    draw_numbers(learner.learner, finished_games, generator)


@implements(learn, NimSumShapingState)
def _learn(learner: NimSumShapingState, turn: Turn, epsilon: float, finished_games: int) -> None:
    learn(learner.learner, turn, epsilon, finished_games)


@implements(learn_from_game, NimSumShapingState)
def _learn_from_game(learner: NimSumShapingState, game: FinishedGame) -> None:
    learn_from_game(learner.learner, game)


class NimSumShaping(CompiledWrapper):
    """Pays a learner a bonus whenever its move leaves nim-sum 0.

    It tells the learner Bouton's theorem by way of rewards: what is learned with it was not
    learned from the game alone. Observations must be heaps (``encoding="integer"``).

    Args:
        learner: who is paid.
        bonus: paid beside the reward of such a move, in the units of the learner's rewards.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim"))
        >>> agent = NimSumShaping(QLearning.for_env(env), bonus=0.1)
    """

    def __init__(self, learner: Learner, bonus: float) -> None:
        super().__init__(learner)
        self.bonus = float(bonus)

    @property
    def state(self) -> NimSumShapingState:
        """The learner's state and the bonus."""
        return NimSumShapingState(self.inner.state, self.bonus)

    def changed(self, transition: Transition) -> Transition:
        """Return the turn with the bonus, where it is due."""
        bonus = nim_sum_bonus(transition.reply_observation, self.bonus)
        return transition._replace(bonus=transition.bonus + bonus)

    def saved(self) -> dict[str, Any]:
        """Return what a file holds of it."""
        return {**super().saved(), "bonus": self.bonus}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go back to where :meth:`saved` was called."""
        if saved["bonus"] != self.bonus:
            raise ValueError(
                f"the saved learner was paid a bonus of {saved['bonus']}, this one {self.bonus}"
            )
        super().restore(saved)

    @classmethod
    def from_saved(cls, saved: dict[str, Any]) -> NimSumShaping:
        """Return the learner that :meth:`saved` was called of."""
        return cls(saved["learner"], saved["bonus"])
