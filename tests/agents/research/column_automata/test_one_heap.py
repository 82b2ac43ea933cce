"""Claims of one heap alone: of one heap of bounded Nim, and of the running total."""

import numpy as np
import pytest

from agents import ColumnAutomatonLearner
from agents.research.column_automata import (
    ColumnAutomaton,
    MoveRelation,
    Outcome,
    prove,
)
from nim_envs import make_game
from tests.agents.research.column_automata.claims import (
    one_heap_claim,
    right_claim,
    truth,
)
from tests.agents.research.column_automata.test_proof import assert_the_position_refutes
from tests.pairwise import pairwise

BELOW = 2000
"""Bound of the heaps for which search says who wins."""

GAMES = pairwise(range(1, 13), (False, True), (False, True), (2, 3))
"""The most that may be taken, misère or not, the order of the bits, the number of letters."""


def prove_one_heap(automaton, max_take, misere, work_limit=200_000):
    return prove(automaton, MoveRelation(max_take), misere, work_limit, one_heap=True)


def is_right_where_searched(automaton, max_take, misere):
    claimed = automaton.is_lost(np.arange(BELOW)[:, None])
    return (claimed == truth(max_take, misere, 1, BELOW)).all()


def test_the_right_claim_is_proved():
    for max_take, misere, first, letters in GAMES:
        claim = one_heap_claim(max_take, misere, first, letters)
        assert is_right_where_searched(claim, max_take, misere)
        verdict = prove_one_heap(claim, max_take, misere)
        assert str(verdict) == "proved: for one heap of every size", (max_take, misere, first)
        assert verdict.proved


def test_automata_at_random_are_proved_or_refuted_as_they_are_right_or_wrong():
    rng = np.random.default_rng(0)
    outcomes = dict.fromkeys(Outcome, 0)
    for _ in range(400):
        states = int(rng.integers(1, 6))
        letters, max_take = int(rng.integers(2, 4)), int(rng.integers(1, 4))
        misere, first = bool(rng.integers(2)), bool(rng.integers(2))
        transitions = rng.integers(states, size=(states, letters))
        automaton = ColumnAutomaton(transitions, rng.random(states) < 0.4, first)
        verdict = prove_one_heap(automaton, max_take, misere)
        outcomes[verdict.outcome] += 1
        if verdict.proved:
            assert is_right_where_searched(automaton, max_take, misere)
        else:
            assert len(verdict.position) < 2
            assert_the_position_refutes(verdict, automaton, max_take, misere)
    assert outcomes[Outcome.PROVED] > 0


@pytest.mark.parametrize(("misere", "first"), [(False, False), (True, True)])
def test_a_claim_that_is_wrong_only_for_several_heaps_is_proved_for_one(misere, first):
    # Nim's, but two ones or more in a column are read as one.
    nim = right_claim(None, misere, first)
    again = nim.transitions.copy()
    for state in range(nim.states):
        again[again[state, 1], 1] = again[state, 1]
    claim = ColumnAutomaton(again, nim.lost, first)
    assert prove_one_heap(claim, None, misere).proved
    verdict = prove(claim, MoveRelation(), misere)
    assert verdict.refuted
    assert len(verdict.position) > 1


def test_what_one_total_shows_is_not_played_on_several_heaps():
    learner = ColumnAutomatonLearner(make_game("addition", k=3, n=10))
    learner.greedy(make_game("nim", heaps=(9,), max_take=3, misere=True))
    with pytest.raises(ValueError, match="not nim, heaps 7-5, misère play"):
        learner.greedy(make_game("nim", heaps=(7, 5), max_take=3, misere=True))
