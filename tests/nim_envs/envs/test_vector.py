"""The batched environment's arguments, encodings, pictures, copies, and errors."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from nim_envs import Game, make_game
from nim_envs.envs.batched import VectorGameEnv
from nim_envs.envs.batched.kernels import CHUNK
from nim_envs.errors import (
    IllegalMoveError,
    InvalidActionError,
    ResetNeededError,
    SearchTooLargeError,
)
from nim_envs.registry import GAMES
from tests.looped import in_one_test
from tests.nim_envs.envs.batches import Recorder, batch, play, same
from tests.pairwise import in_turn
from tests.tables import table_part


def test_a_second_part_alone_keeps_a_game_going():
    """Its first part has no move and yet is not the empty slot."""
    rows, second_rows = ((-1,), (-1,), (0,), (1,)), ((0,), (0,), (0,), (2,))
    game = Game("pieces", (table_part(rows, second_rows),) * 2, (3, 0))
    env = VectorGameEnv(game, 1, opponent=None)
    env.reset()
    _, _, terminations, _, _ = env.step([0])
    assert env.positions.tolist() == [[1, 2]]
    assert not terminations.any()
    _, rewards, terminations, _, _ = env.step([1])
    assert env.positions.tolist() == [[1, 0]]
    assert (rewards.tolist(), terminations.tolist()) == ([1.0], [True])


def test_an_illegal_move_can_raise_and_leaves_everything_as_it_was():
    env = batch(heaps=(2, 3), num_envs=3, illegal_move="raise", render_mode="ansi")
    env.reset()
    env.step([0, 1, 5])
    before = pickle.dumps(env)
    with pytest.raises(IllegalMoveError) as caught:
        env.step([0, 3, 5])
    assert "environment 2" in str(caught.value)
    assert "heap 1: take 3" in str(caught.value)
    assert "[2, 0]" in str(caught.value)
    assert "[0, 1]" in str(caught.value)
    assert pickle.dumps(env) == before
    # A finished game's action is not played, so it cannot be illegal.
    env.step([0, 3, 1])
    env.step([4, 4, 5])
    env.step([3, 2, 1])


@pytest.mark.parametrize(
    ("opponent", "kept"), [(None, True), ("random", False), (Recorder(), True)]
)
def test_observations_are_copied_or_overwritten_as_asked(opponent, kept):
    env = batch(num_envs=3, copy=kept, opponent=opponent)
    first, _ = env.reset(seed=0)
    before = {key: values.copy() for key, values in first.items()}
    _, rewards, terminations, truncations, infos = env.step([0, 6, 12])
    ends = [rewards.copy(), terminations.copy(), truncations.copy(), infos["seat"].copy()]
    second, *_ = env.step(env.sample_actions())
    assert same(first, before) == kept
    assert np.shares_memory(first["observation"], second["observation"]) != kept
    assert same([rewards, terminations, truncations, infos["seat"]], ends)
    # The games do not depend on returned arrays: overwriting these changes nothing.
    positions = env.positions
    second["observation"][:] = 99
    second["action_mask"][:] = 0
    assert (env.positions == positions).all()
    observations, *_ = env.step(env.sample_actions())
    assert (observations["observation"] == env.positions).all()


@pytest.mark.parametrize(
    ("arguments", "duplicate"),
    in_turn(
        [
            {"start": "uniform", "opponent": 0.5, "seat": "random", "copy": False},
            {"heaps": (200, 200, 200), "start": "uniform", "encoding": "binary", "max_cycles": 2},
            {"num_envs": 2 * CHUNK},
        ],
        [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ),
)
def test_copies_keep_the_games_in_progress_and_go_their_own_way(duplicate, arguments):
    env = batch(**arguments)
    play(env, 3, seed=5)
    again = duplicate(env)
    positions = env.positions
    line = [again.step(again.sample_actions()) for _ in range(6)]
    assert (env.positions == positions).all()
    assert same(line[-1], [env.step(env.sample_actions()) for _ in range(6)][-1])


@in_one_test("name", GAMES)
def test_make_vec_makes_every_registered_game(name):
    env = gymnasium.make_vec(
        GAMES[name].gymnasium_id, num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(env, VectorGameEnv)
    assert env.spec.id == GAMES[name].gymnasium_id
    assert env.game == make_game(name)
    assert env.opponent == gymnasium.make(env.spec.id).unwrapped.opponent == "random"
    assert GAMES[name].gymnasium_id in str(env)
    play(env, 5, seed=0)
    # The entry point is Gymnasium's first choice, and a spec makes the same once more.
    again = gymnasium.make_vec(env.spec, num_envs=3)
    assert again.game == env.game


def test_the_text_shows_every_game():
    env = batch(heaps=(1, 2), num_envs=2, render_mode="ansi")
    with pytest.raises(ResetNeededError):
        env.render()
    env.reset()
    env.step([0, 2])
    env.step([3, 0])
    assert env.render() == (
        "the game is over\nheap 0  0  .\nheap 1  0  ..",
        "player_0 to move\nheap 0  0  .\nheap 1  1  o.",
    )
    silent = batch()
    silent.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert silent.render() is None


def test_a_too_large_environment_is_refused_with_its_bytes():
    with pytest.raises(SearchTooLargeError, match=str(10**15)):
        batch(heaps=(10**15,))
    with pytest.raises(SearchTooLargeError, match=f"observations of {10**12} games"):
        batch(num_envs=10**12)
    with pytest.raises(SearchTooLargeError, match=r"at most \d+"):
        batch(heaps=(17_000,))
    # Misère play that only a search solves: of too many positions.
    with pytest.raises(SearchTooLargeError, match=r"\d+ entries"):
        batch("kayles", heaps=(60,), misere=True, opponent="optimal")
    play(batch("kayles", heaps=(60,), misere=True, opponent="random"), 3)


@pytest.mark.parametrize(
    ("actions", "named"),
    [
        ([0, 1, 2], "(3,)"),
        ([0, 1, 2, 15], "environment 3 was given 15"),
        (np.array([0, 1, 2, 2**64 - 1], dtype=np.uint64), str(2**64 - 1)),
        ([True, False, True, True], "bool"),
        (None, "object"),
    ],
    ids=str,
)
def test_invalid_actions_are_refused_by_name(actions, named):
    env = batch(num_envs=4)
    env.reset()
    before = pickle.dumps(env)
    with pytest.raises(InvalidActionError) as caught:
        env.step(actions)
    assert named in str(caught.value)
    assert "0 to 14" in str(caught.value)
    assert pickle.dumps(env) == before


def test_nothing_works_before_the_first_reset_and_masks_of_resets_are_checked():
    env = batch(num_envs=2, render_mode="ansi")
    for ask in (lambda: env.step([0, 0]), env.sample_actions, env.render, lambda: env.positions):
        with pytest.raises(ResetNeededError, match="reset"):
            ask()
    with pytest.raises(ResetNeededError, match="first"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset()
    for mask in ([True] * 2, np.ones(3, bool)):
        with pytest.raises(ValueError, match=r"reset_mask must be .*\(2,\)"):
            env.reset(options={"reset_mask": mask})
