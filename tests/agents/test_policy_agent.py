"""A function of observations and masks, as an agent: scored exactly, and an opponent."""

import numpy as np
import pytest

from agents import Policy
from agents.research.policy import PolicyAgent
from nim_envs import make_game
from nim_envs.encoding import Encoding
from nim_envs.registry import make_vector, make_versus
from nim_envs.scoring import best_response, optimality

GAME = make_game("nim", heaps=(1, 2, 3))


class Oracle:
    """Decodes one-hot features, as a trained network in effect would, and plays right."""

    def __init__(self, game, encoding):
        self.game = game
        lattice = game.board.positions(np.arange(game.board.num_positions))
        shown = Encoding(encoding, game.fields).encode(lattice)
        self.positions = {
            row.tobytes(): position for row, position in zip(shown, lattice, strict=True)
        }
        self.batches = []

    def __call__(self, observations, masks):
        self.batches.append(len(observations))
        positions = np.array([self.positions[row.tobytes()] for row in observations])
        winning = self.game.solution.winning_mask(positions) + 1e-9
        return winning / winning.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("encoding", ["integer", "one_hot"])
def test_policies_trained_on_features_are_scored_over_positions(encoding):
    oracle = Oracle(GAME, encoding)
    agent = PolicyAgent(oracle, GAME, encoding=encoding)
    assert isinstance(agent, Policy)
    score = optimality(agent, GAME)
    assert score.percent == pytest.approx(100, abs=1e-5)
    assert score.illegal_percent == 0
    # All N-positions at once, and then some one by one.
    assert oracle.batches[0] == score.count
    assert set(oracle.batches[1:]) == {1}
    assert optimality(agent.greedy(), GAME).percent == 100
    response = best_response(agent.greedy(), GAME)
    start = GAME.board.state((1, 2, 2))
    assert response.waiting[start] == 0


def test_illegal_actions_are_never_played():
    masks = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=np.int8)
    game = make_game("addition", k=3, n=10)
    positions = np.zeros((3, 1), dtype=np.int64)
    sure = PolicyAgent(lambda observations, masks: np.array([[0.2, 0.8, 0.0]] * 2), game)
    shares = sure.action_probabilities(positions, masks)
    assert shares.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    # Where all legal actions have probability 0, they are equally likely.
    wrong = PolicyAgent(lambda observations, masks: np.eye(3)[[1, 0]], game)
    for agent in (wrong, wrong.greedy()):
        assert agent.action_probabilities(positions, masks).tolist() == [
            [0.5, 0, 0.5], [0, 1, 0], [0, 0, 0],
        ]  # fmt: skip
    rng = np.random.default_rng(0)
    assert set(wrong.act_many(positions, masks, rng)[1:].tolist()) == {1, -1}


def test_it_is_an_opponent_of_single_and_of_batched_games():
    agent = PolicyAgent(Oracle(GAME, "one_hot"), GAME, encoding="one_hot", greedy=True)
    arguments = {"heaps": (1, 2, 3), "encoding": "one_hot", "opponent": agent}
    env = make_versus("nim", **arguments)
    _, info = env.reset(seed=0)
    ended = False
    while not ended:
        _, reward, ended, _, info = env.step(int(info["action_mask"].argmax()))
    assert reward == -1
    envs = make_vector("nim", 8, **arguments)
    envs.reset(seed=0)
    rewards = np.stack([envs.step(envs.sample_actions())[1] for _ in range(6)])
    # From a P-position nobody wins against it.
    assert (rewards <= 0).all()
    assert (rewards < 0).any()
