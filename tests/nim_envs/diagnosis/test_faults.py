"""The moves and values of agents with each fault, against plain recursion on tiny games."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

import numpy as np
import pytest

from nim_envs.diagnosis import faults
from nim_envs.diagnosis.faults import FAULTS, Shows, of_steps, right_values
from nim_envs.diagnosis.moves import ranked
from nim_envs.diagnosis.values import Backups
from nim_envs.rules import Convention
from tests.nim_envs.diagnosis.tiny import (
    ALL,
    case_of,
    graph,
    heap,
    heaps,
    playing,
    sets,
    solved,
    strip,
    table_of,
)

games = pytest.mark.parametrize("tiny", [make() for make in ALL.values()], ids=ALL)

NAMED = {fault.name: fault for fault in FAULTS}


def in_order(tiny, moves):
    """Actions in each row of the board, from those of each position."""
    return [set(moves[position]) for position in sorted(tiny.rows, key=tiny.row)]


# Moves, of each position of a game.


def with_the_opponents_value(tiny, discount):
    @cache
    def values(position):
        return {
            a: tiny.reward(position, a) + discount * max(values(after).values(), default=0.0)
            for a, after in tiny.moves[position].items()
        }

    return tiny.actions(values)


def with_a_reply(tiny, discount, explored):
    @cache
    def values(position):
        return {
            a: tiny.reward(position, a)
            + reply(after)
            + discount * max(values(after).values(), default=0.0)
            for a, after in tiny.moves[position].items()
        }

    def reply(position):
        found, legal = values(position), tiny.moves[position]
        best = [a for a, value in found.items() if value > max(found.values()) - 1e-9]
        by_chance = sum(tiny.reward(position, a) for a in legal) / max(len(legal), 1)
        chosen = sum(tiny.reward(position, a) for a in best) / max(len(best), 1)
        return -((1 - explored) * chosen + explored * by_chance)

    return tiny.actions(values)


def liked_by_the_opponent(tiny):
    def values(position):
        return {
            a: tiny.reward(position, a) if tiny.over(after) else tiny.value(after)
            for a, after in tiny.moves[position].items()
        }

    return tiny.actions(values)


def of_other_ends(tiny, change):
    ends = {end: change(value) for end, value in tiny.ends.items()}
    return in_order(tiny, {position: tiny.keeping(position, ends) for position in tiny.moves})


def where_draws_count(tiny, last, other, discount):
    def to_move(position):
        if tiny.over(position):
            return tiny.ends[position] or other
        return max(values(position).values())

    def to_wait(position):
        if tiny.over(position):
            return -tiny.ends[position] or last
        found = values(position)
        best = [a for a, value in found.items() if value > max(found.values()) - 1e-9]
        later = [tiny.moves[position][a] for a in best]
        return sum(passed(each) * to_move(each) for each in later) / len(best)

    def passed(after):
        return 1.0 if tiny.over(after) else discount

    @cache
    def values(position):
        return {a: passed(after) * to_wait(after) for a, after in tiny.moves[position].items()}

    return tiny.actions(values)


def right_some_moves_later(tiny, moves):
    def paths(position, left, probability=1.0):
        if not left:
            return [(position, probability)]
        after = tiny.moves[position].values()
        return [path for p in after for path in paths(p, left - 1, probability / len(after))]

    def values(position):
        ends = paths(position, moves)
        shares = {}
        for action in tiny.moves[position]:
            there = sum(chance for p, chance in ends if action in tiny.moves[p])
            if there:
                right = sum(chance for p, chance in ends if action in tiny.keeping(p))
                shares[action] = right / there
        return shares

    return tiny.actions(values)


def one_move_ahead(tiny):
    return tiny.actions(
        lambda position: {a: tiny.reward(position, a) for a in tiny.moves[position]}
    )


def moves_of(name, tiny):
    """The moves of each form of a fault."""
    both = list(product((1.0, -1.0), repeat=2))
    conventions = [lambda value: -1, lambda value: 1]
    return {
        "wrong sign of the bootstrap": [
            with_the_opponents_value(tiny, 0.9),
            with_a_reply(tiny, 0.9, 0.0),
            with_a_reply(tiny, 0.9, 0.2),
            with_a_reply(tiny, 1.0, 0.2),
            liked_by_the_opponent(tiny),
            one_move_ahead(tiny),
        ],
        "normal and misère play confused": [of_other_ends(tiny, each) for each in conventions],
        "players swapped": [of_other_ends(tiny, lambda value: -value)],
        "a draw taken for a win or a loss": [
            where_draws_count(tiny, *each, discount) for each in both for discount in (1.0, 0.9)
        ],
        "stale observations": [right_some_moves_later(tiny, moves) for moves in (1, 2)],
        "search of depth one": [one_move_ahead(tiny)],
    }[name]


WITH_MOVES = (
    "wrong sign of the bootstrap", "normal and misère play confused", "players swapped",
    "a draw taken for a win or a loss", "stale observations", "search of depth one",
)  # fmt: skip


@games
@pytest.mark.parametrize("name", WITH_MOVES)
def test_the_moves_of_a_fault_are_those_that_it_leads_to(tiny, name):
    """Any legal move where it leads to none."""
    case = case_of(tiny)
    variants = NAMED[name].variants
    legal = sets(case.legal)
    for plain, variant, other in zip(
        moves_of(name, tiny), variants[::2], variants[1::2], strict=True
    ):
        of_chance, by_order = variant.expect(case), other.expect(case)
        moves = [plain[row] or among for row, among in zip(case.rows, legal, strict=True)]
        assert sets(of_chance.moves) == moves
        # A fixed order of actions chooses among the same.
        assert (by_order.moves == ranked(case.shares, of_chance.moves)).all()
        sees_ends_alone = plain == one_move_ahead(tiny) and variant.learned
        assert variant.learned == other.learned
        assert not variant.exact
        if sees_ends_alone:  # a right agent that has learned nothing else may do so
            assert of_chance.tells.all()
            assert by_order.tells.all()
        else:
            assert name != "search of depth one"
            wrong = [bool(a - b) for a, b in zip(moves, sets(case.keeping), strict=True)]
            assert of_chance.tells.tolist() == wrong


@games
@pytest.mark.parametrize("explored", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_moves_depend_on_discount_and_exploration_as_the_equations_say(tiny, discount, explored):
    board = tiny.board()
    assert sets(faults.plus_the_opponents_value(board, discount)) == with_the_opponents_value(
        tiny, discount
    )
    assert sets(faults.with_the_reply(board, discount, explored)) == with_a_reply(
        tiny, discount, explored
    )


@pytest.mark.parametrize("make", [graph, strip])
@pytest.mark.parametrize(("last", "other"), list(product((1.0, -1.0, 0.0, 0.5), repeat=2)))
@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_a_draw_may_count_as_anything_to_either_player(make, last, other, discount):
    tiny = make()
    found = faults.with_draws_as(tiny.board(), last, other, discount)
    assert sets(found) == where_draws_count(tiny, last, other, discount)


@games
@pytest.mark.parametrize("moves", [0, 1, 2, 3])
def test_moves_may_be_right_at_a_later_position(tiny, moves):
    found = sets(faults.at_later_positions(tiny.board(), moves))
    assert found == right_some_moves_later(tiny, moves)


# Values.


DISCOUNT = 0.9


def right_forms(reward=1.0, convention=None):
    """Equations of values of the opponent's turn, and of the mover's next one."""
    own = {"reward": reward, "reply": -reward, "own": DISCOUNT, "convention": convention}
    return [
        {"reward": reward, "next": -DISCOUNT, "convention": convention},
        own,
        {**own, "loss": 0.0, "draw": 0.5, "drawn_reply": 0.5},
    ]


VALUES = {
    "": right_forms(),
    "wrong sign of the bootstrap": [
        {"next": DISCOUNT},
        {"next": DISCOUNT, "loss": 0.0},
        {"reply": -1.0, "next": DISCOUNT},
        {"reply": -1.0, "own": -DISCOUNT},
    ],
    "sign of the backup never flips": [{"reward": -1.0, "next": DISCOUNT}],
    "normal and misère play confused": [
        form for rule in Convention for form in right_forms(convention=rule)
    ],
    "players swapped": right_forms(reward=-1.0),
    "a draw taken for a win or a loss": [
        *({"next": -DISCOUNT, "draw": last} for last in (1.0, -1.0)),
        *(
            {"reply": -1.0, "own": DISCOUNT, "draw": last, "drawn_reply": other, "loss": loss}
            for loss, lost in ((1.0, -1.0), (0.0, 0.0))
            for last, other in product((1.0, lost), repeat=2)
        ),
    ],
    "search of depth one": [{}, {"reply": -1.0}],
    "wrong step size": [
        {"reward": share, "next": -DISCOUNT * share} for share in (0.0, 0.05, 0.15, 0.3, 0.5)
    ],
    "replay mixes players": [
        {"next": -DISCOUNT * share, "reply": share - 1, "own": DISCOUNT * (share - 1)}
        for share in (0.25, 0.5, 0.75)
    ],
    "truncation taken for the end": [
        {"next": -DISCOUNT * (1 - share)} for share in (0.15, 0.3, 0.45, 0.6)
    ],
    "end taken for truncation": [
        {"next": -DISCOUNT, "shift": shift}
        for shift in (-1.5, -1.0, -0.7, -0.45, -0.25, 0.25, 0.45, 0.7, 1.0, 1.5)
    ],
}
"""Equations of values by each fault, in turn; by "" of right agents."""


def backups_of(tiny, values):
    return case_of(tiny, values=values).backups


def perfect(backups):
    """Log-likelihood of values that are foretold without an error."""
    return float(backups._fit(backups.learned_values[np.newaxis]).logs[0])


def best_of(name, backups, discount=DISCOUNT):
    """The fit of the best form of a fault, or of right agents."""
    fit = (NAMED[name].values if name else right_values)(backups, discount)
    return [part[fit.logs.argmax()] for part in fit]


OF_VALUES = [
    pytest.param(name, number, id=f"{name or 'none'} {number}")
    for name, forms in VALUES.items()
    for number in range(len(forms))
]


@pytest.mark.parametrize(("name", "number"), OF_VALUES)
def test_the_values_of_a_fault_satisfy_its_equations(name, number):
    tiny = graph() if name == "a draw taken for a win or a loss" else heaps(sizes=(2, 3))
    form = VALUES[name][number]
    backups = backups_of(tiny, table_of(tiny, solved(tiny, **form)))
    log, explained, at_ends, elsewhere = best_of(name, backups)
    # The opponent's moves are known only as one of nine.
    assert log > perfect(backups) - np.log(9) - 1e-6
    if backups.learned_values.any():  # else they look like values that were never learned
        assert explained > 0.9
        assert (at_ends, elsewhere) == (1.0, 1.0)
    if name and form.get("convention") is not Convention.NORMAL:  # the game's own rule
        assert log > best_of("", backups)[0] + np.log(10)


@pytest.mark.parametrize("name", [name for name in VALUES if name])
def test_right_values_satisfy_the_equations_of_no_fault(name):
    tiny = graph() if name == "a draw taken for a win or a loss" else heaps()
    backups = backups_of(tiny, table_of(tiny, solved(tiny, next=-DISCOUNT)))
    right = best_of("", backups)
    log, _, at_ends, _ = best_of(name, backups)
    assert right[1:] == [pytest.approx(1, abs=0.03), 1, 1]
    if name == "normal and misère play confused":  # it knows the game's rule, too
        assert log == pytest.approx(right[0])
    else:
        assert log < right[0] - np.log(10)
    if name == "end taken for truncation":
        assert at_ends == 0


def test_a_discount_that_is_not_that_of_training_does_not_fit():
    backups = backups_of(heaps(), table_of(heaps(), solved(heaps(), next=-DISCOUNT)))
    assert best_of("", backups, 0.5)[0] < best_of("", backups)[0] - np.log(10)
    assert set(backups.as_right) == {DISCOUNT, 0.5}
    assert right_values(backups, 0.5) is backups.as_right[0.5]


@pytest.mark.parametrize(("form", "spread"), [(0, 0.0), (1, 0.2), (2, 0.5)])
def test_beyond_the_end_values_may_differ_by_anything(form, spread):
    """Such as by the value of the first position of the next game."""
    tiny, rng = strip(), np.random.default_rng(0)

    @cache
    def values(position):
        return {
            action: -DISCOUNT * max(values(after).values())
            if tiny.moves[after]
            else tiny.reward(position, action) + 0.7 + spread * rng.normal()
            for action, after in tiny.moves[position].items()
        }

    table = table_of(tiny, {position: values(position) for position in tiny.moves})
    fit = NAMED["end taken for truncation"].values(backups_of(tiny, table), DISCOUNT)
    of_shifts = fit.logs.reshape(10, 3)  # -1.5, -1, -0.7, -0.45, -0.25, 0.25, 0.45, 0.7, 1, 1.5
    assert of_shifts[7].argmax() == form


def test_mixed_players_leave_noise_too():
    """Values anywhere between the results, but not beyond."""
    rng = np.random.default_rng(0)
    values = rng.uniform(-1.05, 1.05, heaps().board().legal.shape)
    within, beyond = backups_of(heaps(), values), backups_of(heaps(), 1.2 * values)
    logs = [float(NAMED["replay mixes players"].values(each, 0.9).logs[-1])
            for each in (within, beyond)]  # fmt: skip
    assert logs[0] == pytest.approx(-len(within.learned_values) * np.log(2.1))
    assert logs[1] < logs[0] - 10


def test_steps_that_are_too_large_or_too_small_leave_values_of_any_size_or_one_value():
    values = np.full(heaps().board().legal.shape, 0.1)
    fit = of_steps(backups_of(heaps(), values), 0.9)
    assert len(fit.logs) == 5 + 2
    assert fit.logs.argmax() == 6  # all are about the same
    values = np.geomspace(1, 1e5, values.size).reshape(values.shape)
    assert of_steps(backups_of(heaps(), values), 0.9).logs.argmax() == 5
    assert of_steps(backups_of(heaps(), values), 0.9).explained[5:].tolist() == [0, 0]


@pytest.mark.parametrize("last", [1.0, -1.0])
def test_what_draws_are_taken_for_is_read_from_the_values_of_drawing_moves(last):
    tiny = graph()
    backups = backups_of(tiny, table_of(tiny, solved(tiny, next=-DISCOUNT, draw=last)))
    fit = NAMED["a draw taken for a win or a loss"].values(backups, DISCOUNT)
    # By the forms: the draw is won, lost; then won, won, lost, lost; and where a loss counts 0.
    # In the last two it counts 0 as well, and no value is near that.
    results = [1, -1, 1, 1, -1, -1, 1, 1, 0, 0]
    assert fit.explained.tolist() == [float(result == last) for result in results]
    without = NAMED["a draw taken for a win or a loss"].values(
        backups_of(tiny, np.full(len(tiny.moves), 0.5)), DISCOUNT
    )
    assert len(without.logs) == 10  # values of positions say nothing of moves


# Looks: which positions are the same to an agent.


def alike(groups):
    """The indices of each group of positions."""
    found = {}
    for index, group in enumerate(groups.tolist()):
        found.setdefault(group, []).append(index)
    return sorted(found.values())


POSITIONS = np.array([[0, 0], [0, 2], [2, 0], [1, 2], [2, 1], [2, 2], [2, 3], [1, 1]])


def test_positions_look_the_same_by_what_is_not_seen_of_them():
    rules = heaps(sizes=(3, 3)).game.rules
    assert alike(faults.all_alike(rules, POSITIONS)) == [[*range(8)]]
    first = partial(faults.without_component, 0)
    assert alike(first(False, rules, POSITIONS)) == [[0, 2], [1, 3, 5], [4, 7], [6]]
    second = partial(faults.without_component, 1)
    assert alike(second(True, rules, POSITIONS)) == [[0, 1], [2, 4, 5, 6], [3, 7]]
    assert faults.without_component(2, True, rules, POSITIONS) is None
    assert alike(faults.without_order(rules, POSITIONS)) == [[0], [1, 2], [3, 4], [5], [6], [7]]
    assert alike(faults.by_being_empty(rules, POSITIONS)) == [[0], [1], [2], [3, 4, 5, 6, 7]]
    assert alike(faults.by_being_full(rules, POSITIONS)) == [[0, 1, 2, 3, 4, 5, 7], [6]]
    assert alike(faults.by_halves(rules, POSITIONS)) == [[0, 7], [1, 3], [2, 4], [5, 6]]
    ratios = [[0], [1], [2], [3], [4], [5, 7], [6]]
    assert alike(faults.by_direction(rules, POSITIONS)) == ratios
    assert POSITIONS[2].tolist() == [2, 0]  # as before


def test_the_only_component_may_be_unseen_by_some_agents_alone():
    rules, positions = heap().game.rules, np.arange(4)[:, np.newaxis]
    assert faults.without_component(0, False, rules, positions) is None
    assert alike(faults.without_component(0, True, rules, positions)) == [[0, 1, 2, 3]]


def test_only_components_of_one_size_can_be_confused():
    assert faults.without_order(heaps().game.rules, POSITIONS) is None  # heaps of 2 and 3
    assert faults.without_order(heap().game.rules, POSITIONS[:, :1]) is None
    cells = np.array([[1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 1]])
    assert alike(faults.without_order(strip().game.rules, cells)) == [[0, 1], [2]]


def test_blindness_is_to_a_coordinate_that_there_is():
    blind = [fault for fault in FAULTS if fault.name.startswith("blind to component ")]
    assert [fault.name for fault in blind] == [f"blind to component {i}" for i in range(25)]
    for tiny, number in ((heap(), 1), (heaps(), 2), (strip(), 4)):
        assert [fault.applies(tiny.board()) for fault in blind] == [i < number for i in range(25)]


def by_the_second_heap(position):
    """Values, and moves, that a position's first heap does not change."""
    return {a: [0.6, -0.3, 0.2, 0.1, -0.2, -0.7][a] * (1 + position[1]) for a in range(6)}


