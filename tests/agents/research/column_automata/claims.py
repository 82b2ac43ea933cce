"""Right claims for the tests, written down by hand, and the truth about small boards by search."""

import itertools
from functools import cache

import numpy as np

from agents.research.column_automata import ColumnAutomaton


@cache
def truth(max_take, misere, heaps, below):
    """By search, which positions of a :func:`board` are lost, in its order."""
    lost = {}
    for position in itertools.product(range(below), repeat=heaps):
        if not any(position):
            lost[position] = not misere
            continue
        lost[position] = not any(lost[after] for after in options(position, max_take))
    return np.array(list(lost.values()))


def options(position, max_take):
    """Every position after a move."""
    for index, heap in enumerate(position):
        for taken in range(1, min(heap, max_take or heap) + 1):
            yield (*position[:index], heap - taken, *position[index + 1 :])


def board(heaps, below):
    """All positions of ``heaps`` heaps ``< below``, one a row."""
    return np.array(list(itertools.product(range(below), repeat=heaps)))


def automaton(first, start, column, lost, letters=2):
    """The automaton of what remains to be known after each column.

    ``column(known, ones)`` is what is known after another column with 0, 1, 2 or 3 ones, where 2
    and 3 stand for every number from 2 that is even, or odd.
    """
    states = [(start, 0)]
    rows = []
    for known, ones in states:
        row = [
            (column(known, ones), 0),
            (known, ones + 1 if ones < 3 else 2),
            (known, ones),
        ][:letters]
        states += [after for after in dict.fromkeys(row) if after not in states]
        rows.append(row)
    return ColumnAutomaton(
        [[states.index(after) for after in row] for row in rows],
        [bool(lost(known)) for known, _ in states],
        first,
    ).minimal()


def one_heap_claim(max_take, misere, first, letters=2):
    """The right automaton of one heap, of which 1 to ``max_take`` may be taken, found by search.

    Its states are rests modulo the period of the lost heaps and, where the lowest bits come first,
    what a one in the next column is worth. It says nothing of use of several heaps.
    """
    searched = truth(max_take, misere, 1, 20 * max_take)
    period = next(
        length
        for length in range(1, len(searched))
        if (searched[length:] == searched[:-length]).all()
    )

    def column(known, bit):
        rest, weight = known
        if first:
            return (2 * rest + bit) % period, weight
        return (rest + bit * weight) % period, 2 * weight % period

    return automaton(
        first,
        (0, 1 % period),
        lambda known, ones: column(known, ones % 2),
        lambda known: searched[known[0]],
        letters,
    )


def right_claim(max_take, misere, first, letters=2):
    """The right automaton of Nim (``max_take`` ``None``) or of take 1 to 1, 3, 7, ... ."""
    bits = None if max_take is None else (max_take + 1).bit_length() - 1
    if first:
        # Known: the number of ones in each of the last columns that count, the last one last. Of
        # Nim all count, and so: of those before the last one whether one has any, and is odd.
        def column(known, ones):
            if bits is None:
                some, odd, last = known
                return some or last > 0, odd or last % 2, ones
            return (*known, ones)[1:]

        def lost(known):
            if bits is None:
                some, odd, last = known
            else:
                *above, last = known
                some, odd = any(above), any(ones % 2 for ones in above)
            return (last % 2 == 0 and not odd) if some or not misere else last % 2

        start = (0, 0, 0) if bits is None else (0,) * bits
        return automaton(first, start, column, lost, letters)

    # Known: how many columns were read, if that matters, the parity of the lowest, and of those
    # above that count whether one has any, and is odd.
    def upwards(known, ones):
        read, lowest, some, odd = known
        if read == 0:
            return 1, ones % 2, False, 0
        if bits is not None and read >= bits:
            return known
        return (1 if bits is None else read + 1), lowest, some or ones > 0, odd or ones % 2

    def is_lost(known):
        _, lowest, some, odd = known
        return (not lowest and not odd) if some or not misere else lowest

    return automaton(first, (0, 0, False, 0), upwards, is_lost, letters)
