"""Games from a function of moves: positions, actions, coordinates and errors."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nim_envs
from nim_envs.errors import InvalidGameError, InvalidPositionError, SearchTooLargeError
from nim_envs.rules import (
    Component,
    CoordinateSystem,
    ListedComponent,
    MoveRows,
    Rules,
    TableComponent,
    kayles,
    nim,
    rules_from_moves,
    sum_of,
)
from nim_envs.rules.convention import require_last_move
from tests.own_games import wythoff as queen


def coin(position):
    return [(n, (position[0] - n,)) for n in (2, 5) if n <= position[0]]


def cells(position):
    return [
        (cell, (*position[:cell], 1, *position[cell + 1 :]))
        for cell, taken in enumerate(position)
        if not taken
    ]


def test_positions_are_those_that_moves_lead_to_in_lexicographic_order():
    rules = rules_from_moves("queen", (2, 1), queen)
    component = rules.components[0]
    assert component.positions.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    assert rules.fields == (3, 2)
    reached = {
        tuple(rules.coordinates(rules.step(np.array(rules.initial), action)).tolist())
        for action in np.flatnonzero(rules.action_mask(np.array(rules.initial)))
    }
    assert reached == {after for _, after in queen((2, 1))}


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


def test_a_single_coordinate_is_the_state():
    rules = rules_from_moves("coin", (9,), coin)
    assert rules.initial == (9,)
    assert not rules.has_coordinates
    # No move leads to 8 and 6: they are states without moves.
    assert rules.is_terminal(np.array([[8], [6], [0], [4]])).tolist() == [True, True, True, False]
    assert rules.positions_at(np.array([[3]])).tolist() == [[3]]


def test_further_positions_are_listed():
    rules = rules_from_moves("queen", (1, 0), queen, positions=[(0, 3)])
    assert rules.positions_at(np.array([[0, 2], [1, 1]], np.int8)).tolist() == [[2], [-1]]
    with pytest.raises(InvalidGameError, match="positions must be a list of positions, not 3"):
        rules_from_moves("queen", (1, 0), queen, positions=3)


def test_equal_games_share_a_component_and_pickle():
    first, second = (rules_from_moves("queen", (3, 3), queen) for _ in range(2))
    assert first == second
    assert first.components[0] != nim(heaps=(3,)).components[0]
    (component,) = first.components
    assert component is second.components[0]
    subclass = type("Own", (ListedComponent,), {})
    assert component != subclass(
        component.positions, component.moves, component.descriptions, kind=component.kind
    )
    assert rules_from_moves("queen", (3, 4), queen) != first
    assert rules_from_moves("queen", (3, 3), queen, describe=lambda s: f"go {s}") != first
    down, left = (
        rules_from_moves("steps", first, lambda p: [("on", (0, 0))] if any(p) else [])
        for first in ((1, 0), (0, 1))
    )
    assert (down.components[0].table == left.components[0].table).all()
    assert down != left
    game = nim_envs.game_from_moves("queen", (3, 3), lambda position: queen(position))
    loaded = pickle.loads(pickle.dumps(game))
    assert loaded == game
    assert hash(loaded.rules.components[0]) == hash(game.rules.components[0])
    assert copy.deepcopy(game) == game


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=30),
    st.sampled_from([1, 10**9, 10**15]),
)
def test_coordinates_and_states_are_inverse(points, factor):
    """Also where the box of coordinates is beyond 64 bits."""
    listed = sorted({tuple(factor * value for value in point) for point in points})
    none = np.empty(0, dtype=np.int64)
    component = ListedComponent(listed, MoveRows.of(len(listed), none, none, none), ["none"])
    states = np.arange(len(listed))
    assert component.coordinate_system.of(states).tolist() == [list(point) for point in listed]
    assert (
        component.coordinate_system.states_at(component.coordinate_system.of(states)).tolist()
        == states.tolist()
    )
    others = [(a, b, c) for a in range(3) for b in range(3) for c in (0, factor, -1)]
    found = component.coordinate_system.states_at(np.array(others)).tolist()
    assert found == [listed.index(point) if point in listed else -1 for point in others]


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


class Queen(Component):
    """Wythoff's queen without a list, as a user writes it for a large board."""

    kind = "queen"

    def __init__(self, size):
        self.size = size

    states = property(lambda self: self.size**2)
    options = property(lambda self: 3 * (self.size - 1))
    coordinate_system = property(
        lambda self: CoordinateSystem((self.size, self.size), picture="piece")
    )

    def successors(self, states):
        a, b = (axis[..., np.newaxis, np.newaxis] for axis in np.divmod(states, self.size))
        n, direction = np.arange(1, self.size), np.arange(3)[:, np.newaxis]
        a, b = a - n * (direction != 1), b - n * (direction != 0)
        after = np.where((a >= 0) & (b >= 0), a * self.size + b, -1)
        return after.reshape(*np.shape(states), self.options)


