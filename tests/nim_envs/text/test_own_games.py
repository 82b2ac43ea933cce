"""Games from functions of moves in words: positions are coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import Convention, Game
from nim_envs.rules import nim, sum_of
from nim_envs.text import TextGame, disguised, move_text, prompt, read_move, score, verdict
from tests.own_games import OWN_GAMES, own_game


def mixed():
    rules = [own_game("wythoff").rules, nim(heaps=(2,)), own_game("cram").rules]
    return Game(sum_of(rules), Convention.NORMAL)


@pytest.mark.parametrize("name", [*OWN_GAMES, "mixed"])
def test_moves_are_read_back_plain_and_disguised(name):
    game = mixed() if name == "mixed" else own_game(name)
    start = game.rules.initial
    hidden = disguised(game, seed=2)
    for action in np.flatnonzero(game.rules.action_mask(np.array(start))).tolist():
        said = move_text(game, game.rules.shown(np.array(start)), action)
        assert read_move(game, start, said.upper()).action == action
        assert read_move(hidden, start, said).action is None
        assert read_move(hidden, start, move_text(hidden, start, action)).action == action


def test_prompts_verdicts_and_blunders_have_coordinates():
    game = own_game("wythoff")
    assert prompt(game, (4, 5)) == "normal wythoff (4, 5) move"
    assert "Now wythoff 0 is at (4, 5)." in prompt(game, (4, 5), style="sentences")
    assert verdict(game, (4, 5), "wythoff 0: left 1").after == (3, 5)
    first = score(lambda prompts: ["pass"] * len(prompts), game).blunders[0]
    assert first.position == (0, 1)


def test_a_game_from_given_coordinates_is_replayed():
    play = TextGame(own_game("wythoff"), seat=0)
    play.reset((4, 4))
    turn = play.reply("wythoff 0: left 1")
    assert turn.opponent_move is not None
    assert play.transcript.position == (4, 4)
    assert play.replay(play.transcript)[0].prompt == turn.prompt
