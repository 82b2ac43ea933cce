"""Parts from a function of moves: what is listed, and what is refused."""

import copy
import pickle

import numpy as np
import pytest

from nim_envs.errors import InvalidGameError, SearchTooLargeError
from nim_envs.game import Game
from nim_envs.games import chomp, kayles, nim, octal, wythoff
from nim_envs.graph import Words
from nim_envs.listing import part_from_moves, say_label
from nim_envs.solution import solve
from tests.own_games import OWN_GAMES

WORDS = Words("coin", say_label)


def listed(start, moves, **arguments):
    return part_from_moves(start, moves, WORDS, **arguments)


def back(position):
    return [("back", (position[0] - 1,))] if position[0] else []


def one_by_one(*moves_by_position, **arguments):
    """List a game on a strip, whose square ``n`` has the moves at index ``n``."""
    return listed((len(moves_by_position) - 1,), lambda p: moves_by_position[p[0]], **arguments)


def on_arrays(moves):
    """The same function of moves for arrays of positions."""

    def of_many(positions):
        pairs = [
            (row, label, after)
            for row, position in enumerate(map(tuple, positions.tolist()))
            for label, after in moves(position)
        ]
        return tuple(map(list, zip(*pairs, strict=True))) if pairs else ([], [], [])

    return of_many


@pytest.mark.parametrize("name", OWN_GAMES)
def test_arrays_of_positions_list_the_same_part(name):
    moves, start, _ = OWN_GAMES[name]
    one, many = listed(start, moves), listed(start, on_arrays(moves), vectorized=True)
    assert one == many
    for row, position in enumerate(map(tuple, one.coordinates.tolist())):
        found = {one.labels[option]: one.move(row, option) for option in one.actions(row)}
        assert {label: one.position(after) for label, after in found.items()} == dict(
            moves(position)
        )


def test_labels_are_in_natural_order_or_in_that_of_actions():
    def moves(position):
        return [(f"left {n}", (position[0] - n,)) for n in range(1, position[0] + 1)]

    assert listed((11,), moves).labels[1:3] == ["left 2", "left 3"]
    actions = [f"left {n}" for n in range(12, 0, -1)]
    part = listed((11,), moves, actions=actions)
    assert part.labels == actions
    assert part.after[11].tolist() == [-1, *range(11)]


def test_further_positions_are_listed_with_what_they_lead_to():
    part = listed((1,), lambda p: [("x", (p[0] - 2,))] * (p[0] > 1), positions=[(6,)])
    assert part.coordinates.tolist() == [[0], [1], [2], [4], [6]]
    assert part.state((3,)) is None


def test_a_list_that_is_used_again_is_copied_at_once():
    def moves(position):
        after = np.array(position) if position[0] % 2 else [*position]
        for n in range(1, 4):
            after[0] = position[0] - n
            if after[0] >= 0:
                yield n, after

    part = listed((7, 0), moves)
    assert part.after.tolist() == [[n - 1 if n > 0 else -1, max(n - 2, -1), max(n - 3, -1)]
                                   for n in range(8)]  # fmt: skip


def test_positions_beyond_64_bits_are_found():
    def moves(position):
        for cell, there in enumerate(position):
            if not there:
                yield cell, (*position[:cell], 10**9, *position[cell + 1 :])

    for part in (
        listed((0,) * 6, moves),
        listed((0,) * 6, on_arrays(moves), vectorized=True),
    ):
        states = part.find(part.coordinates)
        assert states.tolist() == list(range(64))
        assert part.state((0, 10**9, 0, 0, 0, 0)) == part.move(0, 1)
        assert part.state((0, 5, 0, 0, 0, 0)) is None


def sowing(position):  # in turn, each player adds 1 or 2 to their own side
    mine, yours, turns = position
    return [(n, (yours, mine + n, turns - 1)) for n in (1, 2) if turns]


def test_outcomes_of_arrays_decide_who_wins():
    moves, of_end = on_arrays(sowing), lambda ends: np.sign(ends[:, 0] - ends[:, 1])
    part = listed((0, 0, 4), moves, outcome=of_end, vectorized=True)
    solved = solve(Game("sowing", (part,), (0, 0, 4)))
    assert solved.value((0, 0, 4)) == 0
    assert solved.keeping_actions((0, 0, 4)).tolist() == [1]
    assert solved.winning_actions((0, 0, 4)).tolist() == []
    assert solved.is_losing([(2, 4, 0), (4, 2, 0)]).tolist() == [True, False]


def raises(position):
    raise KeyError(position)


END, ONE_MOVE = [(), ()], [("a", (1,))]  # squares 0 and 1 have no moves

REFUSED = [
    ([("a", (1,)), ("a", (0,))], r"moves\(\(2,\)\) gives the label 'a' twice"),
    (
        [(1, (1,)), ("1", (0,))],
        r"'1', which differs from 1, at \(2,\) in case, spaces or type alone",
    ),
    ([("Pass ", (1,)), ("pass", (0,))], r"'pass', which differs from 'Pass ', at \(2,\) in case"),
    ([(1.5, (1,))], r"moves\(\(2,\)\): a label must be a string or an integer, not 1.5"),
    ([(True, (1,))], "a label must be a string or an integer, not True"),
    ([(("a", 1), (1,))], r"a string or an integer, not \('a', 1\)"),
    ([(["a"], (1,))], r"moves\(\(2,\)\) must give pairs of a label, a string or an integer"),
    ([("  ", (1,))], "must not be empty"),
    ([("a", (-1,))], r"the position after move 'a' at \(2,\) must be a position, a tuple of 1 int"),
    ([("a", (1, 0))], r"a tuple of 1 integers of at least 0, not \(1, 0\)"),
    ([("a", (0.5,))], r"must be a position, .*not \(0.5,\)"),
    ([("a", 1)], r"moves\(\(2,\)\) must give pairs of a label.*not \('a', 1\)"),
    ([("a", {1})], r"a position, a tuple of 1 integers of at least 0, not \('a', \{1\}\)"),
    (["abc"], r"moves\(\(2,\)\) must give pairs of a label.*not 'abc'"),
    (None, r"moves\(\(2,\)\) raised TypeError: 'NoneType' object is not"),
    ([], r"there is no move at \(2,\): the game is over"),
]

