"""One seat against an opponent: Gymnasium's rules, and agreement with the batched environment."""

import copy
import pickle
import re

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import RecordEpisodeStatistics

from agents import EpsilonOptimalAgent, OptimalAgent, RandomAgent
from nim_envs import VectorGameEnv, VersusEnv, make_game
from nim_envs.errors import (
    IllegalMoveError,
    InvalidPositionError,
    ResetNeededError,
)
from nim_envs.registry import GAMES, make_versus
from tests.games import ALL, KINDS
from tests.goodness_of_fit import p_value
from tests.looped import in_one_test
from tests.nim_envs.envs.batches import LARGE
from tests.outcome_games import GAMES as GAMES_WITH_DRAWS
from tests.outcome_games import LARGER
from tests.pairwise import in_turn


class Steady:
    """An opponent whose answer follows from the mask alone; now and then it is illegal."""

    def __init__(self, illegal=True):
        self.illegal = illegal

    def __call__(self, observations, masks, rng):
        assert isinstance(rng, np.random.Generator)
        actions = np.zeros(len(masks), dtype=np.int64)
        for i, mask in enumerate(masks):
            legal = np.flatnonzero(mask)
            if len(legal):
                mixed = int(observations[i].sum()) * 7 + int(legal.sum()) * 5
                actions[i] = legal[mixed % len(legal)]
                if self.illegal and mixed % 11 == 0:
                    actions[i] = mixed % len(mask)
        return actions


DRAWN = [*GAMES_WITH_DRAWS, *(f"random-{seed}" for seed in range(3, 13))]


@in_one_test(
    ("case", "seat", "max_cycles", "encoding"),
    in_turn(
        ALL + LARGE + DRAWN, [None, 0, 1], [None, 2], ["integer", "one_hot", "unary", "binary"]
    ),
)
def test_it_agrees_with_the_batched_environment_in_everything(case, seat, max_cycles, encoding):
    """Against an opponent in either seat, and in self-play."""
    arguments = {
        "opponent": None if seat is None else Steady(), "seat": seat, "max_cycles": max_cycles,
        "encoding": encoding, "truth_in_info": case not in LARGE,
    }  # fmt: skip
    drawn = (GAMES_WITH_DRAWS | LARGER).get(str(case))
    game = make_game(case[0], **case[1]) if drawn is None else drawn().game
    env = VersusEnv(game, **arguments)
    batch = VectorGameEnv(game, 1, **arguments, autoreset_mode=AutoresetMode.DISABLED)
    assert env.observation_space == batch.single_observation_space
    assert env.action_space == batch.single_action_space
    rng = np.random.default_rng(0)
    for start in env.game.starts.sampler(env.game).sample(rng, 4):
        try:
            observation, info = env.reset(options={"start": start})
        except InvalidPositionError as error:
            with pytest.raises(InvalidPositionError, match=f"^{re.escape(str(error))}$"):
                batch.reset(options={"start": start})
            assert "the opponent's first move ended" in str(error)
            continue
        expected, infos = batch.reset(options={"start": start})
        ended = False
        while True:
            assert env.observation_space.contains(observation)
            assert all((observation[key] == expected[key][0]).all() for key in expected)
            assert (env.position == batch.positions[0]).all()
            assert info["seat"] in (0, 1) if seat is None else info["seat"] == seat
            assert {*info, *(f"_{key}" for key in info)} == infos.keys()
            assert all((info[key] == infos[key][0]).all() for key in info)
            assert (info["action_mask"] == expected["action_mask"][0]).all()
            assert (env.action_masks() == expected["action_mask"][0]).all()
            if ended:
                break
            legal = np.flatnonzero(info["action_mask"])
            action = rng.choice(legal) if rng.random() < 0.9 else env.action_space.sample()
            observation, reward, terminated, truncated, info = env.step(action)
            expected, *ends, infos = batch.step(np.array([action]))
            assert [reward, terminated, truncated] == [end[0] for end in ends]
            ended = terminated or truncated


@pytest.mark.parametrize(
    ("name", "arguments"),
    in_turn(
        KINDS,
        [
            {},
            {"mask_in_observation": False},
            {"encoding": "one_hot", "opponent": 0.3, "seat": "random"},
            {"opponent": "optimal", "max_cycles": 2, "start": "uniform"},
            {"opponent": None, "truth_in_info": True},
            {"opponent": "optimal", "truth_in_info": True, "mask_in_observation": False},
        ],
    ),
    ids=str,
)
def test_gymnasiums_own_check_passes(name, arguments, capsys):
    # Warnings fail every test here.
    env = gymnasium.make(GAMES[name].gymnasium_id, **arguments)
    check_env(env.unwrapped)
    env.close()


