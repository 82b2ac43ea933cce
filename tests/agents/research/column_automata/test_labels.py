"""Labels of positions against the truth by search."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import QLearning
from agents.research.column_automata import MoveRelation
from agents.research.column_automata.heaps import HeapRules, heap_rules
from agents.research.column_automata.labels import (
    LookAheadLabels,
    labels_from_values,
    play_game,
)
from agents.training import train
from nim_envs import GameEnv, make_game
from tests.agents.research.column_automata.claims import options


@cache
def is_lost(position, max_take, misere):
    """By search, whether a position is lost."""
    if not any(position):
        return not misere
    return not any(is_lost(after, max_take, misere) for after in options(position, max_take))


BOUNDS = st.sampled_from([None, 1, 2, 3])
POSITIONS = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)


@given(POSITIONS, BOUNDS, st.booleans(), st.booleans(), st.integers(0, 5), st.integers(0, 99))
def test_labels_from_games_are_true_and_complete(start, max_take, misere, ordered, games, seed):
    rules = HeapRules(MoveRelation(max_take), misere, (None,) * len(start), ordered)
    labels = LookAheadLabels(rules.options, misere)
    rng = np.random.default_rng(seed)
    for _ in range(games):
        moves = play_game(rules.heaps(start), labels, rng)
        assert moves <= sum(start)
    assert all(lost == is_lost(heaps, max_take, misere) for heaps, lost in labels.lost.items())
    for position, after in labels.read.items():
        known = [labels.lost.get(option) for option in after]
        follows = True in known or None not in known
        assert (position in labels.lost) == follows
    assert len(labels.read) >= (games > 0)


@pytest.mark.parametrize("misere", [False, True])
def test_signs_of_learned_values_are_labels(misere):
    game = make_game("nim", heaps=(3, 3), misere=misere, start="uniform")
    learner = QLearning.for_env(GameEnv(game))
    few, _ = labels_from_values(learner.greedy(), game)
    assert few.tolist() == [[0, 0]]
    train(GameEnv(game), learner, 2_000, seed=0, progress=False)
    positions, lost = labels_from_values(learner.greedy(), game)
    assert len(positions) == 16
    for position, label in zip(positions.tolist(), lost.tolist(), strict=True):
        assert label == is_lost(tuple(position), None, misere)


def test_totals_are_treated_as_the_objects_left():
    rules = heap_rules(make_game("addition", k=3, n=10), ordered=False)
    assert [rules.heaps((total,)) for total in (0, 10, 11, 13)] == [(11,), (1,), (), ()]
    assert rules.position((4,)) == (7,)
    with pytest.raises(ValueError, match="1 parts"):
        rules.heaps((1, 2))
