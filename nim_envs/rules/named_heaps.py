"""The heap games that have a name; slots and options as in :func:`nim_envs.rules.octal`."""

from __future__ import annotations

from collections.abc import Sequence

from nim_envs.rules.heaps import heap_rules
from nim_envs.rules.octal_codes import heap_game
from nim_envs.rules.rules import Rules


def kayles(heaps: Sequence[int]) -> Rules:
    """Rules of Kayles (0.77): knock down one pin of a row, or two that stand side by side.

    What is left of the row on either side is a row of its own.

    Args:
        heaps: pins in each row at the start; at least 0 each.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers.
        SearchTooLargeError: a heap is too large to tabulate its options.

    References:
        H. E. Dudeney, *The Canterbury Puzzles* (1907), no. 73; *Winning Ways*, ch. 4.

    Example:
        >>> kayles(heaps=(7,)).initial
        (7, 0, 0, 0)
    """
    return heap_rules(heap_game("kayles"), heaps, "kayles")


def dawsons_kayles(heaps: Sequence[int]) -> Rules:
    """Rules of Dawson's Kayles (0.07): knock down two pins that stand side by side.

    Arguments and errors: :func:`kayles`.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_kayles"), heaps, "dawsons_kayles")


def dawsons_chess(heaps: Sequence[int]) -> Rules:
    """Rules of Dawson's chess (0.137): take a file of a board, and those beside it with it.

    It comes from a game of pawns, three ranks deep and as many files wide as a heap has
    objects. Dawson's own question was its misère play.

    Arguments and errors: :func:`kayles`.

    References:
        T. R. Dawson, *Caissa's Wild Roses* (1935), problem 80; *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_chess"), heaps, "dawsons_chess")


def officers(heaps: Sequence[int]) -> Rules:
    """Rules of Officers (0.6): take one object, and leave one heap or two, but not none.

    Arguments and errors: :func:`kayles`.

    References:
        R. K. Guy, "Unsolved problems in combinatorial games", in *Games of No Chance* (1996).
    """
    return heap_rules(heap_game("officers"), heaps, "officers")


def grundy(heaps: Sequence[int]) -> Rules:
    """Rules of Grundy's game: split a heap into two heaps of different sizes.

    Heaps of one or two objects cannot be split, and are taken away.

    Arguments and errors: :func:`kayles`.

    References:
        P. M. Grundy, "Mathematics and games", *Eureka* 2 (1939), 6-8.

    Example:
        >>> rules = grundy(heaps=(7,))
        >>> rules.initial, rules.describe_action(2, rules.initial)
        ((7, 0), 'heap 0: leave 3 and 4')
    """
    return heap_rules(heap_game("grundy"), heaps, "grundy")


def splitting(heaps: Sequence[int]) -> Rules:
    """Rules of the splitting game (4.0): split a heap into two heaps, of any sizes but none.

    A heap of one object cannot be split, and is taken away.

    Arguments and errors: :func:`kayles`.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("splitting"), heaps, "splitting")
