"""TorchRL trains on these games through its own wrappers, and is scored exactly."""

import gymnasium
import numpy as np
import pettingzoo
import pytest
import torch
from torchrl.envs import (
    ActionMask,
    GymEnv,
    GymWrapper,
    PettingZooWrapper,
    TransformedEnv,
    check_env_specs,
)

import nim_envs
from nim_envs.adapters.torchrl import TorchRLEnv, TorchRLVectorEnv
from nim_envs.registry import GAMES
from tests.clients.tutorials import run_tutorial
from tests.games import KINDS
from tests.pairwise import in_turn

BATCHED = {"vectorization_mode": "vector_entry_point", "autoreset_mode": "Disabled"}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)
    torch.manual_seed(0)


def masked(env):
    env = TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask())
    env.set_seed(0)
    return env


def assert_legal(game, positions, masks, actions):
    """The masks are those of the positions, and every action was legal."""
    seen = positions.numpy().astype(np.int64).reshape(-1, len(game.fields))
    masks = masks.numpy().reshape(len(seen), -1)
    assert (masks == game.board.mask(game.board.find(seen))).all()
    assert masks[np.arange(len(masks)), actions.numpy().reshape(-1)].all()


@pytest.fixture(scope="module")
def tutorial():
    return run_tutorial("torchrl")


def test_the_tutorial_trains_and_scores(tutorial):
    score = tutorial["score"]
    assert score.count == 102
    assert score.illegal_percent == 0
    assert score.percent > 50 > 2 * score.random_percent
    games, percents = zip(*tutorial["curve"], strict=True)
    assert len(games) == 30
    assert sorted(set(games)) == list(games)
    assert percents[-1] == score.percent > percents[0]


def test_training_played_legal_moves_alone(tutorial):
    played, game = tutorial["played"], tutorial["games"].unwrapped.game
    every = game.board.positions(np.arange(game.board.num_positions))
    codes = torch.as_tensor(tutorial["games"].unwrapped.encoding.encode(every))
    shown = (played["observation"] @ codes.T).argmax(dim=1)
    positions = torch.as_tensor(every)[shown]
    assert_legal(game, positions, played["action_mask"], played["action"])


@pytest.mark.parametrize("name", KINDS)
def test_one_game_against_an_opponent(name):
    single = gymnasium.make(
        GAMES[name].gymnasium_id, opponent=0.5, seat="random", illegal_move="raise"
    )
    env = masked(TorchRLEnv(single))
    check_env_specs(env)
    rollout = env.rollout(100, break_when_any_done=False)
    game = single.unwrapped.game
    assert_legal(game, rollout["observation"], rollout["action_mask"], rollout["action"])
    ended = rollout["next", "done"]
    assert ended.any()
    assert set(rollout["next", "reward"][ended].tolist()) <= {1.0, -1.0}
    assert (rollout["next", "reward"][~ended] == 0).all()


@pytest.mark.parametrize(("name", "opponent"), in_turn(KINDS, [None, "random"]))
def test_many_games_at_once(name, opponent):
    games = gymnasium.make_vec(
        GAMES[name].gymnasium_id, num_envs=8, opponent=opponent, illegal_move="raise", **BATCHED
    )
    env = masked(TorchRLVectorEnv(games))
    check_env_specs(env)
    rollout = env.rollout(40, break_when_any_done=False)
    game = games.unwrapped.game
    assert_legal(game, rollout["observation"], rollout["action_mask"], rollout["action"])
    assert rollout["next", "done"].any()


def test_torchrl_makes_an_environment_from_its_id():
    """It tries an argument that it may have to take back, and knows the error by its words."""
    env = GymEnv("nim_envs/Nim-v0", opponent="random")
    check_env_specs(env)
    assert env.rollout(20)["next", "done"].any()


def shortest_game(game):
    """The least number of moves after which play from the initial position is over."""
    positions, moves = {game.start}, 0
    while not any(map(game.is_over, positions)):
        positions = {after for here in positions for _, after in game.moves(here)}
        moves += 1
    return moves


@pytest.mark.parametrize("name", KINDS)
def test_the_turn_based_environment_needs_no_adapter(name):
    aec = pettingzoo.make("aec", GAMES[name].aec_id, illegal_move="raise")
    env = PettingZooWrapper(aec, use_mask=True)
    # The check makes three moves, and knows no game that is over before.
    if shortest_game(aec.unwrapped.game) >= 3:
        check_env_specs(env)
    rollout = env.rollout(60, break_when_any_done=False)
    first, second = rollout["player_0"], rollout["player_1"]
    # One moves at a time.
    assert (first["mask"] ^ second["mask"]).all()
    for player in (first, second):
        to_move = player["mask"].squeeze(-1)
        shown = player["observation", "observation"][to_move]
        assert_legal(
            aec.unwrapped.game, shown, player["action_mask"][to_move], player["action"][to_move]
        )
    rewards = rollout["next", "player_0", "reward"] + rollout["next", "player_1", "reward"]
    assert (rewards == 0).all()
    won_or_lost = rollout["next", "player_0", "reward"].abs().flatten() == 1
    assert (won_or_lost == rollout["next", "done"].flatten()).all()


def test_torchrl_must_reset_the_games_itself():
    games = nim_envs.registry.make_vector("nim", 4, autoreset_mode="SameStep")
    with pytest.raises(ValueError, match="SameStep"):
        TorchRLVectorEnv(games)
