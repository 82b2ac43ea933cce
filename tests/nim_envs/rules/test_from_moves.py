"""Games from a function of moves: positions, actions, coordinates and errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nim_envs
from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.rules import (
    kayles,
    nim,
    rules_from_moves,
    sum_of,
)
from tests.own_games import wythoff as queen


def coin(position):
    return [(n, (position[0] - n,)) for n in (2, 5) if n <= position[0]]


def cells(position):
    return [
        (cell, (*position[:cell], 1, *position[cell + 1 :]))
        for cell, taken in enumerate(position)
        if not taken
    ]


def test_labels_are_actions_in_natural_order():
    component = rules_from_moves("queen", (12, 0), queen).components[0]
    assert component.descriptions == tuple(f"left {n}" for n in range(1, 13))
    mixed = rules_from_moves("m", (9, 9), lambda p: [(n, (p[0] - n, 0)) for n in (9, 2) if p[1]])
    assert mixed.components[0].descriptions == ("2", "9")


def test_actions_and_words_can_be_given():
    actions = [5, 2, 7]
    rules = rules_from_moves("coin", (6,), coin, actions=actions, describe=lambda n: f"take {n}")
    assert [rules.describe_action(action) for action in range(3)] == [
        "coin 0: take 5",
        "coin 0: take 2",
        "coin 0: take 7",
    ]
    assert rules.action_mask(np.array([6])).tolist() == [1, 1, 0]


def test_equal_games_are_equal_after_pickles_and_copies():
    first, second = (rules_from_moves("queen", (3, 3), queen) for _ in range(2))
    assert first == second
    down, left = (
        rules_from_moves("steps", first, lambda p: [("on", (0, 0))] if any(p) else [])
        for first in ((1, 0), (0, 1))
    )
    assert down != left
    game = nim_envs.game_from_moves("queen", (3, 3), lambda position: queen(position))
    loaded = pickle.loads(pickle.dumps(game))
    assert loaded == game
    assert copy.deepcopy(game) == game


@given(st.data())
def test_positions_at_inverts_coordinates_in_sums_and_keeps_positions(data):
    queens = rules_from_moves("queen", (3, 2), queen)
    rules = sum_of([queens, nim(heaps=(4,)), kayles(heaps=(3,)), queens])
    assert rules.fields == (4, 3, 5, 4, 4, 4, 3)
    points = data.draw(
        st.lists(st.tuples(*(st.integers(0, n - 1) for n in rules.shape)), min_size=1, max_size=5)
    )
    positions = np.array(points)
    shown = rules.coordinates(positions)
    assert shown.shape == (len(points), 7)
    assert rules.positions_at(shown).tolist() == positions.tolist()
    assert rules.positions_at(rules.positions_at(shown)).tolist() == positions.tolist()


def test_many_cells_are_found_beyond_64_bits():
    rules = rules_from_moves("cells", (0,) * 70, lambda p: cells(p) if sum(p) < 1 else [])
    shown = np.eye(70, dtype=np.int64)
    positions = rules.positions_at(shown)
    assert len(np.unique(positions)) == 70
    assert (rules.coordinates(positions) == shown).all()


def without_end(position):
    return [("up", (position[0] + 1,))]


@pytest.mark.parametrize(
    ("moves", "start", "said"),
    [
        (lambda p: [("turn", (p[1], p[0]))], (1, 2), r"cycle: \(1, 2\) -> \(2, 1\) -> \(1, 2\)"),
        (lambda p: [("left", (p[0] - 1,))], (2,), r"'left' at \(0,\).* negative .*\(-1,\)"),
        (
            lambda p: [(1, (p[0] - 1,)), ("1", (0,))] if p[0] else [],
            (1,),
            r"alike in words, '1': 1, at \(1,\)",
        ),
        (lambda p: [("a", (0,)), ("a", (1,))] if p[0] > 1 else [], (2,), r"\(2,\).*'a' twice"),
        (lambda p: [("a", (1 // p[0] - 1,))], (1,), r"moves\(\(0,\)\) raised ZeroDivisionError"),
        (lambda p: [("a", (0.5,))], (2,), r"'a' at \(2,\) must be a position"),
        (lambda p: [(0,)], (2,), r"moves\(\(2,\)\) must give pairs"),
        ([1], (2,), "moves must be a function"),
        (coin, 5, r"start must be a position, a tuple .* not 5"),
        (coin, (-1,), r"start must not have a negative"),
    ],
)
def test_errors_name_the_position(moves, start, said):
    with pytest.raises(InvalidGameError, match=said):
        nim_envs.game_from_moves("g", start, moves)


def test_a_picture_of_a_piece_shows_no_third_coordinate():
    with pytest.raises(InvalidGameError, match="one or two coordinates, not 3"):
        nim_envs.game_from_moves(
            "g", (1, 0, 0), lambda p: [("take", (0, 0, 0))] if p[0] else [], picture="piece"
        )


def test_a_label_that_actions_lack_is_named():
    with pytest.raises(InvalidGameError, match=r"moves\(\(7,\)\) gives 5"):
        rules_from_moves("coin", (7,), coin, actions=[2])


def test_words_of_labels_are_checked():
    with pytest.raises(InvalidGameError, match=r"describe\(2\) raised KeyError"):
        rules_from_moves("coin", (7,), coin, describe=lambda n: {}[n])


def test_a_listing_is_limited_in_positions_and_bytes(monkeypatch):
    for arguments in ({}, {"positions": [(0, 0)] * 6}):
        assert rules_from_moves("queen", (2, 1), queen, limit=6, **arguments).num_positions == 6
        with pytest.raises(SearchTooLargeError, match="more than 5 positions, the limit"):
            rules_from_moves("queen", (2, 1), queen, limit=5, **arguments)
    with pytest.raises(SearchTooLargeError, match="more than 5000 positions"):
        nim_envs.game_from_moves("g", (0,), without_end, limit=5000)
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "100000")
    with pytest.raises(SearchTooLargeError, match="100000"):
        nim_envs.game_from_moves("g", (40, 40), queen)


def test_positions_may_be_lists_and_numpy_arrays():
    rules = rules_from_moves("q", [2, 2], lambda p: [(w, list(after)) for w, after in queen(p)])
    assert rules == rules_from_moves(
        "q", np.array([2, 2]), lambda p: [[w, np.array(after)] for w, after in queen(p)]
    )


def alternating():
    answers = iter([1, 0])
    return lambda position: next(answers)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (lambda p: 2, r"outcome\(\(0,\)\) must be 1, 0 or -1.* not 2"),
        (lambda p: 1 // 0, r"outcome\(\(0,\)\) raised ZeroDivisionError"),
        (alternating(), r"outcome\(\(0,\)\) gives 0 when it is called again, and gave 1"),
    ],
)
def test_a_wrong_outcome_is_named_with_its_position(outcome, message):
    with pytest.raises(InvalidGameError, match=message):
        nim_envs.game_from_moves("coin", (4,), coin, outcome=outcome)


@pytest.mark.parametrize("unit", [1, 10**6])
def test_values_are_those_of_the_outcome_at_the_last_positions(unit):
    def moves(position):
        return [(n, (after * unit,)) for n, (after,) in coin((position[0] // unit,))]

    ends = {(0,): 0, (unit,): 1}
    game = nim_envs.game_from_moves("coin", (9 * unit,), moves, outcome=ends.__getitem__)
    assert [game.end_value(position) for position in ends] == [0, 1]
    # 9 to 7 and 4, 7 to 5 and 2, 5 to 3 and 0, 4 to 2, 3 to 1, 2 to 0.
    values = {0: 0, 1: 1, 2: 0, 3: -1, 4: 0, 5: 1, 7: 0, 9: 0}
    assert game.solution.value([(n * unit,) for n in values]).tolist() == [*values.values()]
    with pytest.raises(InvalidGameError, match="must be the only one, not one of 2"):
        sum_of([game.rules, nim(heaps=(3,))])


def test_outcome_is_called_where_no_move_is_left_alone():
    asked = []

    def outcome(position):
        asked.append(position)
        return 0

    nim_envs.game_from_moves("coin", (4,), coin, outcome=outcome)
    assert set(asked) == {(0,)}


def test_the_outcome_is_part_of_the_rules_and_of_pickles():
    drawn = nim_envs.game_from_moves("coin", (4,), coin, outcome=lambda p: 0)
    lost = nim_envs.game_from_moves("coin", (4,), coin, outcome=lambda p: -1)
    normal = nim_envs.game_from_moves("coin", (4,), coin)
    number = nim_envs.game_from_moves("coin", (4,), coin, outcome=lambda p: np.float32(-1))
    assert number == lost
    assert len({drawn.rules, lost.rules, normal.rules}) == 3
    again = pickle.loads(pickle.dumps(drawn))
    assert again == drawn
    assert again.solution.value((4,)) == 0
    assert lost.solution.value((4,)) == (1 if normal.solution.is_winning((4,)) else -1)
