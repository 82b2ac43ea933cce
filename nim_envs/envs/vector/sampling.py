"""Random legal actions."""

from __future__ import annotations

import numpy as np

from nim_envs.compilation import compiled
from nim_envs.envs.vector.games import BLOCK
from nim_envs.envs.vector.grouping import UInt32Array
from nim_envs.envs.vector.moves import ONE, TOP_BIT, ZERO, state_mask
from nim_envs.envs.vector.random_numbers import GAMMA, below, mixed
from nim_envs.envs.vector.tables import ColumnArray, WordArray
from nim_envs.typing import IntArray


@compiled
def sample(
    groups: ColumnArray,
    legal_actions: UInt32Array,
    states: UInt32Array,
    bits: WordArray,
    actions: IntArray,
    first: int,
    last: int,
) -> None:
    """Write a legal action for every game, all equally likely; any action where none is legal.

    Args:
        groups: :attr:`Tables.groups`.
        legal_actions: :attr:`Tables.legal_actions`.
        states: packed states of the groups, ``(groups, games)``.
        bits: the games' random states, ``(last - first,)``, advanced.
        actions: ``(last - first,)``, written.
        first: index of the first game.
        last: index after the last game.
    """
    size = min(last - first, BLOCK)
    left, chosen = np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint32)
    for here in range(0, last - first, BLOCK):
        end = min(here + BLOCK, last - first)
        number = end - here
        drawn, action = bits[here:end], actions[here:end]
        left[:number] = ZERO
        for group in range(len(groups)):
            packed = states[group, first + here : first + end]
            bits_of_state = groups[group]["state_bits"]
            for i in range(number):
                left[i] += packed[i] >> bits_of_state
        for i in range(number):
            drawn[i] += GAMMA
            left[i] = below(mixed(drawn[i]), left[i])
        chosen[:number] = ZERO
        for group in range(len(groups)):
            at, width = groups[group]["legal_at"], groups[group]["legal_width"]
            bits_of_state = groups[group]["state_bits"]
            mask = state_mask(bits_of_state)
            packed = states[group, first + here : first + end]
            # Once the group is found, the remainder wraps around to a large number. A remainder at
            # the last group belongs to it.
            if group == len(groups) - 1:
                for i in range(number):
                    found = ONE - (left[i] >> TOP_BIT)
                    chosen[i] += found * np.uint32(at + width * (packed[i] & mask) + left[i])
                break
            for i in range(number):
                count = np.uint32(packed[i] >> bits_of_state)
                found = np.uint32(left[i] < count)
                chosen[i] += found * np.uint32(at + width * (packed[i] & mask) + left[i])
                left[i] -= count
        for i in range(number):
            action[i] = np.int64(legal_actions[chosen[i]])