@pytest.fixture(scope="module")
def blind_case():
    tiny = heaps()

    def first(position):
        values = by_the_second_heap(position)
        return {max(tiny.moves[position], key=values.__getitem__): 1.0}

    values = table_of(tiny, {position: by_the_second_heap(position) for position in tiny.moves})
    return case_of(tiny, playing(tiny, first), values)


def test_values_of_a_blind_agent_are_equal_where_positions_look_the_same(blind_case):
    backups = blind_case.backups
    right = right_values(backups, DISCOUNT)
    blind, other, same = (
        NAMED[name].values(backups, DISCOUNT)
        for name in ("blind to component 0", "blind to component 1", "same action always")
    )
    assert len(blind.logs) == 2  # with and without an agent that does not see the only one
    assert blind.logs[0] > right.logs.max() + np.log(10)
    assert blind.explained[0] > 0.6
    assert (blind.at_ends[0], blind.elsewhere[0]) == (1, 1)
    # Else they are a right agent's, as few are blind in play alone.
    for each in (other, same):
        expected = right.logs.max() - np.log(faults.BLIND_IN_TRAINING)
        assert each.logs == pytest.approx(expected, abs=0.01)
        assert each.explained == pytest.approx(right.explained.max())
        assert each.at_ends.tolist() == [0] * len(each.logs)


