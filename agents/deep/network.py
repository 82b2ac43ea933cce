"""PyTorch: a network as an agent, for any library that trained it."""

from __future__ import annotations

from collections.abc import Callable

import torch

from agents.base import Array, MaskArray
from agents.deep.policy import PolicyAgent
from nim_envs import Game


def network_agent(
    network: Callable[[torch.Tensor], torch.Tensor],
    game: Game,
    encoding: str = "integer",
    *,
    greedy: bool = False,
) -> PolicyAgent:
    """Return a network as an agent, which follows its further training.

    Args:
        network: a function of encoded positions, float32 ``(n, ...)``, that returns a number for
            every action, ``(n, actions)``: logits, or with ``greedy`` action values.
        game: the game.
        encoding: of the positions that the network takes.
        greedy: whether it takes an action of the largest number instead of drawing one.

    Raises:
        InvalidGameError: an unknown encoding.

    Example:
        >>> from agents.evaluation import optimality
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
