"""Uniform sampling by counting the ways to complete a position.

In a sum that a theorem solves, the winner depends on the nim-sum of the components' Grundy values
and, in misère play, on whether a component is firm (:func:`nim_envs.theory.tame_misere`). So
dynamic programming counts the positions, from the last component to the first. A position is drawn
from the first component to the last: the probability of a state is the share of its completions
among those of all states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.component import Component
from nim_envs.rules.convention import Convention
from nim_envs.starts.box import Box, Span
from nim_envs.starts.samplers import TransformSampler
from nim_envs.theory.solution import SumSolution
from nim_envs.theory.values import ComponentValues
from nim_envs.typing import BoolArray, FloatArray, IntArray

LARGEST_COUNT = 1 << 26
"""Most additions in counting; they take about a second."""

LARGEST_SPAN = 1 << 18
"""Most states of a component that are sorted into classes."""

BLOCK = 1 << 18
"""Approximate number of array entries in memory at a time; holds a row of ``LARGEST_SPAN``."""

# A code is a number that holds all that the later components need to know of the first ones. Bit 0:
# one is firm. Bit 1: one has a legal move. The bits above: the nim-sum. The highest bits: the slots
# that play can fill in the group of slots that is not complete yet.
FIRM, MOVE, FLAGS = 1, 2, 2


def code_after(code: Any, slots: Any, values: Any, flags: Any) -> Any:
    """Return the code after a component, as arrays of NumPy or of JAX that broadcast together.

    Args:
        code: code of the components before it.
        slots: change by the slots that its class of states needs; see :attr:`Layer.changes`.
        values: change of the nim-sum.
        flags: change of the flags.
    """
    return ((code + slots) ^ values) | flags


class CountedSampler(TransformSampler):
    """Draws positions of a box, all equally likely, component by component.

    Counts are double-precision sums of positive numbers: exact below 2**53, else with a relative
    error below 2**-40. Each layer of them is scaled by a power of two, so that none overflows.

    Args:
        box: bounds of the positions.
        winning: N-positions if true, P-positions if false, either if ``None``.
        solution: solution by a theorem; needed unless ``winning`` is ``None``.
        terminal: whether positions without a legal move are drawn too; not with ``winning``.

    Attributes:
        num_positions: number of positions to draw from; :meth:`sample` needs at least one.
        layers: for each component, how it changes the code.
        first_code: the code before the first component.

    Raises:
        SearchTooLargeError: there is too much to count.
    """

    def __init__(
        self,
        box: Box,
        winning: bool | None = None,
        solution: SumSolution | None = None,
        *,
        terminal: bool = False,
    ) -> None:
        self._box = box
        self.numbers = len(box.spans)
        classes = _classes(box, solution, by_move=not terminal)
        bits = max(int(one.values.max()) for one in classes).bit_length()
        # Normal play is decided like misère play with a firm component: by the nim-sum alone.
        misere = solution is not None and solution.convention is Convention.MISERE
        self.first_code = 0 if misere else FIRM
        ends = _ends(bits, winning)
        accepted = np.ones_like(ends) if terminal else ends
        self.layers, counts, exponent = _layers(box, classes, accepted)
        mantissa, scale = math.frexp(counts[self.first_code])
        self.num_positions = int(mantissa * 2**53) << (scale + exponent) >> 53

    def positions_of(self, numbers: FloatArray) -> IntArray:
        """Return the positions that random numbers ``(n, components)`` select."""
        rows = BLOCK // max(len(layer.classes.sizes) for layer in self.layers)
        positions = np.empty(numbers.shape, dtype=np.int64)
        for first in range(0, len(numbers), rows):
            block = slice(first, first + rows)
            codes = np.full(len(positions[block]), self.first_code, dtype=np.int64)
            for index, layer in enumerate(self.layers):
                positions[block, index], codes = layer.draw(codes, numbers[block, index])
        return positions

    def support(self) -> tuple[IntArray, FloatArray]:
        """Raise ``SearchTooLargeError``: counted boxes are too large to list."""
        raise self._box.too_large()


@dataclass(frozen=True)
class Classes:
    """The states of a component in a box, in classes of states that change codes alike.

    Attributes:
        states: the states, class after class; ``None``: one class, of all from ``low`` on.
        low: smallest state in the box.
        sizes: number of states of each class, ``(classes,)``, as are all arrays that follow.
        firsts: index in ``states`` of the first state of each class.
        values: Grundy value of each class.
        flags: bits ``FIRM`` and ``MOVE`` of each class.
        needed: slots that play from each class can fill.
    """

    states: IntArray | None
    low: int
    sizes: IntArray
    firsts: IntArray
    values: IntArray
    flags: IntArray
    needed: IntArray


def _classes(box: Box, solution: SumSolution | None, *, by_move: bool) -> list[Classes]:
    """Return the classes of every component's states; equal components share theirs."""
    misere = solution is not None and solution.convention is Convention.MISERE
    by_key: dict[tuple[Component, int, int, bytes], Classes] = {}
    classes = []
    for index, (component, span) in enumerate(zip(box.rules.components, box.spans, strict=True)):
        listed = b"" if span.states is None else span.states.tobytes()
        key = component, span.low, span.high, listed
        if key not in by_key:
            values = None if solution is None else solution.component_values[index]
            by_key[key] = _classes_of(component, span, values, misere=misere, by_move=by_move)
        classes.append(by_key[key])
    return classes