def test_games_in_which_blindness_does_not_show_tell_nothing_of_it():
    tiny = heap()
    backups = backups_of(tiny, table_of(tiny, solved(tiny, next=-DISCOUNT)))
    right = [part.max() for part in right_values(backups, DISCOUNT)]
    for name, form in (("blind to component 0", 0), ("blind to the order of components", 0)):
        fit = NAMED[name].values(backups, DISCOUNT)
        assert [part[form] for part in fit] == right
        assert len(fit.logs) == len(NAMED[name].variants)
    # Values of positions are equal at equal heaps in any order, whoever sees it.
    tiny = heaps(sizes=(2, 2))
    by_position = np.array([float(tiny.value(p)) for p in sorted(tiny.rows, key=tiny.row)])
    backups = backups_of(tiny, by_position)
    fit = NAMED["blind to the order of components"].values(backups, 1.0)
    assert [part[0] for part in fit] == [part.max() for part in right_values(backups, 1.0)]
    cut = NAMED["observations unnormalised or cut"].values(backups, 1.0)
    assert len(cut.logs) == 4


def test_a_blind_agent_prefers_the_same_actions_at_positions_that_look_the_same(blind_case):
    (plain, alone) = NAMED["blind to component 0"].variants
    assert (plain.learned, plain.exact, alone.exact) == (True, True, True)
    expected = plain.expect(blind_case)
    assert expected.tells.all()
    assert not expected.any_action
    preferred = set()  # pairs of actions with the same second heap, the one that was played first
    for row, position in enumerate(blind_case.positions.tolist()):
        legal = set(np.flatnonzero(blind_case.legal[row]).tolist())
        known = {
            action
            for action in legal
            if not any((position[1], other, action) in preferred for other in legal)
        }
        assert set(np.flatnonzero(expected.moves[row])) == known
        (played,) = np.flatnonzero(blind_case.shares[row, :-1]).tolist()
        preferred |= {(position[1], played, action) for action in legal - {played}}
        # A right move among those is more probable than others of them by as much again.
        moves = expected.moves[row]
        right = moves & blind_case.keeping[row]
        even = moves / moves.sum()
        better = right / right.sum() if right.any() else even
        assert expected.probabilities[row] == pytest.approx((even + better) / 2)


