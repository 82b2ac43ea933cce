"""A policy has to answer the same when it is asked again, about one position at a time."""

import numpy as np
import pytest

from agents import RandomAgent
from nim_envs import GameEnv, make_game, optimality
from nim_envs.errors import InvalidPolicyError
from nim_envs.registry import make_vector
from nim_envs.scoring import best_response, expected_scores

NIM = make_game("nim", heaps=(3, 4, 5))
WEIGHTS = np.random.default_rng(1).normal(size=(3, 15))
REASON = "statistics of the batch, remembers earlier calls, or draws its actions"


def logits(observations, masks):
    return np.where(masks, observations @ WEIGHTS, -np.inf)


def likeliest(observations, masks):
    return logits(observations, masks).argmax(axis=1)


def shares(observations, masks):
    powers = np.exp(logits(observations, masks))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("policy", [likeliest, shares])
@pytest.mark.parametrize("games", [0, 1, 3, 64])
def test_the_mean_of_the_batch_is_found_whatever_the_number_of_games(policy, games):
    env = make_vector("nim", games, heaps=(3, 4, 5)) if games else GameEnv(NIM)
    assert optimality(policy, env).count == 102
    with pytest.raises(InvalidPolicyError, match=REASON):
        optimality(lambda o, m: policy(o - o.mean(axis=0), m), env)


class Remembers:
    """Plays the first legal action and the last one in turn."""

    def __init__(self):
        self.calls = 0

    def act(self, observation, action_mask, rng):
        self.calls += 1
        legal = np.flatnonzero(action_mask)
        return int(legal[0 if self.calls % 3 else -1])

    def move(self, position):
        self.calls += 1
        heap = np.flatnonzero(position)[0 if self.calls % 3 else -1]
        return [size - (index == heap) for index, size in enumerate(position)]


class Acts(Remembers):
    move = None


def drawn(observations, masks, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("policy", [Remembers, Acts, lambda: drawn])
@pytest.mark.parametrize(
    "score", [optimality, best_response, lambda p, game: expected_scores(p, p, game)]
)
def test_memory_and_samples_are_refused(policy, score):
    with pytest.raises(InvalidPolicyError, match=rf"{REASON}; return probabilities, or pass samp"):
        score(policy(), NIM)


@pytest.mark.parametrize("heaps", [(1, 2), (2, 2)])
def test_samples_are_refused_on_a_few_positions_too(heaps):
    with pytest.raises(InvalidPolicyError, match=REASON):
        optimality(drawn, make_game("nim", heaps=heaps))


def test_rounding_may_decide_two_of_fifty_actions_and_a_ten_thousandth_of_a_probability():
    lattice = NIM.board.positions(np.arange(NIM.board.num_positions))
    close = [tuple(each) for each in lattice[NIM.solution.is_winning(lattice)].tolist()]

    def changed(number):
        """The first legal action; alone the last one at some positions."""

        def policy(observations, masks):
            actions = masks.argmax(axis=1)
            for row, heaps in enumerate(map(tuple, observations)):
                if len(masks) == 1 and heaps in close[:number]:
                    actions[row] = 14 - masks[row][::-1].argmax()
            return actions

        return policy

    few = np.array(close[:40])
    assert optimality(changed(2), NIM, few).count == 40
    with pytest.raises(InvalidPolicyError, match=REASON):
        optimality(changed(6), NIM, few)

    def moved(by):
        def policy(observations, masks):
            answer = np.zeros(masks.shape)
            answer[:, 0], answer[:, 1] = (0.5, 0.5) if len(masks) > 1 else (0.5 + by, 0.5 - by)
            return answer

        return policy

    assert optimality(moved(5e-5), NIM).count == 102
    with pytest.raises(InvalidPolicyError, match=REASON):
        optimality(moved(2e-4), NIM)


def test_a_policy_that_draws_is_scored_by_the_mean_of_its_samples():
    exact = optimality(RandomAgent(), NIM).percent
    score = optimality(drawn, NIM, samples=400, seed=3)
    assert score.percent == pytest.approx(exact, abs=1)
    assert score.percent == optimality(drawn, NIM, samples=400, seed=3).percent
    assert optimality(shares, NIM, samples=1).percent == optimality(shares, NIM).percent
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match="samples must be"):
            optimality(drawn, NIM, samples=wrong)
