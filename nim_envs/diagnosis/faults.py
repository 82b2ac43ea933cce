"""The faults that are known, each by the moves and by the values of an agent with it.

The moves are computed, not learned: with the wrong sign of the bootstrap by dynamic programming
with that sign, of a blind agent by what it has played at positions that look the same to it. The
values satisfy an equation that those of a right agent do not, for any discount.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from nim_envs.diagnosis.board import Board, Moves, evenly, greedy
from nim_envs.diagnosis.moves import Case, ExpectedMoves, ranked
from nim_envs.diagnosis.values import Backups, Equation, Fit
from nim_envs.rules.convention import Convention
from nim_envs.rules.rules import Rules
from nim_envs.typing import BoolArray, FloatArray, IntArray

Applies = Callable[[Board], bool]
"""Whether a fault makes sense in a game."""


def has_coordinate(coordinate: int, board: Board) -> bool:
    """Return whether positions have a coordinate with this index."""
    return coordinate < len(board.game.rules.fields)


Expect = Callable[[Case], ExpectedMoves | None]
"""The expectation of a fault in one game; ``None`` where the game does not show it."""


class Variant(NamedTuple):
    """A form of a fault.

    Attributes:
        expect: what it expects in a game.
        learned: whether it is compared with right agents that have learned something alone, as
            one that has not may play the same.
        exact: whether an agent with it makes no exception; one that cannot yet tell some positions
            apart makes some.
    """

    expect: Expect
    learned: bool = False
    exact: bool = False


class Shows(Enum):
    """Positions at which the moves of an agent with a fault show it."""

    EVERYWHERE = "its moves are known"
    FAR_FROM_THE_END = "far from the end of the game it plays at random, or in a fixed order"
    NOWHERE = "it may play as a right agent does that is partly trained"


ModelsOfValues = Callable[[Backups, float], Fit]
"""Function from the backups of a game and a discount to the fit of a fault to the values."""


@dataclass(frozen=True)
class Fault:
    """A known fault of agents, and the moves and values that give it away.

    Attributes:
        name: its name, in a few words.
        meaning: what an agent with it does, and where to look.
        variants: the forms that it takes in the moves.
        values: the forms that it takes in the values; ``None``: these are a right agent's.
        shows: positions at which its moves show it, whatever the discount; it is excluded only
            where it would show.
        or_data: whether a right agent may be the same, trained on too little.
        as_untrained: whether a network that was hardly trained makes such moves too, as it does not
            tell positions apart yet.
        in_every_game: whether values that contradict it in one game speak against it.
        applies: whether it makes sense in a game; it is not mentioned where it does in none.
    """

    name: str
    meaning: str
    variants: tuple[Variant, ...] = ()
    values: ModelsOfValues | None = None
    shows: Shows = Shows.EVERYWHERE
    or_data: bool = False
    as_untrained: bool = False
    in_every_game: bool = True
    applies: Applies = lambda board: True


Form = Callable[[float], Equation]
"""An equation of values, for a discount."""


def satisfying(*forms: Form) -> ModelsOfValues:
    """Return models of values that satisfy equations, which depend on the discount."""
    return lambda backups, discount: backups.of_equations([form(discount) for form in forms])


def learned_from(reward: float = 1.0, rule: Convention | None = None) -> tuple[Form, ...]:
    """Return the equations of agents that bootstrap from the opponent's turn, or their own.

    In the latter a loss may count 0 and a draw 1/2, so that values are expected scores.

    Args:
        reward: 1, or -1 where results are credited to the wrong player.
        rule: convention by which games are won; ``None``: that of the game.
    """
    return (
        lambda discount: Equation(reward, next=-discount, convention=rule),
        lambda discount: Equation(reward, reply=-reward, own=discount, convention=rule),
        lambda discount: Equation(
            reward,
            reply=-reward,
            own=discount,
            convention=rule,
            loss=0.0,
            draw=0.5,
            drawn_reply=0.5,
        ),
    )


def right_values(backups: Backups, discount: float) -> Fit:
    """Return the fit of a right agent's equations to the values, computed once."""
    if discount not in backups.as_right:
        backups.as_right[discount] = satisfying(*learned_from())(backups, discount)
    return backups.as_right[discount]


