"""The win/loss-ratio learner on hand-computed numbers, and its published figure."""

from __future__ import annotations

import numpy as np
import pytest

from agents import WinLossRatio, train
from nim_envs import GameEnv, make_game
from nim_envs.scoring import optimality
from tests.agents.learning import ONES, BoxRows, feed, turn


def test_every_turn_of_a_game_counts_for_its_seat():
    learner = WinLossRatio(BoxRows())
    feed(
        learner,
        [
            turn(1, 0),
            turn(2, 1, seat=1),
            turn(3, 0, reward=1.0),
            turn(2, 0, seat=1, reply_reward=-1.0, end=True),
        ],
    )
    assert learner.state.wins[:6].tolist() == [[0, 0], [1, 0], [0, 0], [1, 0], [0, 0], [0, 0]]
    assert learner.state.losses[:6].tolist() == [[0, 0], [0, 0], [1, 1], [0, 0], [0, 0], [0, 0]]
    feed(learner, [turn(4, 1, end=True)])  # a draw
    assert (learner.state.wins[4, 1], learner.state.losses[4, 1]) == (0.5, 0.5)


def test_forgetting_comes_before_each_new_result():
    learner = WinLossRatio(BoxRows(), forgetting=0.25)
    learner.state.wins[1], learner.state.losses[1] = [8.0, 4.0], [0.0, 4.0]
    feed(learner, [turn(1, 1, reward=1.0)])
    assert learner.state.wins[1].tolist() == [6.0, 4.0]
    assert learner.state.losses[1].tolist() == [0.0, 3.0]


def test_moves_are_played_in_proportion_to_wins_over_losses():
    learner = WinLossRatio(BoxRows())
    learner.state.wins[4], learner.state.losses[4] = [6.0, 0.0], [2.0, 0.0]
    probabilities = learner.action_probabilities(np.array([[4]]), ONES[None])[0]
    assert probabilities.tolist() == [0.75, 0.25]  # 6/2 against 1/1
    legal = np.array([0, 1], dtype=np.int8)
    assert learner.action_probabilities(np.array([[4]]), legal[None])[0].tolist() == [0, 1]
    rng = np.random.default_rng(0)
    acts = [learner.act(np.array([4]), ONES, rng) for _ in range(3000)]
    assert abs(np.mean(acts) - 0.25) < 5 * (3 / 16 / 3000) ** 0.5


def test_it_plays_the_likeliest_move_above_its_threshold():
    rng = np.random.default_rng(0)
    learner = WinLossRatio(BoxRows(), greedy_threshold=0.7)
    learner.state.wins[4], learner.state.losses[4] = [6.0, 0.0], [2.0, 0.0]
    assert {learner.act(np.array([4]), ONES, rng) for _ in range(100)} == {0}
    learner.state.losses[4, 0] = 3.0  # 2 to 1: two thirds, not over the threshold
    acts = [learner.act(np.array([4]), ONES, rng) for _ in range(3000)]
    assert abs(np.mean(acts) - 1 / 3) < 5 * (2 / 9 / 3000) ** 0.5


def test_the_greedy_move_is_that_of_the_largest_ratio():
    learner = WinLossRatio(BoxRows())
    learner.state.wins[4], learner.state.losses[4] = [6.0, 4.0], [4.0, 0.0]
    learner.state.wins[5] = [0.0, 2.0]
    learner.state.losses[5] = [0.0, 3.0]  # no count is less than 1
    both = np.array([[4], [5]]), np.stack([ONES, ONES])
    assert learner.greedy().action_probabilities(*both).tolist() == [[0, 1], [1, 0]]
    assert learner.action_probabilities(*both).argmax(axis=1).tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(3))
def test_it_passes_its_published_figure(seed):
    # 17 balls, take up to 3, last ball loses; 5,000 games: over 98 % at every N-position.
    game = make_game("subtraction", heaps=(17,), subtraction_set=(1, 2, 3), misere=True)
    env = GameEnv(game)
    plain, forgetful = WinLossRatio.for_env(env), WinLossRatio.for_env(env, forgetting=0.001)
    for learner in (plain, forgetful):
        train(env, learner, 5_000, seed=seed, progress=False)
        assert optimality(learner.greedy(), game).percent == 100
    graph = game.board
    rows = np.flatnonzero((game.solution.state_values(np.arange(18)) == 1) & ~graph.ends)
    winnable, masks = graph.positions(rows), graph.mask(rows)
    chances = forgetful.action_probabilities(winnable, masks)
    assert ((chances * game.solution.winning_mask(winnable)).sum(axis=1) > 0.98).all()
