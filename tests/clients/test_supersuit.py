"""Which of SuperSuit's wrappers take the turn-based environments, and what the others trip over."""

from __future__ import annotations

import numpy as np
import pettingzoo
import pytest
import supersuit
from gymnasium import spaces

from nim_envs.errors import IllegalMoveError
from nim_envs.registration import aec_id
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
# They want boxes and get dictionaries.
BOXES_ONLY = {
    "agent_indicator_v0": (),
    "color_reduction_v0": (),
    "dtype_v0": (np.float32,),
    "flatten_v0": (),
    "frame_stack_v1": (2,),
    "max_observation_v0": (2,),
    "normalize_obs_v0": (),
    "pad_observations_v0": (),
    "reshape_v0": ((1, 3),),
    "resize_v1": (4, 4),
}
# They repeat moves, or show masks of the past.
OUT_OF_STEP = {"delay_observations_v0": (2,), "frame_skip_v0": (2,), "sticky_actions_v0": (0.9,)}


def make(name="nim"):
    return pettingzoo.make("aec", aec_id(name), illegal_move="raise")


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


def test_rewards_can_be_changed():
    wrapped = supersuit.reward_lambda_v0(make(), lambda reward: 10 * reward)
    assert play(wrapped, 5, shown_mask) == [10 * won for won in play(make(), 5, shown_mask)]


@pytest.mark.parametrize("wrapper", BOXES_ONLY)
def test_boxes_only_wrappers_refuse_dictionaries(wrapper):
    with pytest.raises((AssertionError, AttributeError, IndexError, TypeError)):
        play(getattr(supersuit, wrapper)(make(), *BOXES_ONLY[wrapper]), 1, shown_mask)


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


@pytest.mark.parametrize("wrapper", OUT_OF_STEP)
def test_moves_out_of_step_become_illegal(wrapper):
    with pytest.raises(IllegalMoveError):
        play(getattr(supersuit, wrapper)(make(), *OUT_OF_STEP[wrapper]), 20, shown_mask)


def test_turn_based_games_do_not_become_parallel():
    with pytest.raises(AssertionError, match="ParallelEnv"):
        supersuit.pettingzoo_env_to_vec_env_v1(make())
    with pytest.raises(AssertionError, match="Parallel"):
        supersuit.black_death_v3(make())


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
