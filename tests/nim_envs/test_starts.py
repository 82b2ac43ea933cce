"""Start positions are what their names say, and follow the seed."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nim_envs import make_game
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.starts import (
    NAMED_STARTS,
    BalancedStart,
    FixedStart,
    OutcomeStart,
    UniformStart,
    as_start,
)
from nim_envs.starts.box import checked_box
from nim_envs.starts.choice import box_sampler
from nim_envs.starts.counted import CountedSampler
from nim_envs.starts.rejected import RejectionSampler
from nim_envs.theory.solution import SumSolution
from nim_envs.theory.solver import theorem_for
from tests.games import ALL, label

GAMES = [
    make_game("nim", heaps=(3, 4, 5)),
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("addition", k=3, n=10),
    make_game("subtraction", heaps=(9, 8), subtraction_set=(2, 3)),
]


@pytest.mark.parametrize("name", NAMED_STARTS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules.name)
def test_every_start_is_in_the_box_and_leaves_a_move(game, name):
    sampler = NAMED_STARTS[name].bind(game)
    rng = np.random.default_rng(0)
    drawn = np.concatenate([sampler.sample(rng, 500), [sampler.draw(rng) for _ in range(20)]])
    assert drawn.shape == (520, len(game.rules.components))
    assert not game.rules.is_terminal(game.rules.checked_positions(drawn)).any()
    support = {tuple(position) for position in sampler.support()[0].tolist()}
    assert {tuple(position) for position in drawn.tolist()} <= support
    assert sampler.support()[1].sum() == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules.name)
def test_n_and_p_positions_are_such_and_balanced_is_half_and_half(game):
    rng = np.random.default_rng(1)
    for name, wanted in (("n_position", True), ("p_position", False)):
        drawn = NAMED_STARTS[name].bind(game).sample(rng, 300)
        assert (game.solution.is_winning(drawn) == wanted).all()
    drawn = NAMED_STARTS["balanced"].bind(game).sample(rng, 2000)
    share = game.solution.is_winning(drawn).mean()
    assert abs(share - 0.5) < 5 * 0.5 / 2000**0.5
    positions, probabilities = NAMED_STARTS["balanced"].bind(game).support()
    winning = game.solution.is_winning(positions)
    assert probabilities[winning].sum() == pytest.approx(0.5)


def test_a_uniform_start_reaches_every_position_of_its_box_equally_often():
    game = make_game("nim", heaps=(3, 4))
    drawn = UniformStart(low=1, high=(3, 2)).bind(game).sample(np.random.default_rng(2), 60_000)
    positions, counts = np.unique(drawn, axis=0, return_counts=True)
    assert positions.tolist() == [[i, j] for i in (1, 2, 3) for j in (1, 2)]
    # Six cells of 10,000; five standard deviations of a binomial count.
    assert (abs(counts - 10_000) < 5 * (60_000 * (1 / 6) * (5 / 6)) ** 0.5).all()


def test_a_box_too_large_to_list_is_drawn_from_all_the_same():
    game = make_game("nim", heaps=(200, 200, 200, 200))
    for start, wanted in (
        (OutcomeStart(winning=True), True),
        (OutcomeStart(winning=False), False),
    ):
        sampler = start.bind(game)
        drawn = sampler.sample(np.random.default_rng(3), 40)
        assert (game.solution.is_winning(drawn) == wanted).all()
        with pytest.raises(SearchTooLargeError, match=str(201**4)):
            sampler.support()


def test_a_box_of_a_single_state_of_a_component_is_a_box():
    game = make_game("nim", heaps=(3, 4))
    positions, _ = UniformStart(low=(3, 0), high=(3, 2)).bind(game).support()
    assert positions.tolist() == [[3, 0], [3, 1], [3, 2]]


@pytest.mark.parametrize("start", [UniformStart(), OutcomeStart(winning=True), BalancedStart()])
def test_boxes_reach_down_to_empty_heaps_by_default(start):
    positions, _ = start.bind(make_game("nim", heaps=(3, 4))).support()
    assert positions.min(axis=0).tolist() == [0, 0]
    assert positions.max(axis=0).tolist() == [3, 4]


def test_what_can_be_listed_is_decided_by_the_box_not_by_the_game():
    game = make_game("nim", heaps=(1000, 1000, 1000))
    positions, probabilities = UniformStart(low=900).bind(game).support()
    assert len(positions) == 101**3
    assert positions.min() == 900
    assert probabilities == pytest.approx(1 / 101**3)
    # Of 13**6 points six heaps of Kayles can be at few; only those are counted.
    rows = make_game("kayles", heaps=(12,)).rules
    assert len(rows.shape) == 6
    kayles = UniformStart().bind(make_game("kayles", heaps=(12,))).support()[0]
    assert len(kayles) == (~rows.is_terminal(rows.lattice(10**6))).sum()


def test_draws_from_a_large_box_stay_inside_it():
    game = make_game("nim", heaps=(10**9,) * 3)
    start = UniformStart(low=10**8, high=(10**8 + 500, 2 * 10**8, 10**9))
    drawn = start.bind(game).sample(np.random.default_rng(6), 200)
    assert (drawn >= 10**8).all()
    assert (drawn <= [10**8 + 500, 2 * 10**8, 10**9]).all()


def test_a_box_too_large_to_count_without_such_a_position_is_refused(monkeypatch):
    monkeypatch.setattr("nim_envs.starts.choice.DRAWS_BEFORE_GIVING_UP", 1000)
    # A single heap can always be won, unless it is empty.
    with pytest.raises(InvalidPositionError, match=r"no P-position.* was found in 1000 draws"):
        OutcomeStart(winning=False, low=1).bind(make_game("nim", heaps=(10**9,)))


def test_a_box_too_large_to_list_without_such_a_position_is_refused():
    with pytest.raises(InvalidPositionError, match=r"no P-position.* \[1023, 3000\] exists"):
        OutcomeStart(winning=False, low=(0, 1024), high=(1023, 3000)).bind(
            make_game("nim", heaps=(3000, 3000))
        )


@pytest.mark.parametrize("name", ["nim", "misere_nim"])
def test_the_coin_of_a_balanced_start_is_the_first_number_of_the_seed(name):
    game = make_game(name, heaps=(3, 4, 5))
    sampler = BalancedStart().bind(game)
    for seed in range(20):
        heads = np.random.default_rng(seed).random() < 0.5
        assert game.solution.is_winning(sampler.draw(np.random.default_rng(seed))) == heads


def test_a_huge_box_needs_no_table():
    game = make_game("nim", heaps=(10**15, 10**15), start="uniform")
    drawn = game.start.bind(game).sample(np.random.default_rng(4), 5)
    assert (drawn > 10**9).any()


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(NAMED_STARTS)))
def test_the_same_seed_draws_the_same_positions(seed, name):
    sampler = NAMED_STARTS[name].bind(GAMES[0])
    first, second = (np.random.default_rng(seed) for _ in "12")
    assert sampler.sample(first, 8).tolist() == sampler.sample(second, 8).tolist()
    assert sampler.draw(first).tolist() == sampler.draw(second).tolist()


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (FixedStart((0, 0, 0)), "(0, 0, 0)"),
        (FixedStart((3, 4, 6)), "[3, 4, 6]"),
        (UniformStart(low=3, high=2), "low [3, 3, 3] exceeds high [2, 2, 2]"),
        (UniformStart(low=0, high=0), "[0, 0, 0]"),
        (UniformStart(low=(1, 2)), "(1, 2)"),
        (UniformStart(high=1.5), "1.5"),
        (UniformStart(high=9), "[9, 9, 9]"),
        (BalancedStart(low=(3, 4, 5)), "[3, 4, 5]"),
    ],
)
def test_an_impossible_start_is_refused_by_name(start, named):
    with pytest.raises(InvalidPositionError) as caught:
        start.bind(make_game("nim", heaps=(3, 4, 5)))
    assert named in str(caught.value)


def test_a_game_without_p_positions_to_start_from_says_so():
    with pytest.raises(InvalidPositionError, match="no P-position"):
        NAMED_STARTS["p_position"].bind(make_game("nim", heaps=(5,)))


def test_positions_and_names_are_starts():
    assert as_start((1, 2)) == FixedStart((1, 2))
    assert as_start(np.array([1, 2])) == FixedStart((1, 2))
    assert as_start("uniform") == UniformStart()
    for bad in ("sideways", 5, None, (1, "a"), (True, 1), {}):
        with pytest.raises(InvalidPositionError) as caught:
            as_start(bad)
        assert repr(bad) in str(caught.value)


@pytest.mark.parametrize(
    "start",
    [
        "fixed",
        "uniform",
        "n_position",
        "p_position",
        "balanced",
        UniformStart(low=1),
        UniformStart(high=(10**9, 10**9, 10**9)),
        OutcomeStart(False, high=(300, 100, 100)),
        BalancedStart(high=(300, 100, 100)),
        BalancedStart(high=(10**9, 10**9, 10**9)),
    ],
)
def test_many_starts_at_once_are_those_drawn_one_by_one(start):
    game = make_game("nim", heaps=(10**9,) * 3 if not isinstance(start, str) else (3, 4, 5))
    sampler = as_start(start).bind(game)
    one_by_one, at_once = np.random.default_rng(7), np.random.default_rng(7)
    drawn = np.stack([sampler.draw(one_by_one) for _ in range(40)])
    blocks = [sampler.sample(at_once, size) for size in (1, 0, 9, 30)]
    assert np.concatenate(blocks).tolist() == drawn.tolist()
    assert at_once.random() == one_by_one.random()


def enumerated(game, box, winning):
    """The positions that a start draws from, by enumeration."""
    positions = game.rules.positions_between(box.low, box.high)
    positions = positions[~game.rules.is_terminal(positions)]
    if winning is None:
        return positions
    return positions[game.solution.is_winning(positions) == winning]


def random_boxes(game, number, seed=0):
    """The whole lattice, and boxes between random states."""
    top = np.array(game.rules.shape) - 1
    rng = np.random.default_rng(seed)
    yield checked_box(game.rules, 0, None)
    for _ in range(number):
        bounds = np.sort(rng.integers(0, top + 1, size=(2, len(top))), axis=0)
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


SOLVED_BY_THEOREM = [
    (*case, misere)
    for case in ALL
    for misere in (False, True)
    if theorem_for(
        make_game(case[0], **{**case[1], "misere": misere}).rules,
        make_game(case[0], **{**case[1], "misere": misere}).convention,
    )
]


@pytest.mark.parametrize(
    ("name", "arguments", "misere"),
    SOLVED_BY_THEOREM,
    ids=[f"{label(case[:2])}-{case[2]}" for case in SOLVED_BY_THEOREM],
)
def test_counted_starts_are_as_many_as_there_are_and_equally_likely(name, arguments, misere):
    game = make_game(name, **{**arguments, "misere": misere})
    for box in random_boxes(game, 12):
        points = CountedSampler(box, terminal=True)
        assert points.num_positions == len(game.rules.positions_between(box.low, box.high))
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


@pytest.mark.parametrize("winning", [None, True, False])
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("nim", {"heaps": (3, 9, 5)}),
        ("nim", {"heaps": (6, 10), "max_take": 3}),  # some values have three sizes, some two
        ("nim", {"heaps": (1, 1, 1, 1)}),
        ("subtraction", {"heaps": (7, 9), "subtraction_set": (2, 5)}),
        ("addition", {"k": 4, "n": 30}),
        ("sum", {"games": (("grundy", {"heaps": (9,)}), ("nim", {"heaps": (6,)}))}),
    ],
    ids=str,
)
def test_starts_drawn_by_rejection_are_equally_likely(name, arguments, misere, winning):
    game = make_game(name, misere=misere, **arguments)
    tried = 0
    for box in random_boxes(game, 6, seed=3):
        positions = enumerated(game, box, winning)
        points = CountedSampler(box, terminal=True)
        solution = None if winning is None else game.solution
        sampler = RejectionSampler(points, box, winning, solution)
        assert (sampler.wanted_share(4096) > 0) == (len(positions) > 0)
        if len(positions):
            drawn = sampler.sample(np.random.default_rng(4), 20 * len(positions))
            assert_uniform(drawn, positions)
            tried += 1
    assert tried


LARGE = [
    ("kayles", {"heaps": (24,)}),
    ("grundy", {"heaps": (40,)}),
    ("dawsons_kayles", {"heaps": (40,)}),
    ("splitting", {"heaps": (24,)}),
    ("kayles", {"heaps": (30, 9)}),
    ("splitting", {"heaps": (24,), "misere": True}),
    ("sum", {"games": (("kayles", {"heaps": (20,)}), ("nim", {"heaps": (50,)}), "graph")}),
    ("sum", {"games": (("kayles", {"heaps": (20,)}), ("nim", {"heaps": (10**15,)}))}),
    ("nim", {"heaps": (300,) * 3}),
    ("nim", {"heaps": (10**15,) * 3}),
    ("misere_nim", {"heaps": (10**15,) * 3}),
    ("nim", {"heaps": (10**15,) * 3, "max_take": 10**6}),
    ("subtraction", {"heaps": (10**6,) * 2, "subtraction_set": (3, 500, 7)}),
    ("addition", {"k": 7, "n": 10**15}),
]


@pytest.mark.parametrize(("name", "arguments"), LARGE, ids=str)
def test_large_games_start_from_positions_of_the_wanted_outcome(name, arguments):
    game = make_game(name, **arguments)
    assert isinstance(game.solution, SumSolution)
    for start, wanted in (("n_position", True), ("p_position", False)):
        sampler = NAMED_STARTS[start].bind(game)
        drawn = sampler.sample(np.random.default_rng(5), 300)
        assert (game.solution.is_winning(drawn) == wanted).all()
        assert not game.rules.is_terminal(drawn).any()
        with pytest.raises(SearchTooLargeError, match="the limit for listing"):
            sampler.support()
    for start in ("uniform", "balanced"):
        drawn = NAMED_STARTS[start].bind(game).sample(np.random.default_rng(6), 300)
        assert not game.rules.is_terminal(game.rules.checked_positions(drawn)).any()
        assert len(np.unique(drawn, axis=0)) > 200


@pytest.mark.parametrize(("name", "arguments"), LARGE, ids=str)
@pytest.mark.parametrize("start", ["uniform", "n_position", "p_position", "balanced"])
def test_many_starts_of_large_games_are_those_drawn_one_by_one(name, arguments, start):
    sampler = NAMED_STARTS[start].bind(make_game(name, **arguments))
    one_by_one, at_once = np.random.default_rng(7), np.random.default_rng(7)
    drawn = np.stack([sampler.draw(one_by_one) for _ in range(20)])
    blocks = [sampler.sample(at_once, size) for size in (1, 0, 5, 14)]
    assert np.concatenate(blocks).tolist() == drawn.tolist()
    assert at_once.random() == one_by_one.random()


def test_counts_beyond_the_range_of_a_float_are_counts():
    box = checked_box(make_game("nim", heaps=(10,) * 400).rules, 0, None)
    number = CountedSampler(box).num_positions
    assert abs(number - (11**400 - 1)) < 11**400 // 2**40


def test_environments_of_large_games_reset_to_every_kind_of_start():
    env = pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(24,), start="p_position")
    rules, solution = env.unwrapped.game.rules, env.unwrapped.game.solution
    for seed in range(5):
        env.reset(seed=seed)
        assert not solution.is_winning(env.unwrapped.position)
        env.reset(seed=seed, options={"start": "n_position"})
        assert solution.is_winning(env.unwrapped.position)
        env.reset(seed=seed, options={"start": "uniform"})
        assert not rules.is_terminal(env.unwrapped.position)
    versus = gymnasium.make("nim_envs/Grundy-v0", heaps=(40,), start="n_position")
    versus.reset(seed=0)
    assert versus.unwrapped.game.solution.is_winning(versus.unwrapped.position)


WILD = ("kayles", {"heaps": (9,), "misere": True})  # no theorem is known for it


@pytest.mark.parametrize("maker", ["aec", "versus", "batch"])
def test_reset_does_not_search(maker):
    name, arguments = WILD

    def make(**start):
        if maker == "aec":
            return pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments, **start)
        if maker == "versus":
            return gymnasium.make("nim_envs/Kayles-v0", **arguments, **start)
        return gymnasium.make_vec("nim_envs/Kayles-v0", num_envs=3, **arguments, **start)

    env = make()
    env.reset(seed=0, options={"start": "uniform"})
    for start in ("n_position", "p_position", "balanced"):
        with pytest.raises(InvalidPositionError, match=r"reset\(\) does not search.*make\(\)"):
            env.reset(seed=0, options={"start": start})
    env = make(start="n_position")
    for start in ("n_position", "p_position", "balanced"):
        env.reset(seed=0, options={"start": start})
    env.close()


def test_a_game_that_is_searched_in_make_resets_after_it_was_pickled():
    name, arguments = WILD
    env = pettingzoo.make("aec", f"nim_envs/{name}-v0", **arguments, start="n_position").unwrapped
    copied = pickle.loads(pickle.dumps(env))
    for one in (env, copied):
        one.reset(seed=3, options={"start": "n_position"})
    assert env.position.tolist() == copied.position.tolist()
    assert env.game.solution.is_winning(env.position)


def test_a_game_too_large_to_search_is_refused_in_make():
    for start in ("n_position", "p_position", "balanced"):
        with pytest.raises(SearchTooLargeError, match=r"misere play of kayles"):
            pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(20,), misere=True, start=start)
    env = pettingzoo.make("aec", "nim_envs/kayles-v0", heaps=(20,), misere=True, start="uniform")
    env.reset(seed=0)


def test_a_searched_game_too_large_to_list_is_drawn_from():
    successors = ()
    game = make_game("graph", successors=successors, tokens=(6,) * 8, misere=True)
    assert theorem_for(game.rules, game.convention) is None
    assert game.rules.num_positions > 2**20
    for winning in (True, False):
        drawn = OutcomeStart(winning).bind(game).sample(np.random.default_rng(8), 50)
        assert (game.solution.is_winning(drawn) == winning).all()


@pytest.mark.parametrize(
    "sizes", [((3, 0), (3, 5)), ((0, 0), (900, 900)), ((0, 0), (2000, 2000))], ids=str
)
def test_boxes_that_can_be_listed_are_listed(sizes):
    low, high = sizes
    sampler = box_sampler(make_game("nim", heaps=(2000, 2000)), low, high, winning=False)
    if (np.array(high) - low + 1).prod() <= 2**20:
        positions, probabilities = sampler.support()
        assert (positions[:, 0] == positions[:, 1]).all()
        assert probabilities == pytest.approx(1 / len(positions))
    else:
        with pytest.raises(SearchTooLargeError):
            sampler.support()