def test_a_component_over_a_whole_box_needs_no_look_up():
    by_hand = Rules("queen", (Queen(6),), initial=(5, 5))
    listed = rules_from_moves("queen", (5, 5), queen)
    box = np.indices((6, 6)).reshape(2, -1).T
    assert by_hand.coordinates(by_hand.positions_at(box)).tolist() == box.tolist()
    assert by_hand.positions_at(np.array([[6, 0], [0, -1]])).tolist() == [[-1], [-1]]
    first = nim_envs.Game(by_hand, nim_envs.Convention.NORMAL).solution.is_winning(box)
    second = nim_envs.Game(listed, nim_envs.Convention.NORMAL).solution.is_winning(box)
    assert first.tolist() == second.tolist()


def test_moves_of_a_component_too_large_for_a_table_are_counted():
    board = Queen(2000)
    states = np.random.default_rng(0).integers(board.states, size=(20, 20))
    file, rank = np.divmod(states, 2000)
    assert (board.legal_count(states) == file + rank + np.minimum(file, rank)).all()


@pytest.mark.parametrize(
    "positions", [[(1, 0), (0, 1)], [(0, 1), (0, 1)], [(-1, 0), (0, 1)], [(3,), (2,)]], ids=str
)
def test_positions_out_of_order_are_refused(positions):
    none = np.empty(0, dtype=np.int64)
    with pytest.raises(InvalidGameError, match="in lexicographic order, and none twice"):
        ListedComponent(positions, MoveRows.of(2, none, none, none), ["none"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"positions": [(0,)]}, r"positions of shape \(1, 1\) do not fit the moves of 2 states"),
        ({"positions": [0, 1]}, r"positions of shape \(2,\) do not fit"),
        ({"after": 2}, "2 positions do not fit moves with the entries 2 to 2"),
        ({"after": -1}, "2 positions do not fit moves with the entries -1 to -1"),
        ({"option": 1}, "1 descriptions do not fit moves with the entries 1 to 1"),
        ({"values": [2, 0]}, "values must be 1, 0 or -1 for each of 2 positions"),
        ({"values": [1]}, "values must be 1, 0 or -1 for each of 2 positions"),
        ({"values": [0, 1]}, "and 0 where there is a move"),
    ],
)
def test_lists_that_do_not_fit_each_other_are_refused(change, said):
    good = {"positions": [(0,), (1,)], "after": 0, "option": 0, "values": [-1, 0]}

    def listed(positions, after, option, values):
        moves = MoveRows.of(2, *(np.array([entry]) for entry in (1, option, after)))
        return ListedComponent(positions, moves, ["step"], values=values)

    component = listed(**good)
    assert component.end_values.tolist() == [-1, 0]
    assert repr(component) == "ListedComponent(position, 2 positions, 1 options)"
    assert component.words.move == "make one of its moves"
    assert component.words.is_generic
    with pytest.raises(InvalidGameError, match=said):
        listed(**{**good, **change})


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
        (lambda p: [("a", (0, 0))] if p[0] else [], (2,), r"'a' at \(2,\) must have 1 coordinate,"),
        (lambda p: [("a", "b")], (2,), r"'a' at \(2,\) must be a position"),
        (lambda p: [("a", (0.5,))], (2,), r"'a' at \(2,\) must be a position"),
        (lambda p: [(0,)], (2,), r"moves\(\(2,\)\) must give pairs"),
        (lambda p: ["ab"], (2,), r"moves\(\(2,\)\) must give pairs"),
        (lambda p: None, (2,), r"moves\(\(2,\)\) must give pairs"),
        (lambda p: [([1], (0,))], (2,), r"moves\(\(2,\)\): a label must be hashable"),
        (lambda p: [], (2,), r"no move at \(2,\)"),
        ([1], (2,), "moves must be a function"),
        (coin, 5, r"start must be a position, a tuple .* not 5"),
        (coin, (), r"start must be a position"),
        (coin, (True, False), r"not \(True, False\): write 1 for True and 0 for False"),
        (coin, (-1,), r"start must not have a negative"),
        (lambda p: [["a", (0,)], ["b"]] if p[0] else [], (2,), r"must give pairs .* not \['b'\]"),
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
    for actions, said in (
        ([2, 5, 2], "none twice, not"),
        ([], "at least one label"),
        ("25", "actions must be a list of labels, not '25'"),
        ([2, [5]], r"actions must list hashable labels, not \[5\]"),
    ):
        with pytest.raises(InvalidGameError, match=said):
            rules_from_moves("coin", (7,), coin, actions=actions)


