"""Heap symmetry: sorted positions, and the actions that belong to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import HeapSymmetry, OptimalAgent, QLearning, RandomAgent, RealTimeDynamicProgramming
from agents.evaluation import optimality
from agents.tabular.heap_symmetry import SortedPolicy
from agents.tabular.position_sorter import PositionSorter
from agents.training import train
from nim_envs import GameEnv, make_game
from nim_envs.errors import InvalidGameError


@given(
    heaps=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    data=st.data(),
)
def test_an_action_leads_to_the_same_sorted_position_either_way(heaps, data):
    rules = make_game("nim", heaps=tuple(heaps)).rules
    sorter = PositionSorter(rules)
    position = np.array([data.draw(st.integers(0, heap)) for heap in heaps])
    if not position.any():
        return
    permutation, ordered = sorter.permutation(position), sorter.sorted(position)
    assert sorted(ordered) == sorted(position)
    assert (rules.checked_positions(ordered) == ordered).all()
    mask = rules.action_mask(position)
    permuted = sorter.permuted_values(mask, permutation)
    assert (permuted == rules.action_mask(ordered)).all()
    assert (sorter.original_values(permuted, permutation) == mask).all()
    for action in np.flatnonzero(permuted):
        component, option = divmod(int(action), rules.num_options)
        original = rules.action(int(permutation[component]), option)
        after = sorter.sorted(rules.step(position, np.array(original)))
        assert (after == sorter.sorted(rules.step(ordered, np.array(action)))).all()


def test_a_policy_of_sorted_positions_plays_every_order():
    game = make_game("nim", heaps=(4, 2, 3))
    policy = SortedPolicy(OptimalAgent(game), PositionSorter(game.rules))
    assert optimality(policy, game).percent == 100
    lattice = game.rules.lattice()
    playable = lattice[~game.rules.is_terminal(lattice)]
    masks = game.rules.action_mask(playable)
    uniform = SortedPolicy(RandomAgent(), PositionSorter(game.rules))
    chances = uniform.action_probabilities(playable, masks)
    assert (chances == RandomAgent().action_probabilities(playable, masks)).all()
    rng = np.random.default_rng(0)
    for position, mask in zip(playable, masks, strict=True):
        assert mask[policy.act(position, mask, rng)] == 1


def test_symmetry_learns_every_order_from_games_in_one():
    env = GameEnv(make_game("nim", heaps=(1, 3, 5)))
    spaces = env.observation_space("player_0"), env.action_space("player_0")
    learners = (
        HeapSymmetry(QLearning(*spaces, epsilon=0.5), env.game),
        RealTimeDynamicProgramming(env.game, symmetric=True),
    )
    for learner in learners:
        train(env, learner, 2_500, seed=0, progress=False)
        assert optimality(learner.greedy(), env.game).percent == 100


def test_games_whose_components_differ_are_refused():
    two_kinds = make_game("nim", heaps=(5, 5)).rules
    subtraction = make_game("subtraction", heaps=(5, 5), subtraction_set=(1, 2)).rules
    mixed = type(two_kinds)(
        "mixed", (two_kinds.components[0], subtraction.components[0]), initial=(5, 5)
    )
    with pytest.raises(InvalidGameError, match="same options"):
        PositionSorter(mixed)
    game = make_game("nim")
    with pytest.raises(TypeError, match="observations alone"):
        HeapSymmetry(RealTimeDynamicProgramming(game), game)
