import numpy as np
import pytest

from agents.research.column_automata import MoveRelation, heap_reading
from nim_envs.errors import InvalidGameError, InvalidPositionError
from nim_envs.rules import (
    TableComponent,
    addition,
    graph,
    kayles,
    nim,
    subtraction,
    sum_of,
)
from nim_envs.rules.rules import Rules


def is_read_as_a_move(relation, heap, left, first, width):
    state = relation.start(first)
    for column in range(width)[:: -1 if first else 1]:
        state = relation.step(state, heap >> column & 1, left >> column & 1, first)
        if state is None:
            return False
    return relation.accepts(state, first)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("max_take", [None, 1, 2, 3, 5, 7, 12])
def test_a_move_is_told_by_its_bits_in_both_orders(max_take, first):
    relation = MoveRelation(max_take)
    for heap in range(32):
        for left in range(32):
            taken = heap - left
            move = taken >= 1 and (max_take is None or taken <= max_take)
            assert relation.allows(heap, left) == move
            for width in (5, 7):
                assert is_read_as_a_move(relation, heap, left, first, width) == move


@pytest.mark.parametrize("max_take", [0, -1, 1.5, True, "3"])
def test_a_bound_is_an_integer_of_at_least_1(max_take):
    with pytest.raises(InvalidGameError, match="max_take"):
        MoveRelation(max_take)


@pytest.mark.parametrize(
    ("rules", "max_take"),
    [
        (nim(heaps=(3, 4, 0, 5)), None),
        (nim(heaps=(10**15,)), None),
        (nim(heaps=(2, 9), max_take=5), 5),
        (subtraction(heaps=(7, 2, 9), subtraction_set=(2, 1)), 2),
        (addition(k=4, n=20), 4),
        (sum_of([nim(heaps=(2,)), addition(k=3, n=10)]), 3),
    ],
)
def test_the_moves_of_a_game_are_those_of_its_heaps(rules, max_take):
    assert heap_reading(rules).relation == MoveRelation(max_take)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (kayles(heaps=(5,)), "heap 0 of kayles splits"),
        (subtraction(heaps=(9,), subtraction_set=(1, 3)), "allows 1, 3"),
        (subtraction(heaps=(9,), subtraction_set=(2, 3)), "allows 2, 3"),
        (graph(successors=[[1], []], tokens=[0]), "not as a heap"),
        (Rules("table", (TableComponent(((-1,), (0,))),), (1,)), "not as a heap"),
        (sum_of([nim(heaps=(9,)), addition(k=3, n=10)]), "of some at most 3 .* of others 9"),
        (sum_of([addition(k=2, n=10), addition(k=3, n=10)]), "of some at most 2 .* of others 3"),
    ],
)
def test_other_games_are_refused_with_the_reason(rules, reason):
    with pytest.raises(InvalidGameError, match=reason):
        heap_reading(rules)


@pytest.mark.parametrize(
    "rules",
    [
        nim(heaps=(3, 4)),
        nim(heaps=(3, 6), max_take=4),
        addition(k=3, n=9),
        sum_of([subtraction(heaps=(5,), subtraction_set=(1, 2)), addition(k=2, n=4)]),
    ],
)
def test_moves_of_the_game_are_moves_of_the_heaps(rules):
    reading = heap_reading(rules)
    for position in np.ndindex(*rules.shape):
        heaps = reading.heaps(position)
        after = set()
        for action in np.flatnonzero(rules.action_mask(np.array(position))):
            option = rules.step(np.array(position), np.array(action))
            after.add(tuple(reading.heaps(option).tolist()))
        assert after == {
            (*heaps[:index], left, *heaps[index + 1 :])
            for index, heap in enumerate(heaps)
            for left in range(heap)
            if reading.relation.allows(heap, left)
        }
        assert (reading.heaps(reading.positions(heaps)) == heaps).all()


def test_more_objects_than_a_total_leaves_are_refused():
    reading = heap_reading(addition(k=3, n=9))
    assert reading.positions([10]).tolist() == [0]
    with pytest.raises(InvalidPositionError, match="not \\[11\\]"):
        reading.positions([11])
