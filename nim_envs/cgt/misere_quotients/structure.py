"""Structure of a misère quotient: its idempotents, its kernel, and whether it is tame."""

from collections.abc import Collection

import numpy as np

from nim_envs.typing import IntArray


def idempotents(products: IntArray) -> tuple[int, ...]:
    """Return the elements that are their own squares, ascending.

    Args:
        products: ``(n, n)``, the table of products of a commutative monoid.

    Example:
        >>> from nim_envs.cgt.misere_quotients import misere_quotient
        >>> idempotents(misere_quotient("nim", 3).products)
        (0, 4)
    """
    elements = np.arange(len(products))
    return tuple(np.flatnonzero(products[elements, elements] == elements).tolist())


def kernel(products: IntArray) -> tuple[int, ...]:
    """Return the smallest ideal, a group: the multiples of the product of all idempotents."""
    least = 0
    for element in idempotents(products):
        least = int(products[least, element])
    return tuple(np.unique(products[least]).tolist())


def is_tame(products: IntArray, lost: Collection[int]) -> bool:
    """Return whether a quotient is one of misère Nim, so that the game is tame, not wild.

    These quotients are: a single element; two elements, of which one is lost; or these two and a
    kernel in which every element is its own inverse and the identity is lost.

    Args:
        products: ``(n, n)``, the table of products of a misère quotient.
        lost: the elements of the P-positions.

    References:
        T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
        Combinatorial Theory A* 115 (2008), 593-622.

    Example:
        >>> from nim_envs.cgt.misere_quotients import misere_quotient
        >>> [is_tame(q.products, q.lost) for q in map(misere_quotient, ("0.23", "0.123"))]
        [True, False]
    """
    order = len(products)
    if order <= 2:
        return True
    group = kernel(products)
    squares = {int(products[element, element]) for element in group}
    outside = sorted(set(range(order)) - set(group))
    if len(squares) > 1 or len(outside) != 2 or outside[0] != 0:
        return False
    other = outside[1]
    return int(products[other, other]) == 0 and set(lost) == {other, *squares}
