"""Games of a user's own, at the top level of a module as a user would write them."""

from nim_envs import Convention, Game, Rules
from nim_envs.rules import TableComponent


def stairs(steps=6, *, most=2):
    """Go down some of a number of steps."""
    rows = [
        [step - n if n <= step else -1 for n in range(1, most + 1)] for step in range(steps + 1)
    ]
    return Rules("stairs", (TableComponent(rows=rows),), initial=(steps,))


def misere_stairs(steps=5):
    """Return the same as a game, in misère play."""
    return Game(stairs(steps), Convention.MISERE)


STAIRS = Game(stairs(4), Convention.MISERE, (3,))
