"""The report of a diagnosis, word by word."""

from __future__ import annotations

import math

import pytest

from nim_envs.diagnosis import Diagnosis, Finding, Score
from nim_envs.diagnosis.report import VERDICTS, counted_positions, power_of_ten

SIGN = Finding("wrong sign", "it adds", math.log(250), "swapped", math.log(2), ("at 3", "at 4"))
SWAPPED = Finding("swapped", "it loses", math.log(5e7), None, math.inf, ("at 5",))
BLIND = Finding("blind", "it does not see", 1.0, None, math.inf, ("at 6",))


def score(number, percent=50.0, illegal=0.0, has_outcome=False):
    return Score(f"game {number}", percent, 25.04, illegal, 10 + number, has_outcome)


def report(verdict="faulty", faults=(), scores=1, **arguments):
    undecided, excluded = arguments.pop("undecided", ()), arguments.pop("excluded", ())
    games = tuple(score(number) for number in range(scores))
    return Diagnosis(verdict, tuple(faults), undecided, excluded, games, **arguments)


def test_a_score_is_a_line():
    assert str(score(0)) == "game 0: 50.0 % of 10 N-positions, random 25.0 %"
    assert str(score(1, 33.333, 1.25, has_outcome=True)) == (
        "game 1: 33.3 % of 11 positions that are not lost, random 25.0 %, illegal 1.2 %"
    )
    assert counted_positions(True) != counted_positions(False)
    assert not Score("game", 1.0, 1.0, 0.0, 3).has_outcome


def test_a_diagnosis_is_shown_by_its_verdict_and_faults():
    assert repr(report("right")) == "Diagnosis('right')"
    assert repr(report(faults=[SIGN, SWAPPED])) == "Diagnosis('faulty': wrong sign, swapped)"


def test_a_report_names_faults_that_cannot_be_told_apart():
    found = report(faults=[SIGN, SWAPPED], undecided=("a", "b"), excluded=("c",))
    assert str(found).splitlines() == [
        "Verdict: faulty",
        "Most probable fault: wrong sign",
        "  it adds",
        "  odds: 250 to 1 against a right agent that is partly trained, 2 to 1 against swapped",
        "Cannot tell wrong sign from swapped",
        "Score: game 0: 50.0 % of 10 N-positions, random 25.0 %",
        "Undecided (moves alone do not show all of them: return values): a, b",
        "Excluded: c",
    ]


def test_evidence_is_for_the_first_two_faults_of_a_verbose_report():
    found = report(faults=[SIGN, SWAPPED, BLIND], undecided=("a",), with_values=True, verbose=True)
    assert str(found).splitlines() == [
        "Verdict: faulty",
        "Most probable fault: wrong sign",
        "  it adds",
        "  odds: 250 to 1 against a right agent that is partly trained, 2 to 1 against swapped",
        "  at 3",
        "  at 4",
        "Cannot tell wrong sign from swapped, blind",
        "  it loses",
        "  at 5",
        "Score: game 0: 50.0 % of 10 N-positions, random 25.0 %",
        "Undecided: a",
    ]


def test_large_odds_are_powers_of_ten_and_there_may_be_no_other_fault():
    assert (
        "  odds: 10^7 to 1 against a right agent that is partly trained; no other known fault fits"
        in (str(report(faults=[SWAPPED])).splitlines())
    )
    assert "  odds: 2.72 to 1" in str(report(faults=[BLIND]))
    almost = Finding("a", "b", math.log(999.4), None, math.inf, ())
    assert "  odds: 999 to 1" in str(report(faults=[almost]))
    thousand = Finding("a", "b", math.log(1001), None, math.inf, ())
    assert "  odds: 10^3 to 1" in str(report(faults=[thousand]))
    assert power_of_ten(math.log(2e6)) == "10^6"
    assert power_of_ten(math.log(0.05)) == "10^-2"


@pytest.mark.parametrize("faults", [(), (SIGN,), (SIGN, SWAPPED)])
def test_a_report_has_fifteen_lines_at_most_however_many_games_there_are(faults):
    most = 15 - 2 - (1 + 3 * bool(faults) + (len(faults) > 1))
    for scores in (most - 1, most, most + 1, 40):
        found = report(faults=faults, scores=scores, undecided=("a",), excluded=("b",))
        lines = str(found).splitlines()
        assert len(lines) <= 15
        shown = [line for line in lines if line.startswith("Score")]
        if scores <= most:
            assert len(shown) == scores
            assert "other games" not in str(found)
        else:
            assert len(lines) == 15
            assert f"and {scores - len(shown)} other games" in lines
            assert shown[-1].startswith(f"Score: game {len(shown) - 1}:")
        verbose = report(faults=faults, scores=scores, verbose=True)
        assert str(verbose).count("Score: ") == scores


def test_a_right_agent_keeps_draws_too_where_there_are_some():
    assert str(report("right")).startswith(f"Verdict: {VERDICTS['right']}\n")
    for has_outcome in (True, False):
        scores = (score(0), score(1, has_outcome=has_outcome))
        found = Diagnosis("right", (), (), (), scores)
        assert ("keeps a win, or a draw" in str(found)) == has_outcome
        assert "keeps a win" not in str(Diagnosis("unclear", (), (), (), scores))
    assert not report().verbose
    assert not report().with_values
