"""Choice of the sampler for a box: from a list, by counting, or by rejection."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from nim_envs.errors import SearchTooLargeError
from nim_envs.rules.rules import Rules
from nim_envs.starts.box import Box, checked_box
from nim_envs.starts.counted import CountedSampler
from nim_envs.starts.rejected import TRIAL, RejectionSampler
from nim_envs.starts.samplers import LARGEST_SUPPORT, ListSampler, Sampler
from nim_envs.theory.solution import Solution

DRAWS_BEFORE_GIVING_UP = 1 << 18
"""Draws without a wanted position after which a box too large to count is refused."""

LEAST_ACCEPTANCE_RATE = 1 / 16
"""Acceptance rate from which rejection is faster than counting."""


class SolvedGame(Protocol):
    """A game as far as its starts depend on it, such as a :class:`nim_envs.Game`."""

    @property
    def rules(self) -> Rules:
        """The moves."""
        ...

    @property
    def old_solution(self) -> Solution:
        """The outcome of every position, by a search if need be."""
        ...

    def solution_without_search(self) -> Solution:
        """Return the solution, or raise an ``InvalidPositionError`` where it takes a search."""
        ...


def box_sampler(
    game: SolvedGame, low: object, high: object, value: int | None, *, search: bool
) -> Sampler:
    """Return the sampler of the wanted, non-terminal positions of a box.

    Searches and counts are done here, so that drawing is fast.

    Args:
        game: its solution tells the values of positions.
        low: as in :class:`nim_envs.starts.UniformStart`.
        high: as in :class:`nim_envs.starts.UniformStart`.
        value: 1 for N-positions, 0 for drawn ones, -1 for P-positions, ``None`` for any.
        search: whether the game may be solved by a search.

    Raises:
        InvalidPositionError: impossible bounds, no such position, or a search would be needed.
        SearchTooLargeError: the positions are too many to be searched or counted.
    """
    box = checked_box(game.rules, low, high)
    solution = None
    if value is not None:
        solution = game.old_solution if search else game.solution_without_search()
    all_positions = CountedSampler(box, terminal=True)
    if all_positions.num_positions <= LARGEST_SUPPORT:
        return _listed(box, value, solution)
    if solution is not None:
        solution = solution.for_many_positions()
    if solution is not None and not solution.is_complete:
        raise SearchTooLargeError(
            f"no theorem known here says who wins {solution.convention.value} play of "
            f"{box.rules.name}, and the box of starts has {all_positions.num_positions} positions; "
            f"the limit for searching them all is {LARGEST_SUPPORT}"
        )
    return _unlisted(all_positions, box, value, solution)


def _listed(box: Box, value: int | None, solution: Solution | None) -> ListSampler:
    positions = box.positions()
    if solution is not None:
        positions = positions[solution.value(positions) == value]
    if not len(positions):
        raise box.no_position_error(value, "exists")
    return ListSampler(positions)


def _unlisted(
    all_positions: CountedSampler, box: Box, value: int | None, solution: Solution | None
) -> Sampler:
    """Return a sampler by counting, or by rejection if faster or if there is too much to count."""
    rejection = RejectionSampler(all_positions, box, value, solution)
    # In slots, drawing the positions to be rejected takes counting already.
    if not box.rules.slot_groups and rejection.acceptance_rate(TRIAL) >= LEAST_ACCEPTANCE_RATE:
        return rejection
    with suppress(SearchTooLargeError):
        counted = rejection.counted()
        if not counted.num_positions:
            raise box.no_position_error(value, "exists")
        return counted
    if not rejection.acceptance_rate(DRAWS_BEFORE_GIVING_UP):
        raise box.no_position_error(value, f"was found in {DRAWS_BEFORE_GIVING_UP} draws")
    return rejection
