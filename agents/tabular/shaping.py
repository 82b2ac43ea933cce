"""Reward shaping, as a wrapper for any learner."""

from __future__ import annotations

from typing import Any

from agents.base import Learner, Transition
from agents.tabular.wrapper import CompiledWrapper, SavedWrapper
from nim_envs.compilation import compiled
from nim_envs.rules.convention import require_last_move
from nim_envs.typing import Array


@compiled
def nim_sum_bonus(heaps: Array, bonus: float) -> float:
    """Return ``bonus`` if the nim-sum of ``heaps``, ``(components,)``, is 0, else 0."""
    nim_sum = 0
    for heap in heaps:
        nim_sum ^= heap
    return bonus if nim_sum == 0 else 0.0


class SavedShaping(SavedWrapper):
    """Contents of the file of a learner with reward shaping."""

    bonus: float


class NimSumShaping(CompiledWrapper):
    """Gives a learner a bonus whenever its move leaves nim-sum 0.

    The bonus contains Bouton's theorem, so the results are not learned from the game
    alone. Observations must be heaps (``encoding="integer"``).

    Args:
        learner: learner that gets the bonus.
        bonus: amount added to the reward of such a move, in the units of the learner's rewards.

    Raises:
        TypeError: the learner's game has coordinates.
        InvalidGameError: it has an outcome of its own.

    Example:
        >>> from agents import QLearning
        >>> from nim_envs import GameEnv, make_game
        >>> env = GameEnv(make_game("nim"))
        >>> agent = NimSumShaping(QLearning.for_env(env), bonus=0.1)
    """

    def __init__(self, learner: Learner, bonus: float) -> None:
        super().__init__(learner)
        if self.game is not None:
            require_last_move(self.game.convention, "shaping by nim-sums")
        if self.game is not None and self.game.rules.has_coordinates:
            raise TypeError(
                f"shaping by nim-sums is for heaps, and {self.game.rules.name} has coordinates, "
                "whose nim-sum says nothing about who wins"
            )
        self._own_bonus = float(bonus)
        self.bonus += self._own_bonus

    def transform(self, transition: Transition) -> Transition:
        """Return the turn, with the bonus if the move leaves nim-sum 0."""
        bonus = nim_sum_bonus(transition.reply_observation, self._own_bonus)
        return transition._replace(bonus=transition.bonus + bonus)

    def saved(self) -> dict[str, Any]:
        """Return the contents of its file."""
        return {**super().saved(), "bonus": self._own_bonus}

    def restore(self, saved: dict[str, Any]) -> None:
        """Restore the result of :meth:`saved`."""
        if saved["bonus"] != self._own_bonus:
            raise ValueError(
                f"the saved learner has a bonus of {saved['bonus']}, this one {self._own_bonus}"
            )
        super().restore(saved)

    @classmethod
    def from_saved(cls, saved: SavedShaping) -> NimSumShaping:
        """Return the learner from the result of :meth:`saved`."""
        return cls(saved["learner"], saved["bonus"])