def test_words_of_labels_are_checked():
    with pytest.raises(InvalidGameError, match=r"describe\(2\) raised KeyError"):
        rules_from_moves("coin", (7,), coin, describe=lambda n: {}[n])
    with pytest.raises(InvalidGameError, match=r"alike in words, 'take'"):
        rules_from_moves("coin", (7,), coin, describe=lambda n: "take")
    with pytest.raises(InvalidGameError, match=r"string that is not empty, not 2"):
        rules_from_moves("coin", (7,), coin, describe=lambda n: n)


def test_a_listing_is_limited_in_positions_labels_and_bytes(monkeypatch):
    for arguments in ({}, {"positions": [(0, 0)] * 6}):
        assert rules_from_moves("queen", (2, 1), queen, limit=6, **arguments).num_positions == 6
        with pytest.raises(SearchTooLargeError, match="more than 5 positions, the limit"):
            rules_from_moves("queen", (2, 1), queen, limit=5, **arguments)
    for arguments in ({}, {"actions": [2, 5]}):
        with monkeypatch.context() as patch:
            patch.setattr("nim_envs.rules.listing.labels.MOST_LABELS", 2)
            assert rules_from_moves("coin", (5,), coin, **arguments).num_actions == 2
            patch.setattr("nim_envs.rules.listing.labels.MOST_LABELS", 1)
            with pytest.raises(SearchTooLargeError, match="more than 1 labels"):
                rules_from_moves("coin", (5,), coin, **arguments)
    with pytest.raises(SearchTooLargeError, match="more than 5000 positions"):
        nim_envs.game_from_moves("g", (0,), without_end, limit=5000)
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "100000")
    with pytest.raises(SearchTooLargeError, match="100000"):
        nim_envs.game_from_moves("g", (40, 40), queen)
    monkeypatch.setenv("NIM_ENVS_LARGEST_BYTES", "1e9")
    with pytest.raises(InvalidGameError, match="must be a number of bytes, not '1e9'"):
        nim_envs.game_from_moves("g", (40, 40), queen)


def test_positions_may_be_lists_and_numpy_arrays():
    rules = rules_from_moves("q", [2, 2], lambda p: [(w, list(after)) for w, after in queen(p)])
    assert rules == rules_from_moves(
        "q", np.array([2, 2]), lambda p: [[w, np.array(after)] for w, after in queen(p)]
    )


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (CoordinateSystem((6, 6), picture="knight"), "picture must be None or one of"),
        (CoordinateSystem((6, 6), board=(3, 3)), "2 coordinates do not reshape"),
        (CoordinateSystem((2, 2)), "hold fewer than its 36 states"),
        (CoordinateSystem((36.0,)), "fields must be integers"),
        (CoordinateSystem((7,)), "a single coordinate is the state number"),
        (
            CoordinateSystem((3, 12), picture="crosses"),
            r"needs board=.* at most 2 cells, .* not None",
        ),
        (CoordinateSystem((3, 12), picture="discs", board=(3, 1)), r"at most 2 cells, .* \(3, 1\)"),
        (CoordinateSystem((4, 9), picture="discs", board=(1, 1)), "0, 1 or 2, not of 3"),
    ],
)
def test_coordinates_that_contradict_the_component_are_refused(system, said):
    kind = type("Wrong", (Queen,), {"coordinate_system": system})
    with pytest.raises(InvalidGameError, match=said):
        Rules("queen", (kind(6),), initial=(0,))


