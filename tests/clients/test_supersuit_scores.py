"""Every wrapper of SuperSuit is applied, harmless or refused by scores, as the manual says."""

from __future__ import annotations

import numpy as np
import pytest
import supersuit
from gymnasium import spaces
from supersuit.utils.wrapper_chooser import WrapperChooser

from agents import QLearning
from agents.evaluation import play_match
from agents.evaluation.learning_curves import learning_curve
from nim_envs import optimality
from nim_envs.scoring.wrappers import treatment
from tests.nim_envs.test_wrapper_table import ACTIONS, IMAGE, picture, single, table, turns
from tests.played_scores import HEAPS, Played, is_lost, played_score, random_policy


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


def last_first(env):
    """The actions the other way round."""
    return supersuit.action_lambda_v1(
        env, lambda action, _: ACTIONS - 1 - action, lambda space: space
    )


class ToLost:
    """Moves to a position that is lost for the opponent, where there is one."""

    def move(self, position):
        after = [
            (*position[:heap], left, *position[heap + 1 :])
            for heap in range(len(position))
            for left in range(position[heap])
        ]
        return next(filter(is_lost, after), after[0])


def uniform(observations, masks):
    """Uniform over the legal actions, the other way round."""
    legal = masks[:, ::-1]
    return legal / legal.sum(axis=1, keepdims=True)


def first_of_legal(observations, masks):
    return masks.argmax(axis=1)


class Uniform:
    """Uniform over the legal actions, which have other numbers."""

    def __init__(self, numbers):
        self.numbers = numbers

    def action_probabilities(self, observations, masks):
        legal = masks[:, self.numbers].astype(float)
        return legal / legal.sum(axis=1, keepdims=True)


def test_matches_are_played_through_wrappers():
    wrapped = play_match(last_first(turns()), ToLost(), uniform, 20, seed=0)
    plain = play_match(turns(), ToLost(), first_of_legal, 20, seed=0)
    # player_0 starts from a won position.
    assert wrapped.wins[0] == plain.wins[0] == 10


def test_the_attainable_limit_is_that_of_the_wrapped_environment():
    numbers = np.arange(ACTIONS)
    wrapped = play_match(last_first(turns()), uniform, Uniform(numbers[::-1]), 2, seed=0)
    plain = play_match(turns(), first_of_legal, Uniform(numbers), 2, seed=0)
    assert wrapped.limit == pytest.approx(plain.limit)
    fewer = supersuit.action_lambda_v1(
        turns(), lambda action, _: action, lambda _: spaces.Discrete(ACTIONS - 1)
    )
    assert play_match(fewer, first_of_legal, Uniform(numbers[:-1]), 2, seed=0).limit is None
    late = supersuit.delay_observations_v0(turns(), 1)
    assert play_match(late, first_of_legal, Uniform(numbers), 2, seed=0).limit is None


def test_learning_curves_are_of_the_process_that_is_learned():
    """Heaps are shown the other way round."""
    box = spaces.Box(0, np.array(HEAPS[::-1]), dtype=np.int64)
    mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
    env = supersuit.observation_lambda_v0(
        turns(start="uniform"),
        lambda seen, _: {**seen, "observation": seen["observation"][::-1].copy()},
        lambda _: spaces.Dict({"observation": box, "action_mask": mask}),
    )
    learner = QLearning(env.observation_space("player_0"), env.action_space("player_0"))
    game = env.unwrapped.game
    curve = learning_curve(env, learner, game, 6000, seed=0, every=6000, progress=False)
    assert curve.percent[-1] == optimality(learner.greedy(), env).percent > 90
