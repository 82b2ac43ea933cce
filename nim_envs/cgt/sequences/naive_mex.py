"""Grundy values of heap games by the definition, from all options of every heap, in compiled code.

Importing this module imports Numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.rules.octal_codes import LEAVE_ONE, LEAVE_TWO, WHOLE


@compiled
def convolve(
    values: Any, known: int, until: int, digits: Any, repeating: bool, unequal: bool,
    always: Any, recorded: int,
) -> int:  # fmt: skip
    """Compute values in place, after those that are known, by trying all options.

    Args:
        values: unsigned integers; the first ``known`` are filled.
        known: number of known values.
        until: number of wanted values.
        digits: the digits of the game; int64.
        repeating: whether the last one repeats.
        unequal: whether two heaps must be of different sizes.
        always: whether each value is that of an option of every later heap, as the last digit
            repeats, uint8. Its length, a power of 2, bounds the values.
        recorded: largest heap that ``always`` takes into account.

    Returns:
        Number of known values; less than ``until`` if the next value reaches the bound.
    """
    last = len(digits) - 1
    option_of = np.full(len(always), -1, dtype=np.int64)
    for heap in range(recorded if repeating else known, until):
        for taken in range(last + 1):
            digit, left = digits[taken], heap - taken
            if left < 0:
                break
            lasting = repeating and taken == last
            if not lasting and heap < known:
                continue
            if left == 0:
                if digit & WHOLE and heap > 0:
                    option_of[0] = heap
                    always[0] |= lasting
                break
            if digit & LEAVE_ONE:
                option_of[values[left]] = heap
                always[values[left]] |= lasting
            if digit & LEAVE_TWO:
                for one in range(1, ((left - 1 if unequal else left) // 2) + 1):
                    option = values[one] ^ values[left - one]
                    option_of[option] = heap
                    if lasting:
                        always[option] = 1
        if heap >= known:
            value = 0
            while value < len(always) and (option_of[value] == heap or always[value]):
                value += 1
            if value == len(always):
                return heap
            values[heap] = value
    return until
