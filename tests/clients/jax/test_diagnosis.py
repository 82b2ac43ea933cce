"""The diagnosis names the faults of AlphaZero's search, put into it one at a time."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import patch

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from agents.research import alphazero
from nim_envs import Convention, diagnose
from nim_envs.adapters.pgx import PgxEnv
from nim_envs.diagnosis import tiny_games
from tests import faulty_agents as faulty
from tests.faulty_agents import diagnosed, table

SIMULATIONS = 16
ROUNDS = 20
"""Searches from every position, each with what was learned from those before."""

GAMES = tiny_games()


class Faults(NamedTuple):
    """Faults of a search; without them, an opponent's value counts negatively.

    Attributes:
        reward: what a reward is multiplied with.
        discount: of the value of the next position.
    """

    reward: float = 1.0
    discount: float = -1.0


OF_SEARCH = {
    faulty.SIGN: Faults(discount=1.0),
    faulty.SWAPPED: Faults(reward=-1.0),
    faulty.ONE_MOVE: Faults(discount=0.0),
}
"""Faults of the search, by name."""


def with_faults(faults):
    """Return a context in which AlphaZero's search has faults."""

    def value(reward, terminated, value):
        return faults.reward * reward + jnp.where(terminated, 0.0, faults.discount) * value

    return patch.object(alphazero, "value_of_action", value)


def radix_of(game):
    """The place of each component in the row of a position."""
    return game.rules.strides.astype(np.int32)


def looked_up(radix, logits, values, observations):
    """A network that is a table."""
    rows = observations.astype(jnp.int32) @ radix
    return logits[rows], values[rows]


@cache
def searching(number):
    """The compiled search from all positions of a game, and these positions."""
    game = GAMES[number]
    env, radix = PgxEnv(game), jnp.asarray(radix_of(game))
    positions = game.rules.lattice()
    positions = positions[~game.rules.is_terminal(positions)]

    @jax.jit
    def searched(logits, values, key, faults):
        states = jax.vmap(env.state_at)(jnp.asarray(positions))
        network = jax.tree_util.Partial(looked_up, radix, logits, values)
        with with_faults(faults):
            found = alphazero.search(network, states, key, SIMULATIONS)
        return found.action_weights, found.tree.value

    return searched, positions


@cache
def learned(number, fault, seed):
    """The logits that AlphaZero learns with a fault on a game, in a table of what it sees.

    Where positions look the same, their mean is learned. The loss masks illegal actions, so their
    logits stay as they were drawn at first.
    """
    searched, positions = searching(number)
    game = GAMES[number]
    looks = faulty.LOOKS.get(fault, np.copy)
    rows = np.apply_along_axis(looks, 1, positions) @ radix_of(game)
    size = int(np.prod(game.rules.shape))
    logits, values = np.zeros((size, game.rules.num_actions)), np.zeros(size)
    counts = np.maximum(np.bincount(rows, minlength=size), 1)
    legal = np.zeros_like(logits, dtype=bool)
    np.logical_or.at(legal, rows, np.asarray(game.rules.action_mask(positions)) == 1)
    drawn = np.random.default_rng(seed).normal(size=logits.shape)
    faults = OF_SEARCH.get(fault, Faults())
    for key in jax.random.split(jax.random.PRNGKey(seed), ROUNDS):
        weights, results = map(np.asarray, searched(logits, values, key, faults))
        chances = np.zeros_like(logits)
        np.add.at(chances, rows, weights)
        logits = np.where(legal, np.log(chances / counts[:, np.newaxis] + 1e-3), drawn)
        values = np.bincount(rows, results, minlength=size) / counts
    return logits


def training(fault, seed):
    """A training function with the fault."""

    def train(env):
        names = [game.registered for game in GAMES]
        number = names.index(env.game.registered)
        if fault == faulty.CONFUSED and env.game.convention is Convention.MISERE:
            number -= 1  # the same rules in normal play
        at_search = fault in OF_SEARCH or fault in faulty.LOOKS
        logits = learned(number, fault if at_search else None, seed)
        looks, radix = faulty.LOOKS.get(fault, np.copy), radix_of(env.game)

        def likeliest(positions, masks):
            found = logits[np.apply_along_axis(looks, 1, positions) @ radix]
            if fault != faulty.UNMASKED:
                found = np.where(masks, found, -np.inf)
            return np.eye(masks.shape[1])[found.argmax(axis=1)]

        policy = SimpleNamespace(action_probabilities=likeliest)
        return faulty.playing(fault, policy)

    return train


def rows(seeds=(0,)):
    """Diagnoses of AlphaZero's search with each fault that makes sense in it."""
    return diagnosed("AlphaZero's search", faulty.OF_ONE_NETWORK, training, seeds)


def test_the_fault_of_alphazeros_search_is_named(capsys):
    found = rows()
    with capsys.disabled():
        print(f"\n{table(found)}")
    assert not any(row.verdict == "right" for row in found)
    assert sum(row.first for row in found) >= 0.9 * len(found)


@pytest.mark.parametrize("seed", [0, 1])
def test_alphazeros_search_without_a_fault_is_right(seed):
    assert diagnose(training(None, seed)).verdict == "right"
