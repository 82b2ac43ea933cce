"""The functions that a table learner consists of, and their arguments.

A learner's state is a ``NamedTuple`` of its arrays and numbers. Its class names the functions of
that state in a :class:`LearningRule`. Compiled loops of whole games
(:func:`agents.tabular.compiled_games.play.self_play_loop`) and, one call at a time,
:class:`agents.tabular.learner.TabularLearner` call these. There is no second version of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from agents.base import Transition
from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray

Function = Callable[..., Any]


class Decision(NamedTuple):
    """The numbers on which a choice of an action depends.

    The arrays are arguments of their own: as fields they would slow compiled games down.
    """

    state: int  # index of the observation
    first_move: bool  # whether this is the learner's first move of the game
    epsilon: float  # probability of a random action, for learners that use it
    uniform: float  # random number that draws the action, in [0, 1)


class UpdateContext(NamedTuple):
    """The numbers on which learning from a turn depends besides the turn itself."""

    state: int  # index of the turn's observation
    reply_state: int  # index of the reply's observation, after the move
    next_state: int  # index of the observation at the mover's next turn
    epsilon: float  # current probability of a random action, for learners that use it
    finished_games: int  # number of games that the learner has finished


class FinishedGame(NamedTuple):
    """All turns of one seat in a game that has ended."""

    states: IntArray  # (turns,)
    # (turns,): each turn's row of legal_actions, which may have rows for all positions of the game.
    rows: IntArray
    legal_actions: Array  # (rows, actions): the legal ones first, ascending
    legal_counts: IntArray  # (rows,): number of legal actions
    actions: IntArray  # (turns,)
    rewards: FloatArray  # (turns,): from its own move and the reply
    result: float  # result of the game for the seat: 1 won, -1 lost, 0 drawn


@dataclass(frozen=True)
class LearningRule:
    """The functions of a learner, which both training loops call.

    Each takes the state of the learner first, is a function of a module, not of another function,
    and is decorated with ``@compiled(inline=True)``. Compiled loops are built from these functions
    and loaded from disk by their names. Arrays of the state are changed in place.

    Args:
        choose: ``choose(state, observation, legal_actions, decision)`` returns an action, given the
            observation of the mover, ``(components,)``, its legal actions, ascending, and a
            :class:`Decision`.
        learn: ``learn(state, turn, context)`` learns from a turn whose reply is known, or after
            which the game has ended or was truncated: a :class:`agents.base.Transition` and an
            :class:`UpdateContext`.
        learn_from_game: ``learn_from_game(state, game)`` learns from a :class:`FinishedGame`. It is
            not called for truncated games. A learner that plays both seats gets two: first the
            turns of the last mover.
        begin_game: ``begin_game(state)`` clears the data of the previous game, before the first
            move of every game.
        draw_numbers: ``draw_numbers(state, finished_games, generator)`` draws the random numbers
            for ``learn`` into a buffer of the state, from the learner's own generator. It is called
            before every ``learn``; by the step-by-step loop in plain Python, as passing a generator
            to compiled code takes longer than learning from a turn.
    """

    choose: Function
    learn: Function | None = None
    learn_from_game: Function | None = None
    begin_game: Function | None = None
    draw_numbers: Function | None = None


@compiled(inline=True)
def do_nothing(learner: Any, *_: Any) -> None:
    """Stand in for a function that a rule does not have."""


@compiled(inline=True)
def legal_at(lists: Any, row: int) -> Array:
    """Return the legal actions in a row of arrays ``legal_actions`` and ``legal_counts``."""
    return lists.legal_actions[row, : lists.legal_counts[row]]  # type: ignore[no-any-return]


@compiled(inner=True)
def is_unanswered(turn: Transition) -> bool:
    """Return whether the game was truncated after the move, before the opponent's reply."""
    return turn.truncated and len(turn.next_legal_actions) == 0
