"""Real-time dynamic programming: value iteration at the positions of the games played."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import AfterstateLearner, Turn
from nim_envs.typing import Array, FloatArray, Int32Array, IntArray
from nim_envs.validation import checked_boolean


class Predecessors(NamedTuple):
    """The positions one move before each row: ``rows[first[row]:first[row + 1]]``."""

    rows: Int32Array
    first: IntArray  # (rows + 1,)


@inlined
def sweep_back(
    values: FloatArray, predecessors: Predecessors | None, row: int, learning_rate: float
) -> None:
    """V(p) += α max(−V(s) − V(p), 0) for all p one move before s, after V(s) has decreased.

    The player to move at p can move to s, so V(p) is at least −V(s). This is one step of the
    backward sweep of prioritised sweeping.

    References:
        A. W. Moore & C. G. Atkeson, "Prioritized sweeping: reinforcement learning with less
        data and less time", *Machine Learning* 13 (1993), 103-130; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 8.4.
    """
    if predecessors is not None:
        target = -values[row]
        for place in range(predecessors.first[row], predecessors.first[row + 1]):
            before = predecessors.rows[place]
            value = values[before]
            if value < target:
                values[before] = value + learning_rate * (target - value)


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """V(s) += α [max_a −V(s'(a)) − V(s)] over all legal actions a at s, s'(a) by the rules.

    With α = 1 this is value iteration. V is for the player to move, and 1 at most, so the maximum
    is not sought beyond a value of 1. With sweeping, :func:`sweep_back` follows a decrease.

    References:
        A. G. Barto, S. J. Bradtke & S. P. Singh, "Learning to act using real-time dynamic
        programming", *Artificial Intelligence* 72 (1995), 81-138; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 8.7.
    """
    values, row, learning_rate = learner.values, turn.row, learner.learning_rate
    value, best = values[row], -np.inf
    for action in moves.legal[row, : moves.counts[row]]:
        best = max(best, -values[learner.after[row, action]])
        if best >= 1.0:  # no value is larger
            break
    values[row] = value + learning_rate * (best - value)
    if values[row] < value:
        sweep_back(values, learner.predecessors, row, learning_rate)


@dataclass(eq=False, repr=False)
class RealTimeDynamicProgramming(AfterstateLearner):
    """Learns values of positions for the player to move, from all moves at each position played.

    It uses the rules, for the moves at a position and the values of terminal positions, but no
    theorem. It does not use rewards, so a truncated game is learned from like any other.

    Use it on large boards where the rules may be used: one visit to a position evaluates all its
    moves.

    Args:
        sweeping: whether a decrease of a position's value immediately updates the positions one
            move before it.

    Other arguments and errors: :class:`agents.tables.AfterstateLearner`.
    """

    sweeping: bool = False

    learn = staticmethod(learn)

    def check(self) -> None:
        """Check the arguments."""
        super().check()
        checked_boolean("sweeping", self.sweeping)

    def initial_tables(self, rows: int, actions: int) -> dict[str, Array]:
        """Return values of 0, but at positions without moves."""
        own: Any = self.rows
        return {"values": np.where(own.moves.counts, 0.0, own.end_values)}

    def constants(self) -> dict[str, Any]:
        """Return numbers, the row after each action, and those before, for sweeping."""
        constants = super().constants()
        before = predecessors(constants["after"]) if self.sweeping else None
        return {**constants, "predecessors": before}


def predecessors(after: Int32Array) -> Predecessors:
    """Return the positions one move before each row, each of them once."""
    ordered = np.sort(after, axis=1)  # a position that several actions reach comes once
    is_new = ordered >= 0
    is_new[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
    before = np.nonzero(is_new)[0].astype(np.int32)
    reached = ordered[is_new]
    counts = np.bincount(reached, minlength=len(after))
    order = np.argsort(reached, kind="stable")
    return Predecessors(before[order], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
