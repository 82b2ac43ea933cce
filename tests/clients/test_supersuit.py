"""Which of SuperSuit's wrappers take the turn-based environments, and what the others trip over."""

import numpy as np
import pettingzoo
import pytest
import supersuit
from gymnasium import spaces

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


def make(name="nim"):
    return pettingzoo.make("aec", GAMES[name].aec_id, illegal_move="raise")


def play(env, games, mask_of):
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
                env.step(int(rng.choice(np.flatnonzero(mask_of(env, agent, observation)))))
    return won


def shown_mask(env, agent, observation):
    return observation["action_mask"]


@pytest.mark.parametrize(("wrapper", "name"), in_turn(list(TAKEN), KINDS))
def test_games_go_on_as_before(wrapper, name):
    wrapped = getattr(supersuit, wrapper)(make(name), *TAKEN[wrapper])
    won = play(wrapped, 5, shown_mask)
    assert won == play(make(name), 5, shown_mask)
    assert set(won) <= {1.0, -1.0}


def test_boxes_only_wrappers_take_the_position_alone():
    """The mask is then had from the environment itself."""
    position = supersuit.observation_lambda_v0(
        make(), lambda seen, space: seen["observation"], lambda space: space["observation"]
    )
    stacked = supersuit.frame_stack_v1(supersuit.dtype_v0(position, np.float32), 2)
    space = stacked.observation_space("player_0")
    assert isinstance(space, spaces.Box)
    assert space.shape == (6,)

    def own_mask(env, agent, observation):
        assert space.contains(observation)
        return env.unwrapped.observe(agent)["action_mask"]

    assert play(stacked, 5, own_mask) == play(make(), 5, shown_mask)


def test_many_turn_based_games_at_once():
    """Observations are an array of dictionaries; whose turn it is not may name any action."""
    envs = supersuit.vectorize_aec_env_v0(make(), 3)
    envs.reset()
    rng = np.random.default_rng(0)
    finished, moves = 0, 0
    for _ in envs.agent_iter(60):
        observations, _, over, _, _, _, passes, _ = envs.last()
        finished += int(np.sum(over))
        masks = [seen["action_mask"] for seen in observations]
        waits = (passes != 0) | np.asarray(over, dtype=bool)
        assert [not mask.any() for mask in masks] == waits.tolist()
        moves += int(np.sum(passes == 0))
        envs.step([int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks])
    assert moves > 60
    assert finished > 0
