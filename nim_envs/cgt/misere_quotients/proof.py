"""Proof that a finite monoid says who wins, independent of the search for it.

A claim consists of a monoid, the element of every part of a sum, and the set of lost elements. It
is right if the empty position is won in misère play and lost in normal play, and any other position
is lost exactly if none of its options is. For this, finitely many classes of positions are checked,
the *transition algebra* of Plambeck and Siegel: pairs of an element and the set of elements of the
options.

References:
    T. E. Plambeck and A. N. Siegel, "Misère quotients for impartial games", *Journal of
    Combinatorial Theory A* 115 (2008), 593-622.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from nim_envs.rules.component import BoolArray
from nim_envs.rules.convention import Convention

Options = Sequence[Sequence[tuple[int, ...]]]


def refutation(
    options: Options,
    products: npt.NDArray[np.integer],
    elements: Sequence[int],
    lost: npt.NDArray[np.bool_],
    convention: Convention = Convention.MISERE,
) -> str | None:
    """Return the reason why a claimed quotient is wrong; ``None`` proves it right.

    A right claim is *the* quotient up to the numbering of its elements: it determines who wins
    every sum of the parts, every element is the class of a sum, and for any two elements there is a
    sum that, added to both, makes exactly one lost.

    Args:
        options: for each part its options, each as a list of earlier parts, which may be empty.
        products: the claimed table of products, ``(n, n)``; element 0 is the empty sum's.
        elements: the claimed element of each part.
        lost: whether each element is claimed to be lost, ``(n,)``.
        convention: decides who wins the empty position.
    """
    order = len(lost)
    table = np.asarray(products)
    reason = _malformed(options, table, elements, order)
    if reason is None:
        reason = _no_monoid(table, sorted(set(elements)))
    if reason is None:
        # Normal play: nothing outside the sum wins, and the empty position is lost.
        beside = np.zeros(order, dtype=np.bool_) if convention is Convention.NORMAL else None
        reason = _disobeys(options, table, elements, np.asarray(lost, dtype=np.bool_), beside)
    if reason is None:
        # Every element is that of a sum, so a sum distinguishes elements with different rows.
        rows = np.packbits(np.asarray(lost)[table], axis=1)
        distinct, number = np.unique(rows, axis=0, return_inverse=True)
        if len(distinct) < order:
            several = int(np.argmax(np.bincount(number.reshape(-1)) > 1))
            alike = np.flatnonzero(number.reshape(-1) == several)[:2].tolist()
            return f"no sum tells the elements {alike[0]} and {alike[1]} apart"
    return reason


def layers_refutation(
    options: Options,
    products: npt.NDArray[np.integer],
    elements: Sequence[int],
    lost: npt.NDArray[np.bool_],
    layers: Sequence[Sequence[int]],
) -> str | None:
    """Return the reason why a claim about sums with a layer added is wrong; ``None`` if right.

    A *layer* is a position of other components, beside the sum of parts. Its options are earlier
    layers; layer 0 has none.

    Args:
        options: for each part its options, each as a list of earlier parts.
        products: the claimed table of products, ``(n, n)``; element 0 is the empty sum's.
        elements: the claimed element of each part.
        lost: whether each element is claimed to be lost with each layer added, ``(layers, n)``.
        layers: the options of each layer.
    """
    table, claimed = np.asarray(products), np.asarray(lost, dtype=np.bool_)
    reason = _malformed(options, table, elements, claimed.shape[-1])
    if reason is None:
        reason = _no_monoid(table, sorted(set(elements)))
    if reason is not None or len(layers) != len(claimed) or len(layers[0]):
        return reason or "layer 0 has no move, and every layer has its own lost elements"
    for layer, after in enumerate(layers):
        if any(not 0 <= option < layer for option in after):
            return f"a move in layer {layer} leaves what is no earlier layer"
        won = np.logical_or.reduce(claimed[list(after)], axis=0) if layer else None
        reason = _disobeys(options, table, elements, claimed[layer], won)
        if reason is not None:
            return f"with layer {layer}, {reason}"
    return None


def _malformed(
    options: Options, table: npt.NDArray[np.integer], elements: Sequence[int], order: int
) -> str | None:
    """Return the fault of a malformed claim, if there is one."""
    if table.shape != (order, order) or not order:
        return f"the table of products is of shape {table.shape}, not {(order, order)}"
    if table.min() < 0 or table.max() >= order or not all(0 <= x < order for x in elements):
        return f"an element is none of 0 to {order - 1}"
    if len(options) != len(elements):
        return f"there are {len(options)} parts, but {len(elements)} elements of parts"
    for part, choices in enumerate(options):
        if any(not 0 <= left < part for choice in choices for left in choice):
            return f"a move in part {part} leaves what is no earlier part"
    return None


def _no_monoid(table: npt.NDArray[np.integer], generators: list[int]) -> str | None:
    """Return the reason why ``table`` is no commutative monoid with these generators, if any."""
    order = len(table)
    if (table[0] != np.arange(order)).any():
        return "element 0 is not neutral"
    if (table != table.T).any():
        return "the products are not commutative"
    for generator in generators:
        by = table[:, generator]
        # F. W. Light's test: it suffices to test generators for associativity.
        if (by[table] != table[:, by]).any():
            return f"products with element {generator} are not associative"
    reached = np.zeros(order, dtype=np.bool_)
    frontier = np.zeros(1, dtype=np.int64)
    while len(frontier):
        reached[frontier] = True
        after = np.unique(table[frontier][:, generators])
        frontier = after[~reached[after]]
    if not reached.all():
        return f"element {int(np.argmin(reached))} is the class of no sum"
    return None


def _disobeys(
    options: Options,
    table: npt.NDArray[np.integer],
    elements: Sequence[int],
    lost: BoolArray,
    won: BoolArray | None,
) -> str | None:
    """Return a contradiction between ``lost`` and the rules of play, if there is one.

    Args:
        options: for each part its options.
        table: table of products, ``(n, n)``.
        elements: the element of each part.
        lost: whether each element is claimed to be lost, ``(n,)``.
        won: the elements at which a move outside the sum wins; ``None``: nothing is outside it, and
            the empty position is won.
    """
    if lost[0] and won is None:
        return "the empty position is won, not lost"
    beside = np.zeros(len(lost), dtype=np.bool_) if won is None else won
    if (beside & lost).any():
        return f"element {int(np.argmax(beside & lost))} is lost, with a lost option"
    if won is not None and not (lost[0] or won[0]):
        return "the empty sum is won, without a lost option"
    # For each part: the elements beside which a move in the part wins.
    generators: set[tuple[int, bytes]] = set()
    for part, choices in enumerate(options):
        if not choices:
            if elements[part]:
                return f"part {part} has no move, but is not element 0"
            continue
        after = sorted({_element(table, elements, choice) for choice in choices})
        wins = lost[table[:, after]].any(axis=1)
        refuted = wins & lost[table[:, elements[part]]]
        if refuted.any():
            return f"part {part} and element {int(np.argmax(refuted))} are lost, with a lost option"
        generators.add((elements[part], wins.tobytes()))
    return _won_without_a_move(table, ~lost & ~beside, generators)


def _element(table: npt.NDArray[np.integer], elements: Sequence[int], parts: Sequence[int]) -> int:
    element = 0
    for part in parts:
        element = int(table[element, elements[part]])
    return element


def _won_without_a_move(
    table: npt.NDArray[np.integer], won: BoolArray, generators: set[tuple[int, bytes]]
) -> str | None:
    """Return the fault that some sum claimed to be won has no winning move; ``None`` if none has.

    The *rests* of a sum are the elements beside which it is claimed to be won without a winning
    move in it. The rests of the sum of two sums are the intersection of their rests, each set
    shifted by the element of the other. For each element only the largest sets are kept.
    """
    order = len(won)
    pulled = []  # by generator: its element, and its set shifted by each element, as rows
    for element, wins in generators:
        left = won[table[:, element]] & ~np.frombuffer(wins, dtype=np.bool_)
        pulled.append((element, left[table]))
    largest: list[set[int]] = [set() for _ in range(order)]
    largest[0].add(_as_integer(won))
    waiting: list[tuple[int, BoolArray]] = [(0, won)]
    while waiting:
        element, rests = waiting.pop()
        if _as_integer(rests) not in largest[element]:
            continue  # a larger set took its place
        for generator, rows in pulled:
            now = rests[table[:, generator]] & rows[element]
            after = int(table[element, generator])
            if now[0]:
                return f"element {after} is won, but some sum has no move to a lost one"
            number = _as_integer(now)
            if not number or any(number | known == known for known in largest[after]):
                continue
            largest[after] = {known for known in largest[after] if known | number != number}
            largest[after].add(number)
            waiting.append((after, now))
    return None


def _as_integer(row: BoolArray) -> int:
    return int.from_bytes(np.packbits(row).tobytes(), "big")