def test_cells_of_two_players_are_the_first_coordinates():
    system = CoordinateSystem((3, 12), picture="crosses", board=(1, 1))
    kind = type("Right", (Queen,), {"coordinate_system": system})
    assert Rules("queen", (kind(6),), initial=(35,)).fields == (3, 12)


def test_a_component_that_splits_has_no_coordinates():
    class Split(TableComponent):
        coordinate_system = CoordinateSystem((1, 2))

    with pytest.raises(InvalidGameError, match="splits"):
        Rules("split", (Split([[-1], [1]], [[0], [1]]),) * 2, initial=(0, 0))


def test_checked_positions_take_coordinates():
    rules = rules_from_moves("queen", (3, 2), lambda p: [m for m in queen(p) if sum(m[1]) != 1])
    assert rules.checked_positions((3, 2)).tolist() == list(rules.initial)
    assert rules.checked_positions(np.array([[3, 2], [0, 0]])).tolist() == [
        [len_states(rules)],
        [0],
    ]
    with pytest.raises(InvalidPositionError, match=r"has the coordinates \(0, 1\)"):
        rules.checked_positions((0, 1))
    with pytest.raises(InvalidPositionError, match=r"coordinate, .* not \[\(1, 2\), \(1,\)\]"):
        rules.checked_positions([(1, 2), (1,)])
    with pytest.raises(InvalidPositionError, match=r"from 0 to \(3, 2\), not \(4, 0\)"):
        rules.checked_positions((4, 0))
    with pytest.raises(InvalidPositionError, match="2 integers, one for each coordinate"):
        rules.checked_positions((1, 2, 3))
    with pytest.raises(InvalidGameError, match="initial"):
        Rules("queen", rules.components, initial=(1, 2, 3))


def len_states(rules):
    return rules.components[0].states - 1


def test_short_names_show_coordinates():
    queens = rules_from_moves("wythoff", (3, 2), queen, kind="queen")
    assert queens.summary == "wythoff, queen (3, 2)"
    both = sum_of([queens, queens, nim(heaps=(2,))])
    assert both.summary == "wythoff + wythoff + nim, queens (3, 2)-(3, 2), heap 2"
    assert rules_from_moves("wythoff", (3, 2), queen).summary == "wythoff (3, 2)"


def alternating():
    answers = iter([1, 0])
    return lambda position: next(answers)


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (lambda p: 2, r"outcome\(\(0,\)\) must be 1, 0 or -1.* not 2"),
        (lambda p: 0.5, r"outcome\(\(0,\)\) must be 1, 0 or -1.* not 0.5"),
        (lambda p: None, r"outcome\(\(0,\)\) must be 1, 0 or -1.* not None"),
        (lambda p: True, r"outcome\(\(0,\)\) must be 1, 0 or -1.* not True"),
        (lambda p: 1 // 0, r"outcome\(\(0,\)\) raised ZeroDivisionError"),
        (alternating(), r"outcome\(\(0,\)\) gives 0 when it is called again, and gave 1"),
        (0, "outcome must be a function of a position without moves, not 0"),
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
    assert game.convention.play == "play by outcome"
    assert game.convention.in_words.startswith("the position in which play ends says who wins")
    with pytest.raises(InvalidGameError, match="must be the only one, not one of 2"):
        sum_of([game.rules, nim(heaps=(3,))])
    with pytest.raises(InvalidGameError, match="nimbers needs a game that is decided by the last"):
        require_last_move(game.convention, "nimbers")


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
