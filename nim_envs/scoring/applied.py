"""Functions of wrappers, called for any position instead of in play."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nim_envs.game import PLAYERS
from nim_envs.scoring.observations import copied, rows_of, same, stacked
from nim_envs.scoring.out_of_play import GameInProgressError, InnerEnvironment, out_of_play
from nim_envs.scoring.wrappers import Treatment
from nim_envs.typing import IntArray, MaskArray

ADVICE = (
    "pass the game, env.unwrapped.game, and a policy that preprocesses its positions, int64 "
    "(n, components), and returns the game's actions"
)

MOST_REPEATED = 64
"""Most calls of a function that are repeated, to see that it answers the same."""


class Positions(NamedTuple):
    """Positions that a policy is asked about."""

    positions: IntArray  # (n, components)
    masks: MaskArray  # int8 (n, actions)


class _Calls(NamedTuple):
    """Calls of a method of a wrapper.

    Attributes:
        name: the method.
        num_calls: number of calls.
        arguments: a batch, a row for each call; ``None``: it takes no argument.
        positions: positions that it may read, a row for each call; ``None``: none.
    """

    name: str
    num_calls: int
    arguments: Any | None = None
    positions: Positions | None = None


def refusal(wrapper: Any, why: str) -> TypeError:
    """Return the error about a wrapper that a score cannot follow."""
    return TypeError(f"{type(wrapper).__name__} {why}, which a score cannot follow: {ADVICE}")


class AppliedWrapper:
    """A wrapper with functions that can be called for any position.

    They are called on a copy that shares the wrapped environment, so that a score changes nothing;
    and a second time in reverse order on another copy, as they must not depend on earlier calls. A
    function of an observation may read the position in the environment, one of an action nothing.

    Args:
        treatment: the functions.
        layers: the wrapper, all that it wraps, and the innermost environment.

    Raises:
        TypeError: the wrapper cannot be copied.
    """

    def __init__(self, treatment: Treatment, layers: Sequence[Any]) -> None:
        self._functions = treatment.functions
        self._original = layers[0]
        self._inside = layers[1:]
        self._wrapper = self._copy()
        self._checked: set[str] = set()

    def _copy(self) -> Any:
        """Return a copy of the wrapper, around the same environment."""
        memo = {id(layer): layer for layer in self._inside}
        memo[id(self._inside[0])] = InnerEnvironment(self._inside[0])
        try:
            return copy.deepcopy(self._original, memo)
        except Exception as error:
            raise refusal(self._original, f"cannot be copied ({error})") from error

    def observations(self, observations: Any, positions: Positions) -> Any:
        """Return a batch of observations as the wrapper shows them.

        Args:
            observations: those of the wrapped environment, arrays ``(n, ...)`` or dictionaries.
            positions: the positions.

        Raises:
            TypeError: the function raises an error, or depends on more than the position.
        """
        return stacked(
            self._answers(
                _Calls(self._functions.observation, len(positions.masks), observations, positions)
            )
        )

    def masks(self, positions: Positions) -> MaskArray:
        """Return the masks of the wrapper's own ``action_masks``, int8 ``(n, actions)``.

        Raises:
            TypeError: the function raises an error, or depends on more than the position.
        """
        masks: MaskArray = stacked(
            self._answers(_Calls("action_masks", len(positions.masks), positions=positions))
        )
        return masks.astype(np.int8)

    def actions(self, actions: Sequence[Any]) -> list[Any]:
        """Return actions as the wrapper passes them on.

        Raises:
            TypeError: the function raises an error, or depends on more than the action.
        """
        return self._answers(_Calls(self._functions.action, len(actions), np.stack(actions)))

    def _answers(self, calls: _Calls) -> list[Any]:
        """Make calls, the first ones twice; return the answers."""
        rows = np.arange(calls.num_calls)
        answers = self._answers_in(rows, calls, self._wrapper)
        if calls.name not in self._checked and calls.num_calls > 1:
            backwards = rows[:MOST_REPEATED][::-1]
            again = self._answers_in(backwards, calls, self._copy())
            if not all(map(same, again, [answers[row] for row in backwards])):
                raise refusal(self._original, "does not answer the same when it is asked again")
            self._checked.add(calls.name)
        return answers

    def _answers_in(self, rows: IntArray, calls: _Calls, wrapper: Any) -> list[Any]:
        """Make the calls of some rows, in their order."""
        row = 0

        def positions() -> Positions:
            if calls.positions is None:
                raise GameInProgressError("the position")
            return calls.positions

        base = self._inside[-1]
        substitutes: dict[str, Callable[[], Any]] = {
            "position": lambda: positions().positions[row].copy(),
            "coordinates": lambda: base.game.rules.coordinates(positions().positions[row]),
            "action_masks": lambda: lambda: positions().masks[row].astype(np.bool_),
        }
        try:
            if self._functions.batched and calls.arguments is not None:
                with out_of_play(base, {}):
                    return _of_batches(getattr(wrapper, calls.name), calls.arguments, rows,
                                       wrapper.num_envs)  # fmt: skip
            answers = []
            with out_of_play(base, substitutes):
                for row in rows.tolist():
                    answers += [self._answer(calls, row, wrapper)]
            return answers
        except GameInProgressError as read:
            raise refusal(self._original, f"reads {read} of the game in progress") from None
        except _AgentsDifferError:
            raise refusal(self._original, "does not do the same for both agents") from None
        except Exception as error:
            what = f"raises {type(error).__name__} ({error}) in {calls.name}"
            raise refusal(self._original, what) from error

    def _answer(self, calls: _Calls, row: int, wrapper: Any) -> Any:
        """Make the call of a row, for each agent where the method takes one."""
        method = getattr(wrapper, calls.name)
        if calls.arguments is None:
            return copied(method())
        if not self._functions.by_agent:
            return copied(method(rows_of(calls.arguments, row)))
        answers = []
        for agent in PLAYERS:
            argument = rows_of(calls.arguments, row)
            if calls.name == "observe":
                wrapper.env.observation = argument
                answers.append(copied(method(agent)))
            else:
                answers.append(copied(method(agent, argument)))
        if not same(*answers):
            raise _AgentsDifferError
        return answers[0]


class _AgentsDifferError(Exception):
    """A function does one thing for an agent, and another for the other."""


def _of_batches(
    method: Callable[[Any], Any], arguments: Any, rows: IntArray, size: int
) -> list[Any]:
    """Return the answers of a method that takes ``size`` arguments at a time."""
    answers = []
    for first in range(0, len(rows), size):
        # The last argument is repeated to fill the last batch.
        batch_rows = np.arange(first, first + size).clip(max=len(rows) - 1)
        answer = method(rows_of(arguments, rows[batch_rows]))
        answers += [rows_of(answer, place) for place in range(min(size, len(rows) - first))]
    return answers
