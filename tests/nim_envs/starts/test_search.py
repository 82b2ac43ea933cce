"""``make`` solves what a start needs, or refuses; ``reset`` does not search."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest

from nim_envs import make_game
from nim_envs.cgt.misere_quotients.quotient_solution import forget_quotients
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.solver import solve

WILD = ("kayles", {"heaps": (9,), "misere": True})  # no theorem is known for it


@pytest.mark.parametrize("maker", ["aec", "versus", "batch"])
def test_reset_does_not_search(maker):
    name, arguments = WILD

    def make(**start):
        if maker == "aec":
            return pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments, **start)
        if maker == "versus":
            return gymnasium.make("nim_envs/Kayles-v0", **arguments, **start)
        return gymnasium.make_vec("nim_envs/Kayles-v0", num_envs=3, **arguments, **start)

    env = make()
    env.reset(seed=0, options={"start": "uniform"})
    for start in ("n_position", "p_position", "balanced"):
        with pytest.raises(InvalidPositionError, match=r"reset\(\) does not search.*make\(\)"):
            env.reset(seed=0, options={"start": start})
    env = make(start="n_position")
    for start in ("n_position", "p_position", "balanced"):
        env.reset(seed=0, options={"start": start})
    env.close()


def test_a_game_that_is_searched_in_make_resets_after_it_was_pickled():
    name, arguments = WILD
    env = pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments, start="n_position").unwrapped
    copied = pickle.loads(pickle.dumps(env))
    for one in (env, copied):
        one.reset(seed=3, options={"start": "n_position"})
    assert env.position.tolist() == copied.position.tolist()
    assert env.game.solution.is_winning(env.position)


def test_a_game_too_large_to_search_is_refused_in_make():
    for start in ("n_position", "p_position", "balanced"):
        with pytest.raises(SearchTooLargeError, match=r"misere play of kayles"):
            pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(20,), misere=True, start=start)
    env = pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(20,), misere=True, start="uniform")
    env.reset(seed=0)


@pytest.fixture
def no_quotients():
    """Quotients that other tests have found are forgotten."""
    forget_quotients()


@pytest.mark.usefixtures("no_quotients")
def test_starts_by_outcome_are_drawn_by_the_quotient():
    game = make_game("octal", code="0.26", heaps=(20, 20), misere=True, start="p_position")
    positions = game.starts.sampler(game).sample(np.random.default_rng(0), 50)
    assert not solve(game, method="search").is_winning(positions).any()
    assert game.solution.method.startswith("misère quotient")
