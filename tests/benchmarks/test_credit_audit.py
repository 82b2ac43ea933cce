"""The audit of credit: its games against exact expectations, its cases on functions of its own."""

from __future__ import annotations

import doctest
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.turn_credit.estimators import ESTIMATORS
from agents.turn_credit.exact import Exact
from benchmarks.credit_audit import __main__ as audit
from benchmarks.credit_audit import claims, measurements, report
from benchmarks.credit_audit.conclusions import CONCLUSIONS
from benchmarks.credit_audit.functions import CREDIT_FUNCTIONS, NOT_CALLED, CreditFunction
from benchmarks.credit_audit.games import SETTINGS, Games, few
from benchmarks.credit_audit.measurements import measure

PAGE = Path(__file__).parents[2] / "docs" / "results" / "credit_audit.md"


def at_random(setting, seed=0):
    task = SETTINGS[setting].task()
    return Exact(task, np.random.default_rng(seed).normal(size=task.legal.shape), group=3)


@pytest.mark.parametrize("setting", SETTINGS)
def test_expectations_over_groups_are_those_of_dynamic_programming(setting):
    exact = at_random(setting)
    games = Games(exact.task)
    batches = games.batches(exact)
    for formula, name in (
        (claims.result, "REINFORCE"), (claims.leave_one_out, "RLOO"),
        (claims.centred, "Dr. GRPO"),
    ):  # fmt: skip
        found = games.gradient(exact.policy, [formula(batch) for batch in batches])
        assert found == pytest.approx(ESTIMATORS[name].gradient(exact), abs=1e-14)
        assert np.abs(found).max() > 1e-3


def test_games_are_sequences_of_moves_and_replies():
    batch = few((1, 2), (1.0, 0.5), (0, 0))
    assert batch.mask().tolist() == [[1, 0, 0, 0], [1, 0, 1, 0]]
    assert batch.mask(replies=True).tolist() == [[1, 0, 0, 0], [1, 1, 1, 0]]
    assert batch.rewards.tolist() == [[1, 0, 0, 0], [0, 0, 0.5, 0]]
    cut = replace(batch, finished=False)
    assert cut.mask(replies=True).tolist() == [[1, 1, 0, 0], [1, 1, 1, 1]]
    assert not cut.rewards.any()
    assert replace(batch, observations=False).rewards.tolist() == [[1, 0], [0, 0.5]]


def test_generalised_advantages_are_sums_over_the_tokens():
    batch = replace(
        few((3, 1), (1.0, 0.0), (0, 0)), values=np.array([[0.2, 0.6, 0.5], [0.3, 0, 0]]),
        afterwards=np.array([[0.4, 0.7, 0.9], [0.1, 0, 0]]),
    )  # fmt: skip
    decay = claims.LAMBDA
    for replies, values in ((False, [0.2, 0.6, 0.5, 0]), (True, [0.2, 0.4, 0.6, 0.7, 0.5, 0])):
        errors = np.diff(values) + np.eye(len(values) - 1)[-1]
        steps = len(errors)
        credit = [sum(decay**k * errors[t + k] for k in range(steps - t)) for t in range(steps)]
        every = np.array([*credit, -0.3])
        white = (every - every.mean()) / np.sqrt(every.var(ddof=1) + 1e-8)
        found = claims.white_advantages(batch, replies)
        assert found[0] == pytest.approx(white[:-1][:: 1 + replies])
        assert found[1, 0] == pytest.approx(white[-1])


def by_hand(batch):
    """R less the mean of the batch, for every token."""
    return (batch.scores - batch.scores.mean())[:, np.newaxis] * batch.mask()


def forgetful(batch):
    """The same, for a game's last turn alone where replies stand between the turns."""
    later = np.cumsum(batch.mask()[:, ::-1], axis=1)[:, ::-1] > 1
    return by_hand(batch) * ~(later & batch.observations)


@pytest.fixture
def made(monkeypatch):
    def make(call, **more):
        function = CreditFunction(
            "none", __name__, "by_hand", "R − mean", lambda _, batch: call(batch),
            claims.centred, **more,
        )  # fmt: skip
        return measure(function, ["Kayles 4"], 1, 60)

    return make


def test_a_function_that_does_as_it_says(made):
    # As whole batches, of one group each: its mean is that of the group.
    found = made(by_hand, whole=True)
    assert (found.difference, found.apart) == (0, 0)
    assert min(found.cosines) > 1 - 1e-12
    # Two thirds of the gradient, as a game is itself one of three in the mean.
    assert found.lengths == pytest.approx([1 / 3, 1 / 3])
    assert found.ends[0] > 0.99
    assert (found.equal, found.cut, found.single) == ("0", "as a lost one", "as stated")
    assert report.row(found)[2] == "none"


