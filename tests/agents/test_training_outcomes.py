"""Training on games with wins, draws and losses: one worked by hand, and one learned exactly."""

import numpy as np
import pytest

from agents import SARSA, QLearning, RealTimeDynamicProgramming
from agents.loop import DRAW
from agents.training import train
from nim_envs import GameEnv, game_from_moves, optimality
from tests import outcome_games


def ladder():
    """Positions 4 to 0; from 4 to 3 or 2, from 3 to 1, from 2 to 0; 1 is drawn, 0 is lost."""
    after = {4: [("a", (3,)), ("b", (2,))], 3: [("a", (1,))], 2: [("a", (0,))], 1: [], 0: []}
    return game_from_moves(
        "ladder", (4,), lambda position: after[position[0]],
        outcome=lambda position: 0 if position == (1,) else -1,
    )  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
def test_a_drawn_game_worked_by_hand(compiled):
    # Either the first player moves to 3 and the second draws at 1, or the first moves to 2 and the
    # second wins at 0. With step size 1/2 and values of 1 to begin with at Q(4, a) and Q(3, a):
    # Q-learning (negamax), last mover first: Q(3, a) = 1 + (0 - 1)/2 = 1/2, and then
    # Q(4, a) = 1 + (-1/2 - 1)/2 = 1/4. SARSA: Q(4, a) = 1 + (0 + 0 - 1)/2 = 1/2, likewise Q(3, a).
    for kind, first in ((QLearning, 0.25), (SARSA, 0.5)):
        env = GameEnv(ladder())
        learner = kind.for_env(env, learning_rate=0.5, epsilon=0.0)
        learner.table[[4, 3], 0] = 1.0
        log = train(env, learner, 1, seed=0, progress=False, compiled=compiled)
        assert (log.winners.tolist(), log.lengths.tolist()) == ([DRAW], [2])
        assert learner.table[:, 0].tolist() == [0.0, 0.0, 0.0, 0.5, first]
        assert not np.signbit(learner.table).any()


def test_dynamic_programming_learns_wins_draws_and_losses_exactly():
    entry = outcome_games.small_connect()
    env = GameEnv(entry.game)
    learner = RealTimeDynamicProgramming.for_env(env, epsilon=1.0, sweeping=True)
    train(env, learner, 300, seed=0, progress=False)
    early = learner.greedy()
    assert 50 < optimality(early, entry.game).percent < 100
    train(env, learner, 60_000, seed=1, progress=False)
    truth = entry.truth()
    positions = np.array([*truth])
    values = learner.values[entry.game.board.find(positions)]
    assert values.tolist() == [*truth.values()]
    assert optimality(learner.greedy(), entry.game).percent == 100
