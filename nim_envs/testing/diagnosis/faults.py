"""The faults that are known, each by the moves that an agent with it comes to make.

The moves are computed, not learned: with the wrong sign of the bootstrap by dynamic programming
with that sign, of a blind agent by what it has played at positions that look the same to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from nim_envs.players import FloatArray
from nim_envs.rules.component import BoolArray, IntArray
from nim_envs.rules.convention import Convention
from nim_envs.testing.diagnosis.board import Board, Moves, greedy
from nim_envs.testing.diagnosis.case import Case, Expected
from nim_envs.testing.diagnosis.likelihood import evenly, ranked

Expect = Callable[[Case], Expected | None]
"""The expectation of a fault in one game; ``None`` where the game does not show it."""


class Variant(NamedTuple):
    """A form of a fault.

    Attributes:
        expect: what it expects in a game.
        learned: whether it is compared with right agents that have learned something alone, as
            one that has not may play the same.
    """

    expect: Expect
    learned: bool = False


@dataclass(frozen=True)
class Fault:
    """A known fault of agents, and the moves that give it away.

    Attributes:
        name: its name, in a few words.
        meaning: what an agent with it does, and where to look.
        variants: the forms that it takes.
    """

    name: str
    meaning: str
    variants: tuple[Variant, ...]


def of_moves(*found: Moves) -> tuple[Variant, ...]:
    """Return variants from moves, which are chosen at random or in a fixed order."""
    return tuple(
        Variant(partial(_expected_moves, moves, in_order))
        for moves in found
        for in_order in (False, True)
    )


def _expected_moves(moves: Moves, in_order: bool, case: Case) -> Expected:
    return case.expecting(case.board.moves_of(moves)[case.rows], in_order=in_order)


# The sign of the bootstrap.


def plus_the_opponents_value(board: Board, discount: float) -> BoolArray:
    """Greedy moves for ``Q(s, a) = r + γ max Q(s')`` where the opponent moves at ``s'``."""
    best = np.zeros(len(board.positions))

    def update(rows: IntArray) -> FloatArray:
        found = board.reward * board.ending[rows] + discount * best[board.after[rows]]
        best[rows] = np.where(board.legal[rows], found, -np.inf).max(axis=1)
        return np.asarray(found)

    return greedy(board.backward(update))


def with_the_reply(board: Board, discount: float, explored: float) -> BoolArray:
    """Greedy moves for ``Q(s, a) = r + r' + γ max Q(s')``, where ``r'`` is of the reply at ``s'``.

    Args:
        board: the positions.
        discount: γ.
        explored: probability of a random reply.
    """
    best = np.zeros(len(board.positions))
    reply = np.zeros(len(board.positions))

    def update(rows: IntArray) -> FloatArray:
        legal, ending = board.legal[rows], board.ending[rows]
        later = board.after[rows]
        found = board.reward * ending + reply[later] + discount * best[later]
        values = np.where(legal, found, -np.inf)
        best[rows] = values.max(axis=1)
        played = (1 - explored) * evenly(greedy(values)) + explored * evenly(legal)
        reply[rows] = -board.reward * (played * ending).sum(axis=1)
        return np.asarray(found)

    return greedy(board.backward(update))


def to_the_opponents_liking(board: Board) -> BoolArray:
    """Moves to positions that are won for the opponent, besides those that end the game well."""
    ends = board.ending
    values = np.where(ends, board.reward, board.values()[board.after])
    return greedy(np.where(board.legal, values, -np.inf))


# Who has won.


def of_the_other_convention(board: Board) -> BoolArray:
    """Winning moves if the other convention held."""
    return next(
        board.winning_in(other) for other in Convention if other is not board.game.convention
    )


def always(convention: Convention, board: Board) -> BoolArray:
    """Winning moves under one convention, whatever the game's is."""
    return board.winning_in(convention)


# Observations.


def at_later_positions(board: Board, moves: int) -> BoolArray:
    """Actions that win most often, some random moves later.

    An agent that was shown the position of some moves before learns these.
    """
    won = board.winning.astype(np.float64)
    there = board.legal.astype(np.float64)
    for _ in range(moves):
        steps = evenly(board.legal)
        won = np.einsum("na,nab->nb", steps, won[board.after])
        there = np.einsum("na,nab->nb", steps, there[board.after])
    with np.errstate(invalid="ignore"):
        shares = np.where((there > 0) & board.legal, won / there, -np.inf)
    return greedy(shares)