def _classes_of(
    component: Component,
    span: Span,
    values: ComponentValues | None,
    *,
    misere: bool,
    by_move: bool,
) -> Classes:
    if values is None and not by_move and not component.splits:
        zero = np.zeros(1, dtype=np.int64)
        return Classes(span.states, span.low, np.array([span.size]), zero, zero, zero, zero)
    if span.size > LARGEST_SPAN:
        raise SearchTooLargeError(
            f"a {component.kind} has {span.size} states between {span.low} and {span.high}; the "
            f"limit for counting positions is {LARGEST_SPAN}"
        )
    states = span.listed
    value = np.zeros(len(states), dtype=np.int64) if values is None else values.normal(states)
    firm = values is not None and misere and value == values.misere(states)
    moves = by_move & ~component.is_terminal(states)
    needed = component.slots_needed[states] if component.splits else np.zeros_like(states)
    kinds, which, sizes = np.unique(
        np.column_stack([value, FIRM * np.asarray(firm) + MOVE * moves, needed]),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    return Classes(
        states[np.argsort(which.ravel(), kind="stable")],
        span.low,
        sizes,
        np.cumsum(sizes) - sizes,
        *kinds.T,
    )


def _ends(bits: int, winning: bool | None) -> FloatArray:
    """Return 1 for the codes of the wanted positions that leave a legal move, else 0.

    Args:
        bits: number of bits of nim-sums.
        winning: whether N-positions or P-positions are wanted; ``None``: either.
    """
    codes = np.arange(1 << (FLAGS + bits))
    accepted: BoolArray = codes & MOVE == MOVE
    if winning is not None:
        lost = codes >> FLAGS == (codes & FIRM == 0)
        accepted &= lost != winning
    return accepted.astype(np.float64)


@dataclass(frozen=True)
class Layer:
    """The change that one component makes to codes.

    Attributes:
        classes: the classes of its states.
        codes: number of codes of the components before it.
        following: number of completions of a position, by the code of the components up to this
            one; 0 where they need too many slots.
        slot: summand of a code for one slot.
        carried_bits: mask of the bits of a code that later components need: not slots of a
            complete group.
    """

    classes: Classes
    codes: int
    following: FloatArray
    slot: int
    carried_bits: int

    @cached_property
    def changes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Changes of codes by each class, ``(classes,)``: of slots, of the nim-sum and of flags."""
        classes = self.classes
        return classes.needed * self.slot, classes.values << FLAGS, classes.flags

    def after(self, codes: IntArray) -> IntArray:
        """Return the codes after this component, by its class: ``(n,)`` to ``(n, classes)``."""
        return np.asarray(code_after(codes[:, np.newaxis], *self.changes))

    def ways(self, after: IntArray) -> FloatArray:
        """Return the number of completions with each class, shape of ``after``: its codes."""
        return self.following.take(after) * self.classes.sizes

    def blocks(self) -> Iterator[FloatArray]:
        """Yield the number of completions of each code with each class, ``(n, classes)``."""
        step = BLOCK // len(self.classes.sizes)
        for first in range(0, self.codes, step):
            codes = np.arange(first, min(first + step, self.codes), dtype=np.int64)
            yield self.ways(self.after(codes))

    def count(self) -> FloatArray:
        """Return the number of ways to complete each code to a position."""
        return np.concatenate([ways.sum(axis=1) for ways in self.blocks()])

    def draw(self, codes: IntArray, numbers: FloatArray) -> tuple[IntArray, IntArray]:
        """Draw this component of positions, each with one random number.

        Args:
            codes: codes of the components before it, ``(n,)``.
            numbers: uniform on [0, 1), ``(n,)``.

        Returns:
            States, and the codes with them.
        """
        classes = self.classes
        after = self.after(codes)
        if len(classes.sizes) == 1:
            chosen, shares = np.zeros(len(codes), dtype=np.int64), numbers
            codes = after[:, 0]
        else:
            rows = np.arange(len(codes))
            ways = self.ways(after)
            sums = ways.cumsum(axis=1)
            targets = numbers * sums[:, -1]
            chosen = (sums <= targets[:, np.newaxis]).sum(axis=1)
            weight = ways[rows, chosen]
            # What the random number leaves over selects a state of the class.
            shares = (targets - (sums[rows, chosen] - weight)) / weight
            codes = after[rows, chosen]
        sizes = classes.sizes[chosen]
        within = np.minimum((shares * sizes).astype(np.int64), sizes - 1)
        codes = codes & self.carried_bits
        if classes.states is None:
            return classes.low + within, codes
        return classes.states[classes.firsts[chosen] + within], codes


def _layers(
    box: Box, classes: list[Classes], accepted: FloatArray
) -> tuple[list[Layer], FloatArray, int]:
    """Count the completions of every code, from the last component to the first.

    Args:
        box: bounds of the positions.
        classes: classes of each component's states.
        accepted: 1 for the codes of whole positions to count, 0 for others.

    Returns:
        The layers; the number of positions by first code, divided by a power of two; and the
        exponent of that power.
    """
    slot = len(accepted)  # one slot in a code: the bits of slots are above all others
    groups = {index: group for group in box.rules.slot_groups for index in group}
    numbers = [
        slot * (len(groups[index]) + 1) if index in groups and index > groups[index].start else slot
        for index in range(len(classes))
    ]
    additions = sum(n * len(one.sizes) for n, one in zip(numbers, classes, strict=True))
    if additions > LARGEST_COUNT:
        raise SearchTooLargeError(
            f"counting the positions of {box.rules.name} from {list(box.bounds[0])} to "
            f"{list(box.bounds[1])} takes {additions} additions; the limit is {LARGEST_COUNT}"
        )
    layers: list[Layer] = []
    counts, exponent = accepted, 0
    for index in reversed(range(len(classes))):
        following, carried_bits = counts, slot - 1
        if index in groups:
            if index == groups[index].stop - 1:
                following = np.tile(counts, len(groups[index]) + 1)
            else:
                carried_bits = -1
            too_many = np.zeros(slot * int(classes[index].needed.max()))
            following = np.concatenate([following, too_many])
        layers.append(Layer(classes[index], numbers[index], following, slot, carried_bits))
        counts = layers[-1].count()
        scale = int(np.frexp(counts.max())[1])
        counts, exponent = np.ldexp(counts, -scale), exponent + scale
    return layers[::-1], counts, exponent
