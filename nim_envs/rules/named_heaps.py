"""The heap games that have a name; slots and options as in :func:`nim_envs.rules.octal`."""

from __future__ import annotations

from collections.abc import Sequence

from nim_envs.games.octal_codes import heap_game
from nim_envs.rules.heaps import heap_rules
from nim_envs.rules.rules import Rules


def kayles(heaps: Sequence[int]) -> Rules:
    """Rules of Kayles (0.77): knock down one pin of a row, or two adjacent pins.

    The pins on either side are then separate rows.

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
    """Rules of Dawson's Kayles (0.07): knock down two adjacent pins of a row.

    The pins on either side are then separate rows. A pin without a neighbour stays where it is.

    Arguments and errors: :func:`kayles`.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_kayles"), heaps, "dawsons_kayles")


def dawsons_chess(heaps: Sequence[int]) -> Rules:
    """Rules of Dawson's chess (0.137): remove an object of a row, and its neighbours.

    The objects on either side are then separate rows. The original is played with pawns on a board
    of three ranks, where a move on a file ends play on the files beside it; an object stands for a
    file. Dawson posed it in misère play.

    Arguments and errors: :func:`kayles`.

    References:
        T. R. Dawson, *Caissa's Wild Roses* (1935), problem 80; *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("dawsons_chess"), heaps, "dawsons_chess")


def officers(heaps: Sequence[int]) -> Rules:
    """Rules of Officers (0.6): take one object of a heap, and split the others in two or not.

    At least one object must be left, so a heap of one cannot be taken.

    Arguments and errors: :func:`kayles`.

    References:
        R. K. Guy, "Unsolved problems in combinatorial games", in *Games of No Chance* (1996).
    """
    return heap_rules(heap_game("officers"), heaps, "officers")


def grundy(heaps: Sequence[int]) -> Rules:
    """Rules of Grundy's game: split a heap into two heaps of different sizes.

    Heaps of one or two objects cannot be split, and are removed.

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
    """Rules of the splitting game (4.0): split a heap into two heaps of any sizes.

    A heap of one object cannot be split, and is removed.

    Arguments and errors: :func:`kayles`.

    References:
        *Winning Ways*, ch. 4.
    """
    return heap_rules(heap_game("splitting"), heaps, "splitting")


def laskers_nim(heaps: Sequence[int]) -> Rules:
    """Rules of Lasker's Nim (4.(3)): take any number of objects of a heap, or split it in two.

    A heap that is split keeps all of its objects.

    The Grundy value of a heap is its size, except that 3 and 4 are exchanged, as are 7 and 8, and
    so on.

    Args:
        heaps: objects in each heap at the start; at least 0 each.

    Raises:
        InvalidGameError: heaps that are empty, negative or not integers.
        SearchTooLargeError: a heap is too large to tabulate its options.

    References:
        E. Lasker, *Brettspiele der Völker* (1931); *Winning Ways*, ch. 4.

    Example:
        >>> rules = laskers_nim(heaps=(4,))
        >>> [rules.describe_action(action, (4, 0, 0, 0)) for action in (0, 1)]
        ['heap 0: leave 1 and 3', 'heap 0: leave 2 and 2']
    """
    return heap_rules(heap_game("laskers_nim"), heaps, "laskers_nim")