Looks = Callable[[Case], IntArray | None]
"""The group of each position, ``(k,)``: those of a group look the same to a blind agent."""


def of_looks(*found: Looks) -> tuple[Variant, ...]:
    """Return variants from the positions that look the same."""
    return tuple(Variant(partial(_expected_looks, looks), learned=True) for looks in found)


def _expected_looks(looks: Looks, case: Case) -> Expected | None:
    groups = looks(case)
    if groups is None:
        return None
    everywhere = np.ones(len(groups))
    # Where the mask is read, an illegal action is passed over.
    any_action = bool(case.illegal.any())
    candidates = np.ones_like(case.legal) if any_action else case.legal
    moves = ranked(case.shares, candidates, groups, everywhere)
    # It has learned what can be learned so: where moves are equal, one that wins is more probable.
    won = moves & case.winning
    better = np.where(won.any(axis=1, keepdims=True), won, moves)
    return Expected((evenly(moves) + evenly(better)) / 2, moves, case.everywhere, any_action)


def _groups(looks: IntArray) -> IntArray:
    """Number equal rows."""
    return np.unique(looks, axis=0, return_inverse=True)[1].reshape(-1)


def all_alike(case: Case) -> IntArray:
    """All positions look the same."""
    return np.zeros(len(case.rows), dtype=np.int64)


def without_component(component: int, alone: bool, case: Case) -> IntArray | None:
    """One component is not seen.

    Args:
        component: its number.
        alone: whether the only component of a game is not seen either.
        case: the moves.
    """
    components = case.positions.shape[1]
    if component >= components or (components == 1 and not alone):
        return None
    return _groups(np.delete(case.positions, component, axis=1))


def without_order(case: Case) -> IntArray | None:
    """The order of equal components is not seen."""
    rules = case.board.game.rules
    positions = case.positions.copy()
    alike = [
        [index for index, _ in group]
        for _, group in groupby(enumerate(rules.components), key=lambda each: repr(each[1]))
    ]
    if max(map(len, alike)) < 2:
        return None
    for columns in alike:
        positions[:, columns] = np.sort(positions[:, columns], axis=1)
    return _groups(positions)


def by_being_empty(case: Case) -> IntArray | None:
    """Positions with the same components in state 0 look the same."""
    return _groups((case.positions > 0).astype(np.int64))


def by_being_full(case: Case) -> IntArray | None:
    """Positions with the same full components look the same, as do shares cut to 0 or 1."""
    largest = np.array(case.board.game.rules.shape) - 1
    return _groups((case.positions == largest).astype(np.int64))