REFUSED_ARGUMENTS = [
    ({"actions": ["b"]}, r"actions must list every label, and moves\(\(2,\)\) gives 'a'"),
    ({"actions": ["a", "A"]}, "actions gives the label 'A', which differs from 'a' in case"),
    ({"actions": "ab"}, "actions must be a list of labels, not 'ab'"),
    ({"positions": [(1, 2)]}, "position 1 must be a position"),
    ({"positions": [(n,) for n in range(9)], "limit": 8}, "coin has more than 8 positions"),
    ({"positions": 5}, "positions must be a list of positions, not 5"),
    ({"outcome": lambda end: 2}, r"outcome\(\(1,\)\) must be 1, 0 or -1, a win, a .* not 2"),
    ({"outcome": lambda end: None}, "must be 1, 0 or -1.* not None"),
    ({"outcome": raises}, r"outcome\(\(1,\)\) raised KeyError"),
]


@pytest.mark.parametrize(
    ("moves", "arguments", "message"),
    [
        *((moves, {}, message) for moves, message in REFUSED),
        *((ONE_MOVE, arguments, message) for arguments, message in REFUSED_ARGUMENTS),
    ],
    ids=[message for _, message in [*REFUSED, *REFUSED_ARGUMENTS]],
)
def test_refusals_name_the_position_in_one_sentence(moves, arguments, message):
    with pytest.raises((InvalidGameError, SearchTooLargeError), match=message) as caught:
        one_by_one(*END, moves, **arguments)
    assert ". " not in str(caught.value).partition("? ")[0]


def test_a_cycle_is_refused_with_its_positions():
    moves = [*END, [("a", (4,))], [("b", (2,))], [("a", (3,))]]
    with pytest.raises(InvalidGameError, match=r"\(2,\) -> \(4,\) -> \(3,\) -> \(2,\); every"):
        one_by_one(*moves)


REFUSED_ARRAYS = [
    (lambda p: ([0], ["a"], [[5]]), "the moves form a cycle"),
    (lambda p: ([0, 0], ["a", "a"], [[0], [1]]), r"moves\(\(5,\)\) gives the label 'a' twice"),
    (lambda p: ([7], ["a"], [[0]]), "the rows of moves of 1 positions must be from 0 to 0, not 7"),
    (lambda p: ([0], [0.5], [[0]]), r"or strings \(moves,\), .* not int64 \(1,\), float64"),
    (lambda p: ([0], ["a"], [[0, 0]]), r"next positions, integers \(moves, 1\), and"),
    (lambda p: ([0], ["a"], [[-1]]), r"the position after move 'a' at \(5,\) must be a position"),
    (lambda p: None, "must give three arrays"),
    (raises, "raised KeyError"),
]


@pytest.mark.parametrize(("moves", "message"), REFUSED_ARRAYS, ids=[m for _, m in REFUSED_ARRAYS])
def test_arrays_that_are_refused(moves, message):
    with pytest.raises(InvalidGameError, match=message):
        listed((5,), moves, vectorized=True)


def rook(position):
    file, rank = position
    yield from ((f"left {n}", (file - n, rank)) for n in range(1, file + 1))
    yield from ((f"down {n}", (file, rank - n)) for n in range(1, rank + 1))


def endless(position):
    n = 0
    while True:
        n += 1
        yield n, (position[0] + n,)


@pytest.mark.parametrize(
    ("start", "moves", "message"),
    [
        ((999, 999), rook, r"a table of 67\d{6} entries; at most 67108864 are allowed"),
        ((0,), lambda p: [("on", (p[0] + 1,))], "more than 100000 positions, the limit"),
        ((0,), endless, "entries; at most 67108864 are allowed"),
    ],
)
def test_too_large_games_are_refused_while_they_are_listed(start, moves, message):
    with pytest.raises(SearchTooLargeError, match=message):
        listed(start, moves, limit=100_000)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nim((10**15,)),
        lambda: wythoff([(1000, 1000)]),
        lambda: chomp(40, 40),
        lambda: octal("0.777", (10**5,)),
    ],
)
def test_tables_that_are_too_large_are_refused_with_their_number(make):
    with pytest.raises(SearchTooLargeError, match=r"a table of .*\d+ entries; at most 67108864"):
        make()


def test_equal_parts_are_one_object_and_stay_so_in_pickles():
    assert kayles((5,)).parts[0] is kayles((2, 5)).parts[0]
    assert nim((3, 4)).parts[1] is nim((4,)).parts[0]
    parts = kayles((5,)).parts
    assert pickle.loads(pickle.dumps(parts)) == parts == copy.deepcopy(parts)


def test_listed_parts_are_in_pickles_without_what_is_computed():
    part = part_from_moves((50,), back, WORDS)
    size = len(pickle.dumps(part))
    assert part.longest_play[50] == 50
    assert part.state((7,)) == 7
    assert len(pickle.dumps(part)) == size
    again = pickle.loads(pickle.dumps(part))
    assert np.array_equal(again.after, part.after)
    assert again.describe(0) == "back"
