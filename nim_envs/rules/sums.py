"""Disjunctive sums of different games."""

from __future__ import annotations

from collections.abc import Sequence

from nim_envs.errors import InvalidGameError
from nim_envs.rules.rules import Rules


def sum_of(parts: Sequence[Rules]) -> Rules:
    """Rules of a disjunctive sum: a move is a move in one game, and play ends when all have ended.

    The components are those of the parts, in the order of the parts.

    Args:
        parts: the rules of each game.

    Raises:
        InvalidGameError: no parts, a part that is not ``Rules``, or one of several that has an
            outcome of its own, as a sum is decided by the last move.

    References:
        *Winning Ways*, ch. 2; J. H. Conway, *On Numbers and Games*, ch. 7.

    Example:
        >>> from nim_envs.rules import kayles, nim
        >>> rules = sum_of([kayles(heaps=(3,)), nim(heaps=(4,))])
        >>> rules.name, rules.initial
        ('kayles + nim', (3, 0, 4))
    """
    if not parts or not all(isinstance(part, Rules) for part in parts):
        raise InvalidGameError(f"a sum must have rules as its parts, at least one, not {parts!r}")
    return Rules(
        name=" + ".join(part.name for part in parts),
        components=tuple(component for part in parts for component in part.components),
        initial=tuple(state for part in parts for state in part.initial),
    )
