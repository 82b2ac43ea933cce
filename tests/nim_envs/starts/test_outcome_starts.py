"""Starts at won, lost and drawn positions of games with an outcome of their own."""

from __future__ import annotations

import numpy as np
import pytest

import nim_envs
from nim_envs.envs.vector import VectorGameEnv
from nim_envs.errors import InvalidPositionError
from tests.outcome_games import hex_game, tic_tac_toe


def test_starts_by_value():
    game = tic_tac_toe().game
    values = {"n_position": 1, "draw_position": 0, "p_position": -1}
    rng = np.random.default_rng(0)
    for name, value in values.items():
        start = nim_envs.Game(game.rules, game.convention, name).start
        drawn = start.sampler(game).sample(rng, 400)
        assert (game.solution.value(drawn) == value).all()
        assert not game.rules.is_terminal(drawn).any()
        listed = {tuple(p) for p in start.sampler(game).support()[0].tolist()}
        truth = tic_tac_toe().truth()
        assert len(listed) == sum(v == value for p, v in truth.items() if tic_tac_toe().moves(p))
    for made, shares in ((game, {1: 3, 0: 3, -1: 3}), (hex_game().game, {1: 2, -1: 2})):
        sampler = nim_envs.BalancedStart().sampler(made)
        drawn = sampler.sample(rng, 3000)
        found = made.solution.value(drawn)
        assert set(found.tolist()) == set(shares)
        for value, number in shares.items():
            assert abs((found == value).mean() - 1 / number) < 0.05
        single = np.random.default_rng(5)
        assert np.array_equal(
            sampler.sample(np.random.default_rng(5), 9), [sampler.draw(single) for _ in range(9)]
        )


def test_what_has_no_drawn_positions_refuses_to_start_there():
    nim = nim_envs.make_game("nim", start="draw_position")
    with pytest.raises(InvalidPositionError, match="nim has no drawn position"):
        VectorGameEnv(nim)
    env = nim_envs.GameEnv(nim_envs.make_game("nim"))
    with pytest.raises(InvalidPositionError, match="nim has no drawn position"):
        env.reset(options={"start": "draw_position"})
    solved = hex_game().game
    assert solved.solution.is_complete  # reset() does not search
    with pytest.raises(InvalidPositionError, match="no drawn position with a legal move"):
        nim_envs.GameEnv(solved).reset(options={"start": "draw_position"})
    none = nim_envs.game_from_moves("end", (1,), lambda p: [(0, (0,))][: p[0]], outcome=lambda p: 0)
    only = nim_envs.BalancedStart().sampler(none)
    assert only.sample(np.random.default_rng(0), 3).tolist() == [[1]] * 3
    with pytest.raises(InvalidPositionError, match=r"no N-position .* between \[0\] and \[0\] ex"):
        nim_envs.BalancedStart(high=0).sampler(none)
