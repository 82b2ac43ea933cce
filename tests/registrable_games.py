"""Games of a user's own, at the top level of a module as a user would write them."""

from dataclasses import dataclass, replace

import numpy as np

from nim_envs import Game, game_from_moves
from nim_envs.rules import Component, Convention, CoordinateSystem, MoveWords, Rules
from nim_envs.rules.component import NO_MOVE


def stairs(steps=6, *, most=2):
    """Go down some of a number of steps."""

    def moves(position):
        (left,) = position
        return [(taken, (left - taken,)) for taken in range(1, most + 1) if taken <= left]

    return game_from_moves("stairs", (steps,), moves)


def misere_stairs(steps=5):
    """Return the same in misère play."""
    return replace(stairs(steps), misere=True)


def any_stairs(steps=5, misere=True):
    """Return the stairs in either convention: in normal play there is one step more."""
    return misere_stairs(steps) if misere else stairs(steps + 1)


STAIRS = replace(misere_stairs(4), starts=(3,))


@dataclass(frozen=True)
class Queen(Component):
    """A queen at any point of a board moves towards the corner (0, 0)."""

    side: int  # points of a side

    kind = "queen"

    @property
    def coordinate_system(self):
        return CoordinateSystem((self.side, self.side), picture="piece")

    @property
    def words(self):
        return QueenWords(self.side)

    @property
    def states(self):
        return self.side**2

    @property
    def options(self):
        return 3 * (self.side - 1)

    def successors(self, states):
        state = np.asarray(states)[..., np.newaxis]
        left, down = state % self.side, state // self.side  # how far it can go
        steps = ((left, 1), (down, self.side), (np.minimum(left, down), self.side + 1))
        n = np.arange(1, self.side)
        return np.concatenate(
            [np.where(n <= far, state - n * step, NO_MOVE) for far, step in steps], axis=-1
        )

    def legal_count(self, states):
        place = self.coordinate_system.of(np.asarray(states))
        return place.sum(axis=-1) + place.min(axis=-1)


@dataclass(frozen=True)
class QueenWords(MoveWords):
    """Moves of the queen in words."""

    side: int

    def describe(self, option, state=None):
        way, amount = divmod(option, self.side - 1)
        return f"{('left', 'down', 'both')[way]} {amount + 1}"


def golden_ratio(coordinates, fields):
    """W. A. Wythoff, "A modification of the game of Nim" (1907)."""
    small, large = coordinates.min(axis=1), coordinates.max(axis=1)
    return small != np.floor((large - small) * (1 + 5**0.5) / 2)


def wythoff(side=9):
    """Return Wythoff's game on a board of any size."""
    rules = Rules("wythoff", (Queen(side),), initial=(side - 1, side - 1))
    return Game(rules, Convention.NORMAL, theorem=golden_ratio)
