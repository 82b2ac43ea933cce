"""Stable-Baselines3 and sb3-contrib train on these games, and are scored exactly."""

import csv
import itertools
import types

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import (
    SubprocVecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

from agents.research.policy import PolicyAgent
from nim_envs import make_game, optimality
from nim_envs.adapters.sb3 import (
    NEGAMAX,
    EntropyDecay,
    GameVecEnv,
    OptimalityCallback,
    sb3_policy,
)
from nim_envs.registry import GAMES, make_vector, make_versus
from tests.clients.tutorials import run_tutorial
from tests.games import KINDS

ADDITION = make_game("addition", k=3, n=10, start="uniform")
SETTINGS = {
    "n_steps": 16, "batch_size": 128, "n_epochs": 4, "gae_lambda": 0.9, "learning_rate": 3e-3,
    "ent_coef": 0.03, "device": "cpu", "policy_kwargs": {"net_arch": [64, 64]},
}  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def test_the_tutorial_runs_as_printed(tmp_path, capsys):
    names = run_tutorial("stable_baselines3", tmp_path)
    first, second, *_ = capsys.readouterr().out.splitlines()
    scores = names["scores"]
    # Far above random play, which the line shows beside it.
    assert float(first.split()[0]) > 80 > 3 * scores.scores[0].random_percent
    assert second.startswith(f"best model: {max(scores.percents):.2f} %")
    assert scores.percents[0] < 80 < scores.percents[-1]
    picture = (tmp_path / "stable_baselines3.svg").read_text(encoding="utf-8")
    assert picture.rstrip().endswith("</svg>")
    assert (tmp_path / "models" / "best_model_selected_by_exact_score.zip").exists()


@pytest.mark.parametrize(
    ("opponent", "discount", "encoding"),
    [(None, NEGAMAX, "one_hot"), ("optimal", 1.0, "binary"), (0.5, 1.0, "one_hot")],
)
def test_maskable_ppo_learns_the_addition_game(opponent, discount, encoding):
    seat = None if opponent is None else "random"
    env = GameVecEnv(ADDITION, 64, opponent=opponent, seat=seat, encoding=encoding)
    model = MaskablePPO("MlpPolicy", env, gamma=discount, seed=1, **SETTINGS)
    untrained = optimality(sb3_policy(model), env).percent
    model.learn(20_000)
    trained = optimality(sb3_policy(model), env)
    assert untrained < 80
    assert trained.percent == 100
    assert trained.illegal_percent == 0


def test_a_discount_of_minus_one_gives_negamax_returns():
    """Two games by hand: a win in three moves, and one cut off after the second move."""
    rewards = np.array([[0, 0], [0, 0], [1, 0]], dtype=np.float32)
    values = np.array([[0.5, 0.1], [-0.25, 0.2], [0.75, -0.4]], dtype=np.float32)
    starts = np.array([[1, 1], [0, 0], [0, 1]], dtype=np.float32)
    space = gymnasium.spaces.Box(0, 1, (1,))
    buffer = MaskableRolloutBuffer(
        3, space, gymnasium.spaces.Discrete(2), "cpu", gae_lambda=1.0, gamma=NEGAMAX, n_envs=2
    )
    for step in range(3):
        buffer.add(
            np.zeros((2, 1)), np.zeros((2, 1)), rewards[step], starts[step],
            torch.tensor(values[step]), torch.zeros(2),
        )  # fmt: skip
    last = torch.tensor([[0.0], [0.3]])
    buffer.compute_returns_and_advantage(last, dones=np.array([True, False]))
    # Who moved third won; who moved second lost; who moved first won.
    assert buffer.returns[:, 0].tolist() == pytest.approx([1, -1, 1], abs=1e-6)
    # The second game ended without a winner after two moves; the third's value is the opponent's.
    assert buffer.returns[:, 1].tolist() == pytest.approx([0, 0, -0.3], abs=1e-6)


@pytest.mark.parametrize("opponent", [None, "random", 0.5])
def test_the_games_are_those_of_the_batched_environment(opponent):
    seat = None if opponent is None else "random"
    arguments = {"start": "uniform", "opponent": opponent, "seat": seat, "max_cycles": 2}
    ours = GameVecEnv(
        make_game("nim", start="uniform"), 5, opponent=opponent, seat=seat, max_cycles=2
    )
    theirs = make_vector("nim", 5, **arguments, autoreset_mode="Disabled")
    ours.seed(3)
    observations = ours.reset()
    expected, _ = theirs.reset(seed=3)
    rng = np.random.default_rng(0)
    ends = {True: 0, False: 0}
    for _ in range(40):
        assert (observations == expected["observation"]).all()
        assert (get_action_masks(ours) == expected["action_mask"]).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(ours)])
        before = observations
        observations, rewards, dones, infos = ours.step(actions)
        last, expected_rewards, terminations, truncations, _ = theirs.step(actions)
        assert (rewards == expected_rewards).all()
        assert (dones == (terminations | truncations)).all()
        expected = last
        if dones.any():
            for i in np.flatnonzero(dones):
                assert (infos[i]["terminal_observation"] == last["observation"][i]).all()
                assert infos[i]["TimeLimit.truncated"] == truncations[i]
                ends[bool(truncations[i])] += 1
            expected, _ = theirs.reset(options={"reset_mask": dones})
        assert before is not observations
    assert min(ends.values()) > 0