def of_moves(*functions: Moves) -> tuple[Variant, ...]:
    """Return variants from moves, which are chosen at random or in a fixed order."""
    return tuple(
        Variant(partial(_expected_moves, moves, in_order))
        for moves in functions
        for in_order in (False, True)
    )


def _expected_moves(moves: Moves, in_order: bool, case: Case) -> ExpectedMoves:
    return case.expecting(case.board.moves_of(moves)[case.rows], in_order=in_order)


# The sign of the bootstrap.


def plus_the_opponents_value(board: Board, discount: float) -> BoolArray:
    """Greedy moves for ``Q(s, a) = r + γ max Q(s')`` where the opponent moves at ``s'``."""
    best = np.zeros(len(board.positions))

    def update(rows: IntArray) -> FloatArray:
        values = board.rewards[rows] + discount * best[board.after[rows]]
        best[rows] = np.where(board.legal[rows], values, -np.inf).max(axis=1)
        return np.asarray(values)

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
        legal, rewards = board.legal[rows], board.rewards[rows]
        later = board.after[rows]
        targets = rewards + reply[later] + discount * best[later]
        values = np.where(legal, targets, -np.inf)
        best[rows] = values.max(axis=1)
        played = (1 - explored) * evenly(greedy(values)) + explored * evenly(legal)
        reply[rows] = -(played * rewards).sum(axis=1)
        return np.asarray(targets)

    return greedy(board.backward(update))


def to_the_opponents_liking(board: Board) -> BoolArray:
    """Moves to positions that are won for the opponent, besides those that end the game well."""
    values = np.where(board.ending, board.rewards, board.values[board.after])
    return greedy(np.where(board.legal, values, -np.inf))


# Who has won.


def to_lose(board: Board) -> BoolArray:
    """Moves that would be right if every win were a loss, as under the other convention."""
    return board.keeping_if(-board.end_values)


def always(convention: Convention, board: Board) -> BoolArray:
    """Winning moves under one convention, whatever the game's is."""
    return board.keeping_if(board.end_values_by(convention))


def with_draws_as(board: Board, last: float, other: float, discount: float) -> BoolArray:
    """Greedy moves where each player counts a draw as something else, and knows the other does.

    Args:
        board: the positions.
        last: result of a drawn game for the player who makes the last move.
        other: the same for the other player.
        discount: γ of a move.
    """
    to_move, to_wait = board.values.astype(np.float64), -board.values.astype(np.float64)
    ended_in_draw = board.over & (board.values == 0)
    to_move[ended_in_draw], to_wait[ended_in_draw] = other, last

    def update(rows: IntArray) -> FloatArray:
        later = board.after[rows]
        targets = np.where(board.ending[rows], 1.0, discount) * to_wait[later]
        values = np.where(board.legal[rows], targets, -np.inf)
        to_move[rows] = values.max(axis=1)
        following = np.where(board.ending[rows], 1.0, discount) * to_move[later]
        to_wait[rows] = (evenly(greedy(values)) * following).sum(axis=1)
        return targets

    return greedy(board.backward(update))


# Observations.


def at_later_positions(board: Board, moves: int) -> BoolArray:
    """Actions that win, or keep a draw, most often, some random moves later.

    An agent that was shown the position of some moves before learns these.
    """
    won = board.keeping.astype(np.float64)
    there = board.legal.astype(np.float64)
    for _ in range(moves):
        steps = evenly(board.legal)
        won = np.einsum("na,nab->nb", steps, won[board.after])
        there = np.einsum("na,nab->nb", steps, there[board.after])
    with np.errstate(invalid="ignore"):
        shares = np.where((there > 0) & board.legal, won / there, -np.inf)
    return greedy(shares)


BLIND_IN_TRAINING = 100.0
"""Odds that an agent that is blind is so in training, too."""

WELL = 0.95
"""Probability of a right move of an agent that is blind to a part of a board, where it can know."""

Looks = Callable[[Rules, IntArray], IntArray | None]
"""The group of each position, ``(k,)``: those of a group look the same to a blind agent."""


