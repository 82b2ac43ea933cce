"""TD(0) on values of afterstates: from the position after a move to the one after the reply."""

from dataclasses import dataclass, field
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import SHARE, STEP, AfterstateLearner, Turn


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """V(s') += α [−r − γ V(s'') − V(s')] for s' after the move and s'' after the opponent's reply.

    Values are for the player to move: the opponent at s', hence −r, and the mover at s''. r is the
    reward from the move and the reply. Where the game has ended, −r alone is the target; without a
    reply there is no update.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.8.
    """
    if turn.next_row >= 0:
        values, row = learner.values, turn.reply_row
        reward = turn.reward + turn.reply_reward
        v_next = 0.0 if turn.ended else values[turn.next_row]
        values[row] += learner.learning_rate * (-reward - learner.discount * v_next - values[row])


@dataclass(eq=False, repr=False)
class SampledAfterstateTD(AfterstateLearner):
    """Learns values of afterstates (positions after moves) from the replies in the games played.

    It uses the rules to choose a move, by looking one move ahead, but not to learn: its values
    come from replies and results alone. Where a game is truncated, it bootstraps from the position
    after the reply; a turn without a reply is skipped.

    Use it to measure the benefit of afterstates, one value for each position instead of one for
    each action, without the rules in the update.

    Args:
        discount: factor of the value after the reply, 0 to 1.

    Other arguments and errors: :class:`agents.tables.AfterstateLearner`.
    """

    learning_rate: float = field(default=0.3, metadata=STEP)
    discount: float = field(default=1.0, metadata=SHARE)

    learn = staticmethod(learn)