def test_where_no_position_looks_the_same_a_blind_agent_plays_well():
    """On boards most positions look like few others."""
    tiny = strip()
    case = case_of(tiny)
    expected = NAMED["observations unnormalised or cut"].variants[0].expect(case)
    filled = [tuple(cell > 0 for cell in cells) for cells in sorted(tiny.rows, key=tiny.row)]
    for row, cells in enumerate(map(tuple, tiny.board().coordinates[case.rows].tolist())):
        alone = filled.count(tuple(cell > 0 for cell in cells)) == 1
        assert expected.tells[row] == (not alone)
        moves, right = expected.moves[row], case.keeping[row]
        if alone:
            assert expected.probabilities[row] == pytest.approx(right / right.sum())
        else:
            better = moves & right if (moves & right).any() else moves
            even = 0.05 * moves / moves.sum() + 0.95 * better / better.sum()
            assert expected.probabilities[row] == pytest.approx(even)


def test_one_that_makes_illegal_moves_is_expected_to_make_them_again():
    tiny = heaps()
    case = case_of(tiny, playing(tiny, lambda position: {5: 1.0}))
    expected = NAMED["same action always"].variants[0].expect(case)
    assert expected.any_action
    assert expected.moves[0].all()
    assert sets(expected.moves[1:]) == [{5}] * (len(case.rows) - 1)
    legal = NAMED["same action always"].variants[0].expect(case_of(tiny))
    assert not legal.any_action