def of_looks(*functions: Looks, exact: bool = False) -> tuple[Variant, ...]:
    """Return variants from the positions that look the same, perhaps without an exception."""
    return tuple(Variant(partial(_expected_looks, looks), True, exact) for looks in functions)


def equal_for(*functions: Looks) -> ModelsOfValues:
    """Return models of values that are equal at positions that look the same."""
    return partial(_of_looks, functions)


def _of_looks(functions: tuple[Looks, ...], backups: Backups, discount: float) -> Fit:
    board, rows = backups.board, backups.rows
    log, *as_right = (float(part.max()) for part in right_values(backups, discount))
    forms = []
    for looks in functions:
        groups = looks(board.game.rules, board.coordinates[rows])
        symmetric = looks is without_order and not backups.of_actions
        if groups is None or symmetric:  # neither the game nor values of positions show it
            forms.append((log, *as_right))
            continue
        ((equal, explained, at_ends, elsewhere),) = zip(*backups.of_groups(groups), strict=True)
        # Few are blind at play alone.
        log_of_both = np.logaddexp(log - np.log(BLIND_IN_TRAINING), equal)
        forms.append((log_of_both, max(as_right[0], explained), at_ends, elsewhere))
    return Fit(*np.array(forms).T)


def _expected_looks(looks: Looks, case: Case) -> ExpectedMoves | None:
    board = case.board
    all_groups = looks(board.game.rules, board.coordinates)
    if all_groups is None:
        return None
    groups = all_groups[case.rows]
    # Where the mask is read, an illegal action is passed over.
    any_action = bool(case.illegal.any())
    candidates = np.ones_like(case.legal) if any_action else case.legal
    moves = ranked(case.shares, candidates, groups)
    # It has learned what can be learned so: where moves are equal, one that wins is more probable.
    won = moves & case.keeping
    better = np.where(won.any(axis=1, keepdims=True), won, moves)
    probabilities, tells = (evenly(moves) + evenly(better)) / 2, case.everywhere
    if board.game.has_outcome:
        # On boards most positions look like few others, or none: it plays nearly always well.
        probabilities = (1 - WELL) * evenly(moves) + WELL * evenly(better)
        tells = np.asarray(np.bincount(all_groups)[groups] > 1)
        probabilities = np.where(tells[:, np.newaxis], probabilities, evenly(case.keeping))
    return ExpectedMoves(probabilities, moves, tells, any_action)


def _groups(looks: IntArray) -> IntArray:
    """Number equal rows."""
    return np.unique(looks, axis=0, return_inverse=True)[1].reshape(-1)


def all_alike(rules: Rules, positions: IntArray) -> IntArray:
    """All positions look the same."""
    return np.zeros(len(positions), dtype=np.int64)


def without_component(
    component: int, alone: bool, rules: Rules, positions: IntArray
) -> IntArray | None:
    """One coordinate is not seen: a component, where these have no coordinates.

    Args:
        component: its index.
        alone: whether the only one of a game is not seen either.
        rules: those of the game.
        positions: coordinates, ``(k, coordinates)``.
    """
    components = positions.shape[1]
    if component >= components or (components == 1 and not alone):
        return None
    return _groups(np.delete(positions, component, axis=1))


def without_order(rules: Rules, positions: IntArray) -> IntArray | None:
    """The order of equal components, or of coordinates with as many values, is not seen."""
    positions = positions.copy()
    parts = rules.fields if rules.has_coordinates else rules.components
    alike = [
        [index for index, _ in group]
        for _, group in groupby(enumerate(parts), key=lambda each: repr(each[1]))
    ]
    if max(map(len, alike)) < 2:
        return None
    for columns in alike:
        positions[:, columns] = np.sort(positions[:, columns], axis=1)
    return _groups(positions)


def by_being_empty(rules: Rules, positions: IntArray) -> IntArray:
    """Positions with the same coordinates at 0 look the same."""
    return _groups((positions > 0).astype(np.int64))


def by_being_full(rules: Rules, positions: IntArray) -> IntArray:
    """Positions with the same full coordinates look the same, as do shares cut to 0 or 1."""
    largest = np.array(rules.fields) - 1
    return _groups((positions == largest).astype(np.int64))


