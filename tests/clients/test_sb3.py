"""Stable-Baselines3 and sb3-contrib train on these games, and are scored exactly."""

from __future__ import annotations

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
from stable_baselines3.common.vec_env import VecMonitor

from agents import EpsilonOptimalAgent
from agents.deep.sb3 import NEGAMAX, EntropyDecay, GameVecEnv, OptimalityCallback, sb3_agent
from agents.evaluation import optimality
from benchmarks.deep.__main__ import main as deep
from nim_envs import make_game
from nim_envs.errors import InvalidGameError
from nim_envs.registration import GAMES, gymnasium_id, make_vector
from tests.clients.tutorials import run_tutorial

ADDITION = make_game("addition", k=3, n=10, start="uniform")
SETTINGS = {
    "n_steps": 16, "batch_size": 128, "n_epochs": 4, "gae_lambda": 0.9, "learning_rate": 3e-3,
    "ent_coef": 0.03, "device": "cpu", "policy_kwargs": {"net_arch": [64, 64]},
}  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def test_the_tutorial_runs_as_printed(capsys):
    names = run_tutorial("stable_baselines3")
    first = capsys.readouterr().out.splitlines()[0]
    percent = float(first.split()[0])
    assert percent == pytest.approx(names["score"].percent, abs=0.06)
    # Far above random play, which the line shows beside it.
    assert percent > 80 > 3 * names["score"].random_percent
    assert names["scores"].played >= 3_000


@pytest.mark.parametrize("encoding", ["one_hot", "binary"])
@pytest.mark.parametrize(
    ("opponent", "discount"), [(None, NEGAMAX), ("optimal", 1.0), (0.5, 1.0)], ids=str
)
def test_maskable_ppo_learns_the_addition_game(opponent, discount, encoding):
    seat = None if opponent is None else "random"
    env = GameVecEnv(ADDITION, 64, opponent=opponent, seat=seat, encoding=encoding)
    model = MaskablePPO("MlpPolicy", env, gamma=discount, seed=1, **SETTINGS)
    untrained = optimality(sb3_agent(model, ADDITION, encoding, greedy=True), ADDITION).percent
    model.learn(20_000)
    trained = optimality(sb3_agent(model, ADDITION, encoding, greedy=True), ADDITION)
    assert untrained < 80
    assert trained.percent == 100
    assert trained.illegal_percent == 0


def test_without_the_sign_self_play_does_not_learn():
    """The same settings, but for the discount's sign."""
    env = GameVecEnv(ADDITION, 64, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=-NEGAMAX, seed=1, **SETTINGS)
    model.learn(20_000)
    assert optimality(sb3_agent(model, ADDITION, "one_hot", greedy=True), ADDITION).percent < 80


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


def test_one_environment_stands_for_all_games():
    env = GameVecEnv(ADDITION, 3, opponent=None)
    assert is_masking_supported(env)
    assert env.get_attr("game") == [ADDITION] * 3
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    with pytest.raises(AttributeError, match="render"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="game"):
        env.set_attr("game", None)
    env.set_options({"start": (7,)})
    assert env.reset().tolist() == [[7]] * 3
    assert (env.reset() != 7).any()
    with pytest.raises(InvalidGameError, match="ternary"):
        GameVecEnv(ADDITION, 3, encoding="ternary")
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_sb3_checks_every_game(name):
    env = gymnasium.make(gymnasium_id(name), encoding="binary", mask_in_observation=False)
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
def test_models_without_masks_are_agents_too(algorithm):
    env = GameVecEnv(ADDITION, 1, encoding="one_hot", opponent="random")
    model = algorithm("MlpPolicy", env, seed=0, device="cpu")
    agent = sb3_agent(model, ADDITION, "one_hot")
    positions = np.arange(11)[:, np.newaxis]
    masks = ADDITION.rules.action_mask(positions)
    shares = agent.action_probabilities(positions, masks)
    assert shares.sum(axis=1) == pytest.approx(1)
    encoded = agent.encoding.encode(positions)
    for encoding_shown, share in zip(encoded, shares, strict=True):
        with torch.no_grad():
            shown, _ = model.policy.obs_to_tensor(encoding_shown)
            if algorithm is DQN:
                expected = np.eye(3)[int(model.policy.q_net(shown).argmax())]
            else:
                expected = model.policy.get_distribution(shown).distribution.probs.numpy()[0]
        assert share == pytest.approx(expected, abs=1e-6)


