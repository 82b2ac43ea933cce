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

from agents.base import Array, FloatArray, IntArray
from nim_envs.compilation import compiled

Function = Callable[..., Any]


class Turn(NamedTuple):
    """One turn of one seat, as :class:`agents.base.Transition`, with numbered states."""

    seat: int
    observation: Array  # (components,)
    state: int  # number of the observation
    legal_actions: IntArray  # ascending
    action: int
    reward: float
    bonus: float  # paid by reward shaping, beside the reward
    reply_observation: Array
    reply_state: int  # the opponent's to move
    reply_legal_actions: IntArray  # empty where the game has ended
    reply_reward: float
    next_state: int  # the mover's own next turn
    next_legal_actions: IntArray  # empty where the game has ended or there was no reply
    terminated: bool  # whether the game has ended
    truncated: bool  # whether the game was cut short


class FinishedGame(NamedTuple):
    """All turns of one seat in a game that has ended."""

    states: IntArray  # (turns,)
    rows: IntArray  # (turns,): the row of the legal actions in the next two; see legal_in
    legal_actions: Array  # (rows, actions): the legal ones first, ascending
    legal_counts: IntArray  # (rows,): how many these are
    actions: IntArray  # (turns,)
    rewards: FloatArray  # (turns,): from its own move, the reply and reward shaping
    result: float  # of the game for the seat: 1 won, -1 lost, 0 drawn


def begin_game(learner: Any) -> None:
    """Clear what is left of the game before; called before the first move of every game.

    Args:
        learner: the state of the learner.
    """
    function_of(type(learner), begin_game)(learner)


def choose(
    learner: Any,
    observation: Array,
    state: int,
    legal_actions: IntArray,
    first_move: bool,
    epsilon: float,
    uniform: float,
) -> int:
    """Return an action.

    Args:
        learner: the state of the learner.
        observation: what the mover observes, ``(components,)``.
        state: its number.
        legal_actions: what is legal, ascending.
        first_move: whether the learner has not moved in this game yet.
        epsilon: probability of a random action, where the learner has one.
        uniform: the source of randomness, in [0, 1).
    """
    return int(
        function_of(type(learner), choose)(
            learner, observation, state, legal_actions, first_move, epsilon, uniform
        )
    )


def draw_numbers(learner: Any, finished_games: int, generator: np.random.Generator | None) -> None:
    """Draw the random numbers that :func:`learn` will need, into the learner's own buffer.

    Called before every :func:`learn`, by the step-by-step loop in plain Python: passing a
    generator to compiled code takes longer than learning from a turn.

    Args:
        learner: the state of the learner.
        finished_games: games that the learner has finished.
        generator: the learner's own, where it has one.
    """
    function_of(type(learner), draw_numbers)(learner, finished_games, generator)


def learn(learner: Any, turn: Turn, epsilon: float, finished_games: int) -> None:
    """Learn from one turn.

    Args:
        learner: the state of the learner, whose arrays change in place.
        turn: the turn.
        epsilon: probability of a random action, where the learner has one.
        finished_games: games that the learner has finished.
    """
    function_of(type(learner), learn)(learner, turn, epsilon, finished_games)


def learn_from_game(learner: Any, game: FinishedGame) -> None:
    """Learn from a game that has ended, never from one that was cut short.

    Args:
        learner: the state of the learner, whose arrays change in place.
        game: the turns of one seat; of a learner that plays both, first those of the last mover.
    """
    function_of(type(learner), learn_from_game)(learner, game)


@compiled(inner=True)
def legal_in(game: FinishedGame, turn: int) -> Array:
    """Return what was legal at a turn of ``game``, ascending."""
    row = game.rows[turn]
    return game.legal_actions[row, : game.legal_counts[row]]


@compiled(inner=True)
def is_unanswered(turn: Turn) -> bool:
    """Return whether the game was cut short before the opponent replied."""
    return turn.truncated and len(turn.next_legal_actions) == 0


def _begins_afresh(learner: Any) -> None:
    pass


def _draws_nothing(
    learner: Any, finished_games: int, generator: np.random.Generator | None
) -> None:
    pass


def _learns_nothing(learner: Any, turn: Turn, epsilon: float, finished_games: int) -> None:
    pass


def _learns_nothing_from_games(learner: Any, game: FinishedGame) -> None:
    pass


_DEFAULTS: dict[Function, Function] = {
    begin_game: _begins_afresh,
    draw_numbers: _draws_nothing,
    learn: _learns_nothing,
    learn_from_game: _learns_nothing_from_games,
}


@dataclass(frozen=True)
class LearningRule:
    """The functions of a learner, which both training loops call.

    Each takes the arguments of the function of this module that has its name, and is compiled into
    the loop that calls it.

    Args:
        state: the class of the learner's state, a ``NamedTuple``; it belongs to this rule alone.
        choose: chooses an action.
        learn: learns from one turn.
        learn_from_game: learns from a game that has ended.
        begin_game: clears what is left of the game before.
        draw_numbers: draws the random numbers that ``learn`` will need.
    """

    state: type
    choose: Function
    learn: Function | None = None
    learn_from_game: Function | None = None
    begin_game: Function | None = None
    draw_numbers: Function | None = None

    def __post_init__(self) -> None:
        """Make the rule known to the loops."""
        _RULES[self.state] = self


_RULES: dict[type, LearningRule] = {}


def rule_of(state_type: type) -> LearningRule:
    """Return the rule that states of a type belong to."""
    return _RULES[state_type]


def function_of(state_type: type, function: Function) -> Function:
    """Return the function of a rule, or one that does nothing where the rule names none.

    Args:
        state_type: the class of the learner's state.
        function: the function of this module that has the same name.
    """
    return getattr(rule_of(state_type), function.__name__) or _DEFAULTS[function]


def _compile_by_state(function: Function) -> None:
    """Let compiled code call ``function``, resolved by the type of its first argument."""

    # Strictly, Numba would compare the annotations of the signatures.
    @overload(function, strict=False, jit_options={"forceinline": True})
    def resolve(learner: Any, *_: Any) -> Any:
        if isinstance(learner, (types.NamedTuple, types.NamedUniTuple)):
            return function_of(learner.instance_class, function)
        return None


for _function in (*_DEFAULTS, choose):
    _compile_by_state(_function)