def play(env, games=5, seed=None, agent_seed=0):
    """All that some games of random legal moves show."""
    rng = np.random.default_rng(agent_seed)
    line = []
    for game in range(games):
        observation, info = env.reset(seed=seed if game == 0 else None)
        ended = False
        while not ended:
            line.append((str(observation), int(info["seat"])))
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            observation, reward, terminated, truncated, info = env.step(action)
            line.append(reward)
            ended = terminated or truncated
    return line


def test_the_opponents_first_move_does_not_follow_from_the_start():
    """Starts and replies are drawn independently, though one seed stands for both."""
    env = make_versus("nim", heaps=(2, 2), start="uniform", seat=1)
    pairs = set()
    for seed in range(400):
        observation, _ = env.reset(seed=seed)
        pairs.add(tuple(observation["observation"].tolist()))
    # Every position that one move leaves, and that leaves one.
    assert pairs == {(0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (1, 2), (2, 1)}


GAME = make_game("nim", heaps=(2, 3))


@pytest.mark.parametrize(
    ("opponent", "agent"),
    [
        ("random", RandomAgent()),
        ("optimal", OptimalAgent(GAME)),
        (0.4, EpsilonOptimalAgent(GAME, 0.4)),
        (EpsilonOptimalAgent(GAME, 0.4), EpsilonOptimalAgent(GAME, 0.4)),
    ],
    ids=["random", "optimal", "mixed", "agent"],
)
def test_opponents_play_with_the_probabilities_of_their_agents(opponent, agent):
    """The opponent opens at (2, 3); where that leads is as likely as its agent says."""
    number = 3_000
    env = make_versus("nim", heaps=(2, 3), opponent=opponent, seat=1)
    after = [env.reset(seed=4 if i == 0 else None)[0]["observation"] for i in range(number)]
    position = np.array([2, 3])
    mask = GAME.mask(position)
    (shares,) = agent.action_probabilities(position[np.newaxis], mask[np.newaxis])
    seen = {}
    for row in np.asarray(after).tolist():
        seen[tuple(row)] = seen.get(tuple(row), 0) + 1
    expected = {
        tuple(GAME.step(position, action).tolist()): number * share
        for action, share in enumerate(shares)
        if share > 0
    }
    assert set(seen) == set(expected)
    if len(expected) > 1:
        assert p_value([seen[key] for key in expected], list(expected.values())) > 1e-4


def test_a_seat_that_is_drawn_is_each_as_often_as_the_other():
    env = make_versus("nim", seat="random")
    seats = [int(env.reset(seed=1 if i == 0 else None)[1]["seat"]) for i in range(1_000)]
    assert 430 < sum(seats) < 570


@pytest.mark.parametrize(
    ("opponent", "copied"),
    in_turn(
        ["random", "optimal", 0.5],
        [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ),
)
def test_copies_keep_the_position_and_go_on_alike(opponent, copied):
    env = make_versus("nim", heaps=(9, 8, 7), opponent=opponent, seat="random")
    _, info = env.reset(seed=2)
    env.step(int(info["action_mask"].argmax()))
    other = copied(env)
    assert (other.position == env.position).all()
    assert (other.position != [9, 8, 7]).any()
    while env.action_masks().any():
        action = int(env.action_masks().argmax())
        ours, theirs = env.step(action), other.step(action)
        assert str(ours) == str(theirs)
    assert play(env) == play(other)


def foul(observations, masks, rng):
    return np.argmin(masks, axis=1)


def test_an_opponents_illegal_move_loses_or_raises():
    env = make_versus("nim", heaps=(4, 1), opponent=foul)
    env.reset()
    assert env.step(0)[1:4] == (1.0, True, False)
    env = make_versus("nim", heaps=(4, 1), opponent=foul, illegal_move="raise")
    env.reset()
    with pytest.raises(IllegalMoveError, match=r"the opponent's action 3 .* is illegal"):
        env.step(0)
    # A game cannot be continued from the middle of a step.
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
    env.reset()
    assert env.position.tolist() == [4, 1]


def test_steps_out_of_turn_are_errors():
    env = make_versus("nim", heaps=(1,))
    for early in (lambda: env.step(0), env.action_masks, lambda: env.position):
        with pytest.raises(ResetNeededError, match="reset"):
            early()
    env.reset()
    assert env.step(0)[1] == 1.0
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)


def test_pictures_and_masks_reach_through_wrappers():
    env = RecordEpisodeStatistics(
        gymnasium.make("nim_envs/Nim-v0", render_mode="ansi", heaps=(2, 1))
    )
    env.reset(seed=0)
    assert env.get_wrapper_attr("action_masks")().sum() == 3
    assert "heap 0  2" in env.render()
    env.step(1)
    assert "player_1 moved" in env.render()
