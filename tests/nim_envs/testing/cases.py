"""Games and opponents that the checks of several kinds of environments are tried on."""

from __future__ import annotations

from nim_envs import Convention, Game, Rules, make_game
from nim_envs.rules import TableComponent

NIM = make_game("nim", heaps=(2, 3))
PATH = TableComponent(rows=((-1, -1), (0, -1), (1, 0), (2, 1)))
PATHS = Game(Rules("paths", (PATH, PATH), (3, 3)), Convention.MISERE)


def last_legal(observations, masks, rng):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


DISAGREEMENTS = [
    # An opponent's name, the one that plays instead, and what the error says.
    ("optimal", "random", "the opponent 'optimal' moved from .* and the actions that it draws"),
    ("optimal", 0.2, "the opponent 'optimal' moved from"),
    ("random", "optimal", "made .* winning moves, where about .* are expected"),
    (0.5, "optimal", "the opponent 0.5 made .* winning moves, where about"),
    (0.5, "random", "the opponent 0.5 made .* winning moves, where about"),
    ("random", last_legal, "winning moves, where|the opponent 'random' does not draw evenly"),
]
