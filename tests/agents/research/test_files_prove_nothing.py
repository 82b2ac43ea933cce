"""Learners in files: what they have proved is proved again, whatever the file says."""

import numpy as np
import pytest

from agents.research.column_automata import ColumnAutomaton
from agents.research.column_automata.learner import ColumnAutomatonLearner
from agents.research.quotients.learner import QuotientLearner
from agents.research.quotients.quotient import Quotient
from agents.research.signed_products.learner import SignedProducts
from agents.storage import load, save
from nim_envs import make_game
from nim_envs.errors import StorageError
from tests.agents.research.column_automata.claims import board, truth

LIE = "who wins, for every number of heaps of every size: any game at all"


def stored(learner, tmp_path):
    """The learner as it comes back from a file."""
    save(learner, tmp_path / "learner.zip")
    return load(tmp_path / "learner.zip")


def check_not_proved(learner):
    """Check that neither attribute nor text calls anything proved."""
    assert learner.proof is None
    assert "; proved" not in repr(learner)
    lines = learner.describe().splitlines()
    assert not any(line.startswith("proved") or line.endswith("(proved)") for line in lines)
    assert not any(LIE in line for line in lines)
    assert lines[-1].startswith("not proved")


def column_learner(max_take, misere):
    game = make_game("nim", heaps=(7, 7, 7), max_take=max_take, misere=misere)
    learner = ColumnAutomatonLearner(game)
    learner.fit(game, 5_000, seed=0)
    assert learner.proof is not None
    return learner


@pytest.mark.parametrize(("max_take", "misere"), [(None, False), (None, True), (3, True)])
def test_no_wrong_automaton_in_a_file_is_called_proved(max_take, misere, tmp_path):
    rng, learner, wrong = np.random.default_rng(0), column_learner(max_take, misere), 0
    right = learner.automaton
    while wrong < 10:  # one transition, or one claim, or all claims are changed
        transitions, lost = right.transitions.copy(), right.lost.copy()
        if wrong < 5:
            transitions[tuple(rng.integers(transitions.shape))] = rng.integers(len(lost))
        else:
            lost ^= (np.arange(len(lost)) == rng.integers(len(lost))) | (wrong == 9)
        learner.automaton = ColumnAutomaton(transitions, lost, right.most_significant_first)
        learner.proof, learner.verdict = LIE, f"proved: {LIE}"
        if (learner.automaton.is_lost(board(3, 8)) != truth(max_take, misere, 3, 8)).any():
            wrong += 1
            check_not_proved(stored(learner, tmp_path))


def test_a_right_automaton_is_proved_again_in_words_of_its_own(tmp_path):
    learner = column_learner(3, True)
    proof, text = learner.proof, learner.describe()
    learner.proof = LIE
    again = stored(learner, tmp_path)
    assert again.proof == proof
    assert again.verdict == "proved: for every number of heaps of every size"
    assert again.describe() == text


def test_wrong_classes_and_periods_in_a_file_are_not_called_proved(tmp_path):
    game = make_game("octal", code="0.123", heaps=(40,), misere=True)
    learner = QuotientLearner(game)
    learner.fit(game, 100_000, seed=0)
    assert learner.proof is not None
    assert [period.refuted for period in learner.periods()] == [None]
    right = learner.quotient
    products, moved = right.products.copy(), list(right.elements)
    products[1, 2] = products[2, 1] = 0
    moved[-1] = 0
    refused = 0
    for wrong in (
        (right.products, right.elements, ~right.lost),
        (products, right.elements, right.lost),
        (right.products, tuple(moved), right.lost),
    ):
        learner.quotient, learner.proof = Quotient(right.parts, *wrong), LIE
        try:
            again = stored(learner, tmp_path)
        except StorageError:
            refused += 1
        else:
            check_not_proved(again)
            assert "the classes are not proved" in {each.refuted for each in again.periods()} or (
                not again.periods()
            )
    assert refused < 2


def test_a_learner_that_proves_nothing_does_not_through_a_file(tmp_path):
    learner = SignedProducts(make_game("nim", heaps=(3, 3)))
    learner.proof = LIE
    assert stored(learner, tmp_path).proof is None
