"""The natural policy gradient of a softmax table, for alternating moves."""

from __future__ import annotations

from dataclasses import dataclass

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import softmax
from agents.tables import CriticLearner, CriticState, Turn
from nim_envs.typing import Array, FloatArray


@inlined
def natural_policy_gradient_td_error(
    q: FloatArray,
    action: int,
    reward: float,
    discount: float,
    q_next: FloatArray,
    probabilities_next: FloatArray,
    legal: Array,
) -> float:
    """Q(s, a) += β [r − γ Σ_b π(b | s') Q(s', b) − Q(s, a)];  H(s, ·) += α A(s, ·).

    The advantage is A(s, b) = Q(s, b) − Σ_c π(c | s) Q(s, c), and π the softmax of H. γ has a minus
    sign because the opponent is to move at s'.

    Args:
        q: Q(s, ·), ``(actions,)``.
        action: a.
        reward: r.
        discount: γ.
        q_next: Q(s', ·), ``(actions,)``, at the position after the move.
        probabilities_next: π(· | s'), ``(actions,)``.
        legal: legal actions at s'; none where the game has ended, so that r alone is the target.

    Returns:
        The TD error, in square brackets.

    References:
        S. Kakade, "A natural policy gradient", *NeurIPS* (2001); A. Agarwal et al., "On the
        theory of policy gradient methods", *JMLR* 22 (2021), section 5.
    """
    target = reward
    for other in legal:
        target -= discount * probabilities_next[other] * q_next[other]
    td_error: float = target - q[action]
    return td_error


@inlined
def expected_value(values: FloatArray, probabilities: FloatArray, legal: Array) -> float:
    """Return Σ_b π(b | s) Q(s, b) over the legal actions."""
    mean = 0.0
    for action in legal:
        mean += probabilities[action] * values[action]
    return mean


@inlined
def learn(learner: CriticState, moves: Moves, turn: Turn) -> None:
    """Apply :func:`natural_policy_gradient_td_error` to Q(s, a), and the advantage to H(s, ·)."""
    probabilities, row, reply_row = learner.probabilities, turn.row, turn.reply_row
    legal = moves.legal[row, : moves.counts[row]]
    replies = moves.legal[reply_row, : moves.counts[reply_row]]
    preferences, q = learner.preferences[row], learner.critic[row]
    softmax(learner.preferences[reply_row], replies, 1.0, probabilities)
    td_error = natural_policy_gradient_td_error(
        q, turn.action, turn.reward, learner.discount, learner.critic[reply_row], probabilities,
        replies,
    )  # fmt: skip
    q[turn.action] += learner.critic_rate * td_error
    softmax(preferences, legal, 1.0, probabilities)
    mean = expected_value(q, probabilities, legal)
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
