"""Start positions are what their names say, and follow the seed."""

from __future__ import annotations

import re

import gymnasium
import numpy as np
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nim_envs import make_game
from nim_envs.envs.vector import VectorGameEnv
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

GAMES = [
    make_game("nim", heaps=(3, 4, 5)),
    make_game("misere_nim", heaps=(1, 3, 5)),
    make_game("addition", k=3, n=10),
    make_game("subtraction", heaps=(9, 8), subtraction_set=(2, 3)),
]


@pytest.mark.parametrize("name", NAMED_STARTS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules.name)
def test_every_start_is_in_the_box_and_leaves_a_move(game, name):
    sampler = NAMED_STARTS[name].sampler(game)
    rng = np.random.default_rng(0)
    drawn = np.concatenate([sampler.sample(rng, 500), [sampler.draw(rng) for _ in range(20)]])
    assert drawn.shape == (520, len(game.rules.components))
    assert not game.rules.is_terminal(game.rules.checked_positions(drawn)).any()
    support = {tuple(position) for position in sampler.support()[0].tolist()}
    assert {tuple(position) for position in drawn.tolist()} <= support
    assert sampler.support()[1].sum() == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules.name)
def test_starts_by_outcome_have_it_and_balanced_ones_are_half_and_half(game):
    rng = np.random.default_rng(1)
    for name, wanted in (("n_position", True), ("p_position", False)):
        drawn = NAMED_STARTS[name].sampler(game).sample(rng, 300)
        assert (game.solution.is_winning(drawn) == wanted).all()
    drawn = NAMED_STARTS["balanced"].sampler(game).sample(rng, 2000)
    share = game.solution.is_winning(drawn).mean()
    assert abs(share - 0.5) < 5 * 0.5 / 2000**0.5
    positions, probabilities = NAMED_STARTS["balanced"].sampler(game).support()
    winning = game.solution.is_winning(positions)
    assert probabilities[winning].sum() == pytest.approx(0.5)


def test_a_uniform_start_reaches_every_position_of_its_box_equally_often():
    game = make_game("nim", heaps=(3, 4))
    drawn = UniformStart(low=1, high=(3, 2)).sampler(game).sample(np.random.default_rng(2), 60_000)
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
        sampler = start.sampler(game)
        drawn = sampler.sample(np.random.default_rng(3), 40)
        assert (game.solution.is_winning(drawn) == wanted).all()
        with pytest.raises(SearchTooLargeError, match=str(201**4)):
            sampler.support()


def test_draws_from_a_large_box_stay_inside_it():
    game = make_game("nim", heaps=(10**9,) * 3)
    start = UniformStart(low=10**8, high=(10**8 + 500, 2 * 10**8, 10**9))
    drawn = start.sampler(game).sample(np.random.default_rng(6), 200)
    assert (drawn >= 10**8).all()
    assert (drawn <= [10**8 + 500, 2 * 10**8, 10**9]).all()


def test_a_box_too_large_to_count_without_such_a_position_is_refused():
    # A single heap can always be won, unless it is empty.
    with pytest.raises(InvalidPositionError, match=rf"no P-position.* was found in {2**18} draws"):
        OutcomeStart(winning=False, low=1).sampler(make_game("nim", heaps=(10**9,)))


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(NAMED_STARTS)))
def test_the_same_seed_draws_the_same_positions(seed, name):
    sampler = NAMED_STARTS[name].sampler(GAMES[0])
    first, second = (np.random.default_rng(seed) for _ in "12")
    assert sampler.sample(first, 8).tolist() == sampler.sample(second, 8).tolist()
    assert sampler.draw(first).tolist() == sampler.draw(second).tolist()


@pytest.mark.parametrize(
    ("start", "named"),
    [
        (FixedStart((3, 4, 6)), "(3, 4, 6)"),
        (FixedStart(((1, 2, 3), (3, 2, 1))), "one position of 3 components is expected here"),
        (UniformStart(low=3, high=2), "low [3, 3, 3] exceeds high [2, 2, 2]"),
        (UniformStart(low=(1, 2)), "(1, 2)"),
        (UniformStart(high=(3, 5, 5)), "from 0 to (3, 4, 5), not (3, 5, 5)"),
        (BalancedStart(low=(3, 4, 5)), "[3, 4, 5]"),
    ],
)
def test_an_impossible_start_is_refused_by_name(start, named):
    with pytest.raises(InvalidPositionError) as caught:
        start.sampler(make_game("nim", heaps=(3, 4, 5)))
    assert named in str(caught.value)


