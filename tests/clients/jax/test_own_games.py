"""Games from functions of moves, in JAX."""

import dataclasses

import jax
import numpy as np
import pytest

from nim_envs import GameEnv, make_game, sum_of
from nim_envs.adapters.pgx import PgxEnv
from nim_envs.errors import InvalidGameError
from nim_envs.starts import UniformStart
from tests.clients.jax.test_pgx import play_in_lock_step
from tests.nim_envs.core.test_cycles import pong_hau_ki
from tests.own_games import OWN_GAMES, own_game
from tests.pairwise import in_turn


@pytest.mark.parametrize(("name", "misere"), in_turn(list(OWN_GAMES), [False, True]))
def test_it_is_in_lock_step_with_the_turn_based_environment(name, misere):
    play_in_lock_step(PgxEnv(own_game(name, misere=misere, starts="uniform")), 0.05)


def test_a_sum_with_a_game_of_the_package_is_in_lock_step():
    game = sum_of([own_game("euclid"), make_game("kayles", heaps=(3,))])
    play_in_lock_step(PgxEnv(game), 0.0)


def test_states_at_coordinates_and_starts_in_a_box_of_them():
    game = dataclasses.replace(own_game("wythoff"), starts=UniformStart(low=(1, 2), high=(2, 5)))
    env = PgxEnv(game)
    assert env.state_at((3, 5)).observation.tolist() == [3, 5]
    keys = jax.random.split(jax.random.PRNGKey(0), 200)
    starts = np.unique(jax.vmap(env.init)(keys).observation, axis=0)
    assert starts.tolist() == [[a, b] for a in (1, 2) for b in (2, 3, 4, 5)]
    other = GameEnv(game)
    other.reset(seed=0)
    assert other.position.tolist() in starts.tolist()


def test_games_without_an_end_are_refused_by_name():
    with pytest.raises(InvalidGameError, match="PgxEnv, which truncates no game, needs a game"):
        PgxEnv(pong_hau_ki())
