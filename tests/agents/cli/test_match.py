"""A match: turns, replies, taking back."""

from __future__ import annotations

from agents import OptimalAgent
from agents.cli.match import Match
from agents.match import MatchedPlayer
from nim_envs import GameEnv, make_game


def test_a_match_tells_whose_turn_it_is_and_who_made_which_move():
    env = GameEnv(make_game("nim", heaps=(1, 2)))
    match = Match(env, OptimalAgent(env.game), seed=0)
    assert match.awaits_person
    assert match.last_move == ""
    assert match.status == "player_0 to move"
    match.play(2)
    assert match.last_move == "player_0: heap 1: take 1"
    assert match.awaits_opponent
    match.reply()
    assert match.last_move.startswith("player_1: heap ")
    assert match.awaits_person
    match.play(int(match.env.observe("player_0")["action_mask"].argmax()))
    assert (match.over, match.winner, match.mover) == (True, 0, None)
    assert match.undo()
    assert match.awaits_person


def test_an_illegal_reply_loses_and_is_taken_back_with_the_move_before():
    env = GameEnv(make_game("nim", heaps=(1, 2)))
    match = Match(env, MatchedPlayer(lambda heaps: (2, 2), env))
    match.play(2)
    match.reply()
    assert (match.over, match.winner) == (True, 0)
    said = "player_1 answered (2, 2) at (1, 1), no legal move, and loses"
    assert match.last_move == match.scene().last_move == said
    assert match.undo()
    assert (match.awaits_person, match.position, match.last_move) == (True, (1, 2), "")
