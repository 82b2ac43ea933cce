"""Many bits or many values at once, for compiled functions: what Numba's loops do not vectorise.

A :data:`lanes` value is ``WORDS`` 64-bit words in vector registers, which is one bit for each of
``LANES`` consecutive heaps. The functions here are for use inside functions compiled by Numba;
arguments are not checked, and indices past the end of an array read or write other memory.
Importing this module imports Numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.extending import models, register_model

# Typed so, as Numba's own annotations know nothing of the arguments left out in a call.
intrinsic: Callable[[Any], Any] = extending.intrinsic

WORDS = 8
LANES = 64 * WORDS

PAIRS = 32
"""Pairs of values that :func:`any_pair` compares."""

BYTE, WORD, INDEX = ir.IntType(8), ir.IntType(64), ir.IntType(32)
VECTOR = ir.VectorType(WORD, WORDS)
VALUES = ir.VectorType(ir.IntType(16), PAIRS)


class Lanes(types.Type):
    """Numba's type of ``WORDS`` words in vector registers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes: Any = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How LLVM sees a :class:`Lanes`: as a vector."""

    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of ``array[index]``."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


def _load(builder: Any, address: Any, vector: Any, align: int) -> Any:
    return builder.load(builder.bitcast(address, vector.as_pointer()), align=align)


def _store(builder: Any, value: Any, address: Any) -> None:
    builder.store(value, builder.bitcast(address, value.type.as_pointer()), align=8)


def _repeated(builder: Any, value: Any) -> Any:
    """Return ``PAIRS`` times the same 16 bits."""
    undefined = ir.Constant(VALUES, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(INDEX, 0))
    zeros = ir.Constant(ir.VectorType(INDEX, PAIRS), [0] * PAIRS)
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
    """Return how many bits of lanes are not set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(builder.not_(arguments[0]), ir.IntType(LANES))
        return builder.trunc(builder.ctpop(bits), WORD)

    return types.int64(lanes), code


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
        ascending = _load(
            builder, _address(context, builder, signature.args[0], values, first), VALUES, 2
        )
        lowest = builder.sub(last, ir.Constant(WORD, PAIRS - 1))
        reverse = ir.Constant(ir.VectorType(INDEX, PAIRS), list(reversed(range(PAIRS))))
        undefined = ir.Constant(VALUES, ir.Undefined)
        descending = builder.shuffle_vector(
            _load(
                builder, _address(context, builder, signature.args[0], values, lowest), VALUES, 2
            ),
            undefined,
            reverse,
        )
        equal = builder.icmp_unsigned(
            "==", builder.xor(ascending, descending), _repeated(builder, target)
        )
        bits = ir.IntType(PAIRS)
        return builder.icmp_unsigned("!=", builder.bitcast(equal, bits), ir.Constant(bits, 0))

    return types.boolean(values, types.int64, types.int64, types.uint16), code


@intrinsic
def any_matching(typing: Any, values: Any, first: Any, others: Any, begin: Any, target: Any) -> Any:
    """Return whether ``values[first + i] ^ others[begin + i] == target`` for some ``i < LANES``.

    Both are uint16 arrays; so ``target`` is one of their values.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, first, others, begin, target = arguments
        value = _address(context, builder, signature.args[0], values, first)
        other = _address(context, builder, signature.args[2], others, begin)
        wanted = _repeated(builder, target)
        matching = ir.Constant(VALUES, [0] * PAIRS)
        for index in range(0, LANES, PAIRS):
            place = [ir.Constant(WORD, index)]
            one = _load(builder, builder.gep(value, place), VALUES, 2)
            two = _load(builder, builder.gep(other, place), VALUES, 2)
            equal = builder.icmp_unsigned("==", builder.xor(one, two), wanted)
            matching = builder.or_(matching, builder.sext(equal, VALUES))
        bits = ir.IntType(16 * PAIRS)
        return builder.icmp_unsigned("!=", builder.bitcast(matching, bits), ir.Constant(bits, 0))

    return types.boolean(values, types.int64, others, types.int64, types.uint16), code
