"""RLlib: a module trained by its new API stack, as an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from agents.base import Array, MaskArray
from agents.deep.policy import PolicyAgent
from nim_envs import Game

Batch = Callable[[Any, Any], Any]


def masked_batch(observations: torch.Tensor, masks: torch.Tensor) -> dict[str, torch.Tensor]:
    """Return what RLlib's action-masking module takes: ``"observations"`` and the mask."""
    return {"observations": observations, "action_mask": masks}


def rllib_agent(
    module: Any,
    game: Game,
    encoding: str = "integer",
    *,
    greedy: bool = False,
    batch: Batch = masked_batch,
) -> PolicyAgent:
    """Return the policy of an ``RLModule`` as an agent, which follows its further training.

    Args:
        module: a torch module of discrete actions: ``algorithm.get_module(...)``, or one restored
            by ``RLModule.from_checkpoint``.
        game: the game.
        encoding: of the positions that the module takes.
        greedy: whether it takes a most probable action instead of drawing one.
        batch: a function of observations and action masks, float32 tensors, that returns what
            the module observes.

    Raises:
        InvalidGameError: an unknown encoding.
    """

    def probabilities(observations: Array, masks: MaskArray) -> Array:
        shown = torch.from_numpy(observations.astype(np.float32))
        legal = torch.from_numpy(masks.astype(np.float32))
        with torch.no_grad():
            # The names are those of Columns.OBS and Columns.ACTION_DIST_INPUTS.
            output = module.forward_inference({"obs": batch(shown, legal)})
            logits = output["action_dist_inputs"].double()
            # A module may have masked already; one that has not is masked here.
            logits = torch.where(legal > 0, logits, -torch.inf)
            shares: Array = torch.nan_to_num(torch.softmax(logits, dim=1)).cpu().numpy()
            return shares

    return PolicyAgent(probabilities, game, encoding=encoding, greedy=greedy)
