"""Scores by play: every action at every position, in the environment itself."""

from __future__ import annotations

import hashlib

import gymnasium
import numpy as np
from pettingzoo import AECEnv

HEAPS = (3, 2, 4)
POSITIONS = np.array(list(np.ndindex(*(heap + 1 for heap in HEAPS))))[1:]


def is_lost(position):
    """Whether the player to move loses in normal play: Bouton's theorem."""
    return not np.bitwise_xor.reduce(position)


def numbers(*arrays):
    """A generator that depends on arrays, whatever their types."""
    text = repr([np.asarray(array, dtype=np.float64).tolist() for array in arrays])
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))


def random_policy(actions):
    """A policy whose probabilities depend on all that it is shown."""

    def policy(observations, masks):
        turns = zip(observations, masks, strict=True)
        weights = [numbers(*turn).exponential(size=actions) for turn in turns]
        return np.array([row / row.sum() for row in weights])

    return policy


class Played:
    """An environment of any library, put at positions; only self-play, so that a step is a move."""

    def __init__(self, env):
        self.env = env
        self.turns = isinstance(env, AECEnv)
        self.vector = isinstance(env, gymnasium.vector.VectorEnv)

    @property
    def actions(self):
        """Number of actions."""
        if self.turns:
            return self.env.action_space("player_0").n
        return (self.env.single_action_space if self.vector else self.env.action_space).n

    def put(self, position):
        """Begin a game at a position; return the observation, and the mask that is shown."""
        info = {}
        options = {"start": position.tolist()}
        if self.turns:
            self.env.reset(options=options)
            observation, *_ = self.env.last()
            fallback = self.env.unwrapped.observe(self.env.agent_selection)["action_mask"]
        else:
            observation, info = self.env.reset(options=options)
            if self.vector:
                info = {key: value[0] for key, value in info.items()}
                if isinstance(observation, dict):
                    observation = {key: value[0] for key, value in observation.items()}
                else:
                    observation = observation[0]
            fallback = info["action_mask"]
        if not self.turns and not self.vector:
            own = self.env.get_wrapper_attr("action_masks")
            if type(getattr(own, "__self__", None)).__name__ != "VersusEnv":
                fallback = own().astype(np.int8)
                observation = observation["observation"]
        if isinstance(observation, dict):
            return observation["observation"], observation.get("action_mask", fallback)
        return observation, fallback

    def after(self, action):
        """Make a move; return the position."""
        if self.turns:
            self.env.step(action)
            return self.env.unwrapped.position
        if not self.vector:
            self.env.step(action)
            return self.env.unwrapped.position
        self.env.step(np.full(self.env.num_envs, action))
        if hasattr(self.env.unwrapped, "positions"):
            return self.env.unwrapped.positions[0]
        return self.env.unwrapped.get_attr("position")[0]


def played_score(policy, env):
    """Percent of the policy's moves that win, and that are illegal, over the N-positions."""
    played = Played(env)
    won = illegal = number = 0
    for position in POSITIONS:
        if is_lost(position):
            continue
        number += 1
        observation, mask = played.put(position)
        chances = policy(np.asarray(observation)[np.newaxis], np.asarray(mask)[np.newaxis])[0]
        for action in range(played.actions):
            played.put(position)
            after = played.after(action)
            moved = (after != position).any()
            won += chances[action] * (moved and is_lost(after))
            illegal += chances[action] * (not moved)
    return 100 * won / number, 100 * illegal / number