@pytest.mark.parametrize("name", KINDS)
def test_sb3_checks_every_game(name):
    env = gymnasium.make(GAMES[name].gymnasium_id, encoding="binary", mask_in_observation=False)
    check_env(env)


def test_sb3_trains_on_dict_observations_and_in_its_own_vector_environments():
    arguments = {"opponent": "optimal", "render_mode": None}
    envs = make_vec_env("nim_envs/Nim-v0", n_envs=2, seed=0, env_kwargs=arguments)
    model = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=32, seed=0, device="cpu")
    model.learn(128)
    assert is_masking_supported(envs)
    monitored = VecMonitor(GameVecEnv(ADDITION, 4, opponent=None))
    MaskablePPO("MlpPolicy", monitored, n_steps=32, batch_size=32, device="cpu").learn(256)


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_models_that_know_no_masks_are_scored_with_their_illegal_moves(algorithm):
    """At every position they play what they predict, legal or not."""
    game = make_game("nim", heaps=(2, 3))
    env = GameVecEnv(game, 1, encoding="one_hot", opponent="random")
    model = algorithm("MlpPolicy", env, seed=0, device="cpu")
    score = optimality(sb3_policy(model), env)
    winning = illegal = 0
    every = game.board.positions(np.arange(game.board.num_positions))
    for position in every[game.solution.is_winning(every)]:
        action, _ = model.predict(env.encoding.encode(position), deterministic=True)
        winning += action in game.solution.winning_actions(position)
        illegal += action not in game.actions(position)
    assert score.percent == pytest.approx(100 * winning / score.count)
    assert score.illegal_percent == pytest.approx(100 * illegal / score.count)
    assert illegal > 0


def test_the_probabilities_of_a_model_are_those_it_draws_by():
    env = GameVecEnv(ADDITION, 8, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=0, **SETTINGS)
    number = 4000
    positions = np.full((number, 1), 9)
    shown, masks = env.encoding.encode(positions), ADDITION.board.mask(positions[:, 0])
    shares = sb3_policy(model, greedy=False)(shown, masks)[0].numpy()
    drawn, _ = model.predict(shown, action_masks=masks)
    counts = np.bincount(drawn, minlength=len(shares))
    assert np.abs(counts / number - shares).max() < 5 * 0.5 / np.sqrt(number)
    dqn = DQN("MlpPolicy", GameVecEnv(ADDITION, 1, opponent="random"), device="cpu")
    with pytest.raises(TypeError, match="DQN has no probabilities"):
        sb3_policy(dqn, greedy=False)


def test_a_model_of_another_game_or_encoding_is_refused():
    env = GameVecEnv(ADDITION, 1, encoding="binary", opponent=None)
    model = MaskablePPO("MlpPolicy", env, device="cpu")
    other = gymnasium.make("nim_envs/Addition-v0", k=3, n=10, encoding="one_hot")
    with pytest.raises(ValueError, match=r"shape \(8, 14\)"):
        optimality(sb3_policy(model), other)
    with pytest.raises(ValueError, match="the model has 3 actions, this game 15"):
        optimality(sb3_policy(model), make_game("nim"))


