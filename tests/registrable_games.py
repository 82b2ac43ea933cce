"""Games of a user's own, at the top level of a module as a user would write them."""

from dataclasses import replace

from nim_envs import game_from_moves


def stairs(steps=6, *, most=2):
    """Go down some of a number of steps."""

    def moves(position):
        (left,) = position
        return [(taken, (left - taken,)) for taken in range(1, most + 1) if taken <= left]

    return game_from_moves("stairs", (steps,), moves)


def misere_stairs(steps=5):
    """Return the same in misère play."""
    return replace(stairs(steps), misere=True)


def any_stairs(steps=5, misere=True):
    """Return the stairs in either convention: in normal play there is one step more."""
    return misere_stairs(steps) if misere else stairs(steps + 1)


STAIRS = replace(misere_stairs(4), starts=(3,))
