"""The log of a training run: who won each game, and its length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DRAW = -1
"""The winner of a game without one: drawn by the rules, or truncated."""


@dataclass(frozen=True)
class TrainingLog:
    """The games of a training run.

    Attributes:
        winners: seat that won each game, or ``DRAW``; int8 ``(games,)``.
        lengths: number of moves of each game; int32 ``(games,)``.
        seconds: wall-clock time of environment and learning, without compilation: it begins before
            the first compiled game, or after the first game that is played step by step.
    """

    winners: npt.NDArray[np.int8]
    lengths: npt.NDArray[np.int32]
    seconds: float

    def __repr__(self) -> str:
        """Return the number of games, their time and the wins of each seat."""
        if not self.games:
            return "TrainingLog(no games)"
        return (
            f"TrainingLog({self.games} games in {self.seconds:.2f} s, {self.lengths.mean():.1f} "
            f"moves each; player_0 won {100 * (self.winners == 0).mean():.1f} %)"
        )

    @property
    def games(self) -> int:
        """Number of games played."""
        return len(self.winners)


class TrainingStopped(KeyboardInterrupt):
    """Raised by Ctrl-C in a training run.

    Attributes:
        log: log of the games finished before.
    """

    def __init__(self, log: TrainingLog) -> None:
        super().__init__(f"stopped after {log.games} games")
        self.log = log
