"""Numba intrinsics: arrays without reference counts, for tight compiled loops."""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.extending import intrinsic


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Build ``value`` with no owner in any array that it is or holds."""
    if isinstance(kind, types.Array):
        view = context.make_array(kind)(context, builder, value=value)
        for owner in ("meminfo", "parent"):
            kind_of_owner = getattr(view, owner).type
            setattr(view, owner, kind_of_owner(None))  # a null pointer
        return view._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        for place, part in enumerate(parts):
            element = _without_owner(context, builder, part, builder.extract_value(value, place))
            value = builder.insert_value(value, element, place)
    return value


def _without_reference_counts(typing_context: Any, value: Any) -> Any:
    """Return an array, or a tuple of such and other things, without reference counts.

    Every slice of a counted array increments and decrements its count atomically, which takes a
    third of the time of a loop of a hundred nanoseconds. Only for use in compiled functions; the
    argument must outlive what is returned.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _without_owner(context, builder, value, arguments[0])

    return value(value), codegen


def _unchanged(value: Any) -> Any:
    """Return ``value`` unchanged, as plain Python needs nothing else."""
    return value


_config: Any = numba.config
without_reference_counts: Any = (
    _unchanged if _config.DISABLE_JIT else intrinsic(_without_reference_counts)
)
