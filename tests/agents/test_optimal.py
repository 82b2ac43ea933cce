"""The optimal player and its imperfect relative."""

import numpy as np
import pytest

from agents import EpsilonOptimalAgent, OptimalAgent
from nim_envs import make_game

GAMES = [
    make_game("nim", heaps=(3, 4, 5)),
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("nim", heaps=(5, 6), max_take=2, misere=True),
    make_game("addition", k=3, n=10),
    make_game("subtraction", heaps=(9, 8), subtraction_set=(2, 3)),
]
IDS = [game.summary for game in GAMES]


@pytest.mark.parametrize("game", GAMES, ids=IDS)
def test_the_oracle_draws_among_the_winning_moves_and_else_among_all(game):
    rng, oracle = np.random.default_rng(0), OptimalAgent(game)
    for position in game.board.positions(np.arange(1, game.board.num_positions, 7)):
        mask = game.board.mask(game.board.state(tuple(position.tolist())))
        if mask.any():
            winning = game.solution.winning_actions(position).tolist()
            right = winning or np.flatnonzero(mask).tolist()
            probabilities = oracle.action_probabilities(position[None], mask[None])[0]
            assert probabilities[right] == pytest.approx(1 / len(right))
            assert {oracle.act(position, mask, rng) for _ in range(40)} <= set(right)


def test_epsilon_optimal_plays_at_random_with_probability_epsilon():
    game = make_game("nim", heaps=(7, 1))
    position = np.array([7, 1])
    mask = game.board.mask(game.board.state((7, 1)))
    agent = EpsilonOptimalAgent(game, 0.5)
    rng = np.random.default_rng(0)
    wins = [agent.act(position, mask, rng) == 5 for _ in range(4000)]
    expected = 0.5 + 0.5 / 8
    assert abs(np.mean(wins) - expected) < 5 * (expected * (1 - expected) / 4000) ** 0.5
    with pytest.raises(ValueError, match=r"1\.5"):
        EpsilonOptimalAgent(game, 1.5)
