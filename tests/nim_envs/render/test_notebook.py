"""Boards to play on in notebooks: their tables against plain recursion, and errors."""

import sys
from functools import cache

import pytest

from nim_envs import make_game
from nim_envs.envs.turn_based import GameEnv
from nim_envs.errors import MissingPackageError, SearchTooLargeError
from nim_envs.render import widget
from tests import outcome_games


@pytest.fixture(scope="module", autouse=True)
def _anywidget():
    pytest.importorskip("anywidget")


def listed(game):
    """The positions in order of their discovery, and those after each."""
    positions, after = [game.start], {}
    for position in positions:
        after[position] = [to for _, to in game.moves(position)]
        positions += [to for to in dict.fromkeys(after[position]) if to not in positions]
    return positions, after


@pytest.mark.parametrize("name", ["kayles", "nim", "dominoes", "random-2"])
def test_the_tables_are_those_of_plain_recursion(name):
    draws = name in outcome_games.GAMES
    if draws:
        entry = outcome_games.GAMES[name]()
        game, value = entry.game, entry.truth().__getitem__
    else:
        game = make_game(name, heaps=(1, 3), misere=name == "kayles")

        @cache
        def value(position):
            won = max((-value(to) for to in after[position]), default=None)
            return won if won is not None else (1 if name == "kayles" else -1)

    data = widget(game).data
    (board,) = data["boards"]
    positions, after = listed(game)
    truth = board["truths"][data["convention"]]
    assert truth["values"] == "".join("012"[value(each) + 1] for each in positions)
    for position, row, right in zip(
        positions, board["moves"], truth["right"].split(" "), strict=True
    ):
        assert [positions[to] for to in row[1::2]] == after[position]
        kept = [value(position) >= 0 and -value(to) == value(position) for to in after[position]]
        assert right == "".join("01"[each] for each in kept)
    assert len(data["conventions"]) == (1 if draws else 2)


def test_opponents_play_their_most_probable_moves():
    env = GameEnv(make_game("nim", heaps=(1, 2)))
    shown = widget(env, {"first": lambda observations, masks: masks.argmax(axis=1)})
    assert shown.data["opponents"] == ["first"]
    (board,) = shown.data["boards"]
    (replies,) = board["truths"]["misere"]["learned"]
    for row, reply in zip(board["moves"], replies.split(" "), strict=True):
        assert reply == ("1" + "0" * (len(row) // 2 - 1) if row else "")


def test_other_games_are_refused_with_the_reason(monkeypatch):
    with pytest.raises(SearchTooLargeError, match=r"more than 100 positions .* smaller board"):
        widget(make_game("nim"), max_positions=100)
    with pytest.raises(TypeError, match="not on 'nim'"):
        widget("nim")
    with pytest.raises(TypeError, match="policy"):
        widget(make_game("nim", heaps=(1,)), {"none": 3})
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(MissingPackageError, match=r'pip install "nim-envs\[notebook\]"'):
        widget(make_game("nim"))
