"""Learners from recorded games alone, of a table: Q-learning within the data, and imitation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from nim_envs.typing import Array, FloatArray, MaskArray

Key = tuple[float, ...]
"""An observation."""

Values = dict[Key, dict[int, float]]
"""Value, or count, of each action that was taken, by observation."""


def key_of(observation: Array) -> Key:
    """Return an observation as a key of a table."""
    return tuple(observation.tolist())


class TablePolicy:
    """Draws among the actions of the highest value; among all legal ones where there is no value.

    Args:
        values: values of actions by observation.
    """

    def __init__(self, values: Mapping[Key, Mapping[int, float]]) -> None:
        self.values = values

    def action_probabilities(self, observations: Array, action_masks: MaskArray) -> FloatArray:
        """Return the probabilities of actions, ``(n, actions)``."""
        probabilities = np.zeros(action_masks.shape)
        for row, (observation, mask) in enumerate(zip(observations, action_masks, strict=True)):
            values = self.values.get(key_of(observation))
            if values is None:
                best = np.flatnonzero(mask).tolist()
            else:
                highest = max(values.values())
                best = [action for action, value in values.items() if value == highest]
            probabilities[row, best] = 1 / len(best)
        return probabilities


def imitate(episodes: Iterable[Any]) -> TablePolicy:
    """Return the policy that plays the move made most often at each observation.

    Args:
        episodes: objects with ``observations``, ``actions`` and ``rewards``, as Minari's.
    """
    counts: Values = {}
    for episode in episodes:
        observations = episode.observations["observation"]
        for observation, action in zip(observations, episode.actions.tolist(), strict=False):
            row = counts.setdefault(key_of(observation), {})
            row[action] = row.get(action, 0) + 1
    return TablePolicy(counts)


def learn_offline(episodes: Iterable[Any]) -> TablePolicy:
    """Learn from self-play without playing: Q(s, a) = r − max_b Q(s', b) over the data.

    The maximum is over actions ``b`` that were taken at ``s'`` in the data, so that no value comes
    from an action of which nothing is known; at the end of a game the value is ``r``. Sweeps go on
    until no value changes; a game whose positions do not recur needs as many as its longest play
    has moves.

    Args:
        episodes: objects with ``observations``, ``actions`` and ``rewards``, as Minari's; rewards
            are those of the player who made the move.

    References:
        D. Ernst, P. Geurts & L. Wehenkel, "Tree-based batch mode reinforcement learning", *Journal
        of Machine Learning Research* 6 (2005), with a table in place of trees; S. Fujimoto, D.
        Meger & D. Precup, "Off-policy deep reinforcement learning without exploration", *ICML*
        (2019), on the actions of the data.
    """
    steps: dict[tuple[Key, int], tuple[float, Key | None]] = {}
    for episode in episodes:
        keys = [key_of(each) for each in episode.observations["observation"]]
        last = len(episode.actions) - 1
        for step, action in enumerate(episode.actions.tolist()):
            after = None if step == last else keys[step + 1]
            steps[keys[step], action] = float(episode.rewards[step]), after
    values: Values = {}
    for key, action in steps:
        values.setdefault(key, {})[action] = 0.0
    changed = True
    while changed:
        changed = False
        for (key, action), (reward, after) in steps.items():
            target = reward if after is None else reward - max(values[after].values())
            changed |= target != values[key][action]
            values[key][action] = target
    return TablePolicy(values)
