"""Policies as text for people."""

from typing import Any

import numpy as np
import numpy.typing as npt
from tabulate import tabulate

from agents.base import Agent, Policy, Trainable
from nim_envs import Game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError

LARGEST_TEXT = 2_000
"""Most positions for which the table of a whole policy is made."""

OUTCOMES = {1: "N-position", 0: "drawn position", -1: "P-position"}
RESULTS = {1: "wins", 0: "draws", -1: "loses"}


def policy_table(agent: Agent, game: Game, positions: npt.ArrayLike | None = None) -> str:
    """Return an agent's policy at each position as a table, one row for each legal move.

    Below a row with the position, each row has a move, whether the greedy policy may choose it, its
    probability, and its outcome against optimal play. Illegal actions have a row where they are
    played, and so has an answer without a legal move.

    Args:
        agent: an agent with ``action_probabilities``.
        game: rules that name the moves; observations are its positions.
        positions: positions with a legal move, ``(n, fields)``; by default all of them.

    Raises:
        TypeError: the agent's probabilities are not known.
        InvalidPositionError: positions that are not of this game, or have no legal move.
        SearchTooLargeError: no ``positions``, and the game has more than ``LARGEST_TEXT``.
    """
    if not isinstance(agent, Policy):
        raise TypeError(f"a table needs an agent with action_probabilities, which {agent!r} lacks")
    if positions is None and game.board.num_positions > LARGEST_TEXT:
        raise SearchTooLargeError(
            f"{game.summary} has {game.board.num_positions} positions; at most {LARGEST_TEXT} are "
            "shown: name those to show"
        )
    if positions is None:
        shown = game.positions()
    else:
        given = np.atleast_2d(np.asarray(positions)).tolist()
        shown = game.board.positions(np.array([game.checked_state(tuple(each)) for each in given]))
    masks = game.mask(shown)
    over = ~masks.any(axis=1)
    if positions is not None and over.any():
        first = tuple(shown[over][0].tolist())
        raise InvalidPositionError(f"position {first} leaves no legal move to show")
    shown, masks = shown[~over], masks[~over]
    probabilities = agent.action_probabilities(shown, masks)
    policy: Any = agent.greedy() if isinstance(agent, Trainable) else agent
    greedy = policy.action_probabilities(shown, masks)
    best = (greedy == greedy.max(axis=1, keepdims=True)) & (greedy > 0)
    board: Any = game.board
    rows, actions = np.nonzero(masks)
    after = board.step(board.find(shown)[rows], actions)
    values = np.full(masks.shape, -1)  # of actions to the mover
    values[rows, actions] = -game.solution.value(board.positions(after))
    table = []
    for place, (position, mask) in enumerate(zip(map(tuple, shown.tolist()), masks, strict=True)):
        outcome = OUTCOMES[int(values[place].max())]
        table.append([f"{' '.join(map(str, position))}  {outcome}"])
        table += [
            [
                f"  {game.describe(action, position)}{'' if mask[action] else ' (illegal)'}",
                "best" if best[place, action] else "",
                f"{100 * probabilities[place, action]:.1f} %",
                RESULTS[values[place, action]],
            ]
            for action in np.flatnonzero(mask | (probabilities[place] > 0)).tolist()
        ]
        if not probabilities[place].any():
            table.append(["  no legal move", "best", "100.0 %", RESULTS[-1]])
    header = ("position and moves", "", "probability", "outcome")
    sides = ("left", "left", "right", "left")
    text = tabulate(table, header, colalign=sides, disable_numparse=True, preserve_whitespace=True)
    return str(text)
