"""Other libraries' learners in their benchmark: the game that they play is this project's."""

import numpy as np
import pyspiel
import pytest

import nim_envs
from benchmarks.studies.both_seats import BothSeats
from benchmarks.studies.libraries import openspiel
from benchmarks.studies.libraries.__main__ import run
from benchmarks.studies.libraries.recipes import BOARDS, board_game
from nim_envs import GameEnv


@pytest.mark.parametrize("board", BOARDS)
def test_games_of_openspiel_are_the_games(board):
    game = openspiel.SpielGame(board_game(board))
    rng = np.random.default_rng(0)
    for _ in range(50):
        state = game.new_initial_state()
        state.apply_action(int(rng.integers(len(game.starts))))
        while not state.is_terminal():
            assert state.legal_actions() == game.game.actions(state.position)
            copy = state.clone()
            action = int(rng.choice(state.legal_actions()))
            after = game.game.play(state.position, action)
            copy.apply_action(action)
            assert copy.position == after != state.position
            state.apply_action(action)
            assert state.position == after
        loser = state.player if "misere" not in board else 1 - state.player
        assert state.returns() == [1.0 if player != loser else -1.0 for player in (0, 1)]
        assert state.current_player() == pyspiel.PlayerId.TERMINAL


def test_both_seats_in_one_stream_pay_the_mover():
    env = BothSeats(GameEnv(nim_envs.make_game("nim", heaps=(2,), start="fixed")))
    env.reset(seed=0)
    assert env.action_masks().tolist() == [1, 1]
    _, reward, terminated, *_ = env.step(0)
    assert (reward, terminated) == (0.0, False)
    _, reward, terminated, *_ = env.step(0)
    assert (reward, terminated) == (1.0, True)


def test_a_run_repeats():
    first, second = (run("kayles-7", "openspiel-q", 1, 200) for _ in range(2))
    assert first.percent == second.percent
    assert first.random_percent < first.percent < 100


def test_a_search_is_scored():
    found = run("nim-3-4-5", "mctx-gumbel", 1, 200)
    assert found.random_percent < found.percent < 100
    assert "mctx" in found.versions
    assert not found.missing
