"""The longest play of a game, against a search of all plays."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.theory.longest_play import longest_play


def searched(rules):
    """The most moves from each position, by plain recursion."""
    most = {}

    def of(position):
        if position not in most:
            mask = rules.action_mask(np.array(position))
            afters = [rules.step(np.array(position), action) for action in np.flatnonzero(mask)]
            most[position] = max((1 + of(tuple(after.tolist())) for after in afters), default=0)
        return most[position]

    return {position: of(position) for position in map(tuple, rules.lattice().tolist())}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nim", {"heaps": (2, 3)}),
        ("subtraction", {"heaps": (7, 5), "subtraction_set": (2, 3)}),
        ("addition", {"k": 3, "n": 7}),
        ("kayles", {"heaps": (6,)}),
        ("kayles", {"heaps": (2, 3)}),
        ("dawsons_kayles", {"heaps": (9,)}),
        ("grundy", {"heaps": (8,)}),
        ("splitting", {"heaps": (5,)}),
        ("graph", {}),
    ],
)
def test_the_longest_play_is_that_of_a_search(name, arguments):
    rules = make_game(name, **arguments).rules
    most = searched(rules)
    for position, moves in most.items():
        assert longest_play(rules, np.array([position])) == moves
    positions = np.array(list(most))
    assert longest_play(rules, positions) == longest_play(rules) == max(most.values())


def test_empty_slots_make_no_play_longer():
    """Kayles of 33 pins has seventeen slots, each of which could hold a heap of 33 alone."""
    rules = make_game("kayles", heaps=(33,)).rules
    assert len(rules.components) == 17
    assert longest_play(rules, np.array([rules.initial])) == 33
    assert longest_play(rules) == 34  # seventeen heaps of two
