"""Who answers inside the step of the environments that play against one opponent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from nim_envs.errors import InvalidGameError

Array = npt.NDArray[Any]
MaskArray = npt.NDArray[np.int8]
CalledOpponent = Callable[[Array, MaskArray, np.random.Generator], npt.ArrayLike]

NAMED_OPPONENTS = {"random": 1.0, "optimal": 0.0}
"""The opponents that have a name, by their probability of a random move."""
SEATS = (0, 1, "random")


@runtime_checkable
class Player(Protocol):
    """Whoever picks an action from what one game shows, as every agent does."""

    def act(self, observation: Array, action_mask: MaskArray, rng: np.random.Generator) -> int:
        """Return a legal action."""
        ...


class AskedOneByOne:
    """A player as a function of a batch of games: it is asked in each where it is to move.

    Integer observations reach it as int64, as the turn-based environment shows them.

    Args:
        player: who is asked.
    """

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(
        self, observations: Array, action_masks: MaskArray, rng: np.random.Generator
    ) -> npt.ArrayLike:
        """Return its actions, and 0 where it is not to move."""
        if observations.dtype.kind == "i":
            observations = observations.astype(np.int64)
        return [
            self.player.act(observation, mask, rng) if mask.any() else 0
            for observation, mask in zip(observations, action_masks, strict=True)
        ]


def checked_opponent(opponent: Any) -> tuple[CalledOpponent | None, float]:
    """Return the function that is to be called, if any, and else the probability of a random move.

    Raises:
        InvalidGameError: ``opponent`` is none of what the message lists.
    """
    if isinstance(opponent, str) and opponent in NAMED_OPPONENTS:
        return None, NAMED_OPPONENTS[opponent]
    if isinstance(opponent, (int, float)) and not isinstance(opponent, bool) and 0 <= opponent <= 1:
        return None, float(opponent)
    # A class of agents is callable and has ``act`` too, but plays nothing.
    if not isinstance(opponent, type):
        if callable(opponent):
            return opponent, 1.0
        if isinstance(opponent, Player):
            return AskedOneByOne(opponent), 1.0
    raise InvalidGameError(
        f"opponent must be one of {tuple(NAMED_OPPONENTS)}, a probability from 0 to 1, an agent, "
        f"or a function, not {opponent!r}"
    )


def checked_seat(seat: Any) -> int:
    """Return the agent's seat, or -1 for one drawn for each game.

    Raises:
        InvalidGameError: ``seat`` is not one of :data:`SEATS`.
    """
    if isinstance(seat, bool) or seat not in SEATS:
        raise InvalidGameError(f"seat must be one of {SEATS}, not {seat!r}")
    return -1 if seat == "random" else int(seat)
