"""The verdict of a diagnosis and its evidence, on tiny games."""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from nim_envs import Convention, Game, GameEnv, Rules, VersusEnv, diagnose, game_from_moves
from nim_envs.diagnosis import diagnosis as module
from nim_envs.diagnosis import tiny_games
from nim_envs.diagnosis.board import Board
from nim_envs.diagnosis.comparison import Comparison
from nim_envs.diagnosis.diagnosis import (
    agreement,
    diagnosis_of,
    evidence_of,
    memory_of,
    score_of,
    verdict_without_fault,
)
from nim_envs.diagnosis.faults import FAULTS, MEMORY, Fault, Variant
from nim_envs.diagnosis.moves import ExpectedMoves, Memory
from nim_envs.rules import TableComponent
from tests import outcome_games
from tests.nim_envs.diagnosis.tiny import (
    ALL,
    Tiny,
    case_of,
    first_legal,
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


def expecting(moves, any_action=False):
    """A variant that makes the moves of a function of the case."""
    return Variant(lambda case: case.expecting(moves(case), any_action=any_action))


def taking_one(case):
    return np.eye(case.legal.shape[1], dtype=np.bool_)[np.zeros(len(case.rows), dtype=np.int64)]


def found(variant, fault=None, evidence=20.0, total=-10.0, excluded=False):
    fault = Fault("a", "its meaning", (variant,) if variant else ()) if fault is None else fault
    return Comparison(fault, variant, evidence, total, excluded)


# Evidence.


def test_evidence_counts_positions_and_shows_mistakes():
    """From one heap, one is taken always: right at 1 and 5, and not at 2, 3 and 6."""
    case = case_of(heap())
    assert evidence_of(found(expecting(taking_one)), [case]) == (
        "subtraction, heap 6, normal play: at 3 N-positions this fault plays otherwise than a "
        "right agent: as it does 3 times (by chance 1), right 0 times",
        "  at 2 it plays heap 0: take 1; heap 0: take 2 wins",
        "  at 3 it plays heap 0: take 1; heap 0: take 3 wins",
        "  at 6 it plays heap 0: take 1; heap 0: take 2 wins",
    )


def test_evidence_of_illegal_moves_says_so():
    case = case_of(heap(), playing(heap(), lambda position: {2: 1.0}))
    taking_three = lambda case: np.roll(taking_one(case), 2, axis=1)  # noqa: E731
    assert evidence_of(found(expecting(taking_three, any_action=True)), [case]) == (
        "subtraction, heap 6, normal play: at 4 N-positions this fault plays otherwise than a "
        "right agent: as it does 4 times (by chance 1), right 0 times; 2 of 6 answers are illegal",
        "  at 1 it plays heap 0: take 3 (illegal); heap 0: take 1 wins",
        "  at 2 it plays heap 0: take 3 (illegal); heap 0: take 2 wins",
        "  at 6 it plays heap 0: take 3; heap 0: take 2 wins",
    )


def evidence_by_hand(tiny, case, expected):
    """The evidence in one game, position by position."""
    places = sorted(tiny.rows, key=tiny.row)
    rules = tiny.game.rules
    rows = []
    for row, number in enumerate(case.rows.tolist()):
        position, shares = places[number], case.shares[row]
        legal, right = set(tiny.moves[position]), tiny.keeping(position)
        made = set(np.flatnonzero(expected.moves[row]).tolist())
        among = set(range(rules.num_actions)) if expected.any_action else legal
        if not expected.tells[row] or made & right:
            continue
        by_chance = len(made & among) / len(among)
        rows.append((row, position, shares, made, right, by_chance))
    agreed = [sum(shares[a] for a in made) for _, _, shares, made, _, _ in rows]
    hits = [sum(shares[a] for a in right) for _, _, shares, _, right, _ in rows]
    wrong = [each for each, share in zip(rows, agreed, strict=True) if share > 0.5]
    counted = "positions that are not lost" if tiny.game.has_outcome else "N-positions"
    line = (
        f"{tiny.game.summary}: at {len(rows)} {counted} this fault plays otherwise than a right "
        f"agent: as it does {sum(agreed):.0f} times (by chance {sum(e[5] for e in rows):.0f}), "
        f"right {sum(hits):.0f} times"
    )
    if expected.any_action:
        illegal = sum(each > 0 for each in case.illegal)
        line += f"; {illegal} of {len(case.illegal)} answers are illegal"
    lines = [line]
    last = len(wrong) - 1
    examples = sorted({0, last // 2, last}) if last > 1 else range(last + 1)
    for _, position, shares, made, right, _ in (wrong[each] for each in examples):
        action = max(sorted(made), key=lambda a: shares[a])
        state = np.array(rules.positions_at(np.array(position)))
        is_legal = action in tiny.moves[position]
        name = rules.describe_action(action, state if is_legal else None)
        keeps = "keeps the draw" if tiny.value(position) == 0 else "wins"
        lines.append(
            f"  at {'-'.join(map(str, position))} it plays {name}{'' if is_legal else ' (illegal)'}"
            f"; {rules.describe_action(min(right), state)} {keeps}"
        )
    return lines


@games
@pytest.mark.parametrize("any_action", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_evidence_is_of_positions_where_no_move_of_the_fault_is_right(tiny, any_action, seed):
    rng = np.random.default_rng(seed)
    actions = tiny.game.rules.num_actions
    chosen = {}
    for position, moves in tiny.moves.items():
        legal = list(moves) or [0]
        several = rng.permutation(legal)[: rng.integers(1, 4)].tolist()
        illegal = any_action and rng.random() < 0.3
        among = [int(rng.integers(actions))] if illegal else several
        chosen[position] = dict.fromkeys(among, 1 / len(among))
    case = case_of(tiny, playing(tiny, chosen.__getitem__))
    moves = rng.random(case.legal.shape) < 0.5
    moves[::2] |= case.shares[::2, :-1] > 0
    moves &= ~case.keeping | (rng.random(case.legal.shape) < 0.1)
    expected = case.expecting(moves, any_action=any_action)
    lines = evidence_of(found(Variant(lambda case: expected)), [case])
    if not expected.tells.any():
        assert lines == ()
    elif (expected.tells & ~(expected.moves & case.keeping).any(axis=1)).any():
        assert list(lines) == evidence_by_hand(tiny, case, expected)
    else:  # all positions that tell are counted
        assert f"at {expected.tells.sum()} " in lines[0]


def test_the_evidence_is_in_the_words_of_each_game_where_the_fault_shows():
    cases = [case_of(heap(size=1)), case_of(heap()), case_of(strip())]
    assert len(evidence_of(found(expecting(taking_one)), cases[:1])) == 0  # it is right there
    one, other = (evidence_of(found(expecting(taking_one)), [each]) for each in cases[1:])
    assert evidence_of(found(expecting(taking_one)), cases) == one + other
    assert "positions that are not lost" in other[0]
    assert other[1].startswith("  at ")
    assert evidence_of(found(Variant(lambda case: None)), cases) == ()


def test_evidence_where_moves_do_not_tell_is_said_to_be_that_of_values():
    assert evidence_of(found(None), []) == ("its values fit, and its moves do not tell",)


def with_memory(*counts):
    return [
        SimpleNamespace(answers=SimpleNamespace(memory=Memory(now, before, changed=True)))
        for now, before in counts
    ]


def test_evidence_of_late_answers_counts_calls():
    (line,) = evidence_of(found(None, MEMORY), with_memory((1, 20), (2, 30)))
    assert line.endswith("50 answers belong to the call before alone, 3 to their own")


def test_late_answers_are_told_from_chance():
    for now, before in ((0, 0), (5, 5), (9, 3)):
        assert memory_of(with_memory((now, before))) == 0
    # The chance of each sequence of calls, where any share is as probable, against a half for each.
    any_share = math.factorial(12) * math.factorial(3) / math.factorial(16)
    assert memory_of(with_memory((1, 4), (2, 8))) == pytest.approx(math.log(any_share * 2**15))


# The name of a fault.


def test_faults_are_named_in_the_words_of_the_game():
    blind = NAMED["blind to component 1"]
    for tiny, name in (
        (heap(), "blind to component 1"),
        (heaps(), "blind to heap 1"),
        (strip(), "blind to coordinate 1"),
    ):
        assert module._name(blind, [case_of(tiny)]) == name
    # Of several kinds of components, each is one.
    path = TableComponent(rows=((-1,), (0,)))  # of the kind "component"
    rules = Rules("both", (heaps().game.rules.components[0], path), (2, 1))
    both = Board(Game(rules, Convention.NORMAL))
    assert module._name(blind, [SimpleNamespace(board=both)]) == "blind to component 1"
    cases = [case_of(heap()), case_of(heaps()), case_of(strip())]
    assert module._name(blind, cases) == "blind to heap 1"
    assert module._name(NAMED["players swapped"], cases) == "players swapped"


# Scores.


@games
def test_a_score_is_a_mean_probability(tiny):
    rng = np.random.default_rng(0)
    actions = tiny.game.rules.num_actions
    chosen = {p: dict(enumerate(rng.dirichlet(np.ones(actions)))) for p in tiny.moves}
    score = score_of(case_of(tiny, playing(tiny, chosen.__getitem__)))
    right, random, illegal = [], [], []
    for position, moves in tiny.moves.items():
        if moves:
            illegal.append(sum(p for a, p in chosen[position].items() if a not in moves))
        keeping = tiny.keeping(position)
        if keeping:
            right.append(sum(chosen[position][a] for a in keeping))
            random.append(len(keeping) / len(moves))
    assert score.percent == pytest.approx(100 * np.mean(right))
    assert score.random_percent == pytest.approx(100 * np.mean(random))
    assert score.illegal_percent == pytest.approx(100 * np.mean(illegal))
    assert (score.game, score.count) == (tiny.game.summary, len(right))
    assert score.has_outcome == (tiny in (graph(), strip()))


def test_no_legal_move_is_an_illegal_one():
    def policy(observations, masks):
        return np.where(observations[:, 0] > 3, -1, 0)

    assert score_of(case_of(heap(), policy)).illegal_percent == 50


# Verdicts.


def of_hits(hits, at_random, illegal=(0.0,), values=None):
    return SimpleNamespace(
        hits=np.array(hits, dtype=np.float64), at_random=np.array(at_random), backups=values,
        illegal=np.array(illegal),
    )  # fmt: skip


def test_an_agent_is_right_where_every_move_is():
    right, wrong = of_hits([1, 1], [0.5, 0.25]), of_hits([1, 1, 1, 0], [0.5] * 4)
    assert verdict_without_fault([right, right]) == "right"
    assert verdict_without_fault([right, wrong]) == "unfinished"
    assert verdict_without_fault([right, of_hits([1], [0.5], [0.0, 0.1])]) == "unfinished"


def test_an_agent_has_learned_something_from_a_fifth_above_chance_on():
    assert verdict_without_fault([of_hits([1, 1, 0, 0, 0], [0.2] * 5)]) == "unfinished"
    assert verdict_without_fault([of_hits([1, 1, 0, 0, 0], [0.21] * 5)]) == "untrained"
    cases = [of_hits([1, 1, 0], [0.2] * 3), of_hits([0, 0], [0.2] * 2)]
    assert verdict_without_fault(cases) == "unfinished"


def test_moves_three_standard_errors_below_chance_are_no_accident():
    # Of 36 positions, each at chance 1/2, random moves are right at 18, give or take 3.
    def verdict(right):
        return verdict_without_fault([of_hits([1] * right + [0] * (36 - right), [0.5] * 36)])

    assert verdict(8) == "unknown"
    assert verdict(9) == "untrained"
    assert verdict(18) == "untrained"
    # Of 100 at chance 1/10, at 10, give or take 3.
    assert verdict_without_fault([of_hits([0] * 100, [0.1] * 100)]) == "unknown"
    assert verdict_without_fault([of_hits([1, 1] + [0] * 98, [0.1] * 100)]) == "untrained"


def fault_of(*variants, **arguments):
    return Fault("a", "its meaning", variants, **arguments)


LITTLE = [of_hits([0.2] * 10, [0.2] * 10)]
"""Moves of an agent that has learned nothing."""

SOME = [of_hits([0.5] * 10, [0.2] * 10)]


def test_where_no_fault_fits_the_verdict_is_by_the_moves():
    assert module._verdict([], 3.0, SOME) == "unfinished"
    assert module._verdict([], 3.0, LITTLE) == "untrained"


def test_the_data_is_to_blame_where_it_explains_the_moves_about_as_well():
    fault, data = fault_of(), fault_of(or_data=True)
    first = found(None, fault, total=-10.0)
    assert module._verdict([found(None, data)], 3.0, SOME) == "unseen"
    for total, verdict in ((-12.9, "unseen"), (-13.1, "faulty")):
        assert module._verdict([first, found(None, data, total=total)], 3.0, SOME) == verdict
    others = [first, found(None, fault, total=-10.1), found(None, data, total=-12.5)]
    assert module._verdict(others, 3.0, SOME) == "unseen"
    assert module._verdict([first, found(None, fault)], 3.0, SOME) == "faulty"


def test_an_agent_that_has_learned_little_is_faulty_where_it_agrees_with_a_fault():
    case = case_of(heap())  # it takes one
    assert verdict_without_fault([case]) == "untrained"
    for moves, verdict in ((taking_one, "faulty"), (lambda case: case.legal, "unclear")):
        fault = fault_of(expecting(moves))
        assert module._verdict([found(None, fault)], 3.0, [case]) == verdict
        untrained = fault_of(expecting(moves), as_untrained=True)
        assert module._verdict([found(None, untrained)], 3.0, [case]) == "unclear"
    with_values = case_of(heap(), values=np.zeros(7))
    assert module._verdict([found(None, untrained)], 3.0, [case, with_values]) == "faulty"


def test_agreement_is_beyond_chance():
    """At 2, 3 and 6, where one is taken in vain; by chance 1/2, 1/3 and 1/3."""
    fault = found(expecting(taking_one))
    chance = 1 / 2 + 1 / 3 + 1 / 3
    for wins, agreed in ((), 3), ((2,), 2), ((2, 3), 1), ((2, 3, 6), 0):
        choose = lambda p, wins=wins: {min(heap().keeping(p) if p[0] in wins else {0}): 1.0}  # noqa: E731
        moves = {p: choose(p) if heap().keeping(p) else {0: 1.0} for p in heap().moves}
        case = case_of(heap(), playing(heap(), moves.__getitem__))
        kappa = (agreed - chance) / (3 - chance)
        assert agreement(fault, [case]) == pytest.approx(max(kappa, 0))
    # Games are added up, but those that do not show the fault.
    variant = Variant(lambda case: None if len(case.rows) > 5 else fault.variant.expect(case))
    cases = [case_of(heap()), case, case_of(heaps())]
    kappa = (3 + 0 - 2 * chance) / (6 - 2 * chance)
    assert agreement(found(variant), cases) == pytest.approx(max(kappa, 0))


def test_agreement_is_that_of_the_form_that_is_least_by_chance():
    """Twenty moves of twenty at chance 1/2 are less probable than two of two at chance 1/10."""

    def of_form(count, by_chance, agreed):
        """Expectation at some positions of ten legal actions."""
        size = round(10 * by_chance)
        moves = np.zeros((40, 10), dtype=np.bool_)
        moves[:, :size] = True
        return Variant(
            lambda case: ExpectedMoves(
                moves / size, moves, case.group[count, agreed], any_action=False
            )
        )

    rows = np.arange(40)
    shares = np.zeros((40, 11))
    shares[rows, np.where(rows < 30, 0, 9)] = 1.0  # the first thirty agree with both
    group = {(20, 20): rows < 20, (2, 2): rows < 2, (3, 2): (rows >= 28) & (rows < 31)}
    case = SimpleNamespace(
        group=group, legal=np.ones((40, 10), dtype=np.bool_), shares=shares,
        keeping=np.zeros((40, 10), dtype=np.bool_),
        of_moves=lambda table: (shares[:, :-1] * table).sum(axis=1),
    )  # fmt: skip
    strong, weak, partly = of_form(20, 0.5, 20), of_form(2, 0.1, 2), of_form(3, 0.1, 2)
    third = (2 - 0.3) / (3 - 0.3)
    for forms, expected in (
        ([partly], third),
        ([strong, partly], 1.0),
        ([partly, strong], 1.0),
        ([weak, partly], 1.0),
        # Beyond chance by 3.5 and by 3.3 standard deviations.
        ([partly, of_form(3, 0.1, 2), weak], 1.0),
    ):
        assert agreement(found(None, fault_of(*forms)), [case]) == pytest.approx(expected)


def test_illegal_moves_agree_with_a_fault_that_makes_them():
    case = case_of(heap(), playing(heap(), lambda position: {2: 1.0}))
    fault = found(None, fault_of(expecting(taking_one, any_action=True)))
    assert agreement(fault, [case]) == 1
    assert agreement(found(None, fault_of()), [case]) == 0


def test_positions_where_all_moves_of_a_fault_are_wrong_show_it():
    case = case_of(heaps())
    expected = case.expecting(case.legal)
    apart = module._apart(case, expected)
    assert apart.tolist() == expected.tells.tolist()  # there are none where all are wrong
    moves = case.legal.copy()
    moves[:3] &= ~case.keeping[:3]
    expected = case.expecting(moves)
    apart = [
        bool(moves - right and not moves & right)
        for moves, right in zip(sets(expected.moves), sets(case.keeping), strict=True)
    ]
    assert module._apart(case, expected).tolist() == apart
    assert any(apart)


# Diagnoses.


def diagnosed(monkeypatch, compared, threshold=3.0, cases=None, **arguments):
    """The diagnosis with given comparisons, on one heap by default."""
    monkeypatch.setattr(module, "compare_values", lambda *arguments: [])
    monkeypatch.setattr(module, "compare_all", lambda *arguments: (compared, threshold))
    return diagnosis_of([case_of(heap())] if cases is None else cases, **arguments)


def named(name, evidence, total, excluded=False, variant=None):
    return Comparison(Fault(name, f"meaning of {name}"), variant, evidence, total, excluded)


def test_faults_that_fit_are_findings_as_far_as_they_cannot_be_told_apart(monkeypatch):
    report = diagnosed(
        monkeypatch,
        [
            named("weak", 2.9, -1.0),
            named("second", 3.0, -12.25),
            named("far", 9.0, -12.35),
            named("out", -9.0, -50.0, excluded=True),
            named("first", 5.0, -10.0, variant=expecting(taking_one)),
            named("too far", 20.0, -15.0),
        ],
    )
    first, second = report.faults
    assert (first.name, first.meaning, first.log_odds) == ("first", "meaning of first", 5)
    assert (first.next_fault, first.next_log_odds) == ("second", 2.25)
    assert len(first.evidence) == 4
    assert (second.name, second.next_fault) == ("second", "far")
    assert second.next_log_odds == pytest.approx(0.1)
    assert second.evidence == ("its values fit, and its moves do not tell",)
    assert report.undecided == ("weak", "far", "too far")
    assert report.excluded == ("out",)
    assert [score.game for score in report.scores] == [heap().game.summary]
    assert not report.with_values
    assert not report.verbose
    assert report.verdict == "unclear"  # taking one from a heap is hardly trained


def test_the_last_fault_that_fits_has_no_next_one(monkeypatch):
    (finding,) = diagnosed(monkeypatch, [named("a", 5.0, -10.0)], verbose=True).faults
    assert (finding.next_fault, finding.next_log_odds) == (None, math.inf)
    report = diagnosed(monkeypatch, [named("a", 5.0, -10.0), named("b", 5.0, -12.5)], verbose=True)
    assert [each.name for each in report.faults] == ["a"]
    assert report.verbose


def test_of_equal_faults_the_first_is_named_first(monkeypatch):
    for one, other, order in ((-10.0, -10.0 + 1e-8, "ab"), (-10.0, -10.0 + 3e-6, "ba")):
        report = diagnosed(monkeypatch, [named("a", 5.0, one), named("b", 5.0, other)])
        assert "".join(each.name for each in report.faults) == order


def test_values_count_where_one_game_has_some(monkeypatch):
    cases = [case_of(heap()), case_of(heap(), values=np.zeros(7))]
    assert diagnosed(monkeypatch, [], cases=cases).with_values
    assert not diagnosed(monkeypatch, [], cases=cases[:1]).with_values


def test_late_answers_are_the_first_fault_if_they_fit(monkeypatch):
    case = case_of(heap())
    case.answers = case.answers._replace(memory=Memory(1, 19, changed=True))
    odds = memory_of([case])
    late = diagnosed(monkeypatch, [named("a", 5.0, -10.0)], odds, cases=[case])
    first = late.faults[0]
    assert (first.name, first.meaning) == (MEMORY.name, MEMORY.meaning)
    assert first.log_odds == odds
    assert "19 answers" in first.evidence[0]
    assert (first.next_fault, late.undecided) == (None, ("a",))
    # Its odds are beyond the best explanation of the moves otherwise, also as a right agent's.
    right = case.right(case.everywhere) + case.of_illegal(any_action=False)
    assert right > -10
    for total, best in ((3.0, 3.0), (-10.0, right)):
        late = diagnosed(monkeypatch, [named("a", 99.0, total)], odds, cases=[case])
        assert late.faults[0].next_fault == "a"
        assert late.faults[0].next_log_odds == pytest.approx(best + odds - total)
    earlier = diagnosed(monkeypatch, [named("a", 99.0, -10.0)], odds + 0.1, cases=[case])
    assert [each.name for each in earlier.faults] == ["a"]
    # One of the same name that shows in moves is not undecided besides.
    stale = diagnosed(monkeypatch, [named(MEMORY.name, 0.0, -10.0)], odds, cases=[case])
    assert stale.undecided == ()


@games
def test_every_fault_that_makes_sense_is_found_undecided_or_excluded(tiny):
    case = case_of(tiny)
    report = diagnosis_of([case])
    names = [each.name for each in report.faults] + [*report.undecided, *report.excluded]
    sensible = [module._name(each, [case]) for each in FAULTS if each.applies(tiny.board())]
    assert set(names) <= set(sensible)
    assert len(names) == len(set(names))
    assert {"wrong sign of the bootstrap", "search of depth one"} <= set(names)


def test_a_fault_that_makes_sense_in_one_of_the_games_is_considered():
    draws = "a draw taken for a win or a loss"
    cases = [case_of(heap()), case_of(strip())]
    for chosen, sensible in ((cases, True), (cases[:1], False)):
        report = diagnosis_of(chosen)
        assert (draws in (*report.undecided, *report.excluded)) == sensible


class Learner:
    """It plays by action values that solve an equation, and shows them."""

    def __init__(self, tiny, **terms):
        self.rows, self.table = tiny.rows, table_of(tiny, solved(tiny, **terms))

    def values(self, observations, masks):
        return self.table[[self.rows[tuple(each)] for each in observations.astype(int).tolist()]]

    def __call__(self, observations, masks):
        values = self.values(observations, masks)
        return np.nanargmax(np.where(masks > 0, values, np.nan), axis=1)


def connect():
    """Three in a row on three columns of three, with falling discs."""
    entry = outcome_games.small_connect()
    moves = {position: dict(entry.moves(position)) for position in entry.truth()}
    ends = {position: entry.outcome(position) for position in moves if not moves[position]}
    return Tiny(entry.game, moves, ends)


boards = pytest.mark.parametrize(
    "make", [strip, pytest.param(connect, marks=pytest.mark.exhaustive)]
)


@boards
@pytest.mark.parametrize(
    ("last", "other", "loss"),
    [(1, 1, 1), (-1, -1, 1), (1, -1, 1), (-1, 1, 1), (1, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 0)],
)
def test_values_by_which_a_draw_is_won_or_lost_name_the_fault(make, last, other, loss):
    """Each player bootstraps from its own next turn; a draw counts ``last`` to who makes it."""
    tiny = make()
    learner = Learner(tiny, reply=-1.0, own=1.0, draw=last, drawn_reply=other, loss=loss)
    report = diagnose(learner, tiny.game)
    assert report.verdict == "faulty"
    assert report.faults[0].name == "a draw taken for a win or a loss"


@boards
@pytest.mark.parametrize("terms", [{"next": -1.0}, {"reply": -1.0, "own": 1.0}])
def test_right_values_in_a_game_with_draws_do_not_name_it(make, terms):
    tiny = make()
    assert diagnose(Learner(tiny, **terms), tiny.game).verdict == "right"


# What is passed to it.


def test_a_policy_is_diagnosed_on_its_game():
    policy = first_legal(heaps())
    report = diagnose(policy, heaps().game, verbose=True)
    assert [score.game for score in report.scores] == ["nim, heaps 2-3, normal play"]
    assert report.verbose
    assert report == diagnose(policy, GameEnv(heaps().game), verbose=True)

    class WithGame:
        game = heaps().game

        def __call__(self, observations, masks):
            return policy(observations, masks)

    assert diagnose(WithGame(), verbose=True) == report
    WithGame.game = "nim"
    with pytest.raises(TypeError, match=r"a policy is diagnosed with its game"):
        diagnose(WithGame())


def test_training_is_for_each_of_the_games_in_its_environment():
    made = []

    def train(env):
        made.append(env)
        return first_legal({"nim": heaps(), "subtraction": heap()}[env.game.rules.name])

    chosen = [heaps().game, heap().game]
    report = diagnose(train, games=chosen, progress=False)
    assert [each.game for each in report.scores] == [game.summary for game in chosen]
    assert [type(env) for env in made] == [GameEnv, GameEnv]
    made.clear()
    make_env = partial(VersusEnv, opponent="random")
    diagnose(train, games=chosen, make_env=make_env, progress=False)
    assert [type(env) for env in made] == [VersusEnv, VersusEnv]
    assert [env.game for env in made] == chosen


def test_training_is_on_the_tiny_games_by_default():
    seen = [
        where.game.summary
        for _, where in module._policies(lambda env: env, None, GameEnv, None, False)
    ]
    assert seen == [game.summary for game in tiny_games()]


def test_games_in_which_no_move_can_be_right_are_left_out():
    lost = game_from_moves("lost", (1,), lambda p: [("down", (0,))] if p[0] else [], misere=True)

    def train(env):
        return lambda seen, masks: masks.argmax(axis=1)

    report = diagnose(train, games=[lost, heap().game], progress=False)
    assert len(report.scores) == 1
    with pytest.raises(ValueError, match="a position at which a move can be right"):
        diagnose(train, games=[lost], progress=False)


@pytest.mark.parametrize("discount", [-0.01, 1.01, math.nan])
def test_a_discount_is_from_0_to_1(discount):
    with pytest.raises(ValueError, match="discount must be from 0 to 1"):
        diagnose(first_legal(heap()), heap().game, discount=discount)


def test_the_discount_is_that_of_the_values(monkeypatch):
    asked = []

    def compare(faults, cases, discount):
        asked.append(discount)
        return [None] * len(faults)

    monkeypatch.setattr(module, "compare_values", compare)
    for discount in (0, 0.5, 1, None):
        diagnose(first_legal(heap()), heap().game, discount=discount)
    assert asked == [0, 0.5, 1, None]


def test_the_seed_is_that_of_the_policys_choices():
    def policy(observations, masks, rng):
        return np.argmax(masks * rng.random(masks.shape), axis=1)

    game = heap(size=20).game
    one, same, other = (diagnose(policy, game, seed=seed).scores for seed in (0, 0, 1))
    assert one == same != other
    assert one == diagnose(policy, game).scores


def of_one(env):
    return first_legal(heap())


def test_a_function_of_one_argument_is_training_and_of_two_a_policy():
    with pytest.raises(TypeError, match="function of one argument, as training is"):
        diagnose(of_one, heap().game)
    with pytest.raises(TypeError, match="a policy is diagnosed with its game"):
        diagnose(first_legal(heap()))
    with pytest.raises(TypeError, match="a policy is diagnosed with its game"):
        diagnose(3)

    class Player:
        """It can be called with one argument, and has a method of a policy."""

        def __call__(self, env):
            return self

        def act(self, observation, mask, rng):
            return int(mask.argmax())

    with pytest.raises(TypeError, match="a policy is diagnosed with its game"):
        diagnose(Player())
    assert diagnose(Player(), heap().game).scores[0].game == heap().game.summary


def test_functions_may_take_some_numbers_of_arguments():
    takes = module._takes
    assert [takes(of_one, count) for count in (0, 1, 2)] == [False, True, False]
    assert [takes(lambda a, b=1: a, count) for count in (0, 1, 2, 3)] == [False, True, True, False]
    assert not takes(3, 1)
    assert takes(max, 1)  # it has no signature

    class Callable:
        def __init__(self):
            raise AssertionError("never called")

    assert takes(Callable, 0)
    assert not takes(Callable, 1)
