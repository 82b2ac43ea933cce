"""Games and policies on which ways of crediting turns are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.turn_credit.ascent import half_trained
from agents.turn_credit.exact import Exact
from agents.turn_credit.task import Task
from nim_envs import make_game


@dataclass(frozen=True)
class Setting:
    """A game and its starts.

    Args:
        game: registered name.
        arguments: arguments of the game.
        weight: relative time that it takes.
    """

    game: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    weight: float = 1.0

    def task(self) -> Task:
        """Return the agent's task in it."""
        return Task(make_game(self.game, **self.arguments))

    @property
    def full_board(self) -> bool:
        """Whether games begin at the full board, not at any position."""
        return "start" not in self.arguments


def _both(
    name: str, game: str, arguments: dict[str, Any], weights: tuple[float, float]
) -> dict[str, Setting]:
    anywhere = {**arguments, "start": "uniform"}
    return {
        name: Setting(game, arguments, weights[0]),
        f"{name}, any start": Setting(game, anywhere, weights[1]),
    }


SETTINGS: dict[str, Setting] = {
    **_both("Nim 3-4-5", "nim", {"heaps": (3, 4, 5)}, (2, 3)),
    **_both("misère 1-3-5", "misere_nim", {"heaps": (1, 3, 5)}, (1, 1)),
    **_both("Kayles 7", "kayles", {"heaps": (7,)}, (2, 5)),
    "take 1-3 of 10": Setting("nim", {"heaps": (10,), "max_take": 3}, 1),
    "Nim 1-3-5-7": Setting("nim", {"heaps": (1, 3, 5, 7)}, 5),
}
"""By name. Games begin at the full board, or at a uniformly drawn position with a legal move."""

FULL = [name for name, setting in SETTINGS.items() if setting.full_board]
ANYWHERE = [name for name, setting in SETTINGS.items() if not setting.full_board]
QUICK = "take 1-3 of 10"

POLICIES = ("random", "half-trained")


def policy(task: Task, kind: str, draw: int) -> Exact:
    """Return the expectations of a policy at which estimators are compared.

    Args:
        task: the game and the opponent.
        kind: ``"random"`` for logits drawn from a standard normal distribution;
            ``"half-trained"`` for the policy that has half of what there is to win, on the path
            of ∇J from there.
        draw: seed of the logits.
    """
    logits = np.random.default_rng(draw).normal(size=task.legal.shape)
    return Exact(task, half_trained(task, logits) if kind == "half-trained" else logits)
