"""Many bits or many values at once, for compiled functions: what Numba's loops do not vectorise.

A :data:`lanes` value is ``WORDS`` 64-bit words in vector registers, which is one bit for each of
``LANES`` consecutive heaps. The functions here are for use inside functions compiled by Numba;
arguments are not checked, and indices past the end of an array read or write other memory. Of a
bitmap of the heaps that have some value, the lanes from heap 0 on and those from heap 8 on, or-ed:

    >>> import numba, numpy as np
    >>> words, result = np.zeros(2 * WORDS, np.uint64), np.zeros(WORDS, np.uint64)
    >>> words[0] = 1 << 11  # heap 11 has the value
    >>> offsets = np.array([1], np.uint32)  # in bytes
    >>> @numba.njit
    ... def either(words, offsets, result):
    ...     union = or_all(load(words, 0), words, 0, offsets, 0, len(offsets))
    ...     store(result, 0, union)
    ...     return count_clear(union), lowest_bit(result[0])
    >>> either(words, offsets, result) == (LANES - 2, 3), int(result[0])  # bits 3 and 11
    (True, 2056)

Whether some pair of heaps, 40 and 60, 41 and 59, ..., has an option of value 20:

    >>> values = np.arange(200, dtype=np.uint16)  # as in Nim
    >>> numba.njit(lambda values: any_pair(values, 40, 60, np.uint16(20)))(values), 40 ^ 60
    (True, 20)

The functions are written in LLVM's own language, since plain loops are slower. Of the speed of the
values of 0.324, measured to heap 2**17 or 2**18, are left: 0.93 with Numba's own count of trailing
zeros as :func:`lowest_bit`, 0.90 with a loop for :func:`store_shifted`, 0.61 with one for
:func:`any_pair`. For the others Numba 0.68 has nothing: no vector that stays in registers from one
call to the next, no unaligned words, no count of the bits that are set.

Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.extending import models, register_model

# Typed so, as Numba's own annotations know nothing of the arguments left out in a call.
intrinsic: Callable[[Any], Any] = extending.intrinsic

WORDS = 16
"""Words of lanes: more share the cost of a loop, fewer leave more of the nearest cache."""

LANES = 64 * WORDS

PAIRS = 32
"""Pairs of values that :func:`any_pair` compares."""

SIDE = 16
"""Heaps that :func:`note_least` looks at, side by side."""

CANDIDATES = 7
"""Values of each heap that :func:`note_least` looks at: as many as registers hold."""

NONE = (1 << 16) - 1
"""In place of a value: none."""

BYTE, SHORT, INDEX, WORD = (ir.IntType(bits) for bits in (8, 16, 32, 64))
VECTOR = ir.VectorType(WORD, WORDS)
VALUES = ir.VectorType(ir.IntType(16), PAIRS)
HEAPS = ir.VectorType(ir.IntType(16), SIDE)


class Lanes(types.Type):
    """Numba's type of ``WORDS`` words in vector registers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes: Any = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """Data model of :class:`Lanes` in LLVM: a vector."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of ``array[index]``."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _load(builder: Any, address: Any, vector: Any, align: int) -> Any:
    return builder.load(builder.bitcast(address, vector.as_pointer()), align=align)


def _store(builder: Any, value: Any, address: Any) -> None:
    builder.store(value, builder.bitcast(address, value.type.as_pointer()), align=2)