def by_halves(case: Case) -> IntArray | None:
    """Positions with the same halved states, rounded down, look the same."""
    return _groups(case.positions // 2)


def by_direction(case: Case) -> IntArray | None:
    """Positions with the same ratios of states look the same, as to a saturated network."""
    divisors = np.gcd.reduce(case.positions, axis=1, keepdims=True)
    return _groups(case.positions // np.maximum(divisors, 1))


# Seats, masks, search and actions.


def blind_seat(seat: int, in_order: bool, case: Case) -> Expected | None:
    """Right moves at the positions of one player, any moves at those of the other."""
    seats = case.seats
    alone = seats[0] != seats[1]
    if not (alone & seats[0]).any() or not (alone & seats[1]).any():
        return None
    blind = alone & seats[seat]
    expected = case.expecting(
        np.where(blind[:, np.newaxis], case.legal, case.winning), in_order=in_order
    )
    if in_order:
        noise = evenly(ranked(case.shares, case.legal, blind.astype(np.int64), blind * 1.0))
    else:
        noise = case.random_moves
    chances = np.where(blind[:, np.newaxis], noise, evenly(case.winning))
    return Expected(chances, expected.moves, alone)


def anything(case: Case) -> Expected | None:
    """Right moves among illegal ones."""
    if not case.illegal.any():
        return None
    return Expected(evenly(case.winning), case.winning, case.everywhere, any_action=True)


def one_move_ahead(board: Board) -> BoolArray:
    """Moves that win at once, or else those that do not lose at once."""
    ending = board.ending
    good = ending if board.reward > 0 else board.legal & ~ending
    return np.where(good.any(axis=1, keepdims=True), good, board.legal)


def searched_one_move(in_order: bool, case: Case) -> Expected | None:
    """The expectation of a search of depth one, at all positions."""
    found = case.expecting(one_move_ahead(case.board)[case.rows], in_order=in_order)
    return Expected(found.chances, found.moves, case.everywhere)


def shifted(by_component: bool, step: int, any_action: bool, case: Case) -> Expected | None:
    """Winning actions, with a number that is one too large or too small."""
    rules = case.board.game.rules
    if by_component and (len(rules.components) == 1 or rules.num_options == 1):
        return None
    if any_action and not case.illegal.any():
        return None
    by = step * (rules.num_options if by_component else 1)
    moves = np.roll(case.winning, by, axis=1)
    return case.expecting(moves, any_action=any_action)


ONE_MOVE_AHEAD = tuple(
    Variant(partial(searched_one_move, in_order), learned=True) for in_order in (False, True)
)

FAULTS = (
    Fault(
        "wrong sign of the bootstrap",
        "it takes the opponent's values for its own: the value of the next position, where the "
        "opponent is to move, must be subtracted",
        of_moves(
            partial(plus_the_opponents_value, discount=0.9),
            partial(with_the_reply, discount=0.9, explored=0.0),
            partial(with_the_reply, discount=0.9, explored=0.2),
            partial(with_the_reply, discount=1.0, explored=0.2),
            to_the_opponents_liking,
        )
        # Without a discount, wins in two moves and losses in one cancel: nothing is left of them.
        + ONE_MOVE_AHEAD,
    ),
    Fault(
        "normal and misère play confused",
        "it plays by the other rule of who wins: normal play's last mover wins, misère play's "
        "loses",
        of_moves(partial(always, Convention.NORMAL), partial(always, Convention.MISERE)),
    ),
    Fault(
        "players swapped",
        "it plays to lose: the result of a game is credited to the wrong player",
        of_moves(of_the_other_convention),
    ),
    Fault(
        "action mask ignored",
        "it makes illegal moves: the mask must be applied where actions are chosen, and in the "
        "maximum over next actions",
        (Variant(anything),),
    ),
    Fault(
        "same action always",
        "it prefers the same actions at every position: the observation does not reach it, or it "
        "was not trained",
        of_looks(all_alike),
    ),
    *(
        Fault(
            f"blind to component {component}",
            f"its moves do not depend on component {component} of the position",
            of_looks(
                partial(without_component, component, False),
                partial(without_component, component, True),
            ),
        )
        for component in range(8)
    ),
    Fault(
        "blind to the order of components",
        "it plays the same actions whichever of the equal components they meet: observations are "
        "sorted, or permuted apart from the actions",
        of_looks(without_order),
    ),
    Fault(
        "observations unnormalised or cut",
        "positions of different numbers look the same to it: look for integer division, for casts "
        "to integers, and for scaling that differs between training and play",
        of_looks(by_being_empty, by_being_full, by_halves, by_direction),
    ),
    Fault(
        "stale observations",
        "it plays what would be right after the next move: it was shown the observation of an "
        "earlier turn",
        of_moves(partial(at_later_positions, moves=1), partial(at_later_positions, moves=2)),
    ),
    Fault(
        "blind in one seat",
        "it plays well as one player and at random as the other: it learns from the turns of one "
        "player alone",
        tuple(
            Variant(partial(blind_seat, seat, in_order))
            for seat in (0, 1)
            for in_order in (False, True)
        ),
    ),
    Fault(
        "search of depth one",
        "it sees the end of the game one move ahead and nothing beyond: rewards are not passed "
        "back, or the search ends there",
        ONE_MOVE_AHEAD,
    ),
    Fault(
        "actions off by one",
        "its actions are right but for their number, which is one too large or too small",
        tuple(
            Variant(partial(shifted, by_component, step, any_action))
            for by_component in (False, True)
            for step in (1, -1)
            for any_action in (False, True)
        ),
    ),
)
"""The faults, the first of equal ones first."""
