"""The check of random draws: opponents against the solution, sampled actions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from nim_envs.envs.opponents import NAMED_OPPONENTS
from nim_envs.errors import ConformanceError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.testing.positions import is_small, some_positions
from nim_envs.testing.requirements import require, shown
from nim_envs.testing.turns import first_of, positions_reached

FALSE_ALARM = 1e-6
"""Largest probability that correct draws fail the check."""

FEW = 10
"""Most starts drawn where the opponent is not judged."""

Chances = npt.NDArray[np.float64]


class Tally:
    """Scores of draws, from 0 to 1, and their expectation."""

    def __init__(self) -> None:
        self.scored = self.expected = self._variance = 0.0

    def add(self, scores: Chances, chances: Chances, drawn: BoolArray) -> None:
        """Add one draw.

        Args:
            scores: scores of all outcomes, ``(n,)``.
            chances: probabilities of the outcomes, ``(n,)``.
            drawn: outcomes that it may have been, ``(n,)``, as only the result may be visible.
        """
        mean = float(chances @ scores)
        self.scored += float(chances[drawn] @ scores[drawn] / chances[drawn].sum())
        self.expected += mean
        self._variance += float(chances @ (scores - mean) ** 2)

    def too_far(self) -> bool:
        """Return whether the sum is farther from its expectation than chance allows.

        By Bernstein's inequality a sum of independent scores with variance ``v`` is off by ``t``
        or more, to one side, with probability ``exp(-t**2 / (2 * v + 2 * t / 3))`` at most.
        """
        level = math.log(2 / FALSE_ALARM)
        limit = level / 3 + math.sqrt((level / 3) ** 2 + 2 * self._variance * level)
        return abs(self.scored - self.expected) > limit


def ranks(number: int) -> Chances:
    """Return scores that reveal a preference for the first or the last outcome."""
    return np.arange(number) / max(number - 1, 1)


class Replies:
    """Judges the moves of a named or numbered opponent by the solution of the game.

    An optimal opponent draws among the winning actions, or among all where none wins; a random one
    among all; a number is the probability of a random move. Others are not judged.

    Args:
        env: the environment, wrapped or not; or several of them.
        game: the game that is played.
    """

    def __init__(self, env: Any, game: Game) -> None:
        self._rules = game.rules
        self._opponent = opponent = first_of(env).opponent
        self._epsilon: float | None = None
        if isinstance(opponent, str):
            self._epsilon = NAMED_OPPONENTS[opponent]
        elif isinstance(opponent, (int, float)):
            self._epsilon = float(opponent)
        self._solution = None
        if self._epsilon is not None and (self._epsilon < 1 or is_small(game.rules)):
            with suppress(SearchTooLargeError):
                self._solution = game.solution
        self._winning, self._ranks = Tally(), Tally()
        self._choices: dict[bytes, tuple[IntArray, IntArray, Chances, Chances]] = {}

    def starts(self, number: int) -> Iterator[IntArray]:
        """Yield starts from which an opponent's moves are judged: no first move ends the game.

        Args:
            number: most starts; fewer where the opponent is not judged.
        """
        if self._epsilon is None:
            number = min(number, FEW)
        for position in some_positions(self._rules, number, playable=True):
            if not self._rules.is_terminal(positions_reached(self._rules, position)).any():
                yield position

    def turn(self, position: IntArray, action: int, after: IntArray, where: str) -> None:
        """Judge the reply in a step that was checked, if there was one.

        Args:
            position: position before the step.
            action: action of the step.
            after: position afterwards.
            where: beginning of the message.
        """
        rules = self._rules
        if self._epsilon is not None and rules.action_mask(position)[action]:
            own = rules.step(position, np.array(action))
            if not (after == own).all():
                self.move(own, after, where)

    def move(self, before: IntArray, after: IntArray, where: str) -> None:
        """Judge a move of the opponent.

        Args:
            before: position before the move.
            after: position afterwards.
            where: beginning of the message.
        """
        if self._epsilon is None:
            return
        key = before.tobytes()
        choice = self._choices.get(key)
        if choice is None:
            choice = self._choices[key] = self._choice(before, self._epsilon)
        legal, reached, wins, chances = choice
        drawn = (reached == after).all(axis=1)
        if not chances[drawn].any():
            raise ConformanceError(
                f"{where}, the opponent {self._opponent!r} moved from {before.tolist()} to "
                f"{after.tolist()}, and the actions that it draws from are "
                f"{shown(legal[chances > 0])}"
            )
        self._winning.add(wins, chances, drawn)
        self._ranks.add(ranks(len(legal)), chances, drawn)

    def _choice(
        self, position: IntArray, epsilon: float
    ) -> tuple[IntArray, IntArray, Chances, Chances]:
        """Legal actions, positions that they lead to, 1 where they win, and probabilities."""
        legal = np.flatnonzero(self._rules.action_mask(position))
        wins = np.zeros(len(legal), dtype=np.bool_)
        if self._solution is not None:
            wins = np.isin(legal, self._solution.winning_actions(position))
        chosen = wins if wins.any() else ~wins
        chances = epsilon / len(legal) + (1 - epsilon) * chosen / chosen.sum()
        reached = positions_reached(self._rules, position)
        return legal, reached, wins.astype(np.float64), chances

    def check(self) -> None:
        """Check how often winning actions were drawn, and first and last ones."""
        require(
            not self._winning.too_far(),
            f"the opponent {self._opponent!r} made {self._winning.scored:.0f} winning moves, where "
            f"about {self._winning.expected:.0f} are expected",
        )
        require(
            not self._ranks.too_far(),
            f"the opponent {self._opponent!r} does not draw evenly: on a scale from the first "
            f"action, 0, to the last, 1, its moves sum to {self._ranks.scored:.0f}, where about "
            f"{self._ranks.expected:.0f} is expected",
        )
