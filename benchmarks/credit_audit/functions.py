"""The advantage functions of libraries: how each is called, and the credit that it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.credit_audit.claims import (
    LAMBDA,
    best_alone,
    by_length,
    by_share_won,
    centred,
    energy,
    leave_one_out,
    over_mean,
    result,
    white_advantages,
    white_result,
    white_turns,
)
from benchmarks.credit_audit.games import Batch, by_group
from nim_envs.typing import FloatArray


@dataclass(frozen=True)
class CreditFunction:
    """An advantage function of a library.

    Args:
        library: its name in the package index.
        module: module of the function.
        function: its name.
        claim: the credit of a turn that it states, in words.
        call: calls it, ``call(function, batch) -> (games, tokens)``.
        formula: the same by its statement, ``(games, turns)``.
        whole: whether it depends on the batch, which then is one group.
        policy: whether it depends on the policy beyond the games.
        setting: setting of the call, in words.
    """

    library: str
    module: str
    function: str
    claim: str
    call: Callable[[Any, Batch], FloatArray]
    formula: Callable[[Batch], FloatArray]
    whole: bool = False
    policy: bool = False
    setting: str = ""

    @property
    def name(self) -> str:
        """For tables."""
        return f"{self.library}: {self.function}" + (f", {self.setting}" if self.setting else "")

    def resolve(self) -> Any:
        """Return the function.

        Raises:
            ImportError: the library is not there, or not whole.
        """
        return getattr(import_module(self.module), self.function)

    def absent(self) -> str:
        """Return why it cannot be called; empty where it can."""
        try:
            self.resolve()
        except (ImportError, AttributeError) as error:
            return str(error)
        return ""

    def credits(self, function: Any, batch: Batch) -> FloatArray:
        """Return the credit of every turn, ``(games, turns)``."""
        credit = batch.turns(np.asarray(self.call(function, batch), dtype=np.float64))
        return credit * batch.reached

    def of_groups(self, credit: Callable[[Batch], FloatArray], batch: Batch) -> FloatArray:
        """Return a credit of every turn, by one call or by one for each group."""
        batches = by_group(batch) if self.whole else [batch]
        return np.concatenate([credit(each) for each in batches])


def _tensor(array: FloatArray) -> Any:
    return import_module("torch").from_numpy(np.array(array, dtype=np.float64))


def _of_tokens(function: Any, batch: Batch, replies: bool = False, **more: Any) -> FloatArray:
    mask = _tensor(batch.mask(replies))
    output = function(token_level_rewards=_tensor(batch.rewards), response_mask=mask, **more)
    return np.asarray(output[0].numpy())


def _of_groups(function: Any, batch: Batch, **more: Any) -> FloatArray:
    return _of_tokens(function, batch, index=batch.groups, **more)


def _with_config(function: Any, batch: Batch, **more: Any) -> FloatArray:
    config = import_module("verl.trainer.config").AlgoConfig(gamma=1.0)
    return _of_groups(function, batch, config=config, **more)


def _discounted(function: Any, batch: Batch) -> FloatArray:
    config = import_module("verl.trainer.config").AlgoConfig(gamma=1.0)
    return _of_tokens(function, batch, config=config)


def _with_values(function: Any, batch: Batch, **more: Any) -> FloatArray:
    values = _tensor(batch.tokens(batch.values, batch.afterwards))
    return _of_tokens(function, batch, values=values, gamma=1.0, **more)


def _with_energy(function: Any, batch: Batch) -> FloatArray:
    return _of_groups(
        function, batch, old_log_probs=_tensor(np.log(batch.tokens(batch.chances) + 1e-300)),
        sum_pi_squared=_tensor(batch.tokens(batch.squares)),
    )  # fmt: skip


def _of_trajectories(function: Any, batch: Batch) -> FloatArray:
    kinds = import_module("tinker_cookbook.rl.types")
    groups = []
    for each in by_group(batch):
        empty = [kinds.Trajectory(transitions=[], final_ob=None) for _ in each.scores]
        groups.append(kinds.TrajectoryGroup(empty, each.scores.tolist(), [{} for _ in empty]))
    credit = np.concatenate([tensor.numpy() for tensor in function(groups)])
    return credit[:, np.newaxis] * batch.mask()


GAE_CLAIM = f"GAE with λ = {LAMBDA}, here with V exact, whitened over the batch"

VERL = "verl.trainer.ppo.core_algos"
SKYRL = "skyrl.backends.skyrl_train.utils.ppo_utils"

_verl = partial(CreditFunction, "verl", VERL)
_skyrl = partial(CreditFunction, "skyrl", SKYRL)

# fmt: off
CREDIT_FUNCTIONS: tuple[CreditFunction, ...] = (
    _verl("compute_grpo_outcome_advantage", "(R − mean) / std", _of_groups,
          partial(centred, std=True)),
    _verl("compute_grpo_outcome_advantage", "R − mean (Dr. GRPO)",
          partial(_of_groups, norm_adv_by_std_in_grpo=False), centred, setting="without std"),
    _verl("compute_grpo_vectorized_outcome_advantage", "(R − mean) / std", _of_groups,
          partial(centred, std=True)),
    _verl("compute_rloo_outcome_advantage", "R − mean of the others", _of_groups, leave_one_out),
    _verl("compute_rloo_vectorized_outcome_advantage", "R − mean of the others", _of_groups,
          leave_one_out),
    _verl("compute_opo_outcome_advantage", "R − mean by length", _of_groups, by_length),
    _verl("compute_remax_outcome_advantage", "R − R of the greedy answer, here ½",
          lambda f, b: _of_tokens(f, b, reward_baselines=_tensor(np.full(len(b.scores), 0.5))),
          lambda b: result(b) - 0.5 * b.reached),
    _verl("compute_grpo_passk_outcome_advantage", "(best − second) / std for the best alone",
          _with_config, best_alone),
    _verl("compute_gpg_outcome_advantage", "games / games with R ≠ 0 · (R − mean)", _of_groups,
          by_share_won, whole=True),
    _verl("compute_reinforce_plus_plus_outcome_advantage", "R, whitened over the batch",
          _discounted, white_result, whole=True),
    _verl("compute_reinforce_plus_plus_baseline_outcome_advantage",
          "R − mean, whitened over the batch", _of_groups,
          partial(white_turns, centred), whole=True),
    _verl("compute_gdpo_outcome_advantage", "(R − mean) / std, whitened over the batch",
          _of_groups, partial(white_turns, partial(centred, std=True)), whole=True),
    _verl("compute_gae_advantage_return", GAE_CLAIM,
          partial(_with_values, lam=LAMBDA), white_advantages, whole=True, policy=True),
    _verl("compute_optimal_token_baseline_advantage",
          "R − mean weighted by Σ ‖∇ log π‖², of those that reached the token", _with_energy,
          energy, policy=True),
    _verl("compute_multi_turn_optimal_token_baseline_advantage",
          "the same", _with_energy, energy, policy=True),
    # SkyRL's mask of a response has the tokens of observations too; its mask of the loss has not.
    _skyrl("compute_grpo_outcome_advantage", "(R − mean) / std", _of_groups,
           partial(centred, std=True)),
    _skyrl("compute_grpo_outcome_advantage", "R − mean (Dr. GRPO)",
           partial(_of_groups, grpo_norm_by_std=False), centred, setting="without std"),
    _skyrl("compute_rloo_outcome_advantage", "R − mean of the others", _of_groups, leave_one_out),
    _skyrl("compute_maxrl_advantage", "(R − mean) / mean", _of_groups, over_mean),
    _skyrl("compute_reinforce_plus_plus_outcome_advantage", "R, whitened over the batch",
           partial(_of_tokens, gamma=1.0, replies=True), partial(white_result, replies=True),
           whole=True),
    _skyrl("compute_gae_advantage_return", GAE_CLAIM,
           partial(_with_values, lambd=LAMBDA, replies=True),
           partial(white_advantages, replies=True), whole=True, policy=True),
    CreditFunction("tinker_cookbook", "tinker_cookbook.rl.data_processing", "compute_advantages",
            "R − mean", _of_trajectories, centred),
)
# fmt: on

NOT_CALLED = (
    ("trl", "1.16.0", "GRPOTrainer, RLOOTrainer",
     "the advantage is computed inside `_generate_and_score_completions`, between generation and "
     "logging: there is no function to call"),
    ("verifiers", "0.4.0", "Trace.advantages",
     "it holds credit that a trainer assigns; the package computes none"),
    ("spiral_rl", "0.2.0", "SelfPlayEnvGroupBuilder, role baselines",
     "methods of a class whose module imports the trainer `oat`; the formula is the row SPIRAL of "
     "the [page on turn credit](turn_credit.md)"),
    ("prime-rl", "559b447", "GRPOAlgorithm, RAEAlgorithm, MaxRLAlgorithm",
     "not in the package index; coroutines that write into traces of a running orchestrator. It "
     "has one credit for a whole game, and none by turn"),
)  # fmt: skip
"""Functions that are not called: library, version, function, reason."""
