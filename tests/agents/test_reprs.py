"""Representations of learners, matches and tournaments: one short line, or a table in HTML."""

from __future__ import annotations

import pytest

from agents import EpsilonOptimalAgent, MinimaxAgent, OptimalAgent, QLearning, RandomAgent
from agents.evaluation import learning_curve
from agents.match import play_match, round_robin
from agents.registry import LEARNERS
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.scoring import best_response


def nim():
    return GameEnv(make_game("nim", heaps=(2, 3)))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_shows_its_game_and_its_size_in_one_line(name):
    learner = LEARNERS[name].make(nim())[0]
    for shown in map(repr, (learner, learner.greedy())):
        assert "object at" not in shown
        assert "\n" not in shown
        assert len(shown) <= 140
    assert "nim, heaps 2-3, normal play; 12 observations, 6 actions" in repr(learner)


def test_a_learner_says_how_many_games_it_has_seen():
    env = nim()
    learner = QLearning.for_env(env)
    assert "games" not in repr(learner)
    log = train(env, learner, 20, seed=0, progress=False)
    assert repr(learner) == (
        "QLearning(nim, heaps 2-3, normal play; 12 observations, 6 actions, 20 games)"
    )
    assert repr(log).startswith("TrainingLog(20 games in ")
    curve = learning_curve(env, learner, env.game, 20, seed=0, every=10, progress=False)
    assert repr(curve).startswith("LearningCurve(2 points, ")


def test_players_matches_and_tournaments():
    env = nim()
    optimal = OptimalAgent(env.game)
    assert repr(optimal) == "OptimalAgent(nim, heaps 2-3, normal play)"
    assert repr(EpsilonOptimalAgent(env.game, 0.5)).endswith("play; epsilon 0.5)")
    assert repr(RandomAgent()) == "RandomAgent()"
    assert repr(MinimaxAgent(env, depth=2)).startswith("MinimaxAgent(")
    assert repr(best_response(optimal, env.game)).startswith("ExpectedScores(12 positions, mean ")
    match = play_match(env, optimal, RandomAgent(), 10, seed=0)
    assert repr(match).startswith("MatchResult(won ")
    assert f"of 10 games: {match.wins[0]} of 5 as player_0, " in repr(match)
    players = {"optimal": optimal, "<random>": RandomAgent()}
    result = round_robin(env, players, 10, seed=0, progress=False)
    assert repr(result).startswith("Tournament(10 games: optimal +")
    table = result._repr_html_()
    assert table.startswith("<table>")
    assert "&lt;random&gt;" in table
    assert f"{result.points[0, 1]:g}" in table
