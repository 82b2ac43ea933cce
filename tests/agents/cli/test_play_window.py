"""A person plays by mouse: events go in, moves come out."""

from pathlib import Path

import pygame
import pytest

from agents import OptimalAgent, RandomAgent
from agents.cli.match import Match
from agents.cli.play_window import PlayWindow
from nim_envs import GameEnv, make_game
from tests.commands import run_agents as run

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def windows_are_closed():
    yield
    pygame.display.quit()


def opened(game="nim", against=OptimalAgent, seat=0, size=(800, 640), **arguments):
    env = GameEnv(make_game(game, **arguments))
    opponent = against(env.game) if against is OptimalAgent else against and against()
    names = ("you", "it") if seat == 0 else ("it", "you")
    window = PlayWindow(Match(env, opponent, seat, names, seed=0), reply_after=0, size=size)
    window.step()
    return window


def click(window, point):
    at = tuple(map(round, point))
    motion = {"pos": at, "rel": (0, 0), "buttons": (0, 0, 0)}
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, **motion))
    pygame.event.post(pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1))
    window.step()


def press(window, key):
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
    window.step()


def object_at(window, heap, number):
    return window.picture.panels[0].layouts[heap].squares[number].center


def button(window, words):
    return next(one for one in window.buttons() if one.label.startswith(words)).area.center


def settle(window):
    """Let the opponent reply."""
    while window.match.awaits_opponent:
        window.step()


@pytest.mark.parametrize("size", [(420, 360), (1500, 900)], ids=str)
def test_clicking_the_hinted_objects_wins_against_the_oracle(size):
    window = opened(heaps=(3, 4, 5), size=size)
    while not window.match.over:
        press(window, pygame.K_h)
        assert window.hint
        (action, *_) = window.match.scene(winning=True).winning.tolist()
        heap, option = divmod(action, window.match.game.options)
        before = int(window.match.position[heap])
        click(window, object_at(window, heap, before - option - 1))
        assert not window.hint
        assert window.match.position[heap] <= before - option - 1  # and those above it
        window.step()
    assert window.match.winner == 0
    assert window.match.status == "you have won"


def test_totals_and_tokens_move_to_what_is_clicked():
    window = opened("addition", against=None, k=3, n=10)
    squares = window.picture.panels[0].layouts[0].squares
    for clicked, total, message in ((2, 2, ""), (6, 2, "no such move there"), (5, 5, "")):
        click(window, squares[clicked].center)
        assert (window.match.position, window.message) == ((total,), message)
    window.close()
    window = opened("graph", against=None, successors=((), (0,), (0, 1)), tokens=(2,))
    (graph,) = window.picture.panels[0].graphs
    click(window, graph.places[1])
    assert window.match.position == (1,)


def test_where_a_click_does_not_decide_a_list_of_moves_opens():
    window = opened("cram", against=None)
    cell = window.picture.panels[0].layouts[0].squares[0]
    click(window, cell.center)
    game, position = window.match.game, window.match.position
    said = {game.describe(action, position) for action in window.listed}
    assert said == {"cover (0, 0) and (0, 1)", "cover (0, 0) and (1, 0)"}
    press(window, pygame.K_ESCAPE)
    assert not window.listed
    assert not window.closed
    click(window, (cell.right - 2, cell.center.y))
    assert window.match.position[:3] == (1, 1, 0)
    window.close()
    window = opened("kayles", against=None, heaps=(12,))
    click(window, object_at(window, 0, 3))
    assert window.listed == window.match.game.actions(window.match.position)
    click(window, button(window, "take 2, leave 4 and 6"))
    assert sorted(window.match.position, reverse=True)[:3] == [6, 4, 0]
    assert not window.listed


def test_undo_takes_back_the_persons_move_and_the_reply():
    window = opened(heaps=(3, 4, 5))
    press(window, pygame.K_u)
    assert window.message
    click(window, object_at(window, 2, 0))
    settle(window)
    click(window, button(window, "Undo"))
    assert window.match.position == (3, 4, 5)
    assert window.match.awaits_person
    # Moving second, the opponent's opening stays.
    window.close()
    window = opened(heaps=(3, 4, 5), seat=1)
    settle(window)
    opening = window.match.position
    press(window, pygame.K_u)
    assert window.match.position == opening


def test_a_game_can_be_restarted_also_after_its_end_and_the_window_closed():
    window = opened(heaps=(1,))
    click(window, object_at(window, 0, 0))
    assert window.match.winner == 0
    click(window, object_at(window, 0, 0))  # nothing is left to do
    press(window, pygame.K_r)
    assert not window.match.over
    assert window.match.position == (1,)
    click(window, button(window, "Quit"))
    assert window.closed
    window.run()  # ends at once
    assert not pygame.display.get_init()
    window = opened()
    press(window, pygame.K_q)
    assert window.closed


def test_the_command_line_opens_the_window(monkeypatch):
    shown = []

    def look(window):
        shown.append((window.window.title, window.match.names, type(window.match.opponent)))
        window.close()

    monkeypatch.setattr(PlayWindow, "run", look)
    game = ["play", "--game", "nim", "--window", "--opponent"]
    assert run([*game, "random", "--seat", "player_1"]) == 0
    assert run([*game, "human"]) == 0
    assert shown == [
        ("Nim, random against you", ("random", "you"), RandomAgent),
        ("Nim, player_0 against player_1", ("player_0", "player_1"), type(None)),
    ]
