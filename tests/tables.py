"""Parts of games from tables of their moves."""

import numpy as np

from nim_envs.graph import Part, Words


def say(label, position):
    return f"option {label}"


def table_part(rows, second=None):
    """The part whose option j moves from state i to ``rows[i][j]``; -1 where it is illegal."""
    after = np.array(rows, dtype=np.int32)
    states = np.arange(len(after))[:, np.newaxis]
    return Part(states, after, range(after.shape[1]), Words("part", say), second=second)


def all_positions(game):
    """Coordinates of every position, ``(n, fields)``, and the masks of actions there."""
    board = game.board
    states = np.arange(board.num_positions)
    return board.positions(states), board.mask(states)
