"""The same id and arguments mean the same in every way of making an environment."""

import gymnasium
import numpy as np
import pettingzoo
import pytest

from nim_envs import make_game
from nim_envs.errors import (
    ClosedEnvironmentError,
    InvalidActionError,
    InvalidGameError,
    InvalidResetError,
    NimEnvsError,
    UnknownArgumentError,
)
from tests.pairwise import in_turn


def make_aec(**arguments):
    return pettingzoo.make("aec", "nim_envs/nim-v0", **arguments)


def make(**arguments):
    return gymnasium.make("nim_envs/Nim-v0", **arguments)


def batched(**arguments):
    return gymnasium.make_vec(
        "nim_envs/Nim-v0", num_envs=2, vectorization_mode="vector_entry_point", **arguments
    )


def sync(**arguments):
    return gymnasium.make_vec("nim_envs/Nim-v0", num_envs=2, vectorization_mode="sync", **arguments)


WAYS = [make_aec, make, batched, sync]
GYMNASIUM = [make, batched, sync]


@pytest.mark.parametrize(("way", "misere"), in_turn(GYMNASIUM, [False, True]))
def test_the_winner_is_told_by_its_seat(way, misere):
    vector = way is not make
    for opponent, seat, expected in ((None, None, 0), ("random", 0, 0)):
        env = way(heaps=(1,), misere=misere, opponent=opponent, seat=seat)
        _, info = env.reset(seed=0)
        assert np.all(info["winner"] == -1)
        *_, info = env.step(np.zeros(2, dtype=int) if vector else 0)
        assert np.all(info["winner"] == (1 - expected if misere else expected))
        assert info["winner"].dtype == np.int8
    env = way(heaps=(2, 2), misere=misere, opponent="optimal", seat=1, start=(2, 1))
    env.reset(seed=0)
    for _ in range(9):
        # An illegal move, so the opponent wins.
        *_, info = env.step(np.full(2, 3) if vector else 3)
        if np.any(info["winner"] >= 0):
            break
    assert np.all(info["winner"] == 0)


def test_a_truncated_game_has_no_winner():
    for env, action in ((make(max_cycles=1), 0), (batched(max_cycles=1), [0, 0])):
        env.reset(seed=0)
        _, _, _, truncated, info = env.step(action)
        assert np.all(truncated)
        assert np.all(info["winner"] == -1)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_works_after_close_and_the_error_says_so(way):
    env = way(render_mode="ansi")
    vector = way in (batched, sync)
    env.reset(seed=0)
    env.close()
    env.close()
    base = env.unwrapped
    for ask in (
        base.reset,
        lambda: base.reset(seed=1, options={"start": "uniform"}),
        lambda: base.step(np.zeros(2, dtype=int) if vector else 0),
        *([base.sample_actions] if way is batched else []),
    ):
        with pytest.raises(ClosedEnvironmentError, match="make a new one") as caught:
            ask()
        assert isinstance(caught.value, gymnasium.error.ClosedEnvironmentError)
        assert isinstance(caught.value, NimEnvsError)


SEEDS = [-1, 1.5, [1, -2], "1", True, [1, 2, 3], np.int64(3), [1]]


@pytest.mark.parametrize(("seed", "way"), in_turn(SEEDS, [make_aec, make, batched]))
def test_an_invalid_seed_is_refused_by_name(way, seed):
    env = way().unwrapped
    with pytest.raises(InvalidResetError, match="seed must be None") as caught:
        env.reset(seed=seed)
    assert repr(seed) in str(caught.value)
    env.reset(seed=0)
    env.reset(seed=2**70)
    env.reset(seed=None)


@pytest.mark.parametrize(
    ("options", "way"), in_turn(["start", 3, {"start"}], [make_aec, make, batched])
)
def test_invalid_options_are_refused_by_name(way, options):
    env = way().unwrapped
    with pytest.raises(InvalidResetError, match="options must be None or a dictionary") as caught:
        env.reset(options=options)
    assert repr(options) in str(caught.value)
    env.reset(options={})
    env.reset(options=None)


@pytest.mark.parametrize(("key", "way"), in_turn(["Start", "starts", "START", "strat"], WAYS))
def test_an_option_that_is_nearly_right_is_refused_with_those_there_are(key, way):
    env = way().unwrapped
    with pytest.raises(InvalidResetError, match=f"{key}.*it takes .*start"):
        env.reset(options={key: "uniform"})


def test_other_options_are_ignored_where_pettingzoos_tests_need_it_alone():
    make_aec().reset(options={"options": 1, 3: 4})
    for way in GYMNASIUM:
        with pytest.raises(InvalidResetError, match=r"takes no option 'options'.* start"):
            way().unwrapped.reset(options={"options": 1})
    with pytest.raises(InvalidResetError, match="reset_mask"):
        batched().reset(options={"reset_masks": np.ones(2, dtype=bool)})


@pytest.mark.parametrize(
    ("kind", "way"), in_turn([int, np.int8, np.uint16, np.int64, np.array], WAYS)
)
def test_any_integer_is_an_action(kind, way):
    env = way(heaps=(3, 4), **({} if way is make_aec else {"opponent": None})).unwrapped
    env.reset(seed=0)
    env.step([kind(1)] * 2 if way in (batched, sync) else kind(1))
    position = env.positions[0] if way is batched else None
    if way is sync:
        position = env.get_attr("position")[0]
    assert (env.position if position is None else position).tolist() == [1, 4]


@pytest.mark.parametrize(
    ("action", "way"),
    in_turn([1.0, True, np.float64(1), np.True_, "1", -1, 99, -1, 99], [make_aec, make, batched]),
)
def test_an_invalid_action_is_refused(way, action):
    env = way(heaps=(3, 4)).unwrapped
    env.reset(seed=0)
    with pytest.raises(InvalidActionError, match="0 to 7"):
        env.step([0, action] if way is batched else action)


@pytest.mark.parametrize("way", WAYS)
def test_a_mistyped_argument_is_answered_with_the_right_ones(way):
    with pytest.raises(UnknownArgumentError) as caught:
        way(heap=(3,))
    message = str(caught.value)
    assert "'heap'" in message
    assert "it takes heaps" in message
    for allowed in ("max_take", "misere", "start", "encoding", "illegal_move", "truth_in_info"):
        assert allowed in message
    assert ("opponent" in message) == (way is not make_aec)
    # It is a mistake in the call, and in the description of a game.
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, InvalidGameError)


def test_mistyped_arguments_of_games_and_of_parts_of_sums():
    with pytest.raises(UnknownArgumentError, match=r"addition got an unexpected .*'K'; it takes k"):
        make_game("addition", K=3)
    with pytest.raises(
        UnknownArgumentError, match="kayles got an unexpected keyword argument 'heap'"
    ):
        make_game("sum", games=(("kayles", {"heap": (3,)}), "nim"))
    with pytest.raises(UnknownArgumentError) as caught:
        make_game("nim", encoding="binary")
    assert "illegal_move" not in str(caught.value)
