"""Conclusions of the audit: sentences of its page, and the calls that show them."""

from __future__ import annotations

CONCLUSIONS: tuple[tuple[str, str, str], ...] = (
    (
        "",
        "Of the functions that were called, all but one give the credit that they state, in every "
        "group of the three games, to rounding. Those that subtract a mean of the group, or of "
        "the others, point along ∇J. In groups of three the standard deviation is the same "
        "wherever it is not 0, so that dividing by it changes nothing here.",
        "",
    ),
    (
        "verl",
        "verl: `rloo` and `rloo_vectorized` state the same, and differ where a game is the only "
        "one of its group: the first gives it its whole reward, the second nothing "
        "([issue 7581](https://github.com/verl-project/verl/issues/7581)). In groups of two and "
        "more they agree.",
        """\
>>> import numpy as np, torch
>>> from verl.trainer.ppo import core_algos
>>> reward, mask, alone = torch.ones(1, 1), torch.ones(1, 1), np.array([0])
>>> core_algos.compute_rloo_outcome_advantage(reward, mask, alone)[0].item()
1.0
>>> core_algos.compute_rloo_vectorized_outcome_advantage(reward, mask, alone)[0].item()
0.0
""",
    ),
    (
        "verl",
        "verl: `optimal_token_baseline` does as stated on answers in one piece. Where tokens of"
        " observations stand between the turns, turns that other games reached too may lose "
        "their baseline: it counts the agent's tokens of the second longest game, and uses "
        "their number as a column. `tir_optimal_token_baseline`, which verl has for several "
        "turns, does as stated there. Below, the second turn of the first game was reached by "
        "both games, both won, and its credit is 1 instead of 0.",
        """\
>>> import numpy as np, torch
>>> from verl.trainer.ppo import core_algos
>>> mask = torch.tensor([[1.0, 0, 1, 0, 1], [1, 0, 1, 0, 0]])
>>> reward = torch.tensor([[0.0, 0, 0, 0, 1], [0, 0, 1, 0, 0]])
>>> half, group = torch.full((2, 5), 0.5), np.array([0, 0])
>>> for name in ("optimal_token_baseline", "multi_turn_optimal_token_baseline"):
...     function = getattr(core_algos, f"compute_{name}_advantage")
...     credit = function(reward, mask, group, half.log(), half)[0]
...     print(name, credit[0, ::2].round(decimals=3).abs().tolist())
optimal_token_baseline [0.0, 1.0, 1.0]
multi_turn_optimal_token_baseline [0.0, 0.0, 1.0]
""",
    ),
    (
        "",
        "In GRPO of verl and SkyRL, a game that is the only one of its group gets its whole "
        "reward as credit, as in REINFORCE; in RLOO of SkyRL and in Tinker's cookbook it gets "
        "none; Pass@k raises a `ValueError`. None of these is wrong, but a trainer that mixes "
        "group sizes should know which it uses.",
        "",
    ),
    (
        "skyrl",
        "SkyRL: whitening uses the mask of the response, which includes the tokens of "
        "observations (the mask of the loss does not). So mean and deviation are not those of the "
        "tokens that are trained on, and the cosine is lower than verl's, which leaves "
        "observations out. But with a mask of the agent's tokens alone, REINFORCE++ would lose "
        "the reward of all turns before the last:",
        """\
>>> import torch
>>> from skyrl.backends.skyrl_train.utils import ppo_utils
>>> mask = torch.tensor([[1.0, 0, 1]])
>>> reward = torch.tensor([[0.0, 0, 1]])
>>> function = ppo_utils.compute_reinforce_plus_plus_outcome_advantage
>>> for tokens in (torch.ones(1, 3), mask):
...     print(function(reward, tokens, gamma=1.0)[1][0, ::2].tolist())
[1.0, 1.0]
[0.0, 1.0]
""",
    ),
    (
        "verl",
        "Whitening over the batch subtracts a mean that includes the game itself, and divides by "
        "a deviation that depends on it. So the direction differs a little from ∇J, less the "
        "larger the batch (here it is one group). With values of an exact critic, a group in "
        "which every game was won still has credits after whitening, as any spread is scaled to "
        "1. verl and SkyRL refuse a batch of a single token:",
        """\
>>> import torch
>>> from verl.trainer.ppo import core_algos
>>> one = torch.ones(1, 1)
>>> core_algos.compute_gae_advantage_return(one, one / 2, one, 1.0, 1.0)
Traceback (most recent call last):
ValueError: The sum of the mask is one, which can cause a division by zero.
""",
    ),
    (
        "",
        "Pass@k, MaxRL, GPG and OPO have other aims than the chance of winning, or weight groups "
        "by it, so a cosine below 1 is not an error.",
        "",
    ),
    (
        "",
        "A truncated game has no reward, so every function credits it like a lost one (SkyRL's "
        "GAE differs by the value of the last reply). To avoid this, leave such games out before, "
        "as an option of TRL's trainers does.",
        "",
    ),
)
"""Library that the call needs, sentence, and the call that shows it."""
