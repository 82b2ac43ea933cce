"""Who wins at Nim."""


def lost(position, misere):
    """Whether the player to move loses: by counting, heap by heap, in no use of the package."""
    if misere and max(position) <= 1:
        return sum(position) % 2 == 1
    return all(sum(size >> bit & 1 for size in position) % 2 == 0 for bit in range(10))
