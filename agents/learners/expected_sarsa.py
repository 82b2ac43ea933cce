"""Expected SARSA, from one turn of the mover to its next."""

from dataclasses import dataclass
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import largest_legal
from agents.tables import StepLearner, Turn


@inlined
def learn(learner: Any, moves: Moves, turn: Turn) -> None:
    """Q(s, a) += α [r + γ Σ_a' π(a' | s') Q(s', a') − Q(s, a)], π being epsilon-greedy.

    s' is the position at the mover's next turn, and r the reward from the move and the reply. Where
    the game has ended, r alone is the target; without a reply there is no update.

    References:
        R. S. Sutton & A. G. Barto, *Reinforcement Learning* (2nd ed.), section 6.6.
    """
    if turn.next_row >= 0:
        q, q_next = learner.table[turn.row], learner.table[turn.next_row]
        legal = moves.legal[turn.next_row, : moves.counts[turn.next_row]]
        expected = 0.0
        if len(legal):
            total = 0.0
            for action in legal:
                total += q_next[action]
            best = largest_legal(q_next, legal)
            expected = (1.0 - turn.epsilon) * best + turn.epsilon * total / len(legal)
        td_error = turn.reward + turn.reply_reward + learner.discount * expected - q[turn.action]
        q[turn.action] += learner.learning_rate * td_error


@dataclass(eq=False, repr=False)
class ExpectedSARSA(StepLearner):
    """Expected SARSA: bootstraps from the expectation under its policy at the mover's next turn.

    The opponent is part of the environment. In a truncated game it bootstraps from the position of
    the mover's next turn; a turn without a reply is skipped.

    Use it as the on-policy learner with the least variance, and to measure the cost of treating
    the opponent as part of the environment.

    Arguments and errors: :class:`agents.tables.StepLearner`. Set ``learning_rate=0.2``, as the
    benchmark does: with larger steps the values of exploring play do not settle.
    """

    learn = staticmethod(learn)
