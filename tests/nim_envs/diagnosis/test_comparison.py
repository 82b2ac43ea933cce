"""Faults weighed against moves and values, with made-up likelihoods and on tiny games."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from nim_envs.diagnosis import comparison as module
from nim_envs.diagnosis.board import evenly
from nim_envs.diagnosis.comparison import (
    DISCOUNTS,
    Comparison,
    MoveComparison,
    ValueComparison,
    best_that_learned,
    compare_all,
    compare_values,
)
from nim_envs.diagnosis.faults import FAULTS, MEMORY, Fault, Shows, Variant, of_steps
from nim_envs.diagnosis.moves import STEPS, ExpectedMoves, mean_likelihood
from nim_envs.diagnosis.values import Fit
from tests.nim_envs.diagnosis.tiny import (
    case_of,
    heap,
    heaps,
    playing,
    solved,
    strip,
    table_of,
)

NAMED = {fault.name: fault for fault in FAULTS}

SENSIBLE = [
    fault.name for fault in FAULTS if any(fault.applies(each().board()) for each in (heaps, strip))
]
"""Faults that make sense in games of up to four coordinates."""


def log_mean(logs):
    logs = [float(each) for each in logs]
    return max(logs) + math.log(sum(math.exp(each - max(logs)) for each in logs) / len(logs))


# All together.


def of_moves(evidence, total, possible=None, variant=Variant(lambda case: None), agrees=False):  # noqa: B008
    possible = total if possible is None else possible
    return MoveComparison(variant, evidence, total, possible, agrees)


def fault(name="a", **arguments):
    return Fault(name, "its meaning", **arguments)


def weighed(moves, values, right=-50.0, faults=None, cases=(), monkeypatch=None):
    """The result of a comparison of all, with the likelihoods of the moves given."""
    if faults is None:
        faults = [fault(str(number)) for number in range(len(moves))]
    monkeypatch.setattr(module, "_compare_with_moves", lambda *arguments: moves)
    return compare_all(faults, cases, right, values)


def test_evidence_from_which_a_fault_fits_grows_with_the_faults_that_can_show(monkeypatch):
    """The error of 5 % is shared by them, and by memory."""
    hidden = of_moves(1.0, -40.0, variant=None)
    values = ValueComparison(-3.0, -4.0, 2.0, 0.9)
    for moves, by_values, tests in (
        ([of_moves(1.0, -40.0)], [None], 2),
        ([of_moves(1.0, -40.0), None], [None, None], 2),
        ([of_moves(1.0, -40.0), hidden], [None, None], 2),
        ([of_moves(1.0, -40.0), hidden], [None, values], 3),
        ([of_moves(1.0, -40.0)] * 5, [None] * 5, 6),
    ):
        compared, threshold = weighed(moves, by_values, monkeypatch=monkeypatch)
        assert threshold == pytest.approx(math.log(tests / 0.05))
        assert len(compared) == len([each for each in moves if each])


def test_evidence_of_moves_and_values_is_added_up(monkeypatch):
    values = ValueComparison(-3.0, -4.0, 2.0, 0.9)
    moves = of_moves(5.0, -40.0, -38.0)
    everywhere, elsewhere = fault(), fault(shows=Shows.NOWHERE)
    for one, by_values, evidence, total in (
        (everywhere, None, 5.0, -40.0),
        (elsewhere, None, 5.0, -40.0),
        (everywhere, values, 7.0, -44.0),
        # Where moves do not show it, they are possible with 12 more than for right agents.
        (elsewhere, values, 14.0, -42.0),
    ):
        ((found,), _) = weighed([moves], [by_values], faults=[one], monkeypatch=monkeypatch)
        assert found == Comparison(one, moves.variant, evidence, total)
    # Moves alone are no evidence for a fault that has none of its own.
    hidden = of_moves(5.0, -40.0, variant=None)
    ((found,), _) = weighed([hidden], [None], monkeypatch=monkeypatch)
    assert (found.evidence, found.total) == (-math.inf, -40)
    strong = of_moves(20.0, -40.0, -38.0)
    ((found,), _) = weighed([strong], [values], faults=[elsewhere], monkeypatch=monkeypatch)
    assert found.evidence == 22


def a_case(draws=False, changed=False):
    memory = SimpleNamespace(changed=changed)
    return SimpleNamespace(
        board=SimpleNamespace(has_draws=draws), answers=SimpleNamespace(memory=memory)
    )


def test_a_fault_is_excluded_by_moves_where_it_would_show_at_odds_of_a_million(monkeypatch):
    def excluded(one, moves, cases=(), right=-50.0):
        best = of_moves(0.0, -30.0)
        found, _ = weighed(
            [best, moves], [None, None], right, [fault("best"), one], cases, monkeypatch
        )
        assert not found[0].excluded
        return found[1].excluded

    million = math.log(1e6)
    far, near = of_moves(0.0, -30.1 - million), of_moves(0.0, -29.9 - million)
    assert excluded(fault(), far)
    assert not excluded(fault(), near)
    assert excluded(fault(), near, right=-29.5)  # right agents count too
    assert not excluded(fault(), of_moves(0.0, -60.0, -29.0))
    assert not excluded(fault(shows=Shows.NOWHERE), far)
    assert excluded(fault(shows=Shows.FAR_FROM_THE_END), far)
    # No move contradicts one without exceptions, and none that fits by itself is excluded.
    assert not excluded(fault(), far._replace(agrees=True))
    fits = math.log(3 / 0.05)
    assert not excluded(fault(), far._replace(evidence=fits + 0.1))
    assert excluded(fault(), far._replace(evidence=fits - 0.1))
    # With draws, moves that are not known beforehand tell less.
    hidden = far._replace(variant=None)
    assert excluded(fault(), hidden, [a_case()])
    assert not excluded(fault(), hidden, [a_case(), a_case(draws=True)])
    assert excluded(fault(), far, [a_case(draws=True)])
    # Answers that depend on the order of calls may be late.
    assert not excluded(fault(MEMORY.name), far, [a_case(), a_case(changed=True)])
    assert excluded(fault(MEMORY.name), far, [a_case(draws=True)])
    assert excluded(fault(), far, [a_case(changed=True)])


def test_a_fault_is_excluded_by_values_that_it_does_not_explain(monkeypatch):
    best = ValueComparison(-3.0, -3.0, 2.0, 0.9)
    million = math.log(1e6)

    def excluded(values, models=of_steps, evidence=0.0):
        moves = [of_moves(0.0, -40.0), of_moves(evidence, -40.0)]
        faults = [fault("best", values=of_steps), fault(values=models)]
        found, _ = weighed(moves, [best, values], faults=faults, monkeypatch=monkeypatch)
        assert not found[0].excluded
        return found[1].excluded

    far = ValueComparison(-3.1 - million, -50.0, 0.0, 0.59)
    assert excluded(far)
    assert not excluded(far._replace(fitted=-2.9 - million))
    assert not excluded(far._replace(explained=0.6))
    assert not excluded(far, models=None)  # its values are a right agent's
    assert not excluded(far._replace(gained=10.0))
    assert not excluded(far._replace(gained=-10.0), evidence=20.0)
    assert excluded(far._replace(gained=-10.0), evidence=10.0)


# Values.


def fit(*forms):
    """A fit of forms, each a log-likelihood, the share explained, and those close at the ends
    and elsewhere."""
    return Fit(*np.array(forms, dtype=np.float64).T)


def with_values(*games):
    """Cases whose values fit right agents so, by discount; and one without values."""
    cases = [SimpleNamespace(backups=SimpleNamespace(as_right=game)) for game in games]
    return [*cases, SimpleNamespace(backups=None)]


RIGHT = fit((-20, 0.7, 1, 1), (-12, 0.8, 1, 1))


def compared(models, *rights, discount=1.0, **arguments):
    """The comparison of a fault, whose models are fits in each game, with the values."""
    cases = with_values(*({discount: right} for right in rights))
    found = {id(case.backups): one for case, one in zip(cases, models, strict=False)}
    one = fault(values=lambda backups, discount: found[id(backups)], **arguments)
    (result,) = compare_values([one], cases, discount)
    return result


def test_without_values_there_is_nothing_to_compare():
    assert compare_values([fault(), fault()], [SimpleNamespace(backups=None)], 1.0) == [None, None]


def test_a_fault_is_compared_with_right_agents_by_its_mean_likelihood():
    models = fit((-6, 0.75, 1, 1), (-2, 0.9, 0.96, 0.61), (-9, 0.95, 0, 0))
    found = compared([models], RIGHT)
    log = log_mean([-6, -2, -9])
    assert found.fitted == pytest.approx(log)
    assert found.counted == pytest.approx(log)
    assert found.gained == pytest.approx(log + 12)  # the best right form, to be safe
    assert found.explained == pytest.approx(0.95)


def test_a_fault_whose_values_are_a_right_agents_gains_nothing():
    (found,) = compare_values([fault()], with_values({1.0: RIGHT}), 1.0)
    log = log_mean([-20, -12])
    assert found == pytest.approx((log, log, 0, 0.8))


@pytest.mark.parametrize(("at_ends", "elsewhere"), [(0.94, 1.0), (1.0, 0.59)])
def test_values_that_have_not_converged_tell_nothing(at_ends, elsewhere):
    models = fit((-6, 0.75, 1, 1), (-2, 0.9, at_ends, elsewhere))
    found = compared([models], RIGHT)
    usual = log_mean([-20, -12])
    assert found.fitted == pytest.approx(log_mean([-6, -2]))
    assert found == pytest.approx((found.fitted, usual, 0, 0.9))
    better = models._replace(logs=models.logs - log_mean([-6, -2]) - 11.5)
    found = compared([better], RIGHT)  # by little
    assert (found.counted, found.gained) == pytest.approx((usual, 0))
    worse = models._replace(logs=models.logs - 30)  # it may lose by them all the same
    found = compared([worse], RIGHT)
    assert found.gained == pytest.approx(log_mean([-36, -32]) - usual)
    assert found.counted == found.fitted == pytest.approx(log_mean([-36, -32]))


def test_most_games_must_have_converged():
    good, bad = fit((-2, 0.9, 1, 1)), fit((-2, 0.9, 0, 1))
    assert compared([good, good, bad], *[RIGHT] * 3).gained == pytest.approx(-6 + 36)
    assert compared([good, bad, bad], *[RIGHT] * 3).gained == 0


def test_values_that_lag_tell_before_they_have_converged(monkeypatch):
    one = fit((-2, 0.9, 0, 0))
    steps = lambda backups, discount: one  # noqa: E731
    monkeypatch.setattr(module, "of_steps", steps)
    cases = with_values({1.0: RIGHT})
    (found,) = compare_values([fault(values=steps)], cases, 1.0)
    assert found.gained == pytest.approx(10)
    (found,) = compare_values([fault(values=lambda *arguments: one)], cases, 1.0)
    assert found.gained == 0


def test_one_game_may_speak_against_a_fault():
    """Where the right equation explains the values better by more than ten to one."""
    for worse, tells in ((-14.0, True), (-14.4, False)):
        models = [fit((5, 0.9, 1, 1)), fit((worse, 0.9, 1, 1))]
        found = compared(models, RIGHT, RIGHT)
        assert (found.gained > 0) == tells
        assert compared(models, RIGHT, RIGHT, in_every_game=False).gained > 0


def test_a_fault_loses_at_most_against_usual_right_agents():
    """The best form of a right agent is chosen by the values, its mean is not."""
    models = fit((-12.3, 0.9, 1, 1))
    # It is between the mean of right forms and the best of them.
    found = compared([models], RIGHT)
    assert log_mean([-20, -12]) < -12.3 < -12
    assert (found.fitted, found.counted, found.gained) == pytest.approx((-12.3, -12.3, 0))


def test_games_are_added_up_form_by_form_and_discounts_are_forms():
    one, other = fit((-6, 0.5, 1, 1), (-2, 0.9, 1, 1)), fit((-1, 0.7, 1, 1), (-8, 0.8, 1, 1))
    found = compared([one, other], RIGHT, RIGHT)
    assert found.fitted == pytest.approx(log_mean([-7, -10]))
    assert found.explained == pytest.approx(0.85)
    assert found.gained == pytest.approx(log_mean([-7, -10]) + 24)
    asked = []

    def models(backups, discount):
        asked.append(discount)
        return fit((-10 * discount, 0.5, 1, 1))

    rights = {discount: fit((-20 + discount, 0.9, 1, 1)) for discount in DISCOUNTS}
    (found,) = compare_values([fault(values=models)], with_values(rights), None)
    assert asked == list(DISCOUNTS)
    assert found.fitted == pytest.approx(log_mean([-10 * each for each in DISCOUNTS]))
    assert found.gained == pytest.approx(found.fitted + 19)


def test_discounts_that_are_compared_fall_from_one():
    assert DISCOUNTS[0] == 1
    assert list(DISCOUNTS) == sorted(DISCOUNTS, reverse=True)
    assert DISCOUNTS[-1] > 0


# Moves.


def mixed(tiny, seed=0):
    """Right moves, and some random ones, in part illegal."""
    rng = np.random.default_rng(seed)

    def choose(position):
        kind = rng.random()
        if kind < 0.2:
            return {int(rng.integers(tiny.game.rules.num_actions)): 1.0}
        actions = sorted(tiny.keeping(position) if kind < 0.6 else [])
        actions = actions or sorted(tiny.moves[position])
        return {actions[rng.integers(len(actions))]: 1.0}

    chosen = {position: choose(position) for position in tiny.moves if tiny.moves[position]}
    return case_of(tiny, playing(tiny, chosen.__getitem__))


CASES = [mixed(heaps()), mixed(heap(size=9), 1)]
WITH_DRAWS = [mixed(strip(), 2)]


def test_right_agents_that_have_learned_something_know_a_fifth_of_the_positions():
    for cases in ([CASES[0]], CASES, WITH_DRAWS):
        count = sum(len(case.rows) for case in cases)
        possible = sum(float((1 - case.at_random).sum()) for case in cases)
        wanted = min(0.2 * count, 0.9 * possible)
        logs = [case.right_by_knowledge(wanted) for case in cases]
        if len(logs) == 1:
            expected = logs[0][STEPS]
        else:
            one, other = logs
            pairs = product(range(STEPS + 1), repeat=2)
            expected = max(one[i] + other[j] for i, j in pairs if i + j >= STEPS)
        assert best_that_learned(*cases) == pytest.approx(expected)


def test_as_much_is_asked_as_there_is_to_know():
    """Where nearly every move is right, a fifth above chance is not to be had."""
    tiny = heap(size=1)
    case = case_of(tiny)
    assert case.at_random.tolist() == [1]
    assert best_that_learned(case) == -math.inf
    asked = []

    def by_knowledge(wanted):
        asked.append(wanted)
        return np.arange(STEPS + 1.0)

    nearly_all = SimpleNamespace(
        rows=np.zeros(100), at_random=np.full(100, 0.9), right_by_knowledge=by_knowledge
    )
    assert best_that_learned(nearly_all) == STEPS
    assert asked == pytest.approx([0.9 * 10])


def with_fault(pairs, exact):
    """Log-likelihood of the moves that tell, by random errors or those of a fixed order."""
    ways = []
    for in_order in (False, True):
        games = [
            case.by_distance(case.with_fault(expected)[in_order], expected.tells)
            for case, expected in pairs
        ]
        exactly = sum(game[:, 0].sum() for game in games)
        ways.append(exactly if exact else mean_likelihood(games))
    return log_mean(ways) + sum(case.of_illegal(each.any_action) for case, each in pairs)


def compared_by_hand(variant, cases):
    """Evidence and total of a variant."""
    everywhere, telling = [], []
    for case in cases:
        expected = variant.expect(case)
        if expected is not None and expected.tells.any():
            telling.append((case, expected))
        if expected is None:
            expected = ExpectedMoves(evenly(case.keeping), case.keeping, case.everywhere)
        everywhere.append((case, expected._replace(tells=case.everywhere)))
    if not telling:
        return None
    if variant.learned and all(expected.tells.all() for _, expected in telling):
        chosen = [case for case, _ in telling]
        right = max(best_that_learned(*chosen), sum(case.by_chance for case in chosen))
    else:
        right = sum(case.right(expected.tells) for case, expected in telling)
    right += sum(case.of_illegal(any_action=False) for case, _ in telling)
    return with_fault(telling, variant.exact) - right, with_fault(everywhere, exact=False)


@pytest.mark.parametrize("name", SENSIBLE)
@pytest.mark.parametrize(
    "cases",
    [CASES, CASES[:1], WITH_DRAWS, CASES[:1] + WITH_DRAWS],
    ids=["both", "heaps", "strip", "heaps and strip"],
)
def test_a_fault_is_compared_by_the_mean_of_its_forms(name, cases):
    one = NAMED[name]
    found = module._compare_moves(one, cases, best_that_learned)
    forms = [compared_by_hand(variant, cases) for variant in one.variants]
    made = [form for form in forms if form is not None]
    if not made:
        assert found is None
        return
    assert found.evidence == pytest.approx(log_mean([evidence for evidence, _ in made]))
    assert found.total == pytest.approx(log_mean([total for _, total in made]))
    assert found.possible == found.total
    best = max(made, key=lambda form: form[1])
    assert compared_by_hand(found.variant, cases)[1] == pytest.approx(best[1])
    assert not found.agrees


def test_a_fault_without_exceptions_agrees_where_no_move_contradicts_it():
    tiny = heaps()
    blind = NAMED["blind to component 0"]

    def by_the_second_heap(position):  # the same preference whatever the first heap is
        order = [5, 0, 4, 1, 3, 2] if position[1] > 1 else [1, 3, 0, 5, 4, 2]
        return {min(tiny.moves[position], key=order.index): 1.0}

    agreeing = case_of(tiny, playing(tiny, by_the_second_heap))
    assert module._compare_moves(blind, [agreeing], best_that_learned).agrees
    assert not module._compare_moves(blind, [agreeing, CASES[0]], best_that_learned).agrees
    inexact = Fault("a", "b", tuple(each._replace(exact=False) for each in blind.variants))
    assert not module._compare_moves(inexact, [agreeing], best_that_learned).agrees


@pytest.mark.parametrize("cases", [CASES, WITH_DRAWS], ids=["both", "strip"])
def test_moves_that_a_fault_does_not_show_in_are_possible_with_it(cases):
    right = sum(case.right(case.everywhere) + case.of_illegal(any_action=False) for case in cases)
    near = sum(case.at_random_beyond(3) + case.of_illegal(any_action=False) for case in cases)
    faults = [each for each in FAULTS if any(each.applies(case.board) for case in cases)]
    found = module._compare_with_moves(faults, cases, right)
    for one, moves in zip(faults, found, strict=True):
        usual = module._compare_moves(one, cases, best_that_learned)
        if one.shows is Shows.EVERYWHERE:
            assert moves == usual
            continue
        # It is as probable as right moves, or as those near the end alone, at odds of one to five.
        hidden = max(right, near) if one.shows is Shows.NOWHERE else near
        least = hidden - math.log(5)
        if usual is None:
            assert moves == pytest.approx((None, least - right, least, least, False))
        else:
            both = max(usual.total, least) + math.log1p(math.exp(-abs(usual.total - least)))
            assert moves.possible == pytest.approx(both)
            assert moves._replace(possible=usual.possible) == usual


def test_right_values_fit_right_agents_best():
    tiny = heaps()
    case = case_of(tiny, values=table_of(tiny, solved(tiny, next=-0.9)))
    faults = [NAMED["wrong sign of the bootstrap"], NAMED["stale observations"]]
    sign, stale = compare_values(faults, [case], 0.9)
    assert sign.gained < -math.log(1e6)
    assert stale.gained == 0
    assert stale.fitted > sign.fitted
