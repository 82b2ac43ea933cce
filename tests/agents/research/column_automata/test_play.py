import itertools

import numpy as np
import pytest

from agents.research.column_automata import MoveRelation, move_to_lost
from nim_envs.errors import InvalidPositionError
from tests.agents.research.column_automata.claims import options, right_claim
from tests.pairwise import pairwise

CLAIMS = pairwise((None, 1, 3), (False, True), (False, True), (2, 3))


@pytest.mark.parametrize(("max_take", "misere", "first", "letters"), CLAIMS)
def test_a_move_to_a_lost_position_is_found_wherever_there_is_one(max_take, misere, first, letters):
    automaton = right_claim(max_take, misere, first, letters)
    for position in itertools.product(range(6), repeat=3):
        found = move_to_lost(automaton, MoveRelation(max_take), position)
        lost = [after for after in options(position, max_take) if automaton.is_lost(after)]
        assert found in lost if lost else found is None


@pytest.mark.parametrize(
    ("max_take", "misere", "first", "letters"),
    pairwise((None, 7), (False, True), (False, True), (2, 3)),
)
def test_a_move_is_found_in_heaps_that_no_environment_holds(max_take, misere, first, letters):
    automaton = right_claim(max_take, misere, first, letters)
    rng = np.random.default_rng(1)
    for bits, heaps in ((60, 20), (300, 3)):
        position = tuple(
            sum(int(bit) << column for column, bit in enumerate(rng.integers(2, size=bits)))
            for _ in range(heaps)
        )
        assert not automaton.is_lost(position)
        after = move_to_lost(automaton, MoveRelation(max_take), position)
        assert automaton.is_lost(after)
        ((heap, left),) = (pair for pair in zip(position, after, strict=True) if len({*pair}) > 1)
        assert 1 <= heap - left <= (max_take or heap)
        assert move_to_lost(automaton, MoveRelation(max_take), after) is None


@pytest.mark.parametrize("position", [[[1, 2]], 3, (1, -2), (0.5,)])
def test_an_invalid_position_is_refused(position):
    with pytest.raises(InvalidPositionError):
        move_to_lost(right_claim(None, True, True), MoveRelation(), position)
