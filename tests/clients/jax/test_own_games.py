"""Games from functions of moves, in JAX: observations are coordinates there, too."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nim_envs import Game, GameEnv
from nim_envs.adapters.pgx import PgxEnv
from nim_envs.adapters.pgx.layouts import ComponentLayout, JointLayout
from nim_envs.encoding import ENCODINGS, Encoding
from nim_envs.rules import Convention, kayles, sum_of
from nim_envs.starts import UniformStart
from tests.clients.jax.test_pgx import play_in_lock_step
from tests.own_games import OWN_GAMES, own_game
from tests.pairwise import in_turn


def mixed():
    return Game(sum_of([own_game("euclid").rules, kayles(heaps=(3,))]), Convention.NORMAL)


@pytest.mark.parametrize(("name", "misere"), in_turn(list(OWN_GAMES), [False, True]))
def test_it_is_in_lock_step_with_the_turn_based_environment(name, misere):
    play_in_lock_step(PgxEnv(own_game(name, misere=misere, starts="uniform")), 0.05)


def test_a_sum_of_both_kinds_is_in_lock_step():
    play_in_lock_step(PgxEnv(mixed()), 0.0)


@pytest.mark.parametrize("game", [own_game("cram"), mixed()], ids=["cram", "mixed"])
def test_both_layouts_show_coordinates_in_all_encodings(game):
    rules = game.rules
    positions = np.random.default_rng(0).permutation(rules.lattice())[:40]
    for name in ENCODINGS:
        encoding = Encoding(name, rules, np.int32)
        for kind in (JointLayout, ComponentLayout):
            layout = kind(rules, encoding)
            seen = jax.vmap(layout.observe)(layout.places(jnp.asarray(positions)))
            assert seen.dtype == encoding.space.dtype
            assert (seen == encoding.encode(positions)).all()


def test_states_at_coordinates_and_starts_in_a_box_of_them():
    game = dataclasses.replace(own_game("wythoff"), starts=UniformStart(low=(1, 2), high=(2, 5)))
    env = PgxEnv(game)
    assert env.state_at((3, 5)).observation.tolist() == [3, 5]
    keys = jax.random.split(jax.random.PRNGKey(0), 200)
    starts = np.unique(jax.vmap(env.init)(keys).observation, axis=0)
    assert starts.tolist() == [[a, b] for a in (1, 2) for b in (2, 3, 4, 5)]
    other = GameEnv(game)
    other.reset(seed=0)
    assert other.coordinates.tolist() in starts.tolist()