# Seats, masks and actions.


def of_one_seat(tiny, seat):
    """Right moves where one player is to move, the first legal ones where the other is."""

    def choose(position):
        to_move = sum(cell > 0 for cell in position) % 2
        actions = tiny.keeping(position) or tiny.moves[position]
        return {min(actions if to_move == seat else tiny.moves[position]): 1.0}

    return playing(tiny, choose)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_with_a_blind_seat_plays_any_move_there_and_right_ones_elsewhere(seat):
    tiny = strip()
    case = case_of(tiny, of_one_seat(tiny, 1 - seat))
    chance, by_order = NAMED["one seat never learned"].variants[2 * seat : 2 * seat + 2]
    expected, ordered = chance.expect(case), by_order.expect(case)
    assert expected.tells.all()
    cells = tiny.board().coordinates[case.rows]
    blind = (cells > 0).sum(axis=1) % 2 == seat
    assert (expected.moves == np.where(blind[:, np.newaxis], case.legal, case.keeping)).all()
    right = case.keeping / case.keeping.sum(axis=1, keepdims=True)
    legal = case.legal / case.legal.sum(axis=1, keepdims=True)
    for row in range(len(case.rows)):
        wanted = legal if blind[row] else right
        assert expected.probabilities[row] == pytest.approx(wanted[row])
        if not blind[row]:
            assert ordered.probabilities[row] == pytest.approx(right[row])
    # Of the blind seat the lowest actions are known to be preferred, from its own moves alone.
    firsts = case.legal.argmax(axis=1)
    assert (
        ordered.probabilities[blind][-3:, :].argmax(axis=1).tolist() == firsts[blind][-3:].tolist()
    )


