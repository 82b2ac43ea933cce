"""Policies as text for people."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from tabulate import tabulate

from agents.base import Agent, Policy, Trainable
from agents.games import move_values, scored_in_words
from agents.learners.win_loss_ratio import WinLossRatio
from agents.rows import GameRows
from nim_envs import Game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.typing import BoolArray, IntArray, MaskArray, ValueArray

LARGEST_TEXT = 2_000
"""Most positions for which the table of a whole policy is made."""

RESULTS = {1: "wins", 0: "draws", -1: "loses"}
RIGHT = ("probability", "wins", "losses")
"""Columns of numbers."""


def policy_table(agent: Agent, game: Game, positions: npt.ArrayLike | None = None) -> str:
    """Return an agent's policy at each position as a table, one row for each legal move.

    Below a row with the position, each row has a move, whether the greedy policy may choose it, its
    probability, and its outcome against optimal play; for the win/loss-ratio learner also its
    counts of wins and losses.

    Args:
        agent: a learner whose probabilities are known, or an agent with
            ``action_probabilities``.
        game: rules that name the moves; observations are its positions.
        positions: positions with a legal move, ``(n, fields)``; by default all of them.

    Raises:
        TypeError: the agent's probabilities are not known.
        InvalidPositionError: positions that are not of this game, or have no legal move.
        SearchTooLargeError: no ``positions``, and the game has more than ``LARGEST_TEXT``.
    """
    if not isinstance(agent, Policy):
        raise TypeError(f"a table needs an agent with action_probabilities, which {agent!r} lacks")
    shown, masks = _playable(game, positions)
    probabilities = agent.action_probabilities(shown, masks)
    best = _best(agent, shown, masks)
    values = move_values(game, shown, masks)
    counts: tuple[Any, ...] = ()
    if isinstance(agent, WinLossRatio):
        rows = agent.rows.find(shown)
        counts = (agent.state.wins[rows], agent.state.losses[rows])

    table: list[list[str]] = []
    for place, position in enumerate(map(tuple, shown.tolist())):
        table.append([f"{' '.join(map(str, position))}  {_outcome(values[place])}"])
        table += [
            [
                f"  {game.describe(action, position)}",
                "best" if best[place, action] else "",
                f"{100 * probabilities[place, action]:.1f} %",
                *(f"{round(count[place, action], 1):.10g}" for count in counts),
                RESULTS[values[place, action]],
            ]
            for action in np.flatnonzero(masks[place]).tolist()
        ]
    names = ("wins", "losses") if counts else ()
    return _aligned(("position and moves", "", "probability", *names, "outcome"), table)


def policy_summary(agent: Agent, game: Game, positions: npt.ArrayLike | None = None) -> str:
    """Return a sentence with the number of N-positions whose best moves all win.

    Where draws exist, of positions that are not lost and whose best moves all keep the value.

    Arguments and errors: :func:`policy_table`.
    """
    shown, masks = _playable(game, positions)
    right = game.solution.keeping_mask(shown)
    counted = right.any(axis=1)
    best = _best(agent, shown, masks)
    played = counted & ~(best & ~right).any(axis=1)
    does = "keeps the value" if game.has_outcome else "wins"
    named = scored_in_words(game)[1]
    return f"The best move {does} at {played.sum()} of {counted.sum()} {named}."


def _playable(game: Game, positions: npt.ArrayLike | None) -> tuple[IntArray, MaskArray]:
    """The positions to show, with a legal move, ``(n, fields)``, and their masks."""
    board: Any = game.board
    if positions is None:
        if board.num_positions > LARGEST_TEXT:
            raise SearchTooLargeError(
                f"{game.summary} has {board.num_positions} positions; at most {LARGEST_TEXT} are "
                "shown: name those to show"
            )
        graph = GameRows(game).graph
        rows = np.flatnonzero(~graph.ends)
        return graph.positions(rows), graph.mask(rows)
    shown = np.atleast_2d(np.asarray(positions, dtype=np.int64))
    for position in map(tuple, shown.tolist()):
        if game.is_over(position):
            raise InvalidPositionError(f"position {position} leaves no legal move to show")
    return shown, board.mask(board.find(shown))


def _best(agent: Any, observations: IntArray, masks: MaskArray) -> BoolArray:
    """Mask of the greedy policy's most probable moves, or those of an agent that does not learn."""
    policy = agent.greedy() if isinstance(agent, Trainable) else agent
    probabilities = policy.action_probabilities(observations, masks)
    most = probabilities.max(axis=1, keepdims=True)
    return np.asarray((probabilities == most) & (masks == 1))


def _aligned(header: tuple[str, ...], table: list[list[str]]) -> str:
    """Return rows under a header, numbers on the right and words on the left."""
    sides = ["right" if name in RIGHT else "left" for name in header]
    with_spaces = tabulate(
        table, header, colalign=sides, disable_numparse=True, preserve_whitespace=True
    )
    return str(with_spaces)


def _outcome(values: ValueArray) -> str:
    return {1: "N-position", 0: "drawn position", -1: "P-position"}[int(values.max())]
