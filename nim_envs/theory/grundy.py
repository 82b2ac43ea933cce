"""Grundy values of one component, from its table of options."""

from __future__ import annotations

import numpy as np

from nim_envs.rules.acyclic import by_rank, ranks
from nim_envs.rules.component import Component
from nim_envs.typing import BoolArray, IntArray


def grundy_values(component: Component) -> IntArray:
    """Return the Grundy value of every state: the mex of the values of its options.

    An option that leaves two parts has the nim-sum of their values.

    Args:
        component: any component.

    Returns:
        ``(num_places,)``: by state, or by place where it has wide gaps.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: the table of options is too large.

    References:
        R. P. Sprague (1935); P. M. Grundy (1939); *Winning Ways*, ch. 4.

    Example:
        >>> from nim_envs.rules import subtraction
        >>> grundy_values(subtraction((7,), (1, 2, 3)).components[0]).tolist()
        [0, 1, 2, 3, 0, 1, 2, 3]
    """
    return _mex_values(component, terminal_value=0)


def misere_grundy_values(component: Component) -> IntArray:
    """Return the misère Grundy value of every state: the same recursion with 1 at terminal states.

    The component alone is a P-position of misère play exactly where its value is 0. Unlike
    Grundy values, these values of the parts do not determine that of a sum, except for tame parts;
    so a component that splits has to be tame, see :func:`is_tame`.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: the table of options is too large.
        ValueError: the component splits and is not tame.

    References:
        J. H. Conway, *On Numbers and Games*, ch. 12.
    """
    if not component.splits:
        return _mex_values(component, terminal_value=1)
    values = _tame_values(component)
    if values is None:
        raise ValueError(
            "misère Grundy values of sums follow from those of their parts only if these are "
            f"tame, and not every state of this {component.kind} is"
        )
    return values


def is_tame(component: Component) -> bool:
    """Return whether every state is tame: its Grundy values are (0, 1), (1, 0) or equal.

    The first value is for normal, the second for misère play. An option of two parts has the values
    of their sum by the theorem on tame misère sums (:func:`nim_envs.theory.tame_misere`). Its proof
    uses no more than the two values of each option, so it holds for such options too.

    Raises:
        InvalidGameError: the moves form a cycle.
        SearchTooLargeError: the table of options is too large.
    """
    if component.splits:
        return _tame_values(component) is not None
    normal, misere = grundy_values(component), misere_grundy_values(component)
    return bool(_tame(normal, misere).all())


def _tame(normal: IntArray, misere: IntArray) -> BoolArray:
    """Whether each pair of values is one of a tame state."""
    return np.asarray(((normal <= 1) & (misere == 1 - normal)) | (normal == misere))


def _tame_values(component: Component) -> IntArray | None:
    """The misère Grundy values of a component that splits; ``None`` if it is not tame."""
    normal = grundy_values(component)
    misere = np.full(component.states, 1, dtype=np.int64)
    for states in by_rank(ranks(component.states, *component.move_edges)):
        index, options, first = component.legal_moves(states)
        other = component.second_table[states[index], options]
        fickle = (normal != misere)[first] & (normal != misere)[other]
        after = (normal[first] ^ normal[other]) ^ fickle
        misere[states] = _mex_of_each(index, after, len(states))
        if not _tame(normal[states], misere[states]).all():
            return None
    return misere


def _mex_of_each(index: IntArray, values: IntArray, count: int) -> IntArray:
    """Return the mex of the values of the moves of each state, ``(count,)``.

    Args:
        index: index of each move's state, ``(moves,)``.
        values: value after each move, at least 0, ``(moves,)``.
        count: number of states.
    """
    # No mex is larger than the number of moves.
    most = int(np.bincount(index, minlength=count).max())
    present = np.zeros((count, most + 1), dtype=np.bool_)
    small = values <= most
    present[index[small], values[small]] = True
    return np.asarray(np.argmin(present, axis=1))


def _mex_values(component: Component, terminal_value: int) -> IntArray:
    rank = ranks(component.num_places, *component.move_edges)
    values = np.full(component.num_places, -1, dtype=np.int64)
    values[rank == 0] = terminal_value
    for places in by_rank(rank):
        index, options, first = component.legal_moves(component.states_at_places(places))
        after = values[component.place_of(first)]
        if component.splits:
            after ^= values[component.second_table[places[index], options]]
        values[places] = _mex_of_each(index, after, len(places))
    return values
