"""A match: turns, replies, taking back."""

from __future__ import annotations

from agents import OptimalAgent
from agents.cli.match import Match
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
