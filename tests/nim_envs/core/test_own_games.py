"""Games from a function of moves: their arguments."""

import pickle

import pytest

from nim_envs import game_from_moves
from nim_envs.errors import InvalidGameError, InvalidPositionError


def coin(position):
    """A coin on a strip moves one or two squares."""
    return [(n, (position[0] - n,)) for n in (1, 2) if n <= position[0]]


def test_actions_words_kind_and_starts_can_be_given():
    game = game_from_moves(
        "coin", (6,), coin, actions=[2, 1], describe="go {}".format, kind="piece", starts="uniform",
        move_in_words="move the piece",
    )  # fmt: skip
    assert [game.describe(action) for action in range(2)] == ["go 2", "go 1"]
    assert game.starts.summary == "uniform"
    assert game.parts[0].words.move == "move the piece"
    assert pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "name must be a string that is not empty, not ''"),
        ({"kind": 3}, "kind must be a string"),
        ({"moves": 3}, "moves must be a function"),
        ({"outcome": 3}, "outcome must be a function"),
        ({"limit": 0}, "limit must be an integer from 1"),
        ({"vectorized": 1}, "vectorized must be True or False"),
        ({"describe": lambda label: ""}, "must be a string that is not empty"),
        ({"describe": lambda label: "move"}, "two labels are alike in words"),
        ({"describe": lambda label: {}[label]}, "raised KeyError"),
        ({"misere": True, "outcome": lambda position: 0}, "give one of them"),
        ({"start": (1, 1, 1), "moves": lambda p: [("a", (0, 0, 0))] * any(p), "picture": "piece"},
         "shows one or two coordinates, not 3"),
        ({"picture": "photo"}, "picture must be None or one of"),
        ({"board": (2, 2)}, r"1 coordinates do not reshape into \(2, 2\)"),
        *(({"board": board}, "board must be a sequence of integers of at least 1") for board in
          (4, "ab")),
        *(({"board": board}, r"board\[0\] must be an integer from 1") for board in
          ((None,), (-1, -1), (2.0, 1))),
        ({"move_in_words": 5}, "move_in_words must be a string"),
        ({"picture": "crosses"}, "needs board="),
        ({"picture": "crosses", "board": (1, 1)}, "shows cells of 0, 1 or 2"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(arguments, message):
    given = {"name": "coin", "start": (6,), "moves": coin, **arguments}
    with pytest.raises(InvalidGameError, match=message):
        game_from_moves(**given)


def test_a_name_is_no_initial_position():
    with pytest.raises(InvalidPositionError, match="where games begin is given as starts="):
        game_from_moves("coin", "uniform", coin)
