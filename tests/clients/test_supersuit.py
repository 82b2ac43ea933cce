"""SuperSuit's wrappers that take the turn-based environments."""

import numpy as np
import pettingzoo
import pytest
import supersuit

from nim_envs.registry import GAMES
from tests.games import KINDS
from tests.pairwise import in_turn

TAKEN = {
    "action_lambda_v1": (lambda action, space: action, lambda space: space),
    "clip_reward_v0": (),
    "nan_noop_v0": (0,),
    "nan_random_v0": (),
    "nan_zeros_v0": (),
    "observation_lambda_v0": (lambda observation, space: observation, lambda space: space),
    "pad_action_space_v0": (),
    "reward_lambda_v0": (lambda reward: reward,),
}


def make(name):
    return pettingzoo.make("aec", GAMES[name].aec_id, illegal_move="raise")


def play(env, games):
    """Random legal games; the rewards of the first player."""
    rng = np.random.default_rng(0)
    won = []
    for game in range(games):
        env.reset(seed=game)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                if agent == "player_0":
                    won.append(reward)
            else:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return won


@pytest.mark.parametrize(("wrapper", "name"), in_turn(list(TAKEN), KINDS))
def test_games_go_on_as_before(wrapper, name):
    wrapped = getattr(supersuit, wrapper)(make(name), *TAKEN[wrapper])
    won = play(wrapped, 5)
    assert won == play(make(name), 5)
    assert set(won) <= {1.0, -1.0}