def test_a_function_that_does_something_else(made):
    found = made(forgetful, whole=True)
    assert found.difference == pytest.approx(2 / 3)
    assert found.apart == pytest.approx(2 / 3)
    assert max(found.cosines) < 0.999
    assert report.row(found)[2] == "0.67"


def test_errors_and_infinite_credits_stand_in_the_table():
    def broken(batch):
        if (np.bincount(batch.groups) == 1).any():
            raise ZeroDivisionError
        return by_hand(batch) / (batch.scores.any() and 1)

    function = CreditFunction(
        "none", __name__, "by_hand", "", lambda _, batch: broken(batch), claims.centred
    )
    with np.errstate(all="ignore"):
        assert measurements._alone(function, None) == "ZeroDivisionError / ZeroDivisionError"
        assert measurements._cut(function, None) == "not finite"


def test_what_cannot_be_imported_is_listed(monkeypatch, tmp_path):
    gone = CreditFunction("gone", "no_such_library.core", "advantage", "", None, None)
    for module in (audit, report):
        monkeypatch.setattr(module, "CREDIT_FUNCTIONS", (gone,))
    audit.main(["--quick", "--output", str(tmp_path)])
    page = (tmp_path / "credit_audit.md").read_text(encoding="utf-8")
    assert re.search(r"\| gone +\| - +\| advantage +\| not imported: No module", page)
    for library, _, function, _ in NOT_CALLED:
        assert re.search(rf"\| {library} +\| .*{function}", page)


def test_the_page_has_every_function_and_finding():
    page = PAGE.read_text(encoding="utf-8")
    for audited in CREDIT_FUNCTIONS:
        assert f"\n| {audited.name} " in page
    for _, text, call in CONCLUSIONS:
        assert text in page
        assert call.strip() in page
    rows = [line for line in page.splitlines() if line.startswith(("| verl: ", "| skyrl: "))]
    apart = [line for line in rows if not re.search(r"\| none +\|", line)]
    assert [line.split()[2] for line in apart] == ["compute_optimal_token_baseline_advantage"]


@pytest.mark.parametrize("audited", CREDIT_FUNCTIONS, ids=lambda each: each.name)
def test_functions_do_as_the_page_says(audited):
    if audited.absent():
        pytest.skip(f"the extra audit is not installed: {audited.absent()}")
    found = report.row(measure(audited, list(SETTINGS)[:1], 1, 0))
    line = next(
        line for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| {audited.name} ")
    )  # fmt: skip
    cells = [cell.strip() for cell in line.strip("| ").split("|")]
    # Cosines and ends are of more games there.
    for place in (0, 1, 5, 6, 7, 8):
        assert found[place] == cells[place]
    assert (found[2] == "none") == (cells[2] == "none")


@pytest.mark.parametrize(("library", "call"), [(a, c) for a, _, c in CONCLUSIONS if c])
def test_calls_of_the_findings(library, call):
    if any(each.absent() for each in CREDIT_FUNCTIONS if each.library == library):
        pytest.skip("the extra audit is not installed")
    test = doctest.DocTestParser().get_doctest(call, {}, library, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test).failed == 0


def test_the_best_alone_and_the_weighted_means_by_hand():
    batch = few((1, 2, 3), (1.0, 0.0, 1.0), (0, 0, 0))
    spread = np.std([1, 0, 1], ddof=1)
    assert claims.best_alone(batch).tolist() == [[0, 0, 0]] * 3
    one = few((1, 2, 3), (1.0, 0.0, 0.0), (0, 0, 0))
    assert claims.best_alone(one)[:, 0] == pytest.approx([1 / np.std([1, 0, 0], ddof=1), 0, 0])
    assert claims.by_length(batch)[:, 0] == pytest.approx([1 / 3, -2 / 3, 1 / 3])
    assert claims.over_mean(batch)[:, 0] == pytest.approx([0.5, -1, 0.5])
    assert claims.centred(batch, std=True)[0, 0] == pytest.approx(1 / 3 / spread)
    # Weights grow by ½ a turn: 1 − 2 · ½ + ½.
    energy = claims.energy(batch)
    assert energy[:, 0] == pytest.approx([1 / 3, -2 / 3, 1 / 3])
    assert energy[1:, 1] == pytest.approx([-0.5, 0.5])
    assert energy[2, 2] == 1
