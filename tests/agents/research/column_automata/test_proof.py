import itertools

import numpy as np
import pytest

from agents.research.column_automata import ColumnAutomaton, MoveRelation, Outcome, prove
from tests.agents.research.column_automata.claims import board, options, right_claim, truth
from tests.pairwise import pairwise

BOARDS = {
    None: ((3, 8), (5, 3)),
    1: ((3, 8), (5, 3)),
    3: ((3, 8), (5, 3), (2, 20)),
    7: ((2, 24), (3, 10), (5, 3)),
}
"""Small boards by the most that may be taken: heaps, and what they are smaller than."""

GAMES = pairwise(list(BOARDS), (False, True), (False, True), (2, 3))
"""The most that may be taken, misère or not, the order of the bits, the number of letters."""


def is_right_on_small_boards(automaton, max_take, misere):
    return all(
        (automaton.is_lost(board(*size)) == truth(max_take, misere, *size)).all()
        for size in BOARDS[max_take]
    )


def sampled_positions(rng):
    """Positions of 1 to 9 heaps of up to 7 bits, half of them with empty heaps."""
    for heaps, bits in itertools.product((1, 2, 3, 5, 9), (1, 2, 3, 5, 7)):
        positions = rng.integers(2**bits, size=(200, heaps))
        yield positions
        yield positions * (rng.random(positions.shape) < 0.4)


SAMPLED = list(sampled_positions(np.random.default_rng(0)))


def claims_of(automaton):
    return np.concatenate([automaton.is_lost(positions) for positions in SAMPLED])


def changes(automaton):
    """Every change of one entry: a state, a letter and the state after it, or a state's claim."""
    for state, letter in np.ndindex(automaton.transitions.shape):
        for after in range(automaton.states):
            if after != automaton.transitions[state, letter]:
                yield state, letter, after
    yield from range(automaton.states)


def mutant_of(automaton, change):
    """The automaton with one entry changed."""
    transitions, lost = automaton.transitions.copy(), automaton.lost.copy()
    if isinstance(change, tuple):
        transitions[change[:2]] = change[2]
    else:
        lost[change] = not lost[change]
    return ColumnAutomaton(transitions, lost, automaton.most_significant_first)


def assert_the_position_refutes(verdict, automaton, max_take, misere):
    """The claim of the position is not what follows from the claims of its options."""
    position = verdict.position
    if not any(position):
        assert bool(automaton.is_lost([0])) == misere
        return
    after = [bool(automaton.is_lost(option)) for option in options(position, max_take)]
    assert bool(automaton.is_lost(position)) == any(after)


@pytest.mark.parametrize(("max_take", "misere", "first", "letters"), GAMES)
def test_the_right_claim_is_proved(max_take, misere, first, letters):
    automaton = right_claim(max_take, misere, first, letters)
    assert is_right_on_small_boards(automaton, max_take, misere)
    verdict = prove(automaton, MoveRelation(max_take), misere)
    assert verdict.proved
    assert str(verdict) == "proved: for every number of heaps of every size"


@pytest.mark.parametrize(("max_take", "misere", "first", "letters"), GAMES)
def test_exactly_the_right_mutants_are_proved(max_take, misere, first, letters):
    right = right_claim(max_take, misere, first, letters)
    expected = claims_of(right)
    every = list(changes(right))
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(every))[:20]
    for number in chosen:
        mutant = mutant_of(right, every[number])
        verdict = prove(mutant, MoveRelation(max_take), misere)
        if not is_right_on_small_boards(mutant, max_take, misere):
            assert not verdict.proved
        elif (claims_of(mutant) == expected).all():
            assert verdict.proved, verdict
        if verdict.refuted:
            assert_the_position_refutes(verdict, mutant, max_take, misere)


def test_no_wrong_automaton_with_several_changes_is_proved():
    rng = np.random.default_rng(0)
    outcomes = dict.fromkeys(Outcome, 0)
    games = list(itertools.product((None, 1, 3), (False, True), (False, True), (2, 3)))
    for _ in range(200):
        max_take, misere, first, letters = games[rng.integers(len(games))]
        right = right_claim(max_take, misere, first, letters)
        transitions, lost = right.transitions.copy(), right.lost.copy()
        for _ in range(rng.integers(1, 4)):
            transitions[rng.integers(right.states), rng.integers(letters)] = rng.integers(
                right.states
            )
            lost[rng.integers(right.states)] |= rng.random() < 0.1
        automaton = ColumnAutomaton(transitions, lost, first)
        verdict = prove(automaton, MoveRelation(max_take), misere)
        outcomes[verdict.outcome] += 1
        if verdict.proved:
            assert is_right_on_small_boards(automaton, max_take, misere)
        if verdict.refuted:
            assert_the_position_refutes(verdict, automaton, max_take, misere)
    assert outcomes[Outcome.PROVED] > 0
    assert outcomes[Outcome.REFUTED] > outcomes[Outcome.NOT_PROVED]


@pytest.mark.parametrize(("max_take", "misere", "first", "letters"), GAMES)
def test_the_right_claim_of_another_game_is_refuted(max_take, misere, first, letters):
    automaton = right_claim(max_take, misere, first, letters)
    for other, other_misere in itertools.product((None, 1, 2, 3, 4, 7), (False, True)):
        if (other, other_misere) != (max_take, misere):
            verdict = prove(automaton, MoveRelation(other), other_misere)
            assert verdict.refuted
            assert_the_position_refutes(verdict, automaton, other, other_misere)


@pytest.mark.parametrize("first", [False, True])
def test_a_claim_that_is_right_up_to_some_number_of_heaps_is_refuted(first):
    # As Nim's, but of a column of five ones or more it does not know how many there are.
    rows = [[0, 1], [6, 2], [0, 3], [6, 4], [0, 5], [6, 5], [6, 6]]
    automaton = ColumnAutomaton(rows, [True] + [False] * 6, first)
    assert (automaton.is_lost(board(5, 3)) == truth(None, False, 5, 3)).all()
    verdict = prove(automaton, MoveRelation(), misere=False)
    assert verdict.refuted
    assert len(verdict.position) > 5
    assert_the_position_refutes(verdict, automaton, None, False)


@pytest.mark.parametrize(("limit", "max_take"), [(10, 7), (10_000, 2**40)])
def test_out_of_work_is_neither_proved_nor_refuted(limit, max_take):
    verdict = prove(right_claim(7, True, True), MoveRelation(max_take), True, limit)
    assert verdict.outcome is Outcome.NOT_PROVED
    assert verdict.position is None
    assert "given up" in verdict.reason