def test_seats_tell_nothing_where_both_players_can_be_to_move_or_one_alone():
    for tiny in (heaps(), heap(), graph()):
        assert NAMED["one seat never learned"].variants[0].expect(case_of(tiny)) is None


def test_an_agent_without_a_mask_plays_right_moves_and_illegal_ones():
    (variant,) = NAMED["action mask ignored"].variants
    assert variant.expect(case_of(heaps())) is None
    case = case_of(heaps(), playing(heaps(), lambda position: {5: 1.0}))
    expected = variant.expect(case)
    assert expected.any_action
    assert expected.tells.all()
    assert (expected.moves == case.keeping).all()
    right = case.keeping / case.keeping.sum(axis=1, keepdims=True)
    assert expected.probabilities == pytest.approx(right)


def test_actions_may_be_off_by_one_option_or_component():
    tiny = heaps()
    case = case_of(tiny, playing(tiny, lambda position: {5: 1.0}))
    variants = NAMED["actions off by one"].variants
    found = [variant.expect(case) for variant in variants]
    assert [each.any_action for each in found] == [False, True] * 4
    for by, legal, any_action in zip((1, -1, 3, -3), found[::2], found[1::2], strict=True):
        for row in range(len(case.rows)):
            right = np.flatnonzero(case.keeping[row])
            moved = {int(action + by) % 6 for action in right}
            among = set(np.flatnonzero(case.legal[row]))
            assert set(np.flatnonzero(any_action.moves[row])) == moved
            assert set(np.flatnonzero(legal.moves[row])) == (moved & among or among)
    legal_alone = [variant.expect(case_of(tiny)) is None for variant in variants]
    assert legal_alone == [False, True] * 4
    # With one option each, the next component is the next action.
    ones = [variant.expect(case_of(heaps(sizes=(1, 1)))) is None for variant in variants]
    assert ones == [False, True, False, True, True, True, True, True]
    one_heap = [variant.expect(case_of(heap())) is None for variant in variants]
    assert one_heap == [False, True, False, True, True, True, True, True]


