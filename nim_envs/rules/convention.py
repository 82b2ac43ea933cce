"""Normal and misère play: the one place that decides who wins."""

from __future__ import annotations

from enum import Enum


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
