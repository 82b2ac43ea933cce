"""Starts that are counted or rejected are all that there are, equally likely."""

from __future__ import annotations

import numpy as np
import pytest

from nim_envs import make_game
from nim_envs.errors import SearchTooLargeError
from nim_envs.rules import Convention
from nim_envs.solver import theorem_for
from nim_envs.starts import NAMED_STARTS, OutcomeStart
from nim_envs.starts.box import checked_box
from nim_envs.starts.counted import CountedSampler
from nim_envs.starts.rejected import RejectionSampler
from nim_envs.theory.theorem_solution import theorem_on
from tests.games import ALL, label
from tests.pairwise import in_turn, pairwise


def within(game, box):
    """The positions of a box of states, or of coordinates."""
    positions = game.rules.lattice()
    return positions[inside(game.rules.coordinates(positions), box.bounds)]


def inside(coordinates, bounds):
    """Where coordinates lie between the smallest and the largest ones."""
    low, high = bounds
    return ((coordinates >= low) & (coordinates <= high)).all(axis=-1)


def value_of(winning):
    """The value of the wanted positions to the player to move."""
    return {None: None, True: 1, False: -1}[winning]


def enumerated(game, box, winning):
    """The positions that a start draws from, by enumeration."""
    positions = within(game, box)
    positions = positions[~game.rules.is_terminal(positions)]
    if winning is None:
        return positions
    return positions[game.solution.is_winning(positions) == winning]


def random_boxes(game, number, seed=0):
    """The whole lattice, and boxes between random states or coordinates."""
    top = np.array(game.rules.fields) - 1
    rng = np.random.default_rng(seed)
    yield checked_box(game.rules, 0, None)
    for _ in range(number):
        bounds = np.sort(rng.integers(0, top + 1, size=(2, len(top))), axis=0)
        shown = game.rules.coordinates(game.rules.lattice())
        if not game.rules.has_coordinates or inside(shown, bounds).any():
            yield checked_box(game.rules, *bounds)


def assert_uniform(drawn, positions):
    """A chi-square test, six standard deviations wide."""
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    expected = len(drawn) / len(positions)
    allowed = {tuple(position) for position in positions.tolist()}
    assert {tuple(position) for position in found.tolist()} <= allowed
    missing = len(positions) - len(found)
    statistic = ((counts - expected) ** 2 / expected).sum() + missing * expected
    freedom = len(positions) - 1
    assert statistic <= freedom + 6 * (2 * freedom) ** 0.5 + 1e-9


def is_solved_by_values(game):
    """Whether a theorem on sums solves it, which is needed for counting."""
    component, *others = game.rules.components
    alone = not others and game.convention is Convention.MISERE
    if alone and theorem_on(component, game.convention) is not None:
        return False
    return theorem_for(game.rules, game.convention) is not None


SOLVED_BY_VALUES = [
    (*case, misere)
    for case in ALL
    for misere in (False, True)
    if is_solved_by_values(make_game(case[0], **{**case[1], "misere": misere}))
]


@pytest.mark.parametrize(
    ("name", "arguments", "misere"),
    SOLVED_BY_VALUES,
    ids=[f"{label(case[:2])}-{case[2]}" for case in SOLVED_BY_VALUES],
)
def test_counted_starts_are_complete_and_equally_likely(name, arguments, misere):
    game = make_game(name, **{**arguments, "misere": misere})
    for box in random_boxes(game, 2):
        points = CountedSampler(box, terminal=True)
        assert points.num_positions == len(within(game, box))
        for winning in (None, True, False):
            solution = None if winning is None else game.solution
            sampler = CountedSampler(box, winning, solution)
            positions = enumerated(game, box, winning)
            assert sampler.num_positions == len(positions)
            if 0 < len(positions) <= 300:
                drawn = sampler.sample(np.random.default_rng(1), 20 * len(positions))
                assert_uniform(drawn, positions)


@pytest.mark.parametrize("name", ["kayles", "grundy", "dawsons_kayles", "splitting", "sum"])
def test_uniform_starts_are_counted_where_no_theorem_says_who_wins(name):
    arguments = {"games": ("kayles", ("officers", {"heaps": (8,)}))} if name == "sum" else {}
    game = make_game(name, misere=True, **arguments)
    for box in random_boxes(game, 5):
        positions = enumerated(game, box, None)
        sampler = CountedSampler(box)
        assert sampler.num_positions == len(positions)
        if 0 < len(positions) <= 2000:
            assert_uniform(sampler.sample(np.random.default_rng(2), 20 * len(positions)), positions)


