"""The natural policy gradient of a softmax table, for alternating moves."""

from dataclasses import dataclass
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import softmax
from agents.tables import CriticLearner, Turn


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """Q(s, a) += β [r − γ Σ_b π(b | s') Q(s', b) − Q(s, a)];  H(s, ·) += α A(s, ·).

    The advantage is A(s, b) = Q(s, b) − Σ_c π(c | s) Q(s, c), and π the softmax of H. γ has a minus
    sign because the opponent is to move at s', the position after the move. Where the game has
    ended, r alone is the target.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    probabilities, row, reply_row = learner.buffer, turn.row, turn.reply_row
    legal = moves.legal[row, : moves.counts[row]]
    replies = moves.legal[reply_row, : moves.counts[reply_row]]
    preferences, q = learner.preferences[row], learner.critic[row]
    softmax(learner.preferences[reply_row], replies, 1.0, probabilities)
    target = turn.reward
    for other in replies:
        target -= learner.discount * probabilities[other] * learner.critic[reply_row, other]
    q[turn.action] += learner.critic_rate * (target - q[turn.action])
    softmax(preferences, legal, 1.0, probabilities)
    mean = 0.0
    for other in legal:
        mean += probabilities[other] * q[other]
    for other in legal:
        preferences[other] += learner.actor_rate * (q[other] - mean)


@dataclass(eq=False, repr=False)
class NaturalPolicyGradient(CriticLearner):
    """Natural policy gradient with a table of action values as its critic.

    Where a game is truncated, it bootstraps from the last position.

    Use it as the policy gradient that comes closest to optimal play here: for a table of
    preferences, the natural gradient is the advantage itself.

    Arguments and errors: :class:`agents.tables.CriticLearner`.
    """

    learn = staticmethod(learn)
    criticises_actions = True
