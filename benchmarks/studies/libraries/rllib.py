"""PPO of RLlib with action masking: one module plays both seats."""

import os
import tempfile
from typing import Any

from benchmarks.studies.libraries.recipes import BOARDS
from nim_envs import registry
from nim_envs.optional import imports_for
from nim_envs.players import PolicyFunction
from nim_envs.typing import Array, MaskArray

with imports_for("this benchmark's learner of RLlib", "rllib"):
    import ray
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    from nim_envs.adapters.rllib import MaskedPettingZooEnv

GAMES, STEPS = 16, 10
"""Games played at once, and moves of each in a fragment."""


def ppo(board: str, moves: int, seed: int) -> list[PolicyFunction]:
    """Train with the network of RLlib's example of action masking and PPO's defaults."""
    name, arguments = BOARDS[board]
    # The default batch, unless that is more than all of the training.
    fragments = GAMES * STEPS
    network = {"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "relu"}
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=network)
    config = (
        PPOConfig()
        .environment(
            MaskedPettingZooEnv,
            env_config={
                "id": registry.GAMES[name].aec_id, "start": "uniform", "encoding": "one_hot",
                **arguments,
            },
        )
        .multi_agent(policies={"both"}, policy_mapping_fn=lambda *_, **__: "both")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
        # Games are short: a long fragment of one environment would take a time that is quadratic.
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=GAMES, rollout_fragment_length=STEPS
        )
        .training(train_batch_size_per_learner=min(4_000, -(-moves // fragments) * fragments))
        .debugging(seed=seed)
    )  # fmt: skip
    # Names of sockets are limited to 107 bytes, which other temporary folders may exceed.
    place = "/tmp" if os.name == "posix" else None
    with tempfile.TemporaryDirectory(prefix="ray", dir=place, ignore_cleanup_errors=True) as folder:
        ray.init(
            address="local", include_dashboard=False, num_cpus=1, log_to_driver=False,
            _temp_dir=folder,
        )  # fmt: skip
        try:
            algorithm = config.build_algo()
            sampled = 0
            while sampled < moves:
                sampled = algorithm.train()["num_env_steps_sampled_lifetime"]
            trained = algorithm.get_module("both")
            algorithm.stop()
        finally:
            ray.shutdown()
    return [_policy(trained)]


def _policy(module: Any) -> PolicyFunction:
    """Return the probabilities with which a module draws its moves."""

    def policy(observations: Array, masks: MaskArray) -> Any:
        inputs = {
            "observations": torch.as_tensor(observations),
            "action_mask": torch.as_tensor(masks, dtype=torch.float32),
        }
        with torch.no_grad():
            logits = module.forward_inference({"obs": inputs})["action_dist_inputs"]
        return logits.softmax(dim=1).numpy()

    return policy
