"""Three pupils' players of Nim, one function each: copy this file, and put your class in."""

import numpy as np


def ada(observations, action_masks):
    """Any legal move: the probability of each, for many positions at a time."""
    return action_masks / action_masks.sum(axis=1, keepdims=True)


def ben(heaps):
    """Takes the largest heap."""
    heap = heaps.index(max(heaps))
    return *heaps[:heap], 0, *heaps[heap + 1 :]


def cleo(heaps):
    """Leaves heaps whose nim-sum is 0, or else takes one object."""
    nim_sum = np.bitwise_xor.reduce(heaps)
    for heap, objects in enumerate(heaps):
        if objects ^ nim_sum < objects:
            return *heaps[:heap], objects ^ nim_sum, *heaps[heap + 1 :]
    heap = heaps.index(max(heaps))
    return *heaps[:heap], heaps[heap] - 1, *heaps[heap + 1 :]
