"""Networks of PyTorch as policies, whatever library trained them."""

from collections.abc import Callable
from typing import Any

import torch

from nim_envs.players import PolicyFunction
from nim_envs.typing import Array, MaskArray


def network_policy(
    network: Callable[[torch.Tensor], torch.Tensor], *, greedy: bool = False
) -> PolicyFunction:
    """Return a policy that plays legal moves by a network.

    The network maps observations ``(n, ...)`` to logits ``(n, actions)``, or to action values
    if ``greedy``, which returns an action of the largest instead of probabilities.
    """

    def policy(observations: Array, masks: MaskArray) -> Any:
        with torch.no_grad():
            numbers = network(torch.as_tensor(observations))
        numbers = numbers.where(torch.as_tensor(masks) != 0, -torch.inf)
        return (numbers.argmax(dim=1) if greedy else numbers.softmax(dim=1)).numpy()

    return policy
