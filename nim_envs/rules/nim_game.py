"""Nim: any number of heaps, a move takes any number of objects from one of them."""

from __future__ import annotations

from collections.abc import Sequence

from nim_envs.rules.rules import Rules
from nim_envs.rules.subtraction_game import SubtractionHeap
from nim_envs.validation import checked_integer, checked_integers


def nim(heaps: Sequence[int], max_take: int | None = None) -> Rules:
    """Rules of Nim: take one or more objects from one heap.

    The player to move takes any number of objects from one heap, at most ``max_take`` if that is
    given.

    Args:
        heaps: objects in each heap at the start; at least 0 each.
        max_take: most objects that one move may take (*bounded Nim*); ``None``: no bound.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers; ``max_take`` below 1.

    References:
        C. L. Bouton, "Nim, a game with a complete mathematical theory", *Annals of
        Mathematics* 3 (1901), 35-39.

    Example:
        >>> rules = nim(heaps=(3, 4, 5))
        >>> rules.num_actions, rules.shape
        (15, (4, 5, 6))
    """
    sizes = checked_integers("heaps", heaps, minimum=0)
    bound = None if max_take is None else checked_integer("max_take", max_take, minimum=1)
    components = tuple(
        SubtractionHeap(size, range(1, (size if bound is None else min(bound, size)) + 1))
        for size in sizes
    )
    return Rules(name="nim", components=components, initial=sizes)