def test_normalised_observations_are_scored_with_the_model_that_normalises_them():
    games = GameVecEnv(ADDITION, 16, opponent=None)
    model = MaskablePPO("MlpPolicy", VecNormalize(games, norm_reward=False), gamma=NEGAMAX, seed=0,
                        **SETTINGS)  # fmt: skip
    scores = OptimalityCallback(500, verbose=0)
    model.learn(500, callback=scores)
    for greedy in (True, False):
        policy = sb3_policy(model, greedy=greedy)
        assert optimality(policy, games).percent == optimality(policy, ADDITION).percent
    assert scores.percents[-1] == optimality(sb3_policy(model), ADDITION).percent


@pytest.mark.parametrize("wrapper", [None, gymnasium.wrappers.FlattenObservation])
def test_the_callback_scores_on_an_environment_of_the_vector(wrapper):
    arguments = {"k": 3, "n": 10, "opponent": "optimal", "render_mode": None}
    env = make_vec_env(
        "nim_envs/Addition-v0", 2, env_kwargs=arguments, wrapper_class=wrapper
    )  # fmt: skip
    model = MaskablePPO("MlpPolicy" if wrapper else "MultiInputPolicy", env,
                        device="cpu", n_steps=32, batch_size=32, seed=0)  # fmt: skip
    scores = OptimalityCallback(64, verbose=0)
    model.learn(128, callback=scores)
    assert [score.count for score in scores.scores] == [8, 8, 8]
    one = env.envs[0]
    assert scores.percents[-1] == optimality(sb3_policy(model), one).percent


def refused_by_the_callback():
    arguments = {"env_kwargs": {"k": 3, "n": 10, "render_mode": None}}
    addition = "nim_envs:nim_envs/Addition-v0"
    yield "SubprocVecEnv", make_vec_env(addition, 1, vec_env_cls=SubprocVecEnv, **arguments)
    yield "VecFrameStack", VecFrameStack(GameVecEnv(ADDITION, 1, opponent=None), 2)
    yield "TransformAction", make_vec_env(
        addition, 1, **arguments,
        wrapper_class=lambda env: gymnasium.wrappers.TransformAction(env, lambda a: a, None),
    )  # fmt: skip


def test_the_callback_refuses_all_others_by_name():
    for name, env in refused_by_the_callback():
        model = PPO("MlpPolicy" if name == "VecFrameStack" else "MultiInputPolicy", env,
                    device="cpu", n_steps=8, batch_size=8)  # fmt: skip
        with pytest.raises(TypeError, match=rf"{name}.*score the game"):
            model.learn(8, callback=OptimalityCallback(8, verbose=0))
        env.close()


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float8_e4m3fn"])
def test_probabilities_of_any_float_type_of_pytorch_are_taken(kind):
    weights = torch.rand(11, 3, generator=torch.Generator().manual_seed(0)) ** 8

    def shares(observations, masks):
        chosen = (weights[observations[:, 0]] + 0.01) * torch.from_numpy(masks)
        return (chosen / chosen.sum(axis=1, keepdim=True)).requires_grad_()

    def policy(observations, masks):
        return shares(observations, masks).to(getattr(torch, kind))

    coarse = {"bfloat16": 1, "float8_e4m3fn": 10}.get(kind, 1e-4)
    exact = optimality(shares, ADDITION)
    assert optimality(policy, ADDITION).percent == pytest.approx(exact.percent, abs=coarse)
    env = make_versus("addition", k=3, n=10, opponent=policy)
    env.reset(seed=0)
    env.step(0)


def test_a_model_can_be_the_opponent():
    env = GameVecEnv(ADDITION, 8, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=1, **SETTINGS)
    agent = PolicyAgent(sb3_policy(model, greedy=False), ADDITION, encoding="one_hot")
    rival = GameVecEnv(ADDITION, 64, encoding="one_hot", opponent=agent, seat="random")
    rival.seed(0)
    rival.reset()
    wins = games = 0
    for _ in range(30):
        masks = rival.action_masks()
        _, rewards, dones, _ = rival.step(masks.argmax(axis=1))
        games += dones.sum()
        wins += (rewards > 0).sum()
    assert 0 < wins < games


def in_games(number):
    return GameVecEnv(ADDITION, number, encoding="one_hot", opponent=None)


