"""Start positions: fixed, from a list, uniform over a box, N-, P- or drawn positions, or balanced.

A :class:`Start` describes a distribution; :meth:`Start.sampler` returns its :class:`Sampler` for
one game. All randomness comes from the generator that is passed in.
"""

from nim_envs.starts.distributions import (
    ALL_NAMED_STARTS,
    NAMED_STARTS,
    BalancedStart,
    FixedStart,
    ListStart,
    OutcomeStart,
    Start,
    UniformStart,
    as_start,
    checked_start,
)
from nim_envs.starts.samplers import LARGEST_SUPPORT, Sampler

__all__ = [
    "ALL_NAMED_STARTS",
    "LARGEST_SUPPORT",
    "NAMED_STARTS",
    "BalancedStart",
    "FixedStart",
    "ListStart",
    "OutcomeStart",
    "Sampler",
    "Start",
    "UniformStart",
    "as_start",
    "checked_start",
]
