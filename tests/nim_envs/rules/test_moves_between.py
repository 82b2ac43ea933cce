"""Moves between given positions, and coordinates, against what the rules enumerate."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.rules.moves_between import actions_to, are_moves, legal_counts

GAMES = {
    "nim": {"heaps": (2, 3, 1), "max_take": 2},
    "subtraction": {"heaps": (9, 4), "subtraction_set": (1, 3, 4)},
    "kayles": {"heaps": (4,)},
    "octal": {"heaps": (4,), "code": "0.3"},
    "wythoff": {"queens": ((3, 2), (1, 1))},
    "chomp": {"rows": 2, "columns": 3},
    "cram": {"rows": 2, "columns": 2},
    "euclid": {"pairs": ((5, 3), (2, 2))},
    "moores_nim": {"heaps": (2, 1, 2), "k": 2},
    "fibonacci_nim": {"heaps": (5,)},
    "node_kayles": {"nodes": 4, "edges": ((0, 1), (1, 2), (2, 3))},
    "graph": {"successors": ((), (0,), (0, 1)), "tokens": (2, 1)},
}


@pytest.mark.parametrize("name", GAMES)
def test_pairs_of_positions_are_moves_where_an_action_leads_from_one_to_the_other(name):
    rules = make_game(name, **GAMES[name]).rules
    # Points that are not positions are no move's end: components one beyond their states.
    beyond = np.array(list(product(*(range(-1, states + 1) for states in rules.shape))))
    slots = [list(range(group.start, group.stop)) for group in rules.slot_groups]
    for position in rules.lattice():
        if not rules.is_position(position):
            continue
        actions = np.flatnonzero(rules.action_mask(position))
        reached = [rules.step(position, action).tolist() for action in actions]
        assert legal_counts(rules, position[np.newaxis]).tolist() == [len(actions)]

        def up_to_order(point):
            point = list(point)
            for places in slots:
                point[places[0] : places[-1] + 1] = sorted(point[slice(places[0], places[-1] + 1)])
            return point

        ends = [up_to_order(point) for point in reached]
        expected = [up_to_order(point) in ends for point in beyond.tolist()]
        pairs = np.broadcast_to(position, beyond.shape)
        assert are_moves(rules, pairs, beyond).tolist() == expected
        for point in reached:
            same = [up_to_order(each) == up_to_order(point) for each in reached]
            assert actions_to(rules, position, np.array(point)).tolist() == actions[same].tolist()
