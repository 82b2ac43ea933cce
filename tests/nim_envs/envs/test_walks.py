"""Walks over sums that are not listed, move by move against the sum itself."""

import pickle

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.envs.walks import SumWalk, walk_from

BOARDS = [
    ("nim", {"heaps": (7,) * 25}),
    ("kayles", {"heaps": (15, 14)}),
    ("wythoff", {"queens": ((9, 9),) * 4}),
    ("sum", {"games": (("kayles", {"heaps": (14,)}), ("nim", {"heaps": (9, 9, 9)}), "wythoff")}),
]


@pytest.mark.parametrize(("name", "arguments"), BOARDS, ids=lambda value: str(value)[:20])
def test_a_walk_shows_what_the_sum_says(name, arguments):
    game, rng = make_game(name, **arguments), np.random.default_rng(0)
    board = game.board
    first = walk_from(game, game.start)
    assert isinstance(first, SumWalk)
    for number in range(10):
        walk, state = first.copy(), first.state
        while True:
            assert walk.state == state
            assert tuple(walk.position().tolist()) == board.position(state)
            assert (walk.mask() == board.mask(state)).all()
            legal = board.actions(state)
            assert walk.is_over == (not legal)
            if not legal:
                break
            illegal = next(action for action in range(-1, game.num_actions) if action not in legal)
            assert illegal < 0 or not walk.move(illegal)
            action = int(rng.choice(legal))
            assert walk.move(action)
            state = board.move(state, action)
            if number == 0:
                walk = pickle.loads(pickle.dumps(walk))
                board = walk.game.board
                state = walk.state
        assert first.position().tolist() == list(game.start)
        board = game.board
