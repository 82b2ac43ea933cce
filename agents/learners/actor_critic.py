"""One-step actor-critic for alternating moves."""

from dataclasses import dataclass
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.tables import CriticLearner, Turn, follow_gradient


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """δ = r − γ V(s') − V(s);  V(s) += β δ;  H(s, b) += α δ [1{b = a} − π(b | s)] for legal b.

    γ has a minus sign because the opponent is to move at s', the position after the move; V(s')
    counts as 0 where the game has ended there. H are the preferences, whose softmax is π: see
    :func:`agents.tables.follow_gradient`.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 13.5.
    """
    row, values, preferences = turn.row, learner.critic, learner.preferences[turn.row]
    v_next = values[turn.reply_row] if moves.counts[turn.reply_row] else 0.0
    td_error = turn.reward - values[row] - learner.discount * v_next
    values[row] += learner.critic_rate * td_error
    legal, step = moves.legal[row, : moves.counts[row]], learner.actor_rate * td_error
    follow_gradient(preferences, turn.action, legal, 1.0, step, learner.buffer)


@dataclass(eq=False, repr=False)
class ActorCritic(CriticLearner):
    """One-step actor-critic with a table of values for the player to move.

    Where a game is truncated, it bootstraps from the last position.

    Use it to study policy gradients with a learned baseline, without a network.

    Arguments and errors: :class:`agents.tables.CriticLearner`.
    """

    learn = staticmethod(learn)
