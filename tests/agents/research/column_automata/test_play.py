import itertools

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


@pytest.mark.parametrize("position", [[[1, 2]], 3, (1, -2), (0.5,)])
def test_an_invalid_position_is_refused(position):
    with pytest.raises(InvalidPositionError):
        move_to_lost(right_claim(None, True, True), MoveRelation(), position)