@pytest.mark.parametrize(
    ("case", "misere", "winning"),
    pairwise(
        [
            ("nim", {"heaps": (6, 10), "max_take": 3}),  # some values have three sizes, some two
            ("nim", {"heaps": (1, 1, 1, 1)}),
            ("addition", {"k": 4, "n": 30}),
            ("sum", {"games": (("grundy", {"heaps": (9,)}), ("nim", {"heaps": (6,)}))}),
        ],
        [False, True],
        [None, True, False],
    ),
    ids=str,
)
def test_starts_drawn_by_rejection_are_equally_likely(case, misere, winning):
    game = make_game(case[0], misere=misere, **case[1])
    tried = 0
    for box in random_boxes(game, 6, seed=3):
        positions = enumerated(game, box, winning)
        points = CountedSampler(box, terminal=True)
        solution = None if winning is None else game.solution
        sampler = RejectionSampler(points, box, value_of(winning), solution)
        assert (sampler.acceptance_rate(4096) > 0) == (len(positions) > 0)
        if len(positions):
            drawn = sampler.sample(np.random.default_rng(4), 20 * len(positions))
            assert_uniform(drawn, positions)
            tried += 1
    assert tried


LARGE = [
    ("kayles", {"heaps": (24,)}),
    ("grundy", {"heaps": (40,)}),
    ("kayles", {"heaps": (30, 9)}),
    ("splitting", {"heaps": (24,), "misere": True}),
    ("sum", {"games": (("kayles", {"heaps": (20,)}), ("nim", {"heaps": (10**15,)}))}),
    ("nim", {"heaps": (300,) * 3}),
    ("misere_nim", {"heaps": (10**15,) * 3}),
    ("nim", {"heaps": (10**15,) * 3, "max_take": 10**6}),
    ("addition", {"k": 7, "n": 10**15}),
    ("wythoff", {"queens": ((2000, 2000),)}),
]


@pytest.mark.parametrize(("name", "arguments"), LARGE, ids=str)
def test_large_games_start_from_positions_of_the_wanted_outcome(name, arguments):
    game = make_game(name, **arguments)
    assert game.solution.is_complete
    for start, wanted in (("n_position", True), ("p_position", False)):
        sampler = NAMED_STARTS[start].sampler(game)
        drawn = sampler.sample(np.random.default_rng(5), 300)
        assert (game.solution.is_winning(drawn) == wanted).all()
        assert not game.rules.is_terminal(drawn).any()
        with pytest.raises(SearchTooLargeError, match="the limit for listing"):
            sampler.support()
    for start in ("uniform", "balanced"):
        drawn = NAMED_STARTS[start].sampler(game).sample(np.random.default_rng(6), 300)
        assert not game.rules.is_terminal(game.rules.checked_positions(drawn)).any()
        assert len(np.unique(drawn, axis=0)) > 200


@pytest.mark.parametrize(
    ("case", "start"),
    in_turn(LARGE, ["uniform", "n_position", "p_position", "balanced"]),
    ids=str,
)
def test_many_starts_of_large_games_are_those_drawn_one_by_one(case, start):
    sampler = NAMED_STARTS[start].sampler(make_game(case[0], **case[1]))
    one_by_one, at_once = np.random.default_rng(7), np.random.default_rng(7)
    drawn = np.stack([sampler.draw(one_by_one) for _ in range(20)])
    blocks = [sampler.sample(at_once, size) for size in (1, 0, 5, 14)]
    assert np.concatenate(blocks).tolist() == drawn.tolist()
    assert at_once.random() == one_by_one.random()


def test_a_searched_game_too_large_to_list_is_drawn_from():
    # Seven nodes that make it no tame game, and a path that leads to them.
    wild = ((), (0,), (0, 1), (0, 1, 2), (0, 2, 3), (3,), (4, 5))
    successors = wild + tuple((node - 1,) for node in range(7, 102))
    game = make_game("graph", successors=successors, tokens=(101,) * 3, misere=True)
    assert theorem_for(game.rules, game.convention) is None
    assert game.rules.num_positions > 2**20
    for winning in (True, False):
        drawn = OutcomeStart(winning).sampler(game).sample(np.random.default_rng(8), 50)
        assert (game.solution.is_winning(drawn) == winning).all()
