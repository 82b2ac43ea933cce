"""Actions in words."""

import pytest

from nim_envs import game_from_moves, make_game
from nim_envs.errors import InvalidActionError, InvalidPositionError


def test_an_action_is_described_at_any_position_or_at_one():
    kayles = make_game("kayles", heaps=(7,))
    assert kayles.describe(2) == "heap 0: take 1, leave 2 and the rest"
    assert kayles.describe(2, (7, 0, 0, 0)) == "heap 0: take 1, leave 2 and 4"


def test_the_position_is_given_by_its_coordinates():
    game = make_game("euclid", pairs=((36, 13),))
    assert game.describe(0, (23, 13)) == "pair 0: subtract 1 times 13, leave (10, 13)"
    with pytest.raises(InvalidPositionError):
        game.describe(0, (37, 13))
    with pytest.raises(InvalidPositionError):
        game.describe(0, [(36, 13), (23, 13)])


def test_a_game_of_ones_own_describes_its_labels():
    def moves(position):
        return [(n, (position[0] - n,)) for n in (1, 2) if n <= position[0]]

    game = game_from_moves("row", (3,), moves, kind="row", describe=lambda n: f"remove {n}")
    assert [game.describe(action, (3,)) for action, _ in game.moves((3,))] == [
        "row 0: remove 1",
        "row 0: remove 2",
    ]


@pytest.mark.parametrize("action", [-1, 15, 1.5, "1"])
def test_only_actions_of_the_game_are_described(action):
    with pytest.raises(InvalidActionError):
        make_game("nim", heaps=(3, 4, 5)).describe(action)
