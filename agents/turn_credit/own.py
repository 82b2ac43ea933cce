"""Estimators of one's own: a function of the turns of sampled games, in the form of a trainer."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from agents.turn_credit.estimators import ESTIMATORS, Estimator
from agents.turn_credit.groups import Groups
from nim_envs.references import resolved
from nim_envs.typing import FloatArray

ARGUMENTS = (
    "rewards", "groups", "games", "turns", "states", "actions", "last", "results", "seats",
    "log_probabilities",
)  # fmt: skip
"""Names that the arguments of an estimator may have; each is an array with an entry a turn."""


def register(
    function: Callable[..., FloatArray], name: str | None = None, rollouts: int = 0
) -> Estimator:
    """Add an estimator to :data:`ESTIMATORS`, and so to the tables of the benchmark.

    The function is called with one run's turns in the order of groups, games and turns, games
    without a turn of the agent left out. It gets those of these arrays that it has arguments for,
    by name, each ``(moves,)``: ``rewards`` (the result in a game's last turn, else 0), ``groups``,
    ``games`` (numbered over all groups), ``turns`` (from 0), ``states``, ``actions``, ``last``
    (whether the turn is the last), ``results`` (of the turn's game), ``seats`` (0: the agent has
    the first move) and ``log_probabilities`` (of the action). It returns the credit of each turn.

    The expectation of such a function is not known: it has a cosine from samples alone.

    Args:
        function: ``function(rewards, groups, turns, states, ...) -> credit``.
        name: name in tables; by default the function's.
        rollouts: games that it would play on from every turn's position, for the count of moves.

    Returns:
        The estimator.

    Raises:
        ValueError: ``function`` has an argument of another name, or ``name`` is taken.

    Example:
        >>> def plain(rewards, results):
        ...     return results - 0.5
        >>> register(plain, "half").name
        'half'
        >>> del ESTIMATORS["half"]
    """
    parameters = inspect.signature(function).parameters.values()
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    names = ARGUMENTS if takes_any else tuple(
        each.name for each in parameters
        if each.name in ARGUMENTS or each.default is each.empty
    )  # fmt: skip
    unknown = sorted(set(names) - set(ARGUMENTS))
    if unknown:
        raise ValueError(
            f"{function!r} asks for {unknown[0]!r}; an estimator may ask for {', '.join(ARGUMENTS)}"
        )
    title = name or function.__name__
    if title in ESTIMATORS:
        raise ValueError(f"there is an estimator {title!r} already")
    estimator = Estimator(
        title, "own", f"{function.__module__}:{function.__qualname__}",
        lambda groups: _sampled(function, names, groups), rollouts=rollouts,
    )  # fmt: skip
    ESTIMATORS[title] = estimator
    return estimator


def find(name: str) -> Estimator:
    """Return an estimator by its name, or register the one at ``module:function``.

    Args:
        name: a key of :data:`ESTIMATORS`, or what a person typed; its module is imported.

    Raises:
        InvalidGameError: nothing is there.
    """
    if name not in ESTIMATORS:
        register(resolved(name), name)
    return ESTIMATORS[name]


def _sampled(
    function: Callable[..., FloatArray], names: tuple[str, ...], groups: Groups
) -> FloatArray:
    credit = np.zeros(groups.states.shape)
    games = groups.states.shape[2]
    for run, reached in enumerate(groups.reached):
        group, game, turn = np.nonzero(reached)
        states, actions = groups.states[run][reached], groups.actions[run][reached]
        arrays = {
            "rewards": groups.rewards[run][reached],
            "groups": group,
            "games": group * games + game,
            "turns": turn,
            "states": states,
            "actions": actions,
            "last": groups.last[run][reached],
            "results": groups.results[run][group, game],
            "seats": groups.task.contexts[groups.contexts[run], 1][group],
            "log_probabilities": np.log(groups.policies[run][states, actions]),
        }
        estimates = np.asarray(function(**{name: arrays[name] for name in names}), dtype=np.float64)
        if estimates.shape != group.shape:
            raise ValueError(
                f"expected a credit for each of {len(group)} turns, not {estimates.shape}"
            )
        if not np.isfinite(estimates).all():
            raise ValueError("a credit is not finite")
        credit[run][reached] = estimates
    return credit
