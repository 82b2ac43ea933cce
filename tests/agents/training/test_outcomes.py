"""Training on games with wins, draws and losses: both loops, and games worked by hand."""

from __future__ import annotations

import pytest

from agents.tabular.compiled_games.self_play import compiled_self_play
from agents.testing import contents
from agents.training import DRAW, train
from nim_envs import GameEnv
from tests import outcome_games
from tests.agents.learning import CASES, players
from tests.pairwise import in_turn

LEARNERS = [name for name in CASES if "shaping" not in name and "symmetry" not in name]


def run(name, entry, *, compiled, by_coordinates=False):
    env = GameEnv(entry.game)
    learners = CASES[name](env)
    env.reset(seed=0)
    assert compiled_self_play(env, (learners[0], learners[-1]), None) is not None
    log = train(env, players(learners), 300, seed=3, progress=False, compiled=compiled)
    return contents(learners), log.winners.tolist(), log.lengths.tolist()


@pytest.mark.parametrize(("name", "game"), in_turn(LEARNERS, [*outcome_games.GAMES]), ids=str)
def test_compiled_games_with_draws_are_the_step_by_step_games_bit_for_bit(name, game):
    entry = outcome_games.GAMES[game]()
    steps = run(name, entry, compiled=False)
    assert run(name, entry, compiled=True) == steps


def test_positions_too_many_to_list_end_alike(monkeypatch):
    entry = outcome_games.tic_tac_toe()
    steps = run("q-learning", entry, compiled=False)
    assert {DRAW, 0, 1} == set(steps[1])
    monkeypatch.setattr("agents.tabular.compiled_games.position_rows.LARGEST_LISTS", 0)
    assert run("q-learning", entry, compiled=True) == steps
