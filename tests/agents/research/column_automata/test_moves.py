import numpy as np
import pytest

from agents.research.column_automata import MoveRelation, heap_rules
from nim_envs import sum_of
from nim_envs.games import addition, nim, subtraction
from tests.agents.research.column_automata.claims import options


def is_read_as_a_move(relation, heap, left, width):
    taken = 0
    for column in reversed(range(width)):
        taken = relation.step(taken, heap >> column & 1, left >> column & 1)
        if taken is None:
            return False
    return taken > 0


@pytest.mark.parametrize("max_take", [None, 1, 2, 3, 5, 7, 12])
def test_a_move_is_told_by_its_bits(max_take):
    relation = MoveRelation(max_take)
    for heap in range(32):
        for left in range(32):
            taken = heap - left
            move = taken >= 1 and (max_take is None or taken <= max_take)
            for width in (5, 7):
                assert is_read_as_a_move(relation, heap, left, width) == move


@pytest.mark.parametrize(
    "game",
    [
        nim(heaps=(3, 4)),
        nim(heaps=(3, 6), max_take=4),
        addition(k=3, n=9),
        sum_of([subtraction(heaps=(5,), subtraction_set=(1, 2)), addition(k=2, n=4)]),
    ],
)
def test_moves_of_the_game_are_moves_of_the_heaps(game):
    rules = heap_rules(game)
    for position in np.ndindex(*game.fields):
        heaps = rules.sizes(position)
        after = {tuple(rules.sizes(option).tolist()) for _, option in game.moves(position)}
        assert after == set(options(tuple(heaps.tolist()), rules.relation.max_take))
        assert (rules.sizes(rules.position(heaps)) == heaps).all()
