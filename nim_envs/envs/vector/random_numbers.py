"""Random numbers in compiled code: one 64-bit state for each game, advanced by :data:`GAMMA`.

References:
    G. L. Steele, D. Lea & C. H. Flood, "Fast splittable pseudorandom number generators",
    *OOPSLA* (2014): SplitMix64. After every ``state += GAMMA``, ``mixed(state)`` is random bits.
"""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
U11, U27, U30, U31, U32 = (np.uint64(shift) for shift in (11, 27, 30, 31, 32))


@compiled
def mixed(bits: np.uint64) -> np.uint64:
    """Return 64 well mixed bits: the output function of SplitMix64."""
    bits = (bits ^ (bits >> U30)) * MIX_1
    bits = (bits ^ (bits >> U27)) * MIX_2
    return bits ^ (bits >> U31)


@compiled(inner=True)
def below(bits: np.uint64, bound: np.uint32) -> np.uint32:
    """Return an integer from 0 to ``bound - 1``, all equally likely, from random ``bits``."""
    return np.uint32(((bits >> U32) * np.uint64(bound)) >> U32)


@compiled(inner=True)
def fraction(bits: np.uint64) -> float:
    """Return a number in [0, 1) from random ``bits``."""
    return np.float64(bits >> U11) * 2.0**-53