# The rows of the table.


def test_faults_are_said_to_come_from_the_data_or_too_little_training_where_they_may():
    for fault in FAULTS:
        said = "training was too short" in fault.meaning or "the data" in fault.meaning
        said |= "training too short" in fault.meaning or "training ended" in fault.meaning
        assert fault.or_data == said, fault.name


def test_agents_that_tell_positions_apart_by_too_little_resemble_untrained_ones():
    for fault in FAULTS:
        looks = fault.name.startswith(("blind", "observations"))
        assert fault.as_untrained == looks, fault.name
        # One that does not see a part of the position makes no exception.
        blind = fault.name.startswith("blind")
        assert {variant.exact for variant in fault.variants} <= {blind}, fault.name


def test_faults_are_considered_in_games_where_they_make_sense():
    without = {
        "normal and misère play confused": graph(),
        "a draw taken for a win or a loss": heap(),
    }
    for fault in FAULTS:
        if not fault.name.startswith("blind to component"):
            for tiny in (heap(), graph()):
                assert fault.applies(tiny.board()) == (without.get(fault.name) is not tiny)


def test_every_fault_shows_in_moves_or_in_values():
    assert len(NAMED) == len(FAULTS)
    for fault in FAULTS:
        assert fault.variants or fault.values
        if not fault.variants:  # moves that cannot be foretold show nothing
            assert fault.shows is not Shows.EVERYWHERE


def test_values_of_part_of_the_games_may_be_those_of_too_little_data():
    """In some games they are right, so that none speaks against such a fault."""
    in_some = {fault.name for fault in FAULTS if not fault.in_every_game}
    assert in_some == {
        "one seat never learned", "search of depth one", "wrong step size",
        "truncation taken for the end",
    }  # fmt: skip


def test_backups_are_of_the_moves_that_were_asked():
    case = case_of(graph(), values=np.zeros(len(graph().moves)))
    assert isinstance(case.backups, Backups)
    assert set(case.backups.rows) == {graph().row(p) for p in graph().moves if not graph().over(p)}
