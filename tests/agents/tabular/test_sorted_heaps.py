"""The game of sorted heaps, and its policy in the game itself."""

from __future__ import annotations

import numpy as np
import pytest
from agents.tabular.sorted_heaps import in_any_order, sorted_game

from agents import OptimalAgent, QLearning, RandomAgent
from agents.training import train
from nim_envs import GameEnv, make_game, optimality
from nim_envs.errors import InvalidGameError
from nim_envs.rules import Rules

BOARDS = [
    ("nim", {"heaps": (4, 2, 3)}),
    ("nim", {"heaps": (1, 3, 5), "misere": True, "start": "uniform"}),
    ("subtraction", {"heaps": (5, 5), "subtraction_set": (1, 3)}),
    ("wythoff", {"queens": ((2, 3), (2, 3))}),
    ("kayles", {"heaps": (6,), "start": "uniform"}),
]


@pytest.mark.parametrize(("name", "arguments"), BOARDS)
def test_every_order_of_the_same_heaps_is_one_position_with_the_same_actions(name, arguments):
    game = make_game(name, **arguments)
    rules, ordered = game.rules, sorted_game(game)
    assert ordered.rules.num_actions == rules.num_actions
    states = rules.lattice()
    multisets = {tuple(sorted(state)) for state in states.tolist()}
    assert {tuple(sorted(state)) for state in ordered.rules.coordinates(
        ordered.rules.lattice()).tolist()} == multisets  # fmt: skip
    assert len(ordered.rules.lattice()) == len(multisets)
    assert optimality(in_any_order(OptimalAgent(ordered), game), game).percent == 100
    playable = states[~rules.is_terminal(states)]
    shown, masks = rules.coordinates(playable), rules.action_mask(playable)
    uniform = in_any_order(RandomAgent(), game)(shown, masks)
    assert (uniform == RandomAgent().action_probabilities(shown, masks)).all()


def test_games_begin_at_the_sorted_starts_of_the_game():
    game = make_game("nim", heaps=(2, 5, 4), start="uniform")
    ordered = sorted_game(game)
    starts = game.starts.sampler(game).sample(np.random.default_rng(3), 50)
    drawn = ordered.start.sampler(ordered).sample(np.random.default_rng(3), 50)
    shown = ordered.rules.coordinates(drawn)
    assert np.sort(shown, axis=1).tolist() == np.sort(starts, axis=1).tolist()
    # Heaps stand in the order of their largest size: 2, then 4, then 5.
    assert (np.diff(shown[:, [0, 2, 1]], axis=1) >= 0).all()
    positions, probabilities = ordered.start.sampler(ordered).support()
    assert len(positions) == len(probabilities) == 3 * 6 * 5 - 1


def test_q_learning_learns_every_order_from_games_in_one():
    game = make_game("nim", heaps=(1, 3, 5))
    env = GameEnv(sorted_game(game))
    learner = QLearning.for_env(env, epsilon=0.5)
    train(env, learner, 2_500, seed=0, progress=False)
    assert optimality(in_any_order(learner.greedy(), game), game).percent == 100
    assert len(learner.table) < game.rules.num_positions


def test_games_whose_components_differ_are_refused():
    two_kinds = make_game("nim", heaps=(5, 5))
    subtraction = make_game("subtraction", heaps=(5, 5), subtraction_set=(1, 2))
    parts = two_kinds.rules.components[0], subtraction.rules.components[0]
    mixed = type(two_kinds)(Rules("mixed", parts, initial=(5, 5)), two_kinds.convention)
    for game in (
        mixed,
        make_game("sum", games=("kayles", "nim")),
        make_game("sum", games=(("kayles", {"heaps": (3,)}), ("kayles", {"heaps": (4,)}))),
    ):
        with pytest.raises(InvalidGameError, match="sorted heaps need"):
            sorted_game(game)
