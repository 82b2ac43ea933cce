"""RLlib trains on these games, PPO with action masking in self-play, and is scored exactly."""

import os

import numpy as np
import pytest
import ray
from ray.rllib.core.columns import Columns

from nim_envs import optimality
from nim_envs.adapters.rllib import MaskedPettingZooEnv
from nim_envs.registry import GAMES
from tests.clients.tutorials import run_tutorial
from tests.games import KINDS


@pytest.fixture(scope="module")
def tutorial():
    # Apart from any cluster that this machine is part of.
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        yield run_tutorial("rllib")
    ray.shutdown()


def test_the_tutorial_trains_and_scores(tutorial):
    score = tutorial["score"]
    assert score.count == 8
    assert score.illegal_percent < 1e-6
    assert score.percent > 70 > 2 * score.random_percent


def test_the_module_plays_as_it_is_scored(tutorial):
    """Its own forward pass, position by position, against the policy's probabilities."""
    import torch

    env, module = tutorial["env"], tutorial["algorithm"].get_module("both")
    states = np.arange(11)
    board = env.game.board
    shown, masks = env.encoding.encode(board.positions(states)), board.mask(states)
    scored = tutorial["policy_of"](module)(shown, masks)
    for one, mask, row in zip(shown, masks, scored, strict=True):
        batch = {
            "observations": torch.as_tensor(one[np.newaxis]),
            "action_mask": torch.as_tensor(mask[np.newaxis]),
        }
        with torch.no_grad():
            output = module.forward_inference({Columns.OBS: batch})
        logits = output[Columns.ACTION_DIST_INPUTS]
        assert np.allclose(torch.softmax(logits, dim=1).numpy()[0], row, atol=1e-5)


@pytest.mark.parametrize("name", KINDS)
def test_the_masks_are_those_of_the_position(name):
    env = MaskedPettingZooEnv({"id": GAMES[name].aec_id, "illegal_move": "raise"})
    game = env.env.unwrapped.game
    rng = np.random.default_rng(0)
    seen, _ = env.reset(seed=0)
    ended = False
    while not ended:
        (mover,) = seen
        assert env.observation_spaces[mover].contains(seen[mover])
        mask = seen[mover]["action_mask"]
        assert np.flatnonzero(mask).tolist() == game.actions(seen[mover]["observations"])
        seen, rewards, ends, _, _ = env.step({mover: rng.choice(np.flatnonzero(mask))})
        ended = ends["__all__"]
    assert sorted(rewards.values()) == [-1.0, 1.0]
    assert set(seen) == {"player_0", "player_1"}


def test_other_processes_play_and_what_they_play_is_learned_from(tutorial):
    """Two of them here; they may be on other machines as well."""
    config = tutorial["config"].copy(copy_frozen=False)
    config.env_runners(num_env_runners=2, num_envs_per_env_runner=4, rollout_fragment_length=20)
    config.training(train_batch_size_per_learner=160, minibatch_size=80, num_epochs=1)
    ray.init(address="local", include_dashboard=False, num_cpus=2)
    try:
        algorithm = config.build_algo()
        policy = tutorial["policy_of"](algorithm.get_module("both"))
        before = optimality(policy, tutorial["env"])
        results = algorithm.train()
        policy = tutorial["policy_of"](algorithm.get_module("both"))
        after = optimality(policy, tutorial["env"])
        processes = algorithm.env_runner_group.foreach_env_runner(
            lambda runner: os.getpid(), local_env_runner=False
        )
        algorithm.stop()
    finally:
        ray.shutdown()
    assert len({os.getpid(), *processes}) == 3
    assert results["env_runners"]["num_env_steps_sampled"] >= 160
    assert after.percent != before.percent