def test_scores_are_logged_and_games_counted(tmp_path, capsys):
    env = in_games(16)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=1, **SETTINGS)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    scores = OptimalityCallback(eval_games=100, max_games=500, verbose=0)
    decay = EntropyDecay(0.5, 0.1, lambda: scores.remaining)
    seen = []
    decay._on_rollout_end = types.MethodType(lambda self: seen.append(model.ent_coef), decay)
    model.learn(10**6, callback=[scores, decay])
    assert scores.games[0] == 0
    # No more than the games that can end in one step too many.
    assert 500 <= scores.played == scores.games[-1] < 500 + 16
    assert all(later - sooner >= 100 for sooner, later in itertools.pairwise(scores.games[:-1]))
    assert len(scores.games) == len(scores.percents) >= 4
    assert scores.remaining == 0
    assert seen == sorted(seen, reverse=True)
    assert not capsys.readouterr().out
    model.logger.close()
    rows = logged(tmp_path / "progress.csv")
    assert [float(row["optimality/percent"]) for row in rows] == pytest.approx(scores.percents)
    assert [int(row["time/total_timesteps"]) for row in rows] == scores.steps
    assert {float(row["optimality/illegal_percent"]) for row in rows} == {0}


def logged(path):
    """The rows of a CSV file that have a score."""
    with path.open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["optimality/percent"]]


def test_every_score_is_that_of_the_model_at_its_step():
    """Step 0 is the model before training, the last step the model that is left."""
    model = MaskablePPO("MlpPolicy", in_games(16), gamma=NEGAMAX, seed=1, **SETTINGS)
    untrained = optimality(sb3_policy(model), model.get_env()).percent
    scores = OptimalityCallback(512, verbose=0)
    model.learn(2_048, callback=scores)
    assert scores.steps == [0, 512, 1024, 1536, 2048]
    assert scores.percents[0] == untrained
    assert scores.percents[-1] == optimality(sb3_policy(model), model.get_env()).percent
    model.learn(1_024, callback=scores, reset_num_timesteps=False)
    assert scores.steps[5:] == [2048, 2560, 3072]


def test_scoring_does_not_change_what_is_learned():
    def trained(*callbacks):
        model = MaskablePPO("MlpPolicy", in_games(8), gamma=NEGAMAX, seed=3, **SETTINGS)
        model.learn(1_024, callback=list(callbacks))
        return model.policy.state_dict()

    alone, scored = trained(), trained(OptimalityCallback(128, verbose=0))
    assert all((alone[name] == scored[name]).all() for name in alone)


def test_the_best_model_is_named_by_how_it_was_selected_beside_the_last(tmp_path, capsys):
    model = MaskablePPO("MlpPolicy", in_games(16), gamma=NEGAMAX, seed=1, **SETTINGS)
    scores = OptimalityCallback(256, best_model_save_path=tmp_path, log_path=tmp_path / "log")
    model.learn(4_096, callback=scores)
    assert {path.name for path in tmp_path.iterdir()} == {
        "best_model_selected_by_exact_score.zip", "best_model_selected_by_exact_score.txt", "log",
    }  # fmt: skip
    best = MaskablePPO.load(tmp_path / "best_model_selected_by_exact_score.zip", device="cpu")
    percent = optimality(sb3_policy(best), model.get_env()).percent
    assert percent == max(scores.percents) > scores.percents[0]
    text = (tmp_path / "best_model_selected_by_exact_score.txt").read_text(encoding="utf-8")
    first, last = text.splitlines()
    assert first.startswith(f"best model: {percent:.2f} %")
    assert first.endswith("selected by the exact score")
    at = scores.percents.index(percent)
    assert f"{scores.games[at]} games, {scores.steps[at]} steps" in first
    assert last.startswith(f"last model: {scores.percents[-1]:.2f} %")
    assert f"{scores.games[-1]} games, {scores.steps[-1]} steps" in last
    printed = capsys.readouterr().out
    assert printed.endswith(text)
    assert len(printed.splitlines()) == len(scores.scores) + 2
    with (tmp_path / "log" / "optimality.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == scores.steps
    assert [int(row["games"]) for row in rows] == scores.games
    assert [float(row["percent"]) for row in rows] == scores.percents


def test_large_boards_are_sampled_and_the_file_says_so(tmp_path):
    game = make_game("nim", heaps=(60, 60, 60), start="uniform")
    env = GameVecEnv(game, 8, opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=1, **SETTINGS)
    scores = OptimalityCallback(sample=200, best_model_save_path=tmp_path, verbose=0)
    model.learn(128, callback=scores)
    assert [score.count for score in scores.scores] == [200, 200]
    text = (tmp_path / "best_model_selected_by_sampled_score.txt").read_text(encoding="utf-8")
    assert "selected by the sampled score" in text
