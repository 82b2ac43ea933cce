"""Watkins's Q(λ), offline: λ-returns of finished games, from one turn of the mover to its next."""

from dataclasses import dataclass, field
from typing import Any

from agents.compiling import inlined
from agents.rows import Moves
from agents.selection import largest_legal
from agents.tables import SHARE, STEP, Episode, StepLearner


@inlined
def learn_from_game(learner: Any, moves: Moves, episode: Episode) -> None:
    """Q(s, a) += α [G − Q(s, a)], G = r + γ [(1 − λ) max_a' Q(s', a') + λ G'], last turn first.

    r is the reward from the move and the reply, s' the position at the mover's next turn and G' the
    return from there. If the action taken at s' was not greedy, the return is cut there:
    G = r + γ max_a' Q(s', a'). At the last turn, G = r.

    References:
        C. Watkins, *Learning from Delayed Rewards* (1989), chapter 12; R. S. Sutton & A. G. Barto,
        *Reinforcement Learning* (2nd ed.), section 12.10, and section 12.1 for offline returns.
    """
    table = learner.table
    return_next, value_next, is_greedy_next = 0.0, 0.0, False  # of the turn after this one
    for turn in range(len(episode.rows) - 1, -1, -1):
        row, action = episode.rows[turn], episode.actions[turn]
        decay = learner.trace_decay if is_greedy_next else 0.0
        mixed = (1.0 - decay) * value_next + decay * return_next
        return_next = episode.rewards[turn] + learner.discount * mixed
        # The values are those before this game, as no position occurs twice in it.
        value_next = largest_legal(table[row], moves.legal[row, : moves.counts[row]])
        is_greedy_next = table[row, action] == value_next
        table[row, action] += learner.learning_rate * (return_next - table[row, action])


@dataclass(eq=False, repr=False)
class WatkinsQLambda(StepLearner):
    """Q-learning by λ-returns that are cut at the first action that was not greedy.

    The opponent is part of the environment. It learns when a game has ended; from a truncated game
    it learns nothing.

    Use it to study multi-step returns: the result of a game updates all positions from the last
    action that was not greedy on.

    Args:
        trace_decay: λ, 0 (Q-learning with the own-turn bootstrap) to 1 (results of greedy play).

    Other arguments and errors: :class:`agents.tables.StepLearner`.
    """

    learning_rate: float = field(default=0.3, metadata=STEP)
    trace_decay: float = field(default=0.8, metadata=SHARE)

    learn_episode = staticmethod(learn_from_game)