def by_halves(rules: Rules, positions: IntArray) -> IntArray:
    """Positions with the same halved coordinates, rounded down, look the same."""
    return _groups(positions // 2)


def by_direction(rules: Rules, positions: IntArray) -> IntArray:
    """Positions with the same ratios of coordinates look the same, as to a saturated network."""
    divisors = np.gcd.reduce(positions, axis=1, keepdims=True)
    return _groups(positions // np.maximum(divisors, 1))


# Seats, masks, search and actions.


def blind_seat(seat: int, in_order: bool, case: Case) -> ExpectedMoves | None:
    """Right moves at the positions of one player, any moves at those of the other."""
    seats = case.seats
    alone = seats[0] != seats[1]
    if not (alone & seats[0]).any() or not (alone & seats[1]).any():
        return None
    blind = alone & seats[seat]
    expected = case.expecting(
        np.where(blind[:, np.newaxis], case.legal, case.keeping), in_order=in_order
    )
    if in_order:
        noise = evenly(ranked(case.shares, case.legal, learned_from=blind * 1.0))
    else:
        noise = case.random_moves
    probabilities = np.where(blind[:, np.newaxis], noise, evenly(case.keeping))
    return ExpectedMoves(probabilities, expected.moves, alone)


def anything(case: Case) -> ExpectedMoves | None:
    """Right moves among illegal ones."""
    if not case.illegal.any():
        return None
    return ExpectedMoves(evenly(case.keeping), case.keeping, case.everywhere, any_action=True)


def one_move_ahead(board: Board) -> BoolArray:
    """Moves that win at once, or else those that do not lose at once."""
    return greedy(np.where(board.legal, board.rewards, -np.inf))


def searched_one_move(in_order: bool, case: Case) -> ExpectedMoves | None:
    """The expectation of a search of depth one, at all positions."""
    expected = case.expecting(one_move_ahead(case.board)[case.rows], in_order=in_order)
    return ExpectedMoves(expected.probabilities, expected.moves, case.everywhere)


def shifted(by_component: bool, step: int, any_action: bool, case: Case) -> ExpectedMoves | None:
    """Winning actions, with a number that is one too large or too small."""
    rules = case.board.game.rules
    if by_component and (len(rules.components) == 1 or rules.num_options == 1):
        return None
    if any_action and not case.illegal.any():
        return None
    by = step * (rules.num_options if by_component else 1)
    moves = np.roll(case.keeping, by, axis=1)
    return case.expecting(moves, any_action=any_action)


ONE_MOVE_AHEAD = tuple(
    Variant(partial(searched_one_move, in_order), learned=True) for in_order in (False, True)
)

MOST_COORDINATES = 25
"""Coordinates of a position to which an agent may be blind, the first ones."""

CUTS = (by_being_empty, by_being_full, by_halves, by_direction)


# Forms of faults in the values.


def _mixed(discount: float, share: float) -> Equation:
    """Next states are the opponent's turns for a share, else the mover's with the same sign."""
    other = 1 - share
    return Equation(next=-discount * share, reply=-other, own=-discount * other)


_between_players = satisfying(*(partial(_mixed, share=share) for share in (0.25, 0.5, 0.75)))


def _of_mixed_players(backups: Backups, discount: float) -> Fit:
    return _between_players(backups, discount) + backups.of_noise(1.05)


def _lagging(discount: float, share: float) -> Equation:
    """Values that have gone a share of the way from 0 to their targets."""
    return Equation(reward=share, next=-discount * share)


_lag = satisfying(*(partial(_lagging, share=share) for share in (0.0, 0.05, 0.15, 0.3, 0.5)))


def of_steps(backups: Backups, discount: float) -> Fit:
    """Return the fit of values that lag, are of any size, or are all about the same."""
    return _lag(backups, discount) + backups.of_any_size() + backups.of_one_value()


def _cut_short(discount: float, share: float) -> Equation:
    """Of the moves that do not end the game, a share is learned as if they did."""
    return Equation(next=-discount * (1 - share))


def _shifted_end(discount: float, shift: float, spread: float) -> Equation:
    """Values that are wrong where a move ends the game, and right elsewhere."""
    return Equation(next=-discount, shift=shift, spread=spread)


_shifted = satisfying(
    *(
        partial(_shifted_end, shift=shift, spread=spread)
        for shift in (-1.5, -1.0, -0.7, -0.45, -0.25, 0.25, 0.45, 0.7, 1.0, 1.5)
        for spread in (0.0, 0.2, 0.5)
    )
)


def _beyond_the_end(backups: Backups, discount: float) -> Fit:
    """Values that are right but where the game ends: there they may be anything else."""
    fit = _shifted(backups, discount)
    missed = right_values(backups, discount).at_ends.max() < 0.5
    return fit._replace(at_ends=np.full(len(fit.logs), float(missed)))


def _with_draws(discount: float, last: float) -> Equation:
    """Draws by the mover's move have another result, with a bootstrap from the next position."""
    return Equation(next=-discount, draw=last)


def _with_own_draws(discount: float, last: float, other: float, loss: float) -> Equation:
    """Draws by move or reply have other results, with a bootstrap from the mover's next turn."""
    return Equation(reply=-1.0, own=discount, draw=last, drawn_reply=other, loss=loss)


DRAW_FORMS = (
    *(partial(_with_draws, last=last) for last in (1.0, -1.0)),
    *(
        partial(_with_own_draws, last=last, other=other, loss=loss)
        for loss, results in ((1.0, (1.0, -1.0)), (0.0, (1.0, 0.0)))
        for last, other in product(results, repeat=2)
    ),
)
"""Equations of agents that take a draw for a win or a loss, of either player or of both."""


def _of_wrong_draws(backups: Backups, discount: float) -> Fit:
    """Values by which draws are won or lost, explained as far as those of drawing moves are."""
    forms = [form(discount) for form in DRAW_FORMS]
    fit = backups.of_equations(forms)
    shares = backups.drawn_as([form.draw for form in forms])
    return fit if shares is None else fit._replace(explained=shares)


def _blind_to(component: int) -> Fault:
    """The fault of an agent that does not see a component."""
    looks = [partial(without_component, component, alone) for alone in (False, True)]
    return Fault(
        f"blind to component {component}",
        f"its moves do not depend on component {component} of the position",
        of_looks(*looks, exact=True),
        equal_for(*looks),
        as_untrained=True,
        applies=partial(has_coordinate, component),
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
        satisfying(
            lambda discount: Equation(next=discount),
            lambda discount: Equation(next=discount, loss=0.0),
            lambda discount: Equation(reply=-1.0, next=discount),
            lambda discount: Equation(reply=-1.0, own=-discount),
        ),
        Shows.FAR_FROM_THE_END,
    ),
    Fault(
        "sign of the backup never flips",
        "each position on the path of a search gets the leaf's value with the sign of the player "
        "to move at the leaf: the sign must change with every move back",
        (),
        satisfying(lambda discount: Equation(reward=-1.0, next=discount)),
        Shows.FAR_FROM_THE_END,
    ),
    Fault(
        "normal and misère play confused",
        "it plays by the other rule of who wins: normal play's last mover wins, misère play's "
        "loses",
        of_moves(partial(always, Convention.NORMAL), partial(always, Convention.MISERE)),
        satisfying(*(form for rule in Convention for form in learned_from(rule=rule))),
        applies=lambda board: not board.game.has_outcome,
    ),
    Fault(
        "players swapped",
        "it plays to lose: the result of a game is credited to the wrong player",
        of_moves(to_lose),
        satisfying(*learned_from(reward=-1.0)),
    ),
    Fault(
        "a draw taken for a win or a loss",
        "a drawn game counts as won or as lost to a player: the reward of a draw is 0, to both; "
        "look for rewards that are 1 or -1 whenever a game has ended",
        of_moves(
            *(
                partial(with_draws_as, last=last, other=other, discount=discount)
                for last, other in product((1.0, -1.0), repeat=2)
                for discount in (1.0, 0.9)
            )
        ),
        _of_wrong_draws,
        Shows.NOWHERE,
        applies=lambda board: board.has_draws,
    ),
    Fault(
        "action mask ignored",
        "it makes illegal moves: the mask must be applied where actions are chosen",
        (Variant(anything),),
    ),
    Fault(
        "maximum over illegal actions",
        "its targets take the maximum over the actions that are illegal at s', too: the mask of "
        "the next position must be applied there",
        (),
        satisfying(lambda discount: Equation(next=-discount, illegal=True)),
        Shows.NOWHERE,
    ),
    Fault(
        "same action always",
        "it prefers the same actions at every position: the observation does not reach it, it was "
        "not trained, or too large a learning rate has killed all units of its network",
        of_looks(all_alike),
        equal_for(all_alike),
    ),
    *map(_blind_to, range(MOST_COORDINATES)),
    Fault(
        "blind to the order of components",
        "it plays the same actions whichever of the equal components they meet: observations are "
        "sorted, or permuted apart from the actions",
        of_looks(without_order, exact=True),
        equal_for(without_order),
        as_untrained=True,
    ),
    Fault(
        "observations unnormalised or cut",
        "positions of different numbers look the same to it: look for integer division, for casts "
        "to integers, and for scaling that differs between training and play",
        of_looks(*CUTS),
        equal_for(*CUTS),
        as_untrained=True,
    ),
    Fault(
        "stale observations",
        "it plays what would be right after the next move: it was shown the observation of an "
        "earlier turn",
        of_moves(partial(at_later_positions, moves=1), partial(at_later_positions, moves=2)),
    ),
    Fault(
        "one seat never learned",
        "it plays well as one player and at random as the other: the data never showed these "
        "positions of the other seat, as against an optimal opponent, or learning leaves out its "
        "turns",
        tuple(
            Variant(partial(blind_seat, seat, in_order))
            for seat in (0, 1)
            for in_order in (False, True)
        ),
        or_data=True,
        in_every_game=False,
    ),
    Fault(
        "search of depth one",
        "it sees the end of the game one move ahead and nothing beyond: rewards are not passed "
        "back (discount 0, or ends of games that are read one step early), the search ends there, "
        "or training was too short",
        ONE_MOVE_AHEAD,
        satisfying(
            lambda discount: Equation(),
            lambda discount: Equation(reply=-1.0),
        ),
        Shows.FAR_FROM_THE_END,
        or_data=True,
        in_every_game=False,
    ),
    Fault(
        "target network never updated",
        "its targets are the values of another network than its own: copy the weights, or look at "
        "how often they are copied; or training ended before the first copy",
        (),
        lambda backups, discount: backups.of_first_network(),
        Shows.NOWHERE,
        or_data=True,
    ),
    Fault(
        "wrong step size",
        "its values lag behind their targets even where a move ends the game, or lie beyond every "
        "possible result: the learning rate is too small or too large, or training too short",
        (),
        of_steps,
        Shows.NOWHERE,
        or_data=True,
        in_every_game=False,
    ),
    Fault(
        "replay mixes players",
        "rewards or next states of one player are learned as the other's: look at whose turn each "
        "part of a transition is from; or training was too short",
        (),
        _of_mixed_players,
        Shows.NOWHERE,
        or_data=True,
    ),
    Fault(
        "truncation taken for the end",
        "its values fall faster than its discount says: where a game is truncated, the value of "
        "the last position must be bootstrapped; or training was too short",
        (),
        satisfying(*(partial(_cut_short, share=share) for share in (0.15, 0.3, 0.45, 0.6))),
        Shows.NOWHERE,
        or_data=True,
        in_every_game=False,
    ),
    Fault(
        "end taken for truncation",
        "moves that end the game do not have the value of their reward: something is bootstrapped "
        "beyond the end, such as the first position of the next game",
        (),
        _beyond_the_end,
        Shows.NOWHERE,
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

MEMORY = Fault(
    "stale observations",
    "it answers to the observation of the call before: look for a buffer that is read before it is "
    "written",
    (),
)
"""A fault found by the order of calls; that of the same name in :data:`FAULTS` shows in moves."""
