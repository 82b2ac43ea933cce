"""The functions that a table learner implements, for both training loops.

A learner's state is a ``NamedTuple`` of its arrays and numbers. Its class names the functions of
that state in a :class:`LearningRule`. The functions :func:`choose`, :func:`learn` and the others of
this module call those of the rule that the state belongs to: from compiled loops of whole games
and, one call at a time, from :class:`agents.tabular.learner.TabularLearner`. There is no second
version of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from nim_envs.compilation import compiled
from nim_envs.typing import Array, FloatArray, IntArray

Function = Callable[..., Any]


class Turn(NamedTuple):
    """One turn of one seat: a :class:`agents.base.Transition` with numbered states."""

    seat: int
    observation: Array  # (components,)
    state: int  # number of the observation
    legal_actions: IntArray  # ascending
    action: int
    reward: float
    bonus: float  # added by reward shaping, not part of the reward
    reply_observation: Array
    reply_state: int  # state after the move, at which the opponent replies
    reply_legal_actions: IntArray  # empty where the game has ended
    reply_reward: float
    next_state: int  # state at the mover's next turn
    next_legal_actions: IntArray  # empty where the game has ended or there was no reply
    terminated: bool  # whether the game has ended
    truncated: bool  # whether the game was truncated
    epsilon: float  # present probability of a random action, for learners that use it
    finished_games: int  # number of games that the learner has finished


class Decision(NamedTuple):
    """The numbers on which a choice of an action depends.

    The arrays are arguments of their own: as fields they would slow compiled games down.
    """

    state: int  # number of the observation
    first_move: bool  # whether this is the learner's first move of the game
    epsilon: float  # probability of a random action, for learners that use it
    uniform: float  # random number that draws the action, in [0, 1)


class FinishedGame(NamedTuple):
    """All turns of one seat in a game that has ended."""

    states: IntArray  # (turns,)
    rows: IntArray  # (turns,): index in legal_actions and legal_counts; see legal_in
    legal_actions: Array  # (rows, actions): the legal ones first, ascending
    legal_counts: IntArray  # (rows,): number of legal actions
    actions: IntArray  # (turns,)
    rewards: FloatArray  # (turns,): from its own move, the reply and reward shaping
    result: float  # result of the game for the seat: 1 won, -1 lost, 0 drawn


def begin_game(learner: Any) -> None:
    """Clear the data of the previous game; called before the first move of every game.

    Args:
        learner: state of the learner.
    """
    function_of(type(learner), begin_game)(learner)


def choose(learner: Any, observation: Array, legal_actions: IntArray, decision: Decision) -> int:
    """Return an action.

    Args:
        learner: state of the learner.
        observation: observation of the mover, ``(components,)``.
        legal_actions: legal actions, ascending.
        decision: number of the observation, and the random number that draws the action.
    """
    function = function_of(type(learner), choose)
    return int(function(learner, observation, legal_actions, decision))


def draw_numbers(learner: Any, finished_games: int, generator: np.random.Generator | None) -> None:
    """Draw the random numbers for :func:`learn` into the learner's buffer.

    It is called before every :func:`learn`; by the step-by-step loop in plain Python, as passing a
    generator to compiled code takes longer than learning from a turn.

    Args:
        learner: state of the learner.
        finished_games: number of games that the learner has finished.
        generator: the learner's own generator; ``None``: it has none.
    """
    function_of(type(learner), draw_numbers)(learner, finished_games, generator)


def learn(learner: Any, turn: Turn) -> None:
    """Learn from one turn.

    Args:
        learner: state of the learner, whose arrays change in place.
        turn: turn whose reply is known, or after which the game has ended or was truncated.
    """
    function_of(type(learner), learn)(learner, turn)


def learn_from_game(learner: Any, game: FinishedGame) -> None:
    """Learn from a game that has ended; it is not called for truncated games.

    Args:
        learner: state of the learner, whose arrays change in place.
        game: turns of one seat. A learner that plays both seats is called twice, first with the
            turns of the last mover.
    """
    function_of(type(learner), learn_from_game)(learner, game)


@compiled(inner=True)
def legal_in(game: FinishedGame, turn: int) -> Array:
    """Return the legal actions at a turn of ``game``, ascending."""
    row = game.rows[turn]
    return game.legal_actions[row, : game.legal_counts[row]]


@compiled(inner=True)
def is_unanswered(turn: Turn) -> bool:
    """Return whether the game was truncated before the opponent's reply."""
    return turn.truncated and len(turn.next_legal_actions) == 0


def _do_nothing(learner: Any, *_: Any) -> None:
    pass


@dataclass(frozen=True)
class LearningRule:
    """The functions of a learner, which both training loops call.

    Each takes the arguments of the function of the same name in this module, and is compiled into
    the loop that calls it.

    Args:
        state: class of the learner's state, a ``NamedTuple`` of this rule only.
        choose: chooses an action.
        learn: learns from one turn.
        learn_from_game: learns from a game that has ended.
        begin_game: clears the data of the previous game.
        draw_numbers: draws the random numbers for ``learn``.
    """

    state: type
    choose: Function
    learn: Function | None = None
    learn_from_game: Function | None = None
    begin_game: Function | None = None
    draw_numbers: Function | None = None

    def __post_init__(self) -> None:
        """Register the rule for the loops."""
        _RULES[self.state] = self


_RULES: dict[type, LearningRule] = {}


def rule_of(state_type: type) -> LearningRule:
    """Return the rule for states of a type."""
    return _RULES[state_type]


def function_of(state_type: type, function: Function) -> Function:
    """Return a function of the rule, or one that does nothing if the rule has none.

    Args:
        state_type: class of the learner's state.
        function: function of the same name in this module.
    """
    return getattr(rule_of(state_type), function.__name__) or _do_nothing


def _compile_by_state(function: Function) -> None:
    """Let compiled code call ``function``, resolved by the type of its first argument."""

    # In strict mode Numba would compare the annotations of the signatures.
    @overload(function, strict=False, jit_options={"forceinline": True})
    def resolve(learner: Any, *_: Any) -> Any:
        if isinstance(learner, (types.NamedTuple, types.NamedUniTuple)):
            return function_of(learner.instance_class, function)
        return None


for _function in (begin_game, choose, draw_numbers, learn, learn_from_game):
    _compile_by_state(_function)