def test_an_agent_plays_what_the_model_predicts_and_follows_its_training():
    env = GameVecEnv(ADDITION, 8, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=0, **SETTINGS)
    agent = sb3_agent(model, ADDITION, "one_hot", greedy=True)
    rng = np.random.default_rng(0)
    before = agent.action_probabilities(np.array([[0]]), np.ones((1, 3), dtype=np.int8))
    for total in range(10):
        position = np.array([total])
        mask = ADDITION.rules.action_mask(position)
        shown = agent.encoding.encode(position)
        expected, _ = model.predict(shown, deterministic=True, action_masks=mask)
        # Positions and what they are encoded as are taken alike.
        assert agent.act(position, mask, rng) == agent.act(shown, mask, rng) == expected
    model.learn(4_000)
    drawn = sb3_agent(model, ADDITION, "one_hot")
    after = drawn.action_probabilities(np.array([[0]]), np.ones((1, 3), dtype=np.int8))
    assert (before != after).any()


def test_a_model_of_another_game_or_encoding_is_refused():
    env = GameVecEnv(ADDITION, 1, encoding="binary", opponent=None)
    model = MaskablePPO("MlpPolicy", env, device="cpu")
    with pytest.raises(ValueError, match="one_hot"):
        sb3_agent(model, ADDITION, "one_hot")
    with pytest.raises(ValueError, match="15 actions"):
        sb3_agent(model, make_game("nim"), "binary")


def test_a_model_can_be_the_opponent():
    env = GameVecEnv(ADDITION, 8, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=1, **SETTINGS)
    agent = sb3_agent(model, ADDITION, "one_hot")
    for opponent in (agent, EpsilonOptimalAgent(ADDITION, 0.5)):
        encoding = "one_hot" if opponent is agent else "integer"
        rival = GameVecEnv(ADDITION, 64, encoding=encoding, opponent=opponent, seat="random")
        rival.seed(0)
        rival.reset()
        wins = games = 0
        for _ in range(30):
            masks = rival.action_masks()
            _, rewards, dones, _ = rival.step(masks.argmax(axis=1))
            games += dones.sum()
            wins += (rewards > 0).sum()
        assert 0 < wins < games


def test_scores_are_logged_and_games_counted(tmp_path):
    env = GameVecEnv(ADDITION, 16, encoding="one_hot", opponent=None)
    model = MaskablePPO("MlpPolicy", env, gamma=NEGAMAX, seed=1, **SETTINGS)
    model.set_logger(configure(str(tmp_path), ["csv"]))
    scores = OptimalityCallback(ADDITION, "one_hot", every=100, most=500)
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
    assert 0.45 < seen[0] <= 0.5
    assert 0.1 <= seen[-1] < 0.3
    model.logger.close()
    with (tmp_path / "progress.csv").open(encoding="utf-8") as file:
        logged = [row["optimality/percent"] for row in csv.DictReader(file)]
    assert float(logged[-1]) == pytest.approx(scores.percents[-1])


def test_the_benchmark_reports_what_it_trained(tmp_path, capsys):
    arguments = ["--quick", "--jobs", "1", "--output", str(tmp_path)]
    deep([*arguments, "--encodings", "binary", "--opponents", "self-play", "optimal"])
    printed = capsys.readouterr().out
    with (tmp_path / "deep.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    learners = [(row["learner"], row["opponent"]) for row in rows]
    assert learners == [
        ("random", "-"),
        ("q-learning", "self-play"),
        ("ppo-from-scratch", "self-play"),
        ("ppo-from-scratch, discount 1", "self-play"),
        ("published", "self-play"),
        ("published, discount -0.99", "self-play"),
        ("published, discount -0.99, uniform starts", "self-play"),
        ("maskable-ppo", "self-play"),
        ("maskable-ppo", "optimal"),
    ]
    assert float(rows[0]["optimality %"]) == pytest.approx(float(rows[0]["random %"]))
    games = {row["learner"]: int(row["games"]) for row in rows}
    assert games["q-learning"] <= games["maskable-ppo"] < games["q-learning"] + 256
    assert all(row["learner"] in printed for row in rows)
    assert "maskable-ppo" in (tmp_path / "deep.md").read_text(encoding="utf-8")
    logs = list((tmp_path / "tensorboard").rglob("events.out.tfevents*"))
    assert len(logs) == 5
