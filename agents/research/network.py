"""PyTorch networks as agents, whatever library trained them."""

from __future__ import annotations

from collections.abc import Callable

import torch

from agents.research.policy import PolicyAgent
from nim_envs import Game
from nim_envs.typing import Array, MaskArray


def network_agent(
    network: Callable[[torch.Tensor], torch.Tensor],
    game: Game,
    encoding: str = "integer",
    *,
    greedy: bool = False,
) -> PolicyAgent:
    """Return an agent that plays by a network; further training of the network changes it.

    Args:
        network: maps encoded positions, float32 ``(n, ...)``, to a number for every action,
            ``(n, actions)``: logits, or action values if ``greedy``.
        game: rules that define positions and actions.
        encoding: name of the encoding of the network's input.
        greedy: whether to take an action of the largest number instead of drawing one.

    Raises:
        InvalidGameError: ``encoding`` is unknown.

    Example:
        >>> from nim_envs.scoring import optimality
        >>> from nim_envs import make_game
        >>> game = make_game("nim", heaps=(1, 2))
        >>> agent = network_agent(torch.nn.Linear(2, 4), game, greedy=True)
        >>> optimality(agent, game).count
        4
    """

    def probabilities(observations: Array, masks: MaskArray) -> Array:
        with torch.no_grad():
            logits = network(torch.as_tensor(observations, dtype=torch.float32))
            # Rounding to float32 would give unequal values equal shares.
            legal = torch.as_tensor(masks) != 0
            logits = torch.where(legal, logits.double(), -torch.inf)
            shares: Array = torch.softmax(logits, dim=1).nan_to_num().numpy(force=True)
            return shares

    return PolicyAgent(probabilities, game, encoding=encoding, greedy=greedy)