def _repeated(builder: Any, value: Any, vector: Any) -> Any:
    """Return a vector of the same 16 bits again and again."""
    undefined = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(INDEX, 0))
    zeros = ir.Constant(ir.VectorType(INDEX, vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, undefined, zeros)


@intrinsic
def load(typing: Any, words: Any, index: Any) -> Any:
    """Return the lanes ``words[index : index + WORDS]`` of a uint64 array."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _address(context, builder, signature.args[0], *arguments)
        return _load(builder, address, VECTOR, 8)

    return lanes(words, types.int64), code


@intrinsic
def store(typing: Any, words: Any, index: Any, value: Any) -> Any:
    """Store lanes in ``words[index : index + WORDS]`` of a uint64 array."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _store(builder, arguments[2], _address(context, builder, signature.args[0], *arguments[:2]))
        return context.get_dummy_value()

    return types.void(words, types.int64, lanes), code


@intrinsic
def count_clear(typing: Any, value: Any) -> Any:
    """Return the number of bits of lanes that are not set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(builder.not_(arguments[0]), ir.IntType(LANES))
        return builder.trunc(builder.ctpop(bits), WORD)

    return types.int64(lanes), code


@intrinsic
def lowest_bit(typing: Any, word: Any) -> Any:
    """Return the place of the lowest bit that is set in a uint64, which is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@intrinsic
def or_all(
    typing: Any, value: Any, words: Any, start: Any, offsets: Any, begin: Any, end: Any
) -> Any:
    """Return ``value`` or-ed with the lanes that begin at each byte ``offsets[begin : end]``.

    There is at least one. Bytes are counted from ``words[start]``; byte 1 of the uint64 array
    ``words`` begins at bit 8, as on every machine that Numba compiles for.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, words, start, offsets, begin, end = arguments
        origin = _address(context, builder, signature.args[1], words, start)
        origin = builder.bitcast(origin, BYTE.as_pointer())
        first = _address(context, builder, signature.args[3], offsets, begin)
        last = _address(context, builder, signature.args[3], offsets, end)
        before = builder.block
        loop, after = builder.append_basic_block(), builder.append_basic_block()
        builder.branch(loop)
        builder.position_at_end(loop)
        offset, found = builder.phi(first.type), builder.phi(VECTOR)
        byte = builder.zext(builder.load(offset), WORD)
        union = builder.or_(found, _load(builder, builder.gep(origin, [byte]), VECTOR, 1))
        following = builder.gep(offset, [ir.Constant(WORD, 1)])
        for came_from, address, lanes_found in (
            (before, first, value),
            (loop, following, union),
        ):
            offset.add_incoming(address, came_from)
            found.add_incoming(lanes_found, came_from)
        builder.cbranch(builder.icmp_unsigned("<", following, last), loop, after)
        builder.position_at_end(after)
        return union

    return lanes(lanes, words, types.int64, offsets, types.int64, types.int64), code


@intrinsic
def store_shifted(
    typing: Any, target: Any, index: Any, stride: Any, words: Any, source: Any
) -> Any:
    """Store the lanes that begin at each of the 8 bits from ``words[source]`` on.

    Those that begin at bit ``s`` go to ``target[index + s * stride :]``; both are uint64 arrays.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, index, stride, words, source = arguments
        low_address = _address(context, builder, signature.args[3], words, source)
        low = _load(builder, low_address, VECTOR, 8)
        high_address = builder.gep(low_address, [ir.Constant(WORD, 1)])
        high = _load(builder, high_address, VECTOR, 8)
        address = _address(context, builder, signature.args[0], target, index)
        _store(builder, low, address)
        for bit in range(1, 8):
            address = builder.gep(address, [stride])
            below = builder.lshr(low, ir.Constant(VECTOR, [bit] * WORDS))
            above = builder.shl(high, ir.Constant(VECTOR, [64 - bit] * WORDS))
            _store(builder, builder.or_(below, above), address)
        return context.get_dummy_value()

    return types.void(target, types.int64, types.int64, words, types.int64), code


@intrinsic
def any_pair(typing: Any, values: Any, first: Any, last: Any, target: Any) -> Any:
    """Return whether ``values[first + i] ^ values[last - i] == target`` for some ``i < PAIRS``.

    ``values`` is a uint16 array; so ``target`` is one of its values.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, first, last, target = arguments
        address = partial(_address, context, builder, signature.args[0], values)
        ascending = _load(builder, address(first), VALUES, 2)
        lowest = builder.sub(last, ir.Constant(WORD, PAIRS - 1))
        reverse = ir.Constant(ir.VectorType(INDEX, PAIRS), list(reversed(range(PAIRS))))
        below = _load(builder, address(lowest), VALUES, 2)
        descending = builder.shuffle_vector(below, ir.Constant(VALUES, ir.Undefined), reverse)
        equal = builder.icmp_unsigned(
            "==", builder.xor(ascending, descending), _repeated(builder, target, VALUES)
        )
        bits = ir.IntType(PAIRS)
        return builder.icmp_unsigned("!=", builder.bitcast(equal, bits), ir.Constant(bits, 0))

    return types.boolean(values, types.int64, types.int64, types.uint16), code


@intrinsic
def note_least(
    typing: Any, values: Any, first: Any, pairs: Any, excluded: Any, lane: Any, choices: Any,
    reached: Any, least: Any, row: Any,
) -> Any:  # fmt: skip
    """Store the next values that may be those of ``SIDE`` heaps from ``first`` on.

    Of ``choices``, uint16, descending, the least are taken that are larger than what was
    ``reached`` for the heap and not excluded, at most ``CANDIDATES`` for each heap, and then those
    are left out that are options by one of ``pairs``. All is done for the heaps side by side,
    without branches.

    The heaps begin at ``lane``, a multiple of ``SIDE``, of the lanes of each value in ``excluded``.
    Each of the uint64 ``pairs`` has an offset of at least ``SIDE`` in its low 32 bits, the value of
    a heap of this offset above them. ``least`` is uint16 of rows of ``SIDE`` heaps, one after the
    other, of which ``CANDIDATES`` from ``row`` on are filled, ascending; where there are no more,
    with ``NONE``. ``reached``, uint16 for each of the heaps, becomes the largest value taken, or
    ``NONE`` if there are no more.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, first, pairs, excluded, lane, choices, reached, least, row = arguments
        excluded = _address(context, builder, signature.args[3], excluded, ir.Constant(WORD, 0))
        words = builder.bitcast(excluded, SHORT.as_pointer())
        words = builder.gep(words, [builder.udiv(lane, ir.Constant(WORD, SIDE))])
        bits = ir.Constant(HEAPS, [1 << heap for heap in range(SIDE)])
        zeros, none = (ir.Constant(HEAPS, [x] * SIDE) for x in (0, NONE))
        reached = _address(context, builder, signature.args[6], reached, ir.Constant(WORD, 0))
        before = _load(builder, reached, HEAPS, 2)

        def note(choice: Any, noted: list[Any]) -> list[Any]:
            place = builder.mul(builder.zext(choice, WORD), ir.Constant(WORD, LANES // SIDE))
            mask = _repeated(builder, builder.load(builder.gep(words, [place])), HEAPS)
            free = builder.icmp_unsigned("==", builder.and_(mask, bits), zeros)
            new = _repeated(builder, choice, HEAPS)
            free = builder.and_(free, builder.icmp_unsigned(">", new, before))
            lower = [new, *noted[:-1]]
            return [builder.select(free, *rows) for rows in zip(lower, noted, strict=True)]

        def strike(pair: Any, noted: list[Any]) -> list[Any]:
            offset = builder.and_(pair, ir.Constant(WORD, (1 << 32) - 1))
            value = builder.trunc(builder.lshr(pair, ir.Constant(WORD, 32)), SHORT)
            address = _address(
                context, builder, signature.args[0], values, builder.sub(first, offset)
            )
            options = builder.xor(
                _load(builder, address, HEAPS, 2), _repeated(builder, value, HEAPS)
            )
            equal = [builder.icmp_unsigned("==", options, row) for row in noted]
            # A row that is struck becomes NONE, of which all bits are set.
            return [
                builder.or_(row, builder.sext(struck, HEAPS))
                for row, struck in zip(noted, equal, strict=True)
            ]

        rows = _fold(context, builder, signature.args[5], choices, [none] * CANDIDATES, note)
        _store(builder, rows[-1], reached)
        rows = _fold(context, builder, signature.args[2], pairs, rows, strike)
        for place in reversed(range(CANDIDATES)):
            struck = builder.icmp_unsigned("==", rows[place], none)
            rows[place:] = [
                builder.select(struck, *two)
                for two in zip([*rows[place + 1 :], none], rows[place:], strict=True)
            ]
        first_place = builder.mul(row, ir.Constant(WORD, SIDE))
        for place in range(CANDIDATES):
            index = builder.add(first_place, ir.Constant(WORD, place * SIDE))
            _store(
                builder, rows[place], _address(context, builder, signature.args[7], least, index)
            )
        return context.get_dummy_value()

    return types.void(
        values, types.int64, pairs, excluded, types.int64, choices, reached, least, types.int64
    ), code


def _fold(
    context: Any, builder: Any, array_type: Any, array: Any, vectors: list[Any], step: Any
) -> list[Any]:
    """Return ``vectors`` after ``vectors = step(element, vectors)`` for each element in turn."""
    structure = context.make_array(array_type)(context, builder, array)
    begin, before = structure.data, builder.block
    end = builder.gep(begin, [builder.extract_value(structure.shape, 0)])
    head, loop, after = (builder.append_basic_block() for _ in range(3))
    builder.branch(head)
    builder.position_at_end(head)
    address = builder.phi(begin.type)
    so_far = [builder.phi(vector.type) for vector in vectors]
    builder.cbranch(builder.icmp_unsigned("<", address, end), loop, after)
    builder.position_at_end(loop)
    following = step(builder.load(address), so_far)
    for phi, start, turn in zip(
        (address, *so_far),
        (begin, *vectors),
        (builder.gep(address, [ir.Constant(WORD, 1)]), *following),
        strict=True,
    ):
        phi.add_incoming(start, before)
        phi.add_incoming(turn, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
    return so_far
