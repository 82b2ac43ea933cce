"""Positions for compiled games: their legal actions, and the position after each action."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nim_envs import Game
from nim_envs.compilation import compiled
from nim_envs.rules import Convention, Rules
from nim_envs.rules.compiled_moves import (
    CompiledRules,
    compiled_rules,
    copy_entries,
    write_legal_actions,
    write_position_after,
)
from nim_envs.rules.component import strides_of
from nim_envs.typing import Array, IntArray, ValueArray

LARGEST_LISTS = 1 << 18
"""Most (position, action) pairs of a game whose legal actions are listed in advance."""


class PositionRows(NamedTuple):
    """Arrays with a row for each position; in large games, for the three positions of a turn."""

    positions: IntArray  # (rows, components), or (rows, fields) by coordinates
    legal_actions: Array  # (rows, actions): the legal ones first, ascending
    legal_counts: IntArray  # (rows,): number of legal actions
    next_positions: Array  # (rows, actions): the position after each action; empty in large games
    strides: IntArray  # (components,) or (fields,): mixed-radix strides of positions
    # For writing rows during play; None where all are listed. Functions get it and end_values also
    # as arguments of their own: Numba leaves out the code for a value only if an argument is None.
    rules: CompiledRules | None
    last_movers_reward: float  # where the last move decides
    # (positions,): value of those without moves to the player to move, in games with an outcome
    # of their own; None: the last move decides.
    end_values: ValueArray | None


def are_listed(rules: Rules, radices: Sequence[int]) -> bool:
    """Return whether the legal actions of every position are listed in advance.

    Args:
        rules: rules of the game.
        radices: number of values of each entry by which positions are numbered.
    """
    return math.prod(radices) * rules.num_actions <= LARGEST_LISTS


def rows_of(game: Game, *, by_coordinates: bool = False) -> PositionRows:
    """Return rows for the positions of ``game``.

    Args:
        game: rules of the positions.
        by_coordinates: whether there is a row for each point of the box of coordinates, and
            positions are these, ``(rows, len(game.rules.fields))``; only where all are listed.
    """
    rules = game.rules
    # Small data types, so that the lists stay in the processor's cache.
    kind = np.int16 if rules.num_actions < 2**15 else np.int64
    radices = rules.fields if by_coordinates else rules.shape
    if not are_listed(rules, radices):
        positions = np.zeros((3, len(rules.components)), dtype=np.int64)
        legal_actions = np.zeros((3, rules.num_actions), dtype=kind)
        legal_counts = np.zeros(3, dtype=np.int64)
        next_positions = np.zeros((0, rules.num_actions), dtype=np.int32)
        rules_during_play: CompiledRules | None = compiled_rules(rules)
    else:
        # Some points may be no positions; no play reaches them.
        points = np.arange(math.prod(radices))
        positions = np.stack(np.unravel_index(points, radices), axis=-1)
        states = rules.positions(np.arange(rules.num_positions))
        here, actions = np.nonzero(rules.action_mask(states))
        after = rules.step(states[here], actions)
        row, following = (
            np.ravel_multi_index((rules.coordinates(each) if by_coordinates else each).T, radices)
            for each in (states[here], after)
        )
        legal = np.zeros((len(points), rules.num_actions), dtype=np.bool_)
        legal[row, actions] = True
        next_positions = np.zeros(legal.shape, dtype=np.int32)
        next_positions[row, actions] = following
        legal_actions = np.argsort(~legal, axis=1, kind="stable").astype(kind)
        legal_counts = legal.sum(axis=1, dtype=np.int64)
        rules_during_play = None
    convention = game.convention
    return PositionRows(
        positions, legal_actions, legal_counts, next_positions, strides_of(radices),
        rules_during_play,
        convention.last_movers_reward if isinstance(convention, Convention) else 0.0,
        _end_values(game, radices, by_coordinates),
    )  # fmt: skip


def _end_values(game: Game, radices: Sequence[int], by_coordinates: bool) -> ValueArray | None:
    """Return ``end_values`` of :class:`PositionRows`; 0 for numbers of all other positions."""
    if not game.has_outcome:
        return None
    rules = game.rules
    positions = rules.lattice(rules.num_positions)
    ends = positions[rules.is_terminal(positions)]
    points = rules.coordinates(ends) if by_coordinates else ends
    values = np.zeros(math.prod(radices), dtype=np.int8)
    values[np.ravel_multi_index(points.T, radices)] = game.convention.end_values(rules, ends)
    return values


@compiled(inline=True)
def last_reward(rows: PositionRows, end_values: ValueArray | None, position: int) -> float:
    """Return the reward of the player whose move has ended the game.

    Args:
        rows: positions of the game.
        end_values: ``rows.end_values``.
        position: index of the last position.
    """
    if end_values is None:
        return rows.last_movers_reward
    return 0.0 - float(end_values[position])  # a draw is 0, not -0


@compiled(inline=True)
def first_row(
    rows: PositionRows, rules: CompiledRules | None, observation: Array, position: int
) -> int:
    """Return the row of the start position of a game; in large games it is written first.

    Args:
        rows: positions of the game.
        rules: ``rows.rules``.
        observation: start position, ``(components,)``.
        position: index of the start position.
    """
    if rules is None:
        return position
    copy_entries(observation, rows.positions[0])
    rows.legal_counts[0] = write_legal_actions(observation, rules, rows.legal_actions[0])
    return 0


@compiled(inline=True)
def move(
    rows: PositionRows,
    rules: CompiledRules | None,
    position: int,
    row: int,
    action: int,
    next_row: int,
) -> tuple[int, int]:
    """Return the index of the position after a move, and its row.

    Args:
        rows: positions of the game.
        rules: ``rows.rules``.
        position: index of the position before the move.
        row: row of that position.
        action: legal action.
        next_row: row to write the next position to, in large games.
    """
    if rules is None:
        # The sum is an int64 like other numbers; or else Numba would compile learning twice.
        following = 0 + rows.next_positions[row, action]
        return following, following
    component, option = divmod(action, rules.table.shape[2])
    before, after = rows.positions[row], rows.positions[next_row]
    following = write_position_after(rules, before, position, component, option, after)
    rows.legal_counts[next_row] = write_legal_actions(after, rules, rows.legal_actions[next_row])
    return following, next_row