def test_a_game_without_such_positions_to_start_from_says_so():
    with pytest.raises(InvalidPositionError, match="no P-position"):
        NAMED_STARTS["p_position"].sampler(make_game("nim", heaps=(5,)))
    with pytest.raises(InvalidPositionError, match="no N-position"):
        OutcomeStart(winning=True, low=1).sampler(make_game("nim", heaps=(1, 1)))


def test_positions_and_names_are_starts():
    assert as_start((1, 2)) == FixedStart((1, 2))
    assert as_start(np.array([1, 2])) == FixedStart((1, 2))
    assert as_start("uniform") == UniformStart()
    rules = GAMES[0].rules
    assert checked_start((1, 0, 2), rules) == FixedStart((1, 0, 2))
    for impossible in ((0, 0, 0), (3, 4, 6)):
        with pytest.raises(InvalidPositionError, match=re.escape(str(impossible))):
            checked_start(impossible, rules)
    for bad in ("sideways", 5, None, (1, "a"), (True, 1), {}):
        with pytest.raises(InvalidPositionError) as caught:
            as_start(bad)
        assert repr(bad) in str(caught.value)


@pytest.mark.parametrize(
    "start",
    [
        "n_position",
        "balanced",
        UniformStart(low=1),
        UniformStart(high=(10**9, 10**9, 10**9)),
        BalancedStart(high=(300, 100, 100)),
        BalancedStart(high=(10**9, 10**9, 10**9)),
    ],
)
def test_many_starts_at_once_are_those_drawn_one_by_one(start):
    game = make_game("nim", heaps=(10**9,) * 3 if not isinstance(start, str) else (3, 4, 5))
    sampler = as_start(start).sampler(game)
    one_by_one, at_once = np.random.default_rng(7), np.random.default_rng(7)
    drawn = np.stack([sampler.draw(one_by_one) for _ in range(40)])
    blocks = [sampler.sample(at_once, size) for size in (1, 0, 9, 30)]
    assert np.concatenate(blocks).tolist() == drawn.tolist()
    assert at_once.random() == one_by_one.random()


def test_a_list_of_positions_is_drawn_from_with_repeats_as_weights():
    listed = [(3, 0, 0), (0, 2, 1), (0, 2, 1), [0, 0, 5]]
    game = make_game("nim", heaps=(3, 4, 5), start=listed)
    assert isinstance(game.starts, ListStart)
    drawn = game.starts.sampler(game).sample(np.random.default_rng(0), 2000)
    shares = {tuple(each): (drawn == each).all(axis=1).mean() for each in np.unique(drawn, axis=0)}
    assert shares.keys() == {(3, 0, 0), (0, 2, 1), (0, 0, 5)}
    assert abs(shares[0, 2, 1] - 0.5) < 0.05
    assert as_start(np.array(listed)) == game.starts
    for wrong in ([(0, 0, 0)], [(3, 0, 0), (4, 0, 0)], [(1, 2)]):
        with pytest.raises(InvalidPositionError):
            make_game("nim", heaps=(3, 4, 5), start=wrong)
    for wrong in ([(1, 2, 3), "x"], "fixd", np.array(3)):
        with pytest.raises(InvalidPositionError, match="or a list of positions, not"):
            as_start(wrong)


def test_a_list_of_starts_goes_through_make_specs_and_resets():
    listed = [[0, 2, 1], [0, 2, 1], [3, 0, 0]]
    env = pettingzoo.make("aec", "nim_envs/nim-v0", heaps=(3, 4, 5), start=listed)
    single = gymnasium.make("nim_envs/Nim-v0", heaps=(3, 4, 5), start=listed, opponent=None)
    spec = gymnasium.envs.registration.EnvSpec.from_json(single.spec.to_json())
    batch = VectorGameEnv(make_game("nim", heaps=(3, 4, 5), start=listed), 300, opponent=None)
    begun = []
    for seed in range(30):
        env.reset(seed=seed)
        begun.append(env.observe("player_0")["observation"].tolist())
        first = single.reset(seed=seed)[0]["observation"].tolist()
        assert gymnasium.make(spec).reset(seed=seed)[0]["observation"].tolist() == first in listed
    assert {tuple(each) for each in begun} == {(0, 2, 1), (3, 0, 0)}
    shown = batch.reset(seed=0)[0]["observation"]
    assert abs((shown == (0, 2, 1)).all(axis=1).mean() - 2 / 3) < 0.1
    env.reset(seed=0, options={"start": [[1, 1, 1]]})
    assert env.observe("player_0")["observation"].tolist() == [1, 1, 1]
