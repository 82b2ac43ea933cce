"""Helpers of the tests of the batched environment."""

import numpy as np
from gymnasium.vector import AutoresetMode

from nim_envs.registry import make_vector

MODES = list(AutoresetMode)

# More than one group of components, states beyond int8, words that groups share; slots that are
# too many for a table of their joint states.
LARGE = [
    ("nim", {"heaps": (1, 3, 5, 7, 9, 11), "start": "uniform"}),
    ("nim", {"heaps": (200, 1, 130), "start": "p_position"}),
    ("misere_nim", {"heaps": (40, 3, 50, 2, 60), "max_take": 3, "start": "balanced"}),
    ("kayles", {"heaps": (20,)}),
    ("kayles", {"heaps": (60,)}),
    ("grundy", {"heaps": (40,)}),
    ("octal", {"code": "4.7", "heaps": (30, 5), "misere": True}),
    (
        "sum",
        {
            "games": (
                ("nim", {"heaps": (3, 4)}),
                ("kayles", {"heaps": (30, 4)}),
                ("graph", {"tokens": (9,)}),
                ("dawsons_kayles", {"heaps": (40,)}),
                ("splitting", {"heaps": (4,)}),
            )
        },
    ),
]


def batch(name="nim", num_envs=5, *, opponent=None, **arguments):
    """A batched environment, in self-play unless an opponent is given."""
    return make_vector(name, num_envs, opponent=opponent, **arguments)


def same(one, other):
    """Whether two answers are equal, whatever they are made of."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) or getattr(one, "dtype", None) == np.dtype(object):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


def play(env, steps=12, seed=None, actions=None):
    """Everything that some steps answer, from a reset on; random actions unless given."""
    line = [env.reset(seed=seed)]
    for step in range(steps):
        chosen = env.sample_actions() if actions is None else actions[step]
        line += [chosen, env.step(chosen)]
    return line


def agrees(observations, i, expected):
    return all((observations[key][i] == expected[key]).all() for key in expected)


def mixed_actions(masks, rng, legal=0.9):
    """Mostly random legal actions, else any; any where none is legal."""
    actions = rng.integers(masks.shape[1], size=len(masks))
    for i, mask in enumerate(masks):
        if mask.any() and rng.random() < legal:
            actions[i] = rng.choice(np.flatnonzero(mask))
    return actions


class Recorder:
    """An opponent that plays anything, mostly legal, and remembers what it was asked."""

    def __init__(self):
        self.rng = np.random.default_rng(5)
        self.asked = []

    def __call__(self, observations, masks, rng):
        assert isinstance(rng, np.random.Generator)
        actions = mixed_actions(masks, self.rng)
        self.asked.append((observations.copy(), masks.copy(), actions))
        return actions
