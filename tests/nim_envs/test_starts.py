"""Start positions are what their names say, equally likely, and follow the seed."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nim_envs import GameEnv, VectorGameEnv, VersusEnv, game_from_moves, make_game, starts
from nim_envs.errors import InvalidPositionError, SearchTooLargeError
from nim_envs.starts import (
    NAMED_STARTS,
    BalancedStart,
    FixedStart,
    ListStart,
    OutcomeStart,
    UniformStart,
    as_start,
    checked_start,
)
from tests.games import ALL, label
from tests.goodness_of_fit import p_value
from tests.outcome_games import tic_tac_toe

LAST_MOVE = [name for name in NAMED_STARTS if name != "draw_position"]

NIM = make_game("nim", heaps=(3, 4, 5))

LARGE = [
    ("nim", {"heaps": (200, 201, 202)}),
    ("misere_nim", {"heaps": (200, 201, 202)}),
    ("nim", {"heaps": (1100, 1100), "max_take": 1}),
    ("addition", {"k": 7, "n": 2**21}),
    ("sum", {"games": (("kayles", {"heaps": (4,)}), ("nim", {"heaps": (300, 300)}))}),
]


def enumerated(game, low, high, value=None):
    """The positions that a start of a box draws from, by enumeration."""
    board = game.board
    every = board.positions(board.find(board.coordinates)) if hasattr(board, "coordinates") else []
    inside = ((every >= low) & (every <= high)).all(axis=1)
    listed = [tuple(each) for each in every[inside].tolist()]
    return [
        each
        for each in listed
        if not game.is_over(each) and value in (None, game.solution.value(each))
    ]


def random_boxes(game, number, seed=0):
    """The whole board, and boxes between random corners."""
    top = np.array(game.fields) - 1
    rng = np.random.default_rng(seed)
    yield np.zeros_like(top), top
    for _ in range(number):
        yield tuple(np.sort(rng.integers(0, top + 1, size=(2, len(top))), axis=0))


def assert_uniform(drawn, positions):
    counts = dict.fromkeys(positions, 0)
    for position in drawn.tolist():
        counts[tuple(position)] += 1
    assert len(positions) == 1 or p_value([*counts.values()]) > 1e-9


@pytest.mark.parametrize("case", ALL, ids=label)
@pytest.mark.parametrize("misere", [False, True])
def test_starts_of_a_box_are_all_its_positions_equally_likely(case, misere, monkeypatch):
    game = make_game(case[0], **{**case[1], "misere": misere})
    for number, (low, high) in enumerate(random_boxes(game, 2)):
        bounds = tuple(low.tolist()), tuple(high.tolist())
        for value in (None, 1, -1):
            start = OutcomeStart(value == 1, *bounds) if value else UniformStart(*bounds)
            positions = enumerated(game, low, high, value)
            if not positions:
                with pytest.raises(InvalidPositionError, match="exists"):
                    start.sampler(game)
                continue
            sampler = start.sampler(game)
            assert list(map(tuple, sampler.support()[0].tolist())) == positions
            if number == 0 and len(positions) < 100 and value:
                monkeypatch.setattr(starts, "LARGEST_SUPPORT", 0)
                rejection = start.sampler(game)
                monkeypatch.undo()
                for each in (sampler, rejection):
                    drawn = each.sample(np.random.default_rng(1), 20 * len(positions))
                    assert_uniform(drawn, positions)


@pytest.mark.parametrize(("name", "arguments"), LARGE, ids=str)
@pytest.mark.parametrize("start", ["uniform", "n_position", "p_position", "balanced"])
def test_starts_of_boards_too_large_to_list_are_drawn_as_one_by_one(name, arguments, start):
    game = make_game(name, **arguments)
    sampler = NAMED_STARTS[start].sampler(game)
    one_by_one, at_once = np.random.default_rng(7), np.random.default_rng(7)
    drawn = np.stack([sampler.draw(one_by_one) for _ in range(20)])
    blocks = [sampler.sample(at_once, size) for size in (1, 0, 5, 14)]
    assert np.concatenate(blocks).tolist() == drawn.tolist()
    assert at_once.random() == one_by_one.random()
    drawn = sampler.sample(at_once, 300)
    won = game.solution.is_winning(drawn)
    assert not game.board.is_over(game.board.find(drawn)).any()
    assert 0.35 < won.mean() < 0.65 if start == "balanced" else len(np.unique(drawn, axis=0)) > 200
    assert won.all() if start == "n_position" else not (start == "p_position" and won.any())
    with pytest.raises(SearchTooLargeError, match="the limit for listing its positions is"):
        sampler.support()


def test_a_box_of_a_large_board_is_listed_by_its_own_size():
    game = make_game("nim", heaps=(250,) * 5)
    drawn = UniformStart(low=240).sampler(game).sample(np.random.default_rng(0), 500)
    assert (drawn.min(), drawn.max()) == (240, 250)
    rows = make_game("kayles", heaps=(24,))
    low, high = (4, 3) + (0,) * 10, (6, 5) + (0,) * 10
    assert len(UniformStart(low, high).sampler(rows).support()[0]) == 9
    drawn = UniformStart().sampler(rows).sample(np.random.default_rng(0), 500)
    assert rows.mask(drawn).any(axis=1).all()
    with pytest.raises(InvalidPositionError, match=r"no P-position with .* between \[1\] and"):
        OutcomeStart(winning=False, low=1).sampler(make_game("nim", heaps=(2**11,)))


def test_a_searched_game_too_large_to_list_is_drawn_from():
    # Seven nodes that make it no tame game, and a path that leads to them.
    wild = ((), (0,), (0, 1), (0, 1, 2), (0, 2, 3), (3,), (4, 5))
    successors = wild + tuple((node - 1,) for node in range(7, 102))
    game = make_game("graph", successors=successors, tokens=(101,) * 3, misere=True)
    for winning in (True, False):
        drawn = OutcomeStart(winning).sampler(game).sample(np.random.default_rng(8), 50)
        assert (game.solution.is_winning(drawn) == winning).all()


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(LAST_MOVE)))
def test_the_same_seed_draws_the_same_positions(seed, name):
    sampler = NAMED_STARTS[name].sampler(NIM)
    first, second = (np.random.default_rng(seed) for _ in "12")
    assert sampler.sample(first, 8).tolist() == [sampler.draw(second).tolist() for _ in range(8)]
    assert first.random() == second.random()


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (FixedStart((3, 4, 6)), "(3, 4, 6)"),
        (UniformStart(low=3, high=2), "low [3, 3, 3] exceeds high [2, 2, 2]"),
        (
            UniformStart(low=(1, 2)),
            "3 integers, one for each coordinate, from 0 to (3, 4, 5), not (1, 2)",
        ),
        (UniformStart(high=(3, 5, 5)), "from 0 to (3, 4, 5), not (3, 5, 5)"),
        (BalancedStart(low=(3, 4, 5)), "[3, 4, 5]"),
        (OutcomeStart(winning=None), "nim has no drawn position"),
        (OutcomeStart(winning=False, high=(3, 0, 0)), "no P-position"),
        (OutcomeStart(winning=True, low=(1, 1, 0), high=(1, 1, 0)), "no N-position"),
    ],
)
def test_an_impossible_start_is_refused_by_name(start, named):
    with pytest.raises(InvalidPositionError, match=re.escape(named)):
        start.sampler(NIM)


def test_positions_and_names_are_starts():
    assert as_start((1, 2)) == as_start(np.array([1, 2])) == FixedStart((1, 2))
    assert as_start("uniform") == UniformStart()
    assert checked_start((1, 0, 2), NIM) == FixedStart((1, 0, 2))
    for impossible in ((0, 0, 0), (3, 4, 6)):
        with pytest.raises(InvalidPositionError, match=re.escape(str(impossible))):
            checked_start(impossible, NIM)
    for bad in ("sideways", 5, None, (1, "a"), (True, 1), {}, [(1, 2, 3), "x"], np.array(3)):
        with pytest.raises(InvalidPositionError, match="or a list of positions, not") as caught:
            as_start(bad)
        assert repr(bad) in str(caught.value)


def test_a_list_of_positions_is_drawn_from_with_repeats_as_weights():
    listed = [[0, 2, 1], [0, 2, 1], [3, 0, 0], [0, 0, 5]]
    game = make_game("nim", heaps=(3, 4, 5), start=listed)
    assert isinstance(game.starts, ListStart)
    assert as_start(np.array(listed)) == game.starts
    drawn = game.starts.sampler(game).sample(np.random.default_rng(0), 2000).tolist()
    assert abs(drawn.count([0, 2, 1]) / 2000 - 0.5) < 0.05
    for wrong in ([(0, 0, 0)], [(3, 0, 0), (4, 0, 0)], [(1, 2)]):
        with pytest.raises(InvalidPositionError):
            make_game("nim", heaps=(3, 4, 5), start=wrong)
    env = GameEnv(game)
    env.reset(seed=0, options={"start": [[1, 1, 1]]})
    assert env.observe("player_0")["observation"].tolist() == [1, 1, 1]


def test_starts_by_value_of_games_with_draws():
    game, rng = tic_tac_toe().game, np.random.default_rng(0)
    for name, value in {"n_position": 1, "draw_position": 0, "p_position": -1}.items():
        sampler = NAMED_STARTS[name].sampler(game)
        drawn = sampler.sample(rng, 400)
        assert (game.solution.value(drawn) == value).all()
        truth = tic_tac_toe().truth()
        found = sum(v == value for p, v in truth.items() if tic_tac_toe().moves(p))
        assert len(sampler.support()[0]) == found
    row = game_from_moves(
        "row", (9,), lambda p: [(n, (p[0] - n,)) for n in (1, 2) if n <= p[0]], outcome=lambda _: -1
    )
    for made, values in ((game, [-1, 0, 1]), (row, [-1, 1])):
        drawn = BalancedStart().sampler(made).sample(rng, 3000)
        found, counts = np.unique(made.solution.value(drawn), return_counts=True)
        assert found.tolist() == values
        assert (abs(counts / 3000 - 1 / len(values)) < 0.05).all()
    none = game_from_moves("end", (1,), lambda p: [(0, (0,))][: p[0]], outcome=lambda p: 0)
    assert BalancedStart().sampler(none).sample(rng, 3).tolist() == [[1]] * 3
    with pytest.raises(InvalidPositionError, match=r"no N-position .* between \[0\] and \[0\] ex"):
        BalancedStart(high=0).sampler(none)


@pytest.mark.parametrize("maker", [GameEnv, VersusEnv, lambda game: VectorGameEnv(game, 3)])
def test_reset_does_not_search(maker):
    def make(start):
        return maker(make_game("kayles", heaps=(9,), misere=True, start=start))

    env = make("fixed")
    env.reset(seed=0, options={"start": "uniform"})
    for start in ("n_position", "p_position", "balanced"):
        with pytest.raises(InvalidPositionError, match=r"reset\(\) does not search.*make\(\)"):
            env.reset(seed=0, options={"start": start})
    env = make("n_position")
    for start in ("p_position", "balanced"):
        env.reset(seed=0, options={"start": start})
    pickle.loads(pickle.dumps(env)).reset(seed=0, options={"start": "n_position"})


def test_a_game_too_large_to_search_is_refused_in_make():
    for start in ("n_position", "p_position", "balanced"):
        game = make_game("octal", code="4.7", heaps=(30,), misere=True, start=start)
        with pytest.raises(SearchTooLargeError, match="positions; at most"):
            GameEnv(game)
