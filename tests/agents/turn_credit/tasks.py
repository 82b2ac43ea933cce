"""Small tasks, and policies on them."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.turn_credit.exact import Exact
from agents.turn_credit.task import Task
from nim_envs import make_game

GAMES = {
    "nim": ("nim", {"heaps": (1, 2, 3), "start": "uniform"}),
    "misere": ("misere_nim", {"heaps": (1, 3, 2)}),
    "kayles": ("kayles", {"heaps": (5,), "start": "uniform"}),
    "addition": ("addition", {"k": 3, "n": 7}),
}


@cache
def task(name):
    game, arguments = GAMES[name]
    return Task(make_game(game, **arguments))


def at_random(of_task, seed=0, group=8):
    logits = np.random.default_rng(seed).normal(size=of_task.legal.shape)
    return Exact(of_task, logits, group)
