"""A score is of the process that a policy plays, through all wrappers of its environment."""

from __future__ import annotations

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces, wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector
from pettingzoo.utils import BaseWrapper

from nim_envs import optimality
from nim_envs.registration import make_vector
from tests.played_scores import HEAPS, Played, played_score, random_policy

ACTIONS = len(HEAPS) * max(HEAPS)
FEW = np.array([11, 3, 0, 6, 5])
"""Five actions of the game."""


def single(**arguments):
    return gymnasium.make(
        "nim_envs/Nim-v0", heaps=HEAPS, opponent=None, disable_env_checker=True, **arguments
    )


def turns(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", heaps=HEAPS, **arguments)


def batch(number=2, **arguments):
    return make_vector("nim", number, heaps=HEAPS, opponent=None, **arguments)


def backwards(env):
    return wrappers.TransformAction(env, lambda action: ACTIONS - 1 - action, None)


class Few(gymnasium.ActionWrapper, gymnasium.utils.RecordConstructorArgs):
    """Fewer actions than the game has."""

    def __init__(self, env):
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ActionWrapper.__init__(self, env)
        self.action_space = spaces.Discrete(len(FEW))

    def action(self, action):
        return FEW[action]


class Doubled(gymnasium.ActionWrapper):
    """Two actions for each of the game's, as an attribute of the object."""

    def __init__(self, env):
        super().__init__(env)
        self.action_space = spaces.Discrete(2 * env.action_space.n)
        self.action = lambda action: int(action) // 2


class Moved(gymnasium.ObservationWrapper):
    def observation(self, observation):
        observation["observation"] += 1  # in place
        return observation


class WithNimSum(gymnasium.ObservationWrapper):
    """What it shows is read in the environment."""

    def observation(self, observation):
        position = self.unwrapped.position
        legal = self.get_wrapper_attr("action_masks")().sum()
        return np.array([*position, np.bitwise_xor.reduce(position), legal])


class Shifted(gymnasium.ActionWrapper):
    """Actions in another order, and the masks of that order, for learners that ask for them."""

    def action(self, action):
        return (action + 5) % ACTIONS

    def action_masks(self):
        return np.roll(self.env.get_wrapper_attr("action_masks")(), -5)


class Backwards(BaseWrapper):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "observation": seen["observation"][::-1]}


class Everything(wrappers.TransformObservation):
    """All actions seem legal."""

    def __init__(self, env):
        super().__init__(
            env, lambda seen: {**seen, "action_mask": np.ones_like(seen["action_mask"])}, None
        )


def vectors(mode, *layers, **arguments):
    return gymnasium.make_vec(
        "nim_envs:nim_envs/Nim-v0", 2, vectorization_mode=mode, wrappers=layers, heaps=HEAPS,
        opponent=None, vector_kwargs={"autoreset_mode": AutoresetMode.DISABLED}, **arguments,
    )  # fmt: skip


def small_actions(env):
    return vector.TransformAction(
        env, lambda actions: FEW[actions], single_action_space=spaces.Discrete(len(FEW)),
        action_space=spaces.MultiDiscrete([len(FEW)] * env.num_envs),
    )  # fmt: skip


PLAIN = {"mask_in_observation": False}

PLAYED = {
    "nothing": single,
    "turns": turns,
    "transformed action": lambda: backwards(single()),
    "fewer actions": lambda: Few(single()),
    "more actions": lambda: Doubled(single()),
    "three of them": lambda: Few(Doubled(backwards(single()))),
    "a space alone": lambda: wrappers.TransformAction(
        single(), lambda action: action, spaces.Discrete(3)
    ),
    "observation in place": lambda: Moved(single()),
    "read in the environment": lambda: WithNimSum(single()),
    "own masks": lambda: Shifted(single()),
    "other masks": lambda: Everything(single()),
    "observation and action": lambda: Moved(backwards(Everything(single()))),
    "flattened": lambda: wrappers.FlattenObservation(backwards(single(encoding="unary"))),
    "half": lambda: wrappers.TransformObservation(single(**PLAIN), lambda seen: seen / 2, None),
    "by its specification": lambda: gymnasium.make(Few(single()).spec),
    "observe": lambda: Backwards(turns()),
    "observe twice": lambda: Backwards(Backwards(turns(encoding="one_hot"))),
    "batch": batch,
    "actions of a batch": lambda: small_actions(batch()),
    "actions of a larger batch": lambda: small_actions(batch(7)),
    "vectorized": lambda: vector.VectorizeTransformAction(
        batch(3), wrappers.TransformAction, func=lambda action: FEW[action],
        action_space=spaces.Discrete(len(FEW)),
    ),
    "observations of a batch": lambda: vector.FlattenObservation(small_actions(batch(5))),
    "vector of wrapped": lambda: SyncVectorEnv(
        [lambda: Few(single())] * 2, autoreset_mode=AutoresetMode.DISABLED
    ),
    "make_vec": lambda: vectors("sync", Few, Moved),
    "make_vec in processes": lambda: vectors("async", Few, wrappers.FlattenObservation),
    "both": lambda: small_actions(vectors("sync", backwards)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLAYED)
def test_the_score_is_that_of_the_game_as_it_is_played(name):
    env = PLAYED[name]()
    policy = random_policy(Played(env).actions)
    score = optimality(policy, env)
    assert (score.percent, score.illegal_percent) == pytest.approx(played_score(policy, env))
    env.close()
