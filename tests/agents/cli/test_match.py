"""A match: turns, replies, taking back, and what is refused."""

from __future__ import annotations

import pytest

from agents import OptimalAgent
from agents.cli.match import Match
from nim_envs import GameEnv, make_game
from nim_envs.errors import IllegalMoveError, ResetNeededError


def match_of(*heaps, opponent=True, **arguments):
    env = GameEnv(make_game("nim", heaps=heaps))
    return Match(env, OptimalAgent(env.game) if opponent else None, seed=0, **arguments)


def test_a_match_tells_whose_turn_it_is_and_who_made_which_move():
    match = match_of(1, 2)
    assert match.awaits_person
    assert match.last_move == ""
    assert match.status == "player_0 to move"
    match.play(match.game.rules.action(1, 0))
    assert match.last_move == "player_0: heap 1: take 1"
    assert match.awaits_opponent
    match.reply()
    assert match.last_move.startswith("player_1: heap ")
    assert match.awaits_person
    match.play(int(match.env.observe("player_0")["action_mask"].argmax()))
    assert (match.over, match.winner, match.mover) == (True, 0, None)
    assert match.undo()
    assert match.awaits_person


def test_an_illegal_move_is_refused_and_changes_nothing():
    match = match_of(1, 2)
    for action in (1, 4, -1):
        with pytest.raises(IllegalMoveError, match=rf"\[0, 2, 3\] here, not {action}"):
            match.play(action)
    assert match.position.tolist() == [1, 2]
    assert not match.undo()
    with pytest.raises(ValueError, match="not the opponent's turn"):
        match.reply()
    with pytest.raises(ValueError, match="both seats"):
        match_of(3, opponent=False).reply()
    over = match_of(1)
    over.play(0)
    for move in (lambda: over.play(0), over.reply):
        with pytest.raises(ResetNeededError, match="the game is over"):
            move()
    with pytest.raises(ValueError, match="seat must be 0 or 1, not 2"):
        match_of(3, seat=2)
