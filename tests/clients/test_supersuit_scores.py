"""Every wrapper of SuperSuit is applied, harmless or refused by scores, as the manual says."""

from __future__ import annotations

import numpy as np
import pytest
import supersuit
from gymnasium import spaces
from supersuit.utils.wrapper_chooser import WrapperChooser

from nim_envs import optimality
from nim_envs.scoring.wrappers import treatment
from tests.nim_envs.test_wrapper_table import ACTIONS, IMAGE, picture, single, table, turns
from tests.played_scores import Played, played_score, random_policy


def positions(env):
    """The position alone, as floats."""
    space = spaces.Box(0, 9, (3,), np.float32)
    return supersuit.observation_lambda_v0(
        env, lambda seen, _: seen["observation"].astype(np.float32), lambda _: space
    )


def pictures(env):
    return supersuit.observation_lambda_v0(
        env, lambda seen, _: picture(seen["observation"]), lambda _: IMAGE
    )


def floats(env):
    """Actions are boxes of one number."""
    box = spaces.Box(0, ACTIONS - 0.01, (1,), np.float32)
    return supersuit.action_lambda_v1(env, lambda action, _: int(action[0]), lambda _: box)


def integers(env):
    space = spaces.Discrete(2 * ACTIONS)
    return supersuit.action_lambda_v1(
        env, lambda action, _: np.array([action / 2], np.float32), lambda _: space
    )


MADE = {
    "action_lambda_v1": lambda env: supersuit.action_lambda_v1(
        env, lambda action, _: ACTIONS - 1 - action, lambda space: space
    ),
    "agent_indicator_v0": lambda env: supersuit.agent_indicator_v0(positions(env)),
    "clip_actions_v0": lambda env: integers(supersuit.clip_actions_v0(floats(env))),
    "clip_reward_v0": supersuit.clip_reward_v0,
    "color_reduction_v0": lambda env: supersuit.color_reduction_v0(pictures(env), "R"),
    "delay_observations_v0": lambda env: supersuit.delay_observations_v0(positions(env), 1),
    "dtype_v0": lambda env: supersuit.dtype_v0(positions(env), np.float64),
    "flatten_v0": lambda env: supersuit.flatten_v0(pictures(env)),
    "frame_skip_v0": lambda env: supersuit.frame_skip_v0(env, 2),
    "frame_stack_v1": lambda env: supersuit.frame_stack_v1(positions(env), 2),
    "frame_stack_v2": lambda env: supersuit.frame_stack_v2(positions(env), 2),
    "gym_vec_env_v0": lambda env: supersuit.gym_vec_env_v0(env, 2),
    "max_observation_v0": lambda env: supersuit.max_observation_v0(positions(env), 2),
    "nan_noop_v0": lambda env: supersuit.nan_noop_v0(env, 0),
    "nan_random_v0": supersuit.nan_random_v0,
    "nan_zeros_v0": supersuit.nan_zeros_v0,
    "normalize_obs_v0": lambda env: supersuit.normalize_obs_v0(positions(env)),
    "observation_lambda_v0": positions,
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "pad_observations_v0": lambda env: supersuit.pad_observations_v0(positions(env)),
    "reshape_v0": lambda env: supersuit.reshape_v0(positions(env), (3, 1)),
    "resize_v1": lambda env: supersuit.resize_v1(pictures(env), 3, 4),
    "reward_lambda_v0": lambda env: supersuit.reward_lambda_v0(env, lambda won: -won),
    "scale_actions_v0": lambda env: integers(supersuit.scale_actions_v0(floats(env), 0.5)),
    "stable_baselines3_vec_env_v0": lambda env: supersuit.stable_baselines3_vec_env_v0(env, 2),
    "sticky_actions_v0": lambda env: supersuit.sticky_actions_v0(env, 0.5),
}

VECTORS = {
    "black_death_v3": supersuit.black_death_v3,
    "concat_vec_envs_v1": lambda env: supersuit.concat_vec_envs_v1(env, 2),
    "pettingzoo_env_to_vec_env_v1": supersuit.pettingzoo_env_to_vec_env_v1,
    "stable_baselines_vec_env_v0": lambda env: supersuit.stable_baselines_vec_env_v0(env, 2),
    "vectorize_aec_env_v0": lambda env: supersuit.vectorize_aec_env_v0(env, 2),
}
"""These take other kinds of environments, or make vectors that no score reads."""

FOR_SINGLE = {"gym_vec_env_v0", "stable_baselines3_vec_env_v0"}
FOR_TURNS = {"agent_indicator_v0", "pad_action_space_v0", "pad_observations_v0"}


def names():
    found = [
        name
        for module in (supersuit, supersuit.generic_wrappers)
        for name, made in vars(module).items()
        if (callable(made) or isinstance(made, WrapperChooser)) and name[-3:-1] == "_v"
    ]
    return sorted({*found, "frame_stack_v2", "scale_actions_v0"} & {*dir(supersuit), *found})


@pytest.mark.parametrize("kind", ["turns", "single"])
@pytest.mark.parametrize("name", names())
def test_every_wrapper_is_scored_as_the_table_says(name, kind):
    made = turns() if kind == "turns" else single()
    if name in VECTORS:
        assert table()[f"supersuit.{name}"][0] == "refused"
        with pytest.raises((TypeError, AssertionError, AttributeError, ImportError)):
            optimality(random_policy(ACTIONS), VECTORS[name](made))
        return
    if name in (FOR_TURNS if kind == "single" else FOR_SINGLE):
        return
    inner = made
    env = MADE[name](inner)
    shown, why = table()[f"supersuit.{name}"]
    assert (treatment(env).kind == shown) or name == "agent_indicator_v0"
    if shown == "refused":
        with pytest.raises(TypeError, match=f"{type(env).__name__} {why}"):
            optimality(random_policy(ACTIONS), env)
        return
    if shown == "harmless":
        policy = random_policy(ACTIONS)
        assert optimality(policy, env).percent == optimality(policy, inner).percent
        return
    policy = random_policy(Played(env).actions)
    score = optimality(policy, env)
    assert (score.percent, score.illegal_percent) == pytest.approx(played_score(policy, env))
