"""Who wins: the value of positions without moves, in the one place that decides it.

The value is that to the player to move: -1 everywhere in normal play, 1 everywhere in misère play,
and listed by the rules in games with an outcome of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from nim_envs.errors import InvalidGameError
from nim_envs.typing import IntArray, ValueArray

if TYPE_CHECKING:
    from nim_envs.rules.rules import Rules


class Convention(Enum):
    """Whether the player who makes the last move wins (normal play) or loses (misère play)."""

    NORMAL = "normal"
    MISERE = "misere"

    @classmethod
    def from_misere(cls, misere: bool) -> Convention:
        """Return misère play if ``misere`` is true, else normal play."""
        return cls.MISERE if misere else cls.NORMAL

    @property
    def in_words(self) -> str:
        """Who wins, such as ``"whoever makes the last move wins"``."""
        return f"whoever makes the last move {'wins' if self is Convention.NORMAL else 'loses'}"

    @property
    def play(self) -> str:
        """``"normal play"`` or ``"misère play"``."""
        return "normal play" if self is Convention.NORMAL else "misère play"

    @property
    def last_mover_wins(self) -> bool:
        """Whether the player who makes the last move wins."""
        return self is Convention.NORMAL

    @property
    def last_movers_reward(self) -> float:
        """Reward of the player who makes the last move, 1 or -1; the other gets the opposite."""
        return 1.0 if self.last_mover_wins else -1.0

    def winner(self, last_mover: int) -> int:
        """Return the seat (0 or 1) that wins when seat ``last_mover`` made the last move."""
        return last_mover if self is Convention.NORMAL else 1 - last_mover

    def end_values(self, rules: Rules, positions: IntArray) -> ValueArray:
        """Return the values of positions without moves to the player to move, all 1 or all -1.

        Args:
            rules: rules of the game.
            positions: positions without a legal move, ``(..., components)``.

        Returns:
            int8 ``(...)``.
        """
        return np.full(positions.shape[:-1], -1 if self.last_mover_wins else 1, dtype=np.int8)


@dataclass(frozen=True)
class ListedOutcome:
    """A finished game is won, drawn or lost as its rules list it, whoever moved last.

    All instances are equal: the values are part of the rules, as ``end_values`` of the component.
    """

    value = "outcome"

    @property
    def in_words(self) -> str:
        """Who wins, in words."""
        return "the position in which play ends says who wins, or that the game is drawn"

    @property
    def play(self) -> str:
        """``"play by outcome"``."""
        return "play by outcome"

    def end_values(self, rules: Rules, positions: IntArray) -> ValueArray:
        """Return the values of positions without moves to the player to move: 1, 0 or -1.

        Args:
            rules: rules of the game, with ``end_values``.
            positions: positions without a legal move, ``(..., 1)``.

        Returns:
            int8 ``(...)``.
        """
        (component,) = rules.components
        assert component.end_values is not None
        return np.asarray(component.end_values[component.place_of(positions[..., 0])])


LISTED_OUTCOME = ListedOutcome()

AnyConvention = Convention | ListedOutcome
"""Who wins a game: the last move, or an outcome of its own."""


def require_last_move(convention: AnyConvention, feature: str) -> Convention:
    """Return ``convention``, which must be normal or misère play.

    Args:
        convention: convention of a game.
        feature: name of the theory that needs it, the beginning of the message.

    Raises:
        InvalidGameError: the game has an outcome of its own.
    """
    if isinstance(convention, ListedOutcome):
        raise InvalidGameError(
            f"{feature} needs a game that is decided by the last move, in normal or misère play; "
            "this one has an outcome of its own"
        )
    return convention
